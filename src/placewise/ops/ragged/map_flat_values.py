"""Functions applied to the flat values of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.row_partition import RowPartition, wrong


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return ragged tensors like the arguments with `op` of their flat values as values.

    All ragged arguments must be cut alike.
    """
    found = [each for each in nest.flatten([args, kwargs]) if isinstance(each, RaggedTensor)]
    if not found:
        return op(*args, **kwargs)
    first = found[0]._nested_row_partitions
    for other in found[1:]:
        partitions = other._nested_row_partitions
        if len(first) != len(partitions):
            raise ValueError(
                "All ragged inputs must have the same ragged_rank; got "
                f"{len(first)} and {len(partitions)}."
            )
        first = tuple(_agreed(*both) for both in zip(first, partitions, strict=True))
    flat_args, flat_kwargs = nest.map_structure(_flat, [list(args), kwargs])
    result = op(*flat_args, **flat_kwargs)
    # A scalar result has no outer dimension at all.
    count = result.shape[0] if result.shape.rank else -1 if result.shape.rank == 0 else None
    total = first[-1].static_nvals
    if count is not None and total is not None and count != total:
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-"
            f"dimension size as flat_values of any ragged inputs. (output shape: {result.shape}; "
            f"expected outer dimension size: {total})"
        )
    return RaggedTensor._from_nested_row_partitions(result, first)


def _agreed(mine: RowPartition, theirs: RowPartition) -> RowPartition:
    """Return a partition; another must be like it, in a graph when it runs."""
    if mine.is_like(theirs):
        return mine
    splits = row_splits.content(mine.row_splits())
    same = row_splits.all_equal(splits, row_splits.content(theirs.row_splits()))
    message = "Inputs must have identical ragged splits"
    if same is False:
        raise wrong(
            message, "Condition x == y did not hold.", mine.row_splits(), theirs.row_splits()
        )
    agreed = row_splits.checked(row_splits.tensor(splits, mine.dtype), same, message)
    return RowPartition(agreed, uniform_row_length=mine.uniform_row_length())


def _flat(value: RaggedTensor) -> Any:
    return value.flat_values if isinstance(value, RaggedTensor) else value
