"""Ops on lists of tensors, an item at a time: what `tf.TensorArray` is made of in functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import zeros, zeros_like
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define, takes_none
from placewise.ops.flow.list_values import TensorList, as_array, as_dims, shown
from placewise.ops.values import Content, c_name
from placewise.ops.work import view_work

_TO_APPEND = "Tried to append a tensor with incompatible shape to a list. Op element shape:"
_TO_SET = "Tried to set a tensor with incompatible shape at a list index. Item element shape:"


def known_dims(shape: Static) -> Dims:
    """Return the shape that an op's `element_shape` is known to be."""
    return None if shape.value is None else as_dims(np.asarray(shape.value))


# Making.

empty_list = define(
    "EmptyTensorList(element_shape: shape_type, max_num_elements: int32; element_dtype: type)"
    " -> handle: variant",
    host=("element_shape", "max_num_elements"),
    shape_type=dtypes.INDEX,
    differentiable=False,
    doc="Make a list without tensors.",
    work=view_work,
    default_types={"shape_type": None},
)
empty_list.shape(lambda *_, **__: ())


@empty_list.kernel
def empty_list_kernel(
    element_shape: np.ndarray[Any, Any],
    max_num_elements: np.ndarray[Any, Any],
    *,
    element_dtype: DType,
) -> Any:
    return TensorList(element_dtype, as_dims(element_shape), [], 0, int(max_num_elements))


reserved_list = define(
    "TensorListReserve(element_shape: shape_type, num_elements: int32; element_dtype: type)"
    " -> handle: variant",
    host=("element_shape", "num_elements"),
    shape_type=dtypes.INDEX,
    differentiable=False,
    doc="Make a list of so many tensors that are yet to be set.",
    work=view_work,
    default_types={"shape_type": None},
)
reserved_list.shape(lambda *_, **__: ())


@reserved_list.kernel
def reserved_list_kernel(
    element_shape: np.ndarray[Any, Any], num_elements: np.ndarray[Any, Any], *, element_dtype: DType
) -> Any:
    count = int(num_elements)
    if count < 0:
        raise invalid(f"The num_elements to reserve must be a non negative number, but got {count}")
    return TensorList(element_dtype, as_dims(element_shape), None, count)


# What is known of a list.

list_length = define(
    "TensorListLength(input_handle: variant) -> length: int32",
    host=("length",),
    differentiable=False,
    doc="Return how many tensors a list holds.",
    work=view_work,
)
list_length.shape(lambda _: ())


@list_length.kernel
def list_length_kernel(input_handle: TensorList) -> Any:
    return torch.from_numpy(np.array(input_handle.length, np.int32))


element_shape_of = define(
    "TensorListElementShape(input_handle: variant; shape_type: type) -> element_shape: shape_type",
    host=("element_shape",),
    differentiable=False,
    doc="Return the shape of a list's tensors.",
    work=view_work,
    shape_type=INDEX,
)
element_shape_of.shape(lambda *_, **__: None)


@element_shape_of.kernel
def element_shape_of_kernel(input_handle: TensorList, *, shape_type: DType) -> Any:
    return torch.from_numpy(as_array(input_handle.dims).astype(shape_type.as_numpy_dtype))


# One item.

get_item = define(
    "TensorListGetItem(input_handle: variant, index: int32, element_shape: Tshape;"
    " element_dtype: type) -> item: element_dtype",
    host=("index", "element_shape"),
    Tshape=dtypes.INDEX,
    doc="Return one tensor of a list.",
    work=view_work,
)
get_item.shape(lambda _, index, element_shape, **__: known_dims(element_shape))


@get_item.kernel
def get_item_kernel(
    input_handle: TensorList,
    index: np.ndarray[Any, Any],
    element_shape: np.ndarray[Any, Any],
    *,
    element_dtype: DType,
    torch_device: str = "cpu",
) -> Any:
    input_handle.check_dtype(element_dtype)
    place = int(index)
    if not 0 <= place < input_handle.length:
        raise invalid(
            f"Trying to access element {place} in a list with {input_handle.length} elements."
        )
    found = input_handle.seen(place)
    if found is None:
        return input_handle.nothing(place, as_dims(element_shape), torch_device)
    return found


@get_item.gradient
def get_item_gradient(call: Call, dy: Tensor) -> Any:
    given, index, _ = call.inputs
    return only_item(given, index, dy), None, None


def only_item(like: Tensor, index: TensorLike, item: Tensor) -> Any:
    """Return a list as long as another with one item set."""
    if item.dtype is dtypes.variant:
        return set_item(zeros_like(like), index, item)
    with like._beside():
        empty = unset_like(like, item.dtype)
    return set_item(empty, index, item)


def unset_like(like: Tensor, dtype: DType) -> Any:
    """Return a list as long as another, of items that may have any shape."""
    return reserved_list(as_array(None), list_length(like), element_dtype=dtype)


set_item = define(
    "TensorListSetItem(input_handle: variant, index: int32, item: element_dtype;"
    " resize_if_index_out_of_bounds: bool = False) -> output_handle: variant",
    host=("index",),
    doc="Return a list with one tensor replaced.",
    work=view_work,
)
set_item.shape(lambda *_, **__: ())


@set_item.kernel
def set_item_kernel(
    input_handle: TensorList,
    index: np.ndarray[Any, Any],
    item: Content,
    *,
    resize_if_index_out_of_bounds: bool,
) -> Any:
    item = input_handle.checked(item, _TO_SET)
    place, length = int(index), input_handle.length
    if place < 0 or (place >= length and not resize_if_index_out_of_bounds):
        raise invalid(f"Trying to modify element {place} in a list with {length} elements.")
    return input_handle.with_item(place, item)


@set_item.gradient
def set_item_gradient(call: Call, dy: Tensor) -> Any:
    given, index, item = call.inputs
    of_item = get_item(dy, index, shape_of(item), element_dtype=item.dtype)
    of_list = set_item(dy, index, _zeros_for(item, of_item))
    if call.attrs["resize_if_index_out_of_bounds"]:
        of_list = resized(of_list, list_length(given))
    return of_list, None, of_item


def _zeros_for(item: Tensor, gradient: Tensor) -> Any:
    dims = item._shape_tuple
    if dims is None or None in dims or item.dtype is dtypes.variant:
        return zeros_like(gradient)
    return zeros(list(dims), item.dtype)


# The end.

push_back = define(
    "TensorListPushBack(input_handle: variant, tensor: element_dtype) -> output_handle: variant",
    doc="Return a list with one more tensor.",
    work=view_work,
)
push_back.shape(lambda *_, **__: ())


@push_back.kernel
def push_back_kernel(input_handle: TensorList, tensor: Content) -> Any:
    item = input_handle.checked(tensor, _TO_APPEND)
    length, limit = input_handle.length, input_handle.limit
    if length == limit:
        raise invalid(
            f"Tried to push item into a full list list size: {length} max_num_elements: {limit}"
        )
    return input_handle.with_item(length, item)


@push_back.gradient
def push_back_gradient(call: Call, dy: Tensor) -> Any:
    tensor = call.inputs[1]
    return pop_back(dy, shape_of(tensor), element_dtype=tensor.dtype)


pop_back = define(
    "TensorListPopBack(input_handle: variant, element_shape: int32; element_dtype: type)"
    " -> output_handle: variant, tensor: element_dtype",
    host=("element_shape",),
    doc="Return a list without its last tensor, and that tensor.",
    work=view_work,
)
pop_back.shape(lambda _, element_shape, **__: [(), known_dims(element_shape)])


@pop_back.kernel
def pop_back_kernel(
    input_handle: TensorList,
    element_shape: np.ndarray[Any, Any],
    *,
    element_dtype: DType,
    torch_device: str = "cpu",
) -> Any:
    input_handle.check_dtype(element_dtype)
    length = input_handle.length
    if not length:
        raise invalid("Trying to pop from an empty list.")
    last = input_handle.at(length - 1, as_dims(element_shape), torch_device)
    return input_handle.without_last()[0], last


@pop_back.gradient
@takes_none
def pop_back_gradient(call: Call, of_list: Tensor | None, of_tensor: Tensor | None) -> Any:
    shorter, tensor = call.outputs
    if of_list is None:
        of_list = zeros_like(shorter)
    if of_tensor is None:
        of_tensor = zeros_like(tensor)
    return push_back(of_list, of_tensor), None


resized = define(
    "TensorListResize(input_handle: variant, size: int32) -> output_handle: variant",
    host=("size",),
    doc="Return a list cut or extended to a length.",
    work=view_work,
)
resized.shape(lambda *_: ())


@resized.kernel
def resized_kernel(input_handle: TensorList, size: np.ndarray[Any, Any]) -> Any:
    count = int(size)
    if count < 0:
        raise invalid(f"TensorListSlice expects size to be non-negative. Got: {count}")
    return input_handle.cut(count)


@resized.gradient
def resized_gradient(call: Call, dy: Tensor) -> Any:
    return resized(dy, list_length(call.inputs[0])), None


joined_lists = define(
    "TensorListConcatLists(input_a: variant, input_b: variant; element_dtype: type)"
    " -> output: variant",
    differentiable=False,
    doc="Return a list of the tensors of one list, then of another.",
)
joined_lists.shape(lambda *_, **__: ())


@joined_lists.kernel
def joined_lists_kernel(input_a: TensorList, input_b: TensorList, *, element_dtype: DType) -> Any:
    for name, each in (("input_a", input_a), ("input_b", input_b)):
        if each.element is not element_dtype:
            raise invalid(
                f"{name}[0].dtype != element_dtype.  Saw: {c_name(each.element)} vs. "
                f"{c_name(element_dtype)}"
            )
    if input_a.dims != input_b.dims:
        raise invalid(
            "input_a and input_b TensorList element shapes are not identical at index 0.  Saw "
            f"{shown(input_a.dims)} vs. {shown(input_b.dims)}"
        )
    return TensorList(element_dtype, input_a.dims, [*input_a.items(), *input_b.items()])
