"""Small facts that sparse kernels need about places (rows of indices) and values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
from placewise.ops.values import Content, to_numpy


def numbers(value: Content) -> np.ndarray[Any, Any]:
    """Return integers of a kernel's input as a host array."""
    return value if isinstance(value, np.ndarray) else to_numpy(value)


def take(values: Any, rows: np.ndarray[Any, Any]) -> Any:
    """Return some of the values; strings are NumPy, the rest torch."""
    if isinstance(values, np.ndarray):
        return values[rows]
    return values[torch.from_numpy(np.ascontiguousarray(rows)).to(values.device)]


def like(array: np.ndarray[Any, Any], values: torch.Tensor) -> Any:
    """Return host integers as a content on the device of some values."""
    made = torch.from_numpy(np.ascontiguousarray(array))
    return made if isinstance(values, np.ndarray) else made.to(values.device)


def taken(values: Any, rows: torch.Tensor) -> Any:
    """Return some of the values, by rows in their memory; strings are NumPy, the rest torch."""
    return values[rows.numpy() if isinstance(values, np.ndarray) else rows]


def flat_numbers(indices: torch.Tensor, shape: np.ndarray[Any, Any]) -> torch.Tensor:
    """Return each place as one number, in row-major order; the shape must not be too large."""
    found = indices.new_zeros(len(indices))
    for axis, size in enumerate(shape):
        found = found * max(int(size), 1) + indices[:, axis]
    return found


def row_order(indices: torch.Tensor, shape: np.ndarray[Any, Any]) -> torch.Tensor:
    """Return the stable order that sorts places row by row, in their own memory."""
    if indices.is_cpu:
        return torch.from_numpy(order(indices.numpy(), shape))
    total = 1
    for size in shape:
        total *= max(int(size), 1)
    if total < 2**63:
        return torch.argsort(flat_numbers(indices, shape), stable=True)
    found = torch.arange(len(indices), device=indices.device)
    for axis in reversed(range(indices.shape[1])):
        column = indices[:, axis].index_select(0, found)
        found = found.index_select(0, torch.argsort(column, stable=True))
    return found


def flat(indices: np.ndarray[Any, Any], shape: Any) -> np.ndarray[Any, Any]:
    """Return each place as one number, in row-major order; shapes too large for that: the rank."""
    dims = [int(d) for d in shape]
    total = 1
    for d in dims:
        total *= max(d, 1)
    if total < 2**63:
        strides = np.ones(len(dims), np.int64)
        for axis in range(len(dims) - 2, -1, -1):
            strides[axis] = strides[axis + 1] * max(dims[axis + 1], 1)
        # Integers have no fast product of matrices: a column at a time.
        keys = np.zeros(len(indices), np.int64)
        for axis, stride in enumerate(strides.tolist()):
            keys += indices[:, axis] if stride == 1 else indices[:, axis] * stride
        return keys
    return np.unique(indices, axis=0, return_inverse=True)[1].reshape(-1)


def order(indices: np.ndarray[Any, Any], shape: Any = None) -> np.ndarray[Any, Any]:
    """Return the stable order that sorts places row by row; faster with the shape they are in."""
    if shape is not None and len(indices) and math.prod(map(int, shape)) < 2**63:
        keys = flat(indices, shape)
        if (keys[1:] >= keys[:-1]).all():
            return np.arange(len(keys))
        return np.argsort(keys, kind="stable")
    if not indices.shape[1]:
        return np.arange(len(indices))
    return np.lexsort(indices.T[::-1])


def bracketed_row(row: Any) -> str:
    """Return one place as messages show it: [0,1]."""
    return "[" + ",".join(str(int(each)) for each in row) + "]"


def check_parts(
    indices: torch.Tensor, values: Content, shape: np.ndarray[Any, Any], what: str = ""
) -> None:
    """Raise InvalidArgumentError unless three parts can be a sparse tensor."""
    if indices.ndim != 2:
        raise invalid(
            f"Input {what}indices should be a matrix but received shape "
            f"{bracketed_row(indices.shape)}"
        )
    if values.ndim != 1:
        raise invalid(
            f"Input {what}values should be a vector but received shape "
            f"{bracketed_row(values.shape)}"
        )
    if shape.ndim != 1:
        raise invalid(
            f"Input {what}shape should be a vector but received shape {bracketed_row(shape.shape)}"
        )
    if indices.shape[0] != values.shape[0]:
        raise invalid(f"Expected {indices.shape[0]} non-empty input values, got {values.shape[0]}")
    if indices.shape[1] != shape.shape[0]:
        raise invalid(
            f"Input {what}shape must have {indices.shape[1]} elements, got {shape.shape[0]}"
        )


def check_sizes(shape: np.ndarray[Any, Any]) -> None:
    """Raise InvalidArgumentError if a dimension is negative."""
    if (shape < 0).any():
        least = int(shape[shape < 0][0])
        raise invalid(f"Expected shape dimensions to be non-negative, got {least}")


def check_rows(indices: torch.Tensor, values: torch.Tensor, shape: np.ndarray[Any, Any]) -> None:
    """Raise InvalidArgumentError unless there is a place for each value, in the ops' own words.

    Whether places are inside the shape is not looked at: ops that only group them need not.
    """
    if values.ndim != 1:
        raise invalid(f"vals must be a vec, but got: {bracketed_row(values.shape)}")
    if indices.shape[:1] != values.shape:
        rows = indices.shape[0] if indices.ndim else 0
        raise invalid(
            f"indices and values rows (indexing dimension) must match. (indices = {rows}, "
            f"values = {values.shape[0]})"
        )
    if indices.ndim != 2:
        raise invalid(
            f"Input sp_indices should be a matrix but received shape: "
            f"{bracketed_row(indices.shape)}"
        )
    if indices.shape[1] != shape.size:
        raise invalid("Order length must be SparseTensor rank.")


def check_dense_shape(shape: np.ndarray[Any, Any]) -> None:
    """Raise InvalidArgumentError unless a shape is a vector without negative numbers."""
    if shape.ndim != 1:
        raise invalid(
            f"Expected input_shape to be a vector; got shape: {bracketed_row(shape.shape)}"
        )
    if (shape < 0).any():
        raise invalid(
            f"Expected shape dimensions to be non-negative, got {shape[shape < 0].tolist()[0]}"
        )


def check_whole(indices: torch.Tensor, values: torch.Tensor, shape: np.ndarray[Any, Any]) -> None:
    """Raise InvalidArgumentError unless three parts are a sparse tensor, with all places inside.

    Of places in the memory of a device, only how many there are is looked at.
    """
    if indices.ndim != 2:
        raise invalid(f"Sparse indices must be rank 2 but is rank {indices.ndim}")
    if values.ndim != 1:
        raise invalid(f"Sparse values must be rank 1 but is rank {values.ndim}")
    if shape.ndim != 1:
        raise invalid(f"Sparse shape must be rank 1 but is rank {shape.ndim}")
    if len(indices) != len(values):
        raise invalid(
            f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not "
            "match"
        )
    if indices.shape[1] != len(shape):
        raise invalid(f"Index rank ({indices.shape[1]}) and shape rank ({len(shape)}) do not match")
    if not indices.is_cpu:
        return  # to look at the places would wait for the device
    array = numbers(indices)
    if not are_inside(array, shape):
        first = int(np.argmax(((array < 0) | (array >= shape)).any(1)))
        raise invalid(
            f"Sparse index tuple indices[{first}, :] = [{', '.join(map(str, array[first]))}] is "
            "out of bounds"
        )


def are_inside(indices: np.ndarray[Any, Any], shape: Any) -> bool:
    """Return whether all places are inside the shape: by column, as rows are short."""
    if not len(indices):
        return True
    return all(
        column.min() >= 0 and column.max() < int(size)
        for column, size in zip(indices.T, shape, strict=True)
    )


def check_inside(indices: np.ndarray[Any, Any], shape: np.ndarray[Any, Any]) -> None:
    """Raise InvalidArgumentError unless all places are inside the shape."""
    if not are_inside(indices, shape):
        bad = ((indices < 0) | (indices >= np.asarray(shape))).any(1)
        first = int(np.argmax(bad))
        raise invalid(
            f"indices[{first}] = {bracketed_row(indices[first])} is out of bounds: need 0 <= index "
            f"< {bracketed_row(shape)}"
        )


def front_axes(axes: np.ndarray[Any, Any], rank: int) -> list[int]:
    """Return reduction axes counted from the front, each once."""
    if np.ndim(axes) > 1:
        raise invalid(
            "Expected reduction_axes to be a scalar or a vector; got shape: "
            f"{bracketed_row(np.shape(axes))}"
        )
    wanted = np.asarray(axes).reshape(-1).tolist()
    found = []
    for axis in wanted:
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
        found.append(axis % rank)
    return sorted(set(found))
