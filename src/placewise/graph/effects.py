"""Which operations act on something besides their results, and so run even if nobody reads them."""

from __future__ import annotations

from typing import Any

# They look at state, or make it, and change nothing.
_LOOKING = frozenset(
    {
        "ReadVariableOp",
        "ResourceGather",
        "ResourceGatherNd",
        "VarIsInitializedOp",
        "VariableShape",
        "Placeholder",
        "VarHandleOp",
        "LookupTableFindV2",
        "LookupTableSizeV2",
        "LookupTableExportV2",
        "QueueSizeV2",
        "QueueIsClosedV2",
    }
)


def acts(op: Any) -> bool:
    """Return True if an operation, or one in its blocks, does something that lasts."""
    if op.blocks:
        return any(acts(inner) for block in op.blocks for inner in block.operations)
    declaration = op.declaration
    if not declaration.stateful or declaration.name in _LOOKING or declaration.makes_state:
        return False
    return "seed2" not in op.attrs  # drawing random numbers shows in the numbers alone


def acting(operations: list[Any]) -> list[Any]:
    """Return the operations outside of blocks that act, in order."""
    return [op for op in operations if op.block is None and acts(op)]
