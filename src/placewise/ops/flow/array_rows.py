"""Ops of TensorFlow 1's TensorArray on several of its items, as the parts of one tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static, TensorShape, merge
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.flow.array_ops import gradient_of, shaped
from placewise.ops.residence import gathered
from placewise.ops.values import TORCH, Content, Handle, shape_of

if TYPE_CHECKING:
    from placewise.ops.flow.array_items import Items


gather = define(
    "TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float32; dtype: type,"
    " element_shape: shape = None) -> value: dtype",
    host=("indices",),
    stateful=True,
    doc="Return tensors of a list as one.",
)


@gather.shape
def gather_shape(
    handle: Static,
    indices: Static,
    flow_in: Static,
    *,
    dtype: DType,
    element_shape: tuple[Any, ...] | None,
) -> Dims:
    dims = TensorShape(element_shape)._dims
    if dims is None:
        return None
    return (indices.shape[0] if indices.shape else None, *dims)


@gather.kernel
def gather_kernel(
    handle: Handle,
    indices: np.ndarray[Any, Any],
    flow_in: torch.Tensor,
    *,
    dtype: DType,
    element_shape: tuple[Any, ...] | None,
    torch_device: str = "cpu",
) -> Any:
    items = handle.value
    items.check_open()
    dims = TensorShape(element_shape)._dims
    if not len(indices):
        known = merge(items.dims, dims)
        if known is None or None in known:
            shown = "<unknown>" if known is None else bracketed(known)
            raise UnimplementedError(
                None,
                None,
                f"TensorArray has size zero, but element shape {shown} is not fully defined. "
                "Currently only static shapes are supported when packing zero-size TensorArrays.",
            )
        return _empty((0, *known), items.dtype, torch_device)
    values = _all_read(items, indices.tolist(), torch_device)
    first = shape_of(values[0])
    for index, value in zip(indices.tolist(), values, strict=True):
        if shape_of(value) != first:
            raise invalid(
                f"TensorArray has inconsistent shapes.  Index 0 has shape: {bracketed(first)} but "
                f"index {index} has shape: {bracketed(shape_of(value))}"
            )
    return torch.stack(values) if isinstance(values[0], torch.Tensor) else _texts(values)


def _texts(values: list[Any]) -> Any:
    made = np.empty((len(values), *values[0].shape), dtype=object)
    for index, value in enumerate(values):
        made[index] = value[()] if not value.ndim else value
    return made


def _all_read(items: Items, places: Iterable[int], torch_device: str) -> list[Any]:
    """Return the values in some places, in one memory."""
    values = [items.read(place, torch_device) for place in places]
    return values if torch_device == "cpu" else list(gathered(values, torch_device))


def _empty(shape: tuple[Any, ...], dtype: DType, torch_device: str) -> Any:
    if dtype is dtypes.string:
        return np.empty(shape, dtype=object)
    return torch.zeros(shape, dtype=TORCH[dtype], device=torch_device)


@gather.gradient
def gather_gradient(call: Call, dy: Tensor) -> Any:
    handle, indices, flow = call.inputs
    list_of, after = gradient_of(handle, flow)
    return None, None, scatter(list_of, indices, dy, after)


scatter = define(
    "TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float32)"
    " -> flow_out: float32",
    host=("indices",),
    stateful=True,
    doc="Put the rows of a tensor into a list.",
)


@scatter.shape
def scatter_shape(handle: Static, indices: Static, value: Static, flow_in: Static) -> Dims:
    if value.shape is not None and indices.shape is not None:
        if len(indices.shape) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(indices.shape)}")
        if not value.shape:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        rows, count = value.shape[0], indices.shape[0]
        if rows is not None and count is not None and rows != count:
            raise ValueError(f"Dimensions must be equal, but are {rows} and {count}")
    return ()


@scatter.kernel
def scatter_kernel(
    handle: Handle, indices: np.ndarray[Any, Any], value: Any, flow_in: torch.Tensor
) -> Any:
    items = handle.value
    if value.ndim < 1:
        raise invalid(
            f"Expected value to be at least a vector, but received shape: {bracketed(value.shape)}"
        )
    if indices.ndim != 1 or len(indices) != len(value):
        raise invalid(
            f"Expected len(indices) == values.shape[0], but saw: {len(indices)} vs. {len(value)}"
        )
    if len(indices):
        last, size = int(indices.max()), len(items.values)
        if last >= size and not items.dynamic:
            raise invalid(f"Max scatter index must be < array size ({last} vs. {size})")
    for index, row in zip(indices.tolist(), _rows(value), strict=True):
        items.write(index, row)
    return flow_in


def _rows(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.unbind()
    return [value[index : index + 1].reshape(value.shape[1:]) for index in range(len(value))]


@scatter.gradient
def scatter_gradient(call: Call, dy: Tensor) -> Any:
    handle, indices, value, _ = call.inputs
    list_of, flow = gradient_of(handle, dy)
    dims = None if value._dims is None else value._dims[1:]
    found = gather(list_of, indices, flow, dtype=value.dtype, element_shape=dims)
    return None, None, shaped(found, value._dims), dy


concat = define(
    "TensorArrayConcatV3(handle: resource, flow_in: float32; dtype: type,"
    " element_shape_except0: shape = None) -> value: dtype, lengths: int64",
    host=("lengths",),
    stateful=True,
    doc="Return the tensors of a list joined end to end.",
)


@concat.shape
def concat_shape(
    handle: Static, flow_in: Static, *, dtype: DType, element_shape_except0: tuple[Any, ...] | None
) -> list[Dims]:
    dims = TensorShape(element_shape_except0)._dims
    return [None if dims is None else (None, *dims), (None,)]


@concat.kernel
def concat_kernel(
    handle: Handle,
    flow_in: torch.Tensor,
    *,
    dtype: DType,
    element_shape_except0: tuple[Any, ...] | None,
    torch_device: str = "cpu",
) -> tuple[Any, Any]:
    items = handle.value
    items.check_open()
    values = _all_read(items, range(len(items.values)), torch_device)
    if not values:
        dims = TensorShape(element_shape_except0)._dims
        if dims is None or None in dims:
            shown = "<unknown>" if dims is None else bracketed(dims)
            raise UnimplementedError(
                None,
                None,
                f"TensorArray has size zero, but element_shape_except0 {shown} is not fully "
                "defined. Currently only static shapes are supported when concatenating zero-size "
                "TensorArrays.",
            )
        empty = _empty((0, *dims), items.dtype, torch_device)
        return empty, torch.zeros(0, dtype=torch.int64)
    for index, value in enumerate(values):
        if not value.ndim:
            raise invalid(
                f"Concat saw a scalar shape at index {index} but requires at least vectors.  Did "
                "you mean to call pack?"
            )
        rest, first = shape_of(value)[1:], shape_of(values[0])[1:]
        if rest != first:
            raise invalid(
                "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                f"{bracketed(first)} but index {index} has (excepting dimension 0) shape: "
                f"{bracketed(rest)}"
            )
    joined = torch.cat(values) if isinstance(values[0], torch.Tensor) else np.concatenate(values)
    return joined, torch.tensor([len(value) for value in values], dtype=torch.int64)


@concat.gradient
def concat_gradient(call: Call, dy: Tensor, _lengths: Tensor) -> Any:
    handle, flow = call.inputs
    list_of, after = gradient_of(handle, flow)
    return None, split(list_of, dy, call.outputs[1], after)


split = define(
    "TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float32)"
    " -> flow_out: float32",
    host=("lengths",),
    stateful=True,
    doc="Put pieces of a tensor into a list.",
)
split.shape(lambda *_: ())


@split.kernel
def split_kernel(
    handle: Handle, value: Content, lengths: np.ndarray[Any, Any], flow_in: torch.Tensor
) -> Any:
    items = handle.value
    if lengths.ndim != 1:
        raise invalid(
            f"Expected lengths to be a vector, received shape: {bracketed(lengths.shape)}"
        )
    if value.ndim < 1:
        raise invalid(
            f"Expected value to be at least a vector, but received shape: {bracketed(value.shape)}"
        )
    total = int(lengths.sum())
    if total != value.shape[0]:
        raise invalid(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{total} and value's shape is: {bracketed(value.shape)} "
        )
    size = len(items.values)
    if not items.dynamic and size != len(lengths):
        raise invalid(
            f"TensorArray's size is not equal to the size of lengths ({size} vs. {len(lengths)}), "
            "and the TensorArray is not marked as dynamically resizeable"
        )
    start = 0
    for index, length in enumerate(lengths.tolist()):
        items.write(index, value[start : start + length])
        start += length
    return flow_in


@split.gradient
def split_gradient(call: Call, dy: Tensor) -> Any:
    handle, value, _, _ = call.inputs
    list_of, flow = gradient_of(handle, dy)
    dims = None if value._dims is None else value._dims[1:]
    found, _ = concat(list_of, flow, dtype=value.dtype, element_shape_except0=dims)
    return None, shaped(found, value._dims), None, dy
