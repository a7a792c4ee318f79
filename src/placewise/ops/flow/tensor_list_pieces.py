"""Ops between lists of tensors and one tensor in which they follow each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define, takes_none
from placewise.ops.families import bracketed
from placewise.ops.flow.list_values import (
    TensorList,
    as_array,
    as_dims,
    is_known,
    merged,
    shown,
)
from placewise.ops.flow.tensor_lists import element_shape_of, known_dims
from placewise.ops.residence import gathered as in_one_memory
from placewise.ops.values import Content, dtype_of
from placewise.ops.values import shape_of as content_shape

split_list = define(
    "TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64)"
    " -> output_handle: variant",
    host=("element_shape", "lengths"),
    shape_type=dtypes.INDEX,
    doc="Make a list of pieces of a tensor.",
    default_types={"shape_type": None},
)


@split_list.shape
def split_list_shape(tensor: Static, element_shape: Static, lengths: Static) -> Dims:
    if tensor.shape is not None and not tensor.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if lengths.shape is not None and len(lengths.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(lengths.shape)}")
    return ()


@split_list.kernel
def split_list_kernel(
    tensor: Content, element_shape: np.ndarray[Any, Any], lengths: np.ndarray[Any, Any]
) -> Any:
    dims, shape = as_dims(element_shape), content_shape(tensor)
    if not shape:
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    if lengths.ndim != 1:
        raise invalid(
            f"Expected lengths to be a vector, received shape: {bracketed(lengths.shape)}"
        )
    if dims is not None:
        try:
            merged((None, *dims[1:]), shape)
        except Exception:
            raise invalid(
                f"tensor shape {bracketed(shape)} is not compatible with element_shape "
                f"{shown((None, *dims[1:]))}"
            ) from None
    pieces, start = [], 0
    for size in lengths.tolist():
        end = start + size
        if size < 0 or end > shape[0]:
            raise invalid(
                f"Attempting to slice [{start}, {end}] from tensor with length {shape[0]}"
            )
        pieces.append(tensor[start:end])
        start = end
    if start < shape[0]:
        raise invalid(f"Unused values in tensor. Length of tensor: {shape[0]} Values used: {start}")
    return TensorList(dtype_of(tensor), dims, pieces)


@split_list.gradient
def split_list_gradient(call: Call, dy: Tensor) -> Any:
    tensor, _, lengths = call.inputs
    dims = tensor._shape_tuple
    shape = as_array(None if dims is None else (None, *dims[1:]))
    return concatenated(dy, shape, lengths, element_dtype=tensor.dtype)[0], None, None


concatenated = define(
    "TensorListConcatV2(input_handle: variant, element_shape: shape_type, leading_dims: int64;"
    " element_dtype: type) -> tensor: element_dtype, lengths: int64",
    host=("element_shape", "leading_dims", "lengths"),
    shape_type=dtypes.INDEX,
    doc="Return the tensors of a list one after the other, and how long each is.",
    default_types={"shape_type": None},
)


@concatenated.shape
def concatenated_shape(
    input_handle: Static, element_shape: Static, leading_dims: Static, *, element_dtype: DType
) -> list[Dims]:
    dims = known_dims(element_shape)
    return [None if not dims else (None, *dims[1:]), (None,)]


@concatenated.kernel
def concatenated_kernel(
    input_handle: TensorList,
    element_shape: np.ndarray[Any, Any],
    leading_dims: np.ndarray[Any, Any],
    *,
    element_dtype: DType,
    torch_device: str = "cpu",
) -> Any:
    input_handle.check_dtype(element_dtype)
    dims = merged(as_dims(element_shape), input_handle.dims)
    rest = None if dims is None else dims[1:]
    items = input_handle.items()
    if not items:
        if rest is None or not is_known(rest):
            raise invalid(
                "All except the first dimension must be fully defined when concating an empty "
                f"tensor list. element_shape: {shown(rest)}"
            )
        return input_handle.zeros((0, *rest), torch_device), torch.zeros(0, dtype=torch.int64)
    for index, item in enumerate(items):
        if item is not None:
            rest = _rest_of(item, index, dims, rest)
    items = [
        _blank(input_handle, index, dims, rest, leading_dims, torch_device)
        if item is None
        else item
        for index, item in enumerate(items)
    ]
    if torch_device != "cpu":
        items = list(in_one_memory(items, torch_device))
    lengths = torch.tensor([len(item) for item in items], dtype=torch.int64)
    joined = torch.cat(items) if isinstance(items[0], torch.Tensor) else np.concatenate(items)
    return joined, lengths


def _rest_of(item: torch.Tensor, index: int, dims: Dims, rest: Dims) -> Dims:
    """Return what is known of a shape but for the first dimension, given one more tensor."""
    shape = content_shape(item)
    if not shape:
        raise invalid(f"Concat saw a scalar shape at index {index} but requires at least vectors.")
    if dims and dims[0] is not None and dims[0] != shape[0]:
        raise invalid(
            "First entry of element_shape input does not match the first dim of list element at "
            f"index: {index} Expected: {dims[0]} Actual: {shape[0]}"
        )
    found: Dims = merged(rest, shape[1:])
    return found


def _blank(
    given: TensorList, index: int, dims: Dims, rest: Any, leading: Any, torch_device: str
) -> Any:
    """Return the zeros that stand for a tensor never set."""
    first = dims[0] if dims else None
    if first is None and index < len(leading):
        first = int(leading[index])
    if first is None and given.like is not None:
        return given.nothing(index, dims, torch_device)
    if first is None:
        found = given.first_shape(None)
        if found is None:
            raise invalid(
                f"List contains uninitialized tensor at index {index} but leading_dims has only "
                f"{len(leading)} elements."
            )
        first = found[0]
    if not is_known(rest):
        raise invalid(
            "Tried to concat list which only contains uninitialized tensors and has a "
            f"non-fully-defined element_shape: {shown(dims)}"
        )
    return given.zeros((first, *rest), torch_device)


@concatenated.gradient
@takes_none
def concatenated_gradient(call: Call, dy: Tensor, _: object) -> Any:
    shape = element_shape_of(call.inputs[0], shape_type=dtypes.int32)
    return split_list(dy, shape, call.outputs[1]), None, None


concatenated_first = define(
    "TensorListConcat(input_handle: variant; element_dtype: type, element_shape: shape = None)"
    " -> tensor: element_dtype, lengths: int64",
    host=("lengths",),
    doc="Return the tensors of a list one after the other, and how long each is.",
)


@concatenated_first.shape
def concatenated_first_shape(
    input_handle: Static, *, element_dtype: DType, element_shape: Dims
) -> list[Dims]:
    return [None if not element_shape else (None, *element_shape[1:]), (None,)]


@concatenated_first.kernel
def concatenated_first_kernel(
    input_handle: TensorList, *, element_dtype: DType, element_shape: Any, torch_device: str = "cpu"
) -> Any:
    return concatenated_kernel(
        input_handle,
        as_array(element_shape),
        np.zeros(0, np.int64),
        element_dtype=element_dtype,
        torch_device=torch_device,
    )


@concatenated_first.gradient
@takes_none
def concatenated_first_gradient(call: Call, dy: Any, _: Any) -> Any:
    return concatenated_gradient(call, dy, _)[0]
