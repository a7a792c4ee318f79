"""A graph becomes a plan, a plan becomes Python. Knows no sessions, and no values but constants.

`pipeline.PASSES` lists the passes in order. They are in `passes`; the larger ones have a folder of
their own: `lowering` (operations become steps), `scalars` (what NumPy computes), `rules` (patterns
that torch does in one call). `emission` writes the finished plan as Python.
"""
