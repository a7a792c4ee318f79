"""A graph becomes a plan, and a plan becomes Python source.

`prune` finds the operations a run needs. `build` walks them once, in order: it folds constants,
merges duplicates, drops identities and adds a copy per value and device. `combining` joins
neighbouring steps that torch does in one call. `branches.set_lifetimes` decides where values end,
and `source` writes and compiles the Python. Placement is done before, by the caller. Knows no
sessions, and no values but constants.
"""
