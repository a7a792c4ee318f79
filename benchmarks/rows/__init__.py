"""The rows of `benchmarks/workloads.py`, a file a topic.

Each file has `ROWS` (a name, and a function that takes `tf` and returns what is timed), `LIMIT`
(the most that placewise's time may be of TensorFlow's) and `LIMITS` (rows with a limit of their
own, and the reason for it). Rows in `ALONE`, if there is one, have processes of their own.
"""
