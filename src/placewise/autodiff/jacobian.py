"""Derivatives of every element of a target: one backward pass per element, stacked."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.autodiff.backward import differentiate
from placewise.core.tensor import Tensor
from placewise.eager.tape import Tape
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import reshape, shape, size, sizes_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.map_fn import map_fn
from placewise.ops.indexed_slices import IndexedSlices, to_dense


def jacobian(tape: Tape, target: Tensor, sources: list[Any]) -> list[Any]:
    """Return target.shape + source.shape derivatives per source; None where unconnected."""
    if not target.shape.is_fully_defined():
        return _of_open_shape(tape, target, sources)
    dims = tuple(target.shape.as_list())
    count = int(np.prod(dims, dtype=np.int64))
    columns: list[list[Any]] = []
    for index in range(count):
        seed = np.zeros(count, target.dtype.as_numpy_dtype)
        seed[index] = 1
        seeds = [convert_to_tensor(seed.reshape(dims))]
        columns.append([_dense(g) for g in differentiate(tape, [target], sources, seeds)])
    return [_stacked([row[i] for row in columns], dims) for i in range(len(sources))]


def _dense(gradient: Tensor) -> Any:
    return to_dense(gradient) if isinstance(gradient, IndexedSlices) else gradient


def _stacked(rows: list[Any], dims: tuple[int, ...]) -> Any:
    if not rows or all(row is None for row in rows):
        return None
    together = stack(rows)
    return reshape(together, [*dims, *sizes_of(together)[1:]])


def _of_open_shape(tape: Tape, target: Any, sources: list[Any]) -> list[Any]:
    """Return the same for a target whose shape is known only when the graph runs: by a loop."""
    count, sizes = size(target), shape(target)

    def row(index: Any) -> list[Any]:
        seed = reshape(one_hot(index, count, dtype=target.dtype), sizes)
        return [_dense(g) for g in differentiate(tape, [target], sources, [seed])]

    connected = [item is not None for item in row(0)]

    def connected_row(index: Any) -> list[Any]:
        return [item for item in row(index) if item is not None]

    kinds = [source.dtype for source, joined in zip(sources, connected, strict=True) if joined]
    if not kinds:
        return [None] * len(sources)
    stacked_rows = iter(map_fn(connected_row, range_of(count), fn_output_signature=kinds))
    return [
        reshape(rows, concat([sizes, shape(rows)[1:]], 0))
        if joined and (rows := next(stacked_rows)) is not None
        else None
        for joined in connected
    ]


def batch_jacobian(tape: Tape, target: Any, source: Any) -> Any:
    """Return [batch, *target.shape[1:], *source.shape[1:]] derivatives; None if unconnected."""
    dims = tuple(target.shape.as_list())
    inner = int(np.prod(dims[1:], dtype=np.int64))
    rows = []
    for index in range(inner):
        seed = np.zeros((dims[0], inner), target.dtype.as_numpy_dtype)
        seed[:, index] = 1
        (row,) = differentiate(tape, [target], [source], [convert_to_tensor(seed.reshape(dims))])
        rows.append(_dense(row))
    if not rows or all(row is None for row in rows):
        return None
    together = stack(rows, axis=1)
    return reshape(together, [*dims, *rows[0].shape.as_list()[1:]])
