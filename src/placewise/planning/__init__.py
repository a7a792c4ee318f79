"""A graph becomes a plan, a plan becomes Python: one file per pass, in pass order.

prune → simplify → copies → order → lifetimes → source. Knows no sessions and no values but
constants.
"""
