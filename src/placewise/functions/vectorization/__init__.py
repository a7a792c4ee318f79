"""`tf.vectorized_map`: a function of one row, run on all rows at once.

`mapping.py` traces the function once, on a row without values, and goes through what it wrote:
each operation on rows becomes one on all rows, by a rule from the tables in `*_rules.py`.
"""
