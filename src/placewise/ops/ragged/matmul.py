"""Batches of matrices that are ragged in their rows or columns, multiplied."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import InvalidArgumentError
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.matmul import matmul as dense_matmul
from placewise.ops.ragged.conversion import from_tensor
from placewise.ops.ragged.ragged_tensor import RaggedTensor, as_values


def matmul(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    """Return the products, ragged where the rows are; padding with zeros adds nothing."""
    a, b = map(as_values, inputs[:2])
    turn_a = attrs.get("transpose_a", False) or attrs.get("adj_x", False)
    turn_b = attrs.get("transpose_b", False) or attrs.get("adj_y", False)
    rank = a.shape.rank
    if rank < 2 or rank != b.shape.rank:
        raise ValueError("a and b must have the same rank of at least 2.")
    for value in (a, b):
        if isinstance(value, RaggedTensor) and rank == 2:
            raise InvalidArgumentError(
                None,
                None,
                "The matrices in `a` and `b` may not be ragged in their innermost dimension.",
            )
    rows = None
    if isinstance(a, RaggedTensor) and not turn_a and a.ragged_rank == rank - 2:
        rows = a
    product = dense_matmul(_dense(a), _dense(b), transpose_a=turn_a, transpose_b=turn_b)
    if rows is None:
        return product

    lengths = [convert_to_tensor(each) for each in rows.nested_row_lengths()]
    nested = lengths if len(lengths) > 1 else lengths[0]
    return from_tensor(product, nested, None, len(lengths), rows._partition.dtype)


def _dense(value: Any) -> Any:
    return value.to_tensor() if isinstance(value, RaggedTensor) else value
