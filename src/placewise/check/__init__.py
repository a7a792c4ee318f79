"""`placewise check`: whether a GPU computes what the CPU does, on sample calls of every op.

`samples` has the calls, `kernels` runs one on two devices, `comparing` says whether the results are
the same, `worker` is the process they run in and `supervisor` who starts it. The command line and
the tests load this; nobody else does.
"""
