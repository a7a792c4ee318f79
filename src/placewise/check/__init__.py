"""`placewise check`: why a GPU is not used, and whether it computes what the CPU does.

The doctor: `reading` collects facts about the machine (`machine`), the rules judge them (`rules`
lists all, in a file for each topic) and return findings (`finding`); `program` does the same for a
program.
Kernels, on sample calls of every op: `samples` has the calls, `kernels` runs one on two devices,
`comparison` says whether the results are the same, `worker` is the process they run in and
`supervisor` who starts it. The command line and the tests load this; nobody else does.
"""
