"""Which operations act on something besides their results, and so run even if nobody reads them."""

from __future__ import annotations

from typing import Any


def acts(op: Any) -> bool:
    """Return True if an operation, or one in its blocks, does something that lasts."""
    if op.blocks:
        return any(acts(inner) for block in op.blocks for inner in block.operations)
    declaration = op.declaration
    if not declaration.stateful or declaration.effects == "reads" or declaration.makes_state:
        return False
    return "seed2" not in op.attrs  # drawing random numbers shows in the numbers alone


def acting(operations: list[Any]) -> list[Any]:
    """Return the operations outside of blocks that act, in order."""
    return [op for op in operations if op.block is None and acts(op)]
