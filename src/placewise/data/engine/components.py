"""One leaf of an element: stacked with others, taken apart, padded.

A leaf is the content of a tensor (torch tensor, array of bytes objects, variant), or, for sparse
and ragged tensors, the tuple of the contents of their parts; None is the empty tuple.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.errors import DataLossError, invalid
from placewise.ops.values import Variant, filled

Leaf = Any


def shape_of(leaf: Leaf) -> tuple[int, ...]:
    """Return the shape of a plain leaf."""
    return tuple(leaf.shape) if isinstance(leaf, (torch.Tensor, np.ndarray)) else ()


def shown(shape: Any) -> str:
    """Return a shape as TensorFlow's runtime writes it: [2,3]."""
    return "[" + ",".join(str(d) for d in shape) + "]"


def is_string(leaf: Leaf) -> bool:
    """Return True for a content of strings."""
    return isinstance(leaf, np.ndarray)


def stack_contents(column: list[Leaf], component: int = 0) -> Leaf:
    """Return the plain leaves of a batch along a new first dimension."""
    first = column[0]
    if type(first) is torch.Tensor:
        try:
            return torch.stack(column)
        except RuntimeError:
            pass
    elif isinstance(first, Variant):
        made = np.empty(len(column), dtype=object)
        made[:] = column
        return Variant(list(column))
    shape = shape_of(first)
    for index, each in enumerate(column):
        if shape_of(each) != shape:
            raise invalid(
                f"Cannot batch tensors with different shapes in component {component}. First "
                f"element had shape {shown(shape)} and element {index} had shape "
                f"{shown(shape_of(each))}."
            )
    if isinstance(first, torch.Tensor):
        return torch.stack(column)
    made = np.empty((len(column), *shape), dtype=object)
    for index, each in enumerate(column):
        made[index] = each[()] if not shape else each
    return made


def concatenated(column: list[Leaf]) -> Leaf:
    """Return plain leaves one after the other along the first dimension."""
    if isinstance(column[0], torch.Tensor):
        return torch.cat(column)
    return np.concatenate(column)


def stack_ragged(column: list[Leaf], splits_dtype: torch.dtype = torch.int64) -> Leaf:
    """Return ragged leaves as one, whose rows they are: (values, outer splits, inner splits…)."""
    lengths = [
        len(each[1]) - 1 if len(each) > 1 else int(each[0].shape[0]) if each[0].shape else 0
        for each in column
    ]
    outer = torch.tensor(np.cumsum([0, *lengths]), dtype=splits_dtype)
    values = concatenated([each[0] for each in column])
    inner = []
    for level in range(1, len(column[0])):
        parts, offset = [], 0
        for index, each in enumerate(column):
            splits = each[level] + offset
            parts.append(splits if index == 0 else splits[1:])
            offset += int(each[level][-1])
        inner.append(torch.cat(parts))
    return (values, outer, *inner)


def ragged_row(leaf: Leaf, row: int) -> Leaf:
    """Return one row of a ragged leaf, with one partition less."""
    values, outer, *inner = leaf
    begin, end = int(outer[row]), int(outer[row + 1])
    made = []
    for splits in inner:
        part = splits[begin : end + 1]
        begin, end = int(part[0]), int(part[-1])
        made.append(part - part[0])
    return (values[begin:end], *made)


def stack_sparse(column: list[Leaf]) -> Leaf:
    """Return sparse leaves (indices, values, shape) as one with a further first dimension."""
    indices, values = [], []
    for row, (place, value, _) in enumerate(column):
        lead = torch.full((len(place), 1), row, dtype=torch.int64)
        indices.append(torch.cat([lead, place], 1))
        values.append(value)
    shape = torch.stack([each[2] for each in column]).amax(0)
    whole = torch.cat([torch.tensor([len(column)], dtype=torch.int64), shape])
    return (torch.cat(indices), concatenated(values), whole)


def sparse_row(leaf: Leaf, row: int) -> Leaf:
    """Return one row of a sparse leaf."""
    indices, values, shape = leaf
    chosen = indices[:, 0] == row
    kept = values[chosen.numpy()] if is_string(values) else values[chosen]
    return (indices[chosen][:, 1:], kept, shape[1:])


def rows_of(leaf: Leaf, kind: str) -> int:
    """Return how many rows a batched leaf has; -1 if it has no say (None)."""
    if kind == "none":
        return -1
    if kind == "ragged":
        return len(leaf[1]) - 1 if len(leaf) > 1 else int(leaf[0].shape[0])
    if kind == "sparse":
        return int(leaf[2][0])
    if isinstance(leaf, Variant):
        return len(leaf.value)
    return int(leaf.shape[0])


def row_of(leaf: Leaf, kind: str, row: int) -> Leaf:
    """Return one row of a batched leaf."""
    if kind == "none":
        return leaf
    if kind == "ragged":
        return ragged_row(leaf, row) if len(leaf) > 1 else (leaf[0][row],)
    if kind == "sparse":
        return sparse_row(leaf, row)
    if isinstance(leaf, Variant):
        return leaf.value[row]
    found = leaf[row]
    return found if isinstance(found, (torch.Tensor, np.ndarray)) else boxed(found)


def boxed(text: bytes) -> np.ndarray[Any, Any]:
    """Return a bytes object as the content of a scalar string tensor."""
    made = np.empty((), dtype=object)
    made[()] = text
    return made


def padded(column: list[Leaf], shape: tuple[int, ...], filler: Any, component: int) -> Leaf:
    """Return plain leaves stacked, each padded at its end to `shape` (-1: as long as needed)."""
    sizes = [shape_of(each) for each in column]
    dims = []
    for each in sizes:
        if len(each) != len(shape):
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{component}: expected rank {len(shape)} but got element with rank {len(each)}"
            )
    for axis, wanted in enumerate(shape):
        longest = max(each[axis] for each in sizes)
        if wanted == -1:
            dims.append(longest)
        elif longest > wanted:
            raise DataLossError(
                None, None, "Attempted to pad to a smaller size than the input element."
            )
        else:
            dims.append(wanted)
    if all(each == tuple(dims) for each in sizes):
        return stack_contents(column, component)
    if is_string(column[0]):
        made: Any = filled((len(column), *dims), filler, object)
        target, parts = made, column
    else:
        made = torch.full((len(column), *dims), filler, dtype=column[0].dtype)
        # NumPy writes into small parts at a fraction of what torch takes.
        plain = made.dtype is not torch.bfloat16
        target = made.numpy() if plain else made
        parts = [each.numpy() for each in column] if plain else column
    for row, (each, size) in enumerate(zip(parts, sizes, strict=True)):
        target[(row, *map(slice, size))] = each
    return made
