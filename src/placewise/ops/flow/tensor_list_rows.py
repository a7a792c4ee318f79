"""Ops between lists of tensors and one tensor that holds several of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.flow.list_values import (
    TensorList,
    as_dims,
    is_known,
    merged,
    shown,
)
from placewise.ops.flow.tensor_lists import known_dims, list_length, resized, unset_like
from placewise.ops.math.unsorted_segments import unsorted_segment_sum
from placewise.ops.residence import gathered as in_one_memory
from placewise.ops.values import c_name, dtype_of
from placewise.ops.values import shape_of as content_shape


def _rows(tensor: Any) -> list[Any]:
    if not content_shape(tensor):
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    if isinstance(tensor, torch.Tensor):
        return list(tensor.unbind(0))
    return [np.asarray(row, object) for row in tensor]


def _rest(tensor: Tensor) -> Any:
    """Return the shape of the rows of a tensor for an op's `element_shape`."""
    dims = tensor._shape_tuple
    if dims is not None and None not in dims[1:]:
        return np.asarray(dims[1:], np.int32)
    return shape_of(tensor)[1:]


def _check_rows(dims: Dims, tensor: Any) -> None:
    rest = content_shape(tensor)[1:]
    try:
        merged(dims, rest)
    except Exception:
        raise invalid(
            f"Specified a list with shape {shown(dims)} from a tensor with shape {bracketed(rest)}"
        ) from None


# All tensors of a list.

list_from_tensor = define(
    "TensorListFromTensor(tensor: element_dtype, element_shape: shape_type)"
    " -> output_handle: variant",
    host=("element_shape",),
    shape_type=dtypes.INDEX,
    doc="Make a list of the rows of a tensor.",
    default_types={"shape_type": None},
)
list_from_tensor.shape(lambda *_, **__: ())


@list_from_tensor.kernel
def list_from_tensor_kernel(tensor: Any, element_shape: np.ndarray[Any, Any]) -> Any:
    rows, dims = _rows(tensor), as_dims(element_shape)
    _check_rows(dims, tensor)
    return TensorList(dtype_of(tensor), dims, rows)


@list_from_tensor.gradient
def list_from_tensor_gradient(call: Call, dy: Tensor) -> Any:
    tensor = call.inputs[0]
    dims = tensor._shape_tuple
    count = -1 if not dims or dims[0] is None else dims[0]
    return stacked(dy, _rest(tensor), element_dtype=tensor.dtype, num_elements=count), None


stacked = define(
    "TensorListStack(input_handle: variant, element_shape: int32; element_dtype: type,"
    " num_elements: int = -1) -> tensor: element_dtype",
    host=("element_shape",),
    doc="Return the tensors of a list as the rows of one.",
)


@stacked.shape
def stacked_shape(
    input_handle: Static, element_shape: Static, *, element_dtype: DType, num_elements: int
) -> Dims:
    dims = known_dims(element_shape)
    return None if dims is None else (None if num_elements < 0 else num_elements, *dims)


@stacked.kernel
def stacked_kernel(
    input_handle: TensorList,
    element_shape: np.ndarray[Any, Any],
    *,
    element_dtype: DType,
    num_elements: int,
    torch_device: str = "cpu",
) -> Any:
    input_handle.check_dtype(element_dtype)
    if num_elements not in (-1, input_handle.length):
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{input_handle.length} elements."
        )
    return _stack(input_handle, None, as_dims(element_shape), _NOTHING_STACKED, torch_device)


_NOTHING_STACKED = (
    "Tried to stack elements of an empty list with non-fully-defined element_shape: ",
    "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
    "element_shape: ",
)
_NOTHING_GATHERED = (
    "Tried to gather 0-elements from a list with non-fully-defined shape: ",
    "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: ",
)


def _stack(
    given: TensorList, places: Any, asked: Dims, nothing: tuple[str, str], torch_device: str
) -> Any:
    """Return items as the rows of one tensor, zeros where none was set."""
    dims, all_items = merged(asked, given.dims), given.items()
    items = all_items if places is None else [all_items[place] for place in places]
    if None in map(_mark, items) and given.like is not None and not is_known(dims):
        places = range(given.length) if places is None else places
        items = [given.at(place, dims, torch_device) for place in places]
    first = next((item for item in items if item is not None), None)
    if first is None:
        if not is_known(dims):
            raise invalid(nothing[1 if items else 0] + shown(dims))
        return given.zeros((len(items), *dims), torch_device)
    whole = merged(dims, content_shape(first))
    if None in map(_mark, items):
        blank = given.zeros(whole, torch_device)
        items = [blank if item is None else item for item in items]
    if torch_device != "cpu":
        items = list(in_one_memory(items, torch_device))
    try:
        return torch.stack(items) if isinstance(first, torch.Tensor) else np.stack(items)
    except (RuntimeError, ValueError):
        for item in items:
            merged(whole, content_shape(item))
        raise


def _mark(item: torch.Tensor | None) -> Any:
    return None if item is None else 0  # comparing a tensor with None would ask each element


@stacked.gradient
def stacked_gradient(call: Call, dy: Tensor) -> Any:
    return list_from_tensor(dy, _rest(dy)), None


# Chosen ones.

gathered = define(
    "TensorListGather(input_handle: variant, indices: int32, element_shape: int32;"
    " element_dtype: type) -> values: element_dtype",
    host=("indices", "element_shape"),
    doc="Return chosen tensors of a list as rows of one.",
)


@gathered.shape
def gathered_shape(
    input_handle: Static, indices: Static, element_shape: Static, *, element_dtype: DType
) -> Dims:
    dims = known_dims(element_shape)
    count = None if indices.shape is None or len(indices.shape) != 1 else indices.shape[0]
    return None if dims is None else (count, *dims)


@gathered.kernel
def gathered_kernel(
    input_handle: TensorList,
    indices: np.ndarray[Any, Any],
    element_shape: np.ndarray[Any, Any],
    *,
    element_dtype: DType,
    torch_device: str = "cpu",
) -> Any:
    input_handle.check_dtype(element_dtype)
    length, places = input_handle.length, indices.reshape(-1).tolist()
    for place in places:
        if not 0 <= place < length:
            raise invalid(f"Trying to gather element {place} in a list with {length} elements.")
    return _stack(input_handle, places, as_dims(element_shape), _NOTHING_GATHERED, torch_device)


@gathered.gradient
def gathered_gradient(call: Call, dy: Tensor) -> Any:
    given, indices, _ = call.inputs
    # A tensor chosen several times gets the sum; scattering would keep the last alone.
    total = gather(unsorted_segment_sum(dy, indices, list_length(given)), indices)
    return scattered_into(unset_like(given, dy.dtype), total, indices), None, None


scattered = define(
    "TensorListScatterV2(tensor: element_dtype, indices: int32, element_shape: shape_type,"
    " num_elements: int32) -> output_handle: variant",
    host=("indices", "element_shape", "num_elements"),
    shape_type=dtypes.INDEX,
    doc="Make a list, so long or as long as need be, of the rows of a tensor, each in its place.",
    default_types={"shape_type": None},
)
scattered.shape(lambda *_, **__: ())


@scattered.kernel
def scattered_kernel(tensor: Any, indices: Any, element_shape: Any, num_elements: Any) -> Any:
    rows, dims, length = _rows(tensor), as_dims(element_shape), int(num_elements)
    places = indices.reshape(-1).tolist()
    if length < -1:
        raise invalid(f"TensorListScatter expects num_elements >= -1, found: {length}")
    _check_rows(dims, tensor)
    if len(rows) != len(places):
        raise invalid(
            f"Invalid number of rows in input tensor. Expected: {len(places)} Actual: {len(rows)}"
        )
    if any(place < 0 for place in places):
        raise invalid("Indices in TensorListScatter must all be non-negative.")
    most = max(places, default=-1)
    if -1 < length <= most:
        raise invalid(
            f"TensorListScatter: Trying to scatter at index {most} in list with size {length}"
        )
    return _put(TensorList(dtype_of(tensor), dims, None, max(length, 0)), places, rows)


def _put(given: TensorList, places: list[int], rows: list[Any]) -> TensorList:
    items = list(given.items())
    items += [None] * (max(places, default=-1) + 1 - len(items))
    for place, row in zip(places, rows, strict=True):
        items[place] = row
    return TensorList(given.element, given.dims, items, 0, given.limit)


@scattered.gradient
def scattered_gradient(call: Call, dy: Tensor) -> Any:
    tensor, indices = call.inputs[:2]
    found = gathered(dy, indices, _rest(tensor), element_dtype=tensor.dtype)
    return (found, *[None] * (len(call.inputs) - 1))


scattered_freely = define(
    "TensorListScatter(tensor: element_dtype, indices: int32, element_shape: shape_type)"
    " -> output_handle: variant",
    host=("indices", "element_shape"),
    shape_type=dtypes.INDEX,
    doc="Make a list of the rows of a tensor, each in its place.",
    default_types={"shape_type": None},
)
scattered_freely.shape(lambda *_, **__: ())
scattered_freely.kernel(
    lambda tensor, indices, element_shape: scattered_kernel(tensor, indices, element_shape, -1)
)
scattered_freely.gradient(scattered_gradient)

scattered_into = define(
    "TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype,"
    " indices: int32) -> output_handle: variant",
    host=("indices",),
    doc="Return a list with the rows of a tensor at their places.",
)
scattered_into.shape(lambda *_, **__: ())


@scattered_into.kernel
def scattered_into_kernel(
    input_handle: TensorList, tensor: Any, indices: np.ndarray[Any, Any]
) -> Any:
    rows, places = _rows(tensor), indices.reshape(-1).tolist()
    if dtype_of(tensor) is not input_handle.element:
        raise invalid(
            f"Invalid data types; input tensor type: {c_name(dtype_of(tensor))} list "
            f"element_type: {c_name(input_handle.element)}"
        )
    _check_rows(input_handle.dims, tensor)
    if len(rows) != len(places):
        raise invalid(
            f"Expected len(indices) == tensor.shape[0], but saw: {len(places)} vs. {len(rows)}"
        )
    if any(place < 0 for place in places):
        raise invalid("Indices in TensorListScatter must all be non-negative.")
    return _put(input_handle, places, rows)


@scattered_into.gradient
def scattered_into_gradient(call: Call, dy: Tensor) -> Any:
    given, tensor, indices = call.inputs
    of_tensor = gathered(dy, indices, _rest(tensor), element_dtype=tensor.dtype)
    of_list = scattered_into(dy, zeros_like(of_tensor), indices)
    return resized(of_list, list_length(given)), of_tensor, None
