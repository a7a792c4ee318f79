"""Lists of tensors as values: what TensorFlow 2's loops and arrays are written down with.

A list is never changed once it is there. Adding to its end shares what stands before, so that a
loop that gathers its results takes time in proportion to their number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.values import TORCH, Variant, c_name, dtype_of, from_numpy, shape_of


class TensorList(Variant):
    """Tensors of one dtype; None stands for one that was reserved and never set."""

    __slots__ = ("dims", "element", "length")

    def __init__(self, dtype: Any, dims: Dims, items: list[Any], length: int) -> None:
        super().__init__(items)  # may go on beyond `length`: those belong to a longer list
        self.element, self.dims, self.length = dtype, dims, length

    def items(self) -> list[Any]:
        """Return the tensors."""
        found: list[Any] = self.value
        return found if len(found) == self.length else found[: self.length]

    def with_item(self, item: Any) -> TensorList:
        """Return a list with one more tensor at its end."""
        item = self.checked(item)
        items = self.value if len(self.value) == self.length else self.value[: self.length]
        items.append(item)
        return TensorList(self.element, self.dims, items, self.length + 1)

    def zeros_like(self) -> TensorList:
        """Return a list of zeros like these."""
        items = [
            None if item is None else item.zeros_like() if isinstance(item, TensorList)
            else torch.zeros_like(item) for item in self.items()
        ]  # fmt: skip
        return TensorList(self.element, self.dims, items, self.length)

    def added(self, other: TensorList) -> TensorList:
        """Return the sums of the tensors of two lists; what was never set counts as zeros."""
        if self.length != other.length:
            raise invalid(
                "Trying to add two lists of tensors with different lengths. "
                f"One is {self.length} and the other is {other.length}"
            )
        items = [
            two if one is None else one if two is None
            else one.added(two) if isinstance(one, TensorList) else one + two
            for one, two in zip(self.items(), other.items(), strict=True)
        ]  # fmt: skip
        return TensorList(self.element, self.dims, items, self.length)

    def checked(self, item: Any) -> Any:
        """Return a tensor (a plain number of a loop as one) that may be part of this list."""
        if isinstance(item, (bool, int, float, complex)):
            return torch.tensor(item, dtype=TORCH[self.element])
        if isinstance(item, (np.ndarray, np.generic)) and item.dtype != object:
            return from_numpy(np.asarray(item))  # a shape, say: kept on the host
        found = dtype_of(item)
        if found is not self.element:
            raise invalid(
                f"Invalid data types; list elements {c_name(self.element)} but tried to append "
                f"{c_name(found)}"
            )
        if not TensorShape(self.dims).is_compatible_with(shape_of(item)):
            raise invalid(
                f"Tried to append a tensor with incompatible shape to a list. Op element shape: "
                f"{bracketed(shape_of(item))} list shape: {_shown(self.dims)}"
            )
        return item

    def at(self, index: int, dims: Dims) -> Any:
        """Return one tensor; zeros where none was set."""
        if not 0 <= index < self.length:
            raise invalid(
                f"Trying to access element {index} in a list with {self.length} elements."
            )
        found = self.value[index]
        return self.nothing(dims) if found is None else found

    def nothing(self, dims: Dims) -> Any:
        """Return zeros of the shape this list's tensors have."""
        known = TensorShape(self.dims).merge_with(TensorShape(dims))
        for item in self.items():
            if item is not None:
                known = known.merge_with(shape_of(item))
                break
        if not known.is_fully_defined():
            raise invalid(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{_shown(known._dims)} and no list element is set."
            )
        if self.element is dtypes.string:
            return np.full(known.as_list(), b"", object)
        return torch.zeros(known.as_list(), dtype=TORCH[self.element])


def _shown(dims: Dims) -> str:
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def _dims(given: Any) -> Dims:
    """Return a shape given as an array: -1 alone is any shape, -1 among others any size."""
    array = np.asarray(given)
    if array.ndim == 0:
        if int(array) != -1:
            raise invalid(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return None
    return tuple(None if size < 0 else int(size) for size in array)


def _known(shape: Static) -> Dims:
    return None if shape.value is None else _dims(shape.value)


empty_list = define(
    "EmptyTensorList(element_shape: shape_type, max_num_elements: int32; element_dtype: type)"
    " -> handle: variant",
    host=("element_shape", "max_num_elements"), shape_type=dtypes.INDEX, differentiable=False,
    doc="Make a list without tensors.",
)  # fmt: skip
empty_list.shape(lambda *_, **__: ())


@empty_list.kernel
def empty_list_kernel(element_shape: Any, max_num_elements: Any, *, element_dtype: Any) -> Any:
    return TensorList(element_dtype, _dims(element_shape), [], 0)


reserved_list = define(
    "TensorListReserve(element_shape: shape_type, num_elements: int32; element_dtype: type)"
    " -> handle: variant",
    host=("element_shape", "num_elements"), shape_type=dtypes.INDEX, differentiable=False,
    doc="Make a list of so many tensors that are yet to be set.",
)  # fmt: skip
reserved_list.shape(lambda *_, **__: ())


@reserved_list.kernel
def reserved_list_kernel(element_shape: Any, num_elements: Any, *, element_dtype: Any) -> Any:
    count = int(num_elements)
    if count < 0:
        raise invalid(f"The num_elements to reserve must be a non negative number, but got {count}")
    return TensorList(element_dtype, _dims(element_shape), [None] * count, count)


list_from_tensor = define(
    "TensorListFromTensor(tensor: element_dtype, element_shape: shape_type)"
    " -> output_handle: variant",
    host=("element_shape",), shape_type=dtypes.INDEX, doc="Make a list of the rows of a tensor.",
)  # fmt: skip
list_from_tensor.shape(lambda *_, **__: ())


@list_from_tensor.kernel
def list_from_tensor_kernel(tensor: Any, element_shape: Any) -> Any:
    if not shape_of(tensor):
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    dims = _dims(element_shape)
    if not TensorShape(dims).is_compatible_with(shape_of(tensor)[1:]):
        raise invalid(
            "Specified a list with shape "
            f"{_shown(dims)} from a tensor with shape {bracketed(shape_of(tensor)[1:])}"
        )
    rows = list(tensor.unbind(0)) if isinstance(tensor, torch.Tensor) else [
        np.asarray(row, object) for row in tensor]  # fmt: skip
    return TensorList(dtype_of(tensor), dims, rows, len(rows))


push_back = define(
    "TensorListPushBack(input_handle: variant, tensor: element_dtype) -> output_handle: variant",
    doc="Return a list with one more tensor.",
)
push_back.shape(lambda *_, **__: ())


@push_back.kernel
def push_back_kernel(input_handle: TensorList, tensor: Any) -> Any:
    return input_handle.with_item(tensor)


pop_back = define(
    "TensorListPopBack(input_handle: variant, element_shape: int32; element_dtype: type)"
    " -> output_handle: variant, tensor: element_dtype",
    host=("element_shape",), doc="Return a list without its last tensor, and that tensor.",
)  # fmt: skip
pop_back.shape(lambda _, element_shape, **__: [(), _known(element_shape)])


@pop_back.kernel
def pop_back_kernel(input_handle: TensorList, element_shape: Any, *, element_dtype: Any) -> Any:
    if not input_handle.length:
        raise invalid("Trying to pop from an empty list.")
    last = input_handle.at(input_handle.length - 1, _dims(element_shape))
    shorter = TensorList(
        input_handle.element, input_handle.dims, input_handle.value, input_handle.length - 1
    )
    return shorter, last


get_item = define(
    "TensorListGetItem(input_handle: variant, index: int32, element_shape: Tshape;"
    " element_dtype: type) -> item: element_dtype",
    host=("index", "element_shape"), Tshape=dtypes.INDEX, doc="Return one tensor of a list.",
)  # fmt: skip
get_item.shape(lambda _, index, element_shape, **__: _known(element_shape))


@get_item.kernel
def get_item_kernel(
    input_handle: TensorList, index: Any, element_shape: Any, *, element_dtype: Any
) -> Any:
    return input_handle.at(int(index), _dims(element_shape))


set_item = define(
    "TensorListSetItem(input_handle: variant, index: int32, item: element_dtype;"
    " resize_if_index_out_of_bounds: bool = False) -> output_handle: variant",
    host=("index",), doc="Return a list with one tensor replaced.",
)  # fmt: skip
set_item.shape(lambda *_, **__: ())


@set_item.kernel
def set_item_kernel(
    input_handle: TensorList, index: Any, item: Any, *, resize_if_index_out_of_bounds: bool
) -> Any:
    place, items = int(index), list(input_handle.items())
    if place >= len(items) and resize_if_index_out_of_bounds:
        items += [None] * (place - len(items) + 1)
    if not 0 <= place < len(items):
        raise invalid(f"Trying to modify element {place} in a list with {len(items)} elements.")
    items[place] = input_handle.checked(item)
    return TensorList(input_handle.element, input_handle.dims, items, len(items))


list_length = define(
    "TensorListLength(input_handle: variant) -> length: int32",
    host=("length",), differentiable=False, doc="Return how many tensors a list holds.",
)  # fmt: skip
list_length.shape(lambda _: ())


@list_length.kernel
def list_length_kernel(input_handle: TensorList) -> Any:
    return np.array(input_handle.length, np.int32)


resized = define(
    "TensorListResize(input_handle: variant, size: int32) -> output_handle: variant",
    host=("size",), differentiable=False, doc="Return a list cut or extended to a length.",
)  # fmt: skip
resized.shape(lambda *_: ())


@resized.kernel
def resized_kernel(input_handle: TensorList, size: Any) -> Any:
    count = int(size)
    if count < 0:
        raise invalid(f"TensorListSlice expects size to be non-negative. Got: {count}")
    items = [*input_handle.items(), *[None] * (count - input_handle.length)][:count]
    return TensorList(input_handle.element, input_handle.dims, items, count)


stacked = define(
    "TensorListStack(input_handle: variant, element_shape: int32; element_dtype: type,"
    " num_elements: int = -1) -> tensor: element_dtype",
    host=("element_shape",), doc="Return the tensors of a list as the rows of one.",
)  # fmt: skip


@stacked.shape
def stacked_shape(
    input_handle: Static, element_shape: Static, *, element_dtype: Any, num_elements: int
) -> Dims:
    dims = _known(element_shape)
    return None if dims is None else (None if num_elements < 0 else num_elements, *dims)


@stacked.kernel
def stacked_kernel(
    input_handle: TensorList, element_shape: Any, *, element_dtype: Any, num_elements: int
) -> Any:
    dims = _dims(element_shape)
    if num_elements not in (-1, input_handle.length):
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{input_handle.length} elements."
        )
    if not input_handle.length:
        return _no_rows(input_handle, dims)
    return _stack([input_handle.at(k, dims) for k in range(input_handle.length)])


def _stack(items: list[Any]) -> Any:
    if isinstance(items[0], torch.Tensor):
        return torch.stack(items)
    return np.stack(items)


def _no_rows(elements: TensorList, dims: Dims) -> Any:
    known = TensorShape(elements.dims).merge_with(TensorShape(dims))
    if not known.is_fully_defined():
        raise invalid(
            "Tried to stack elements of an empty list with non-fully-defined element_shape: "
            f"{_shown(known._dims)}"
        )
    return elements.nothing(dims)[None][:0]


gathered = define(
    "TensorListGather(input_handle: variant, indices: int32, element_shape: int32;"
    " element_dtype: type) -> values: element_dtype",
    host=("indices", "element_shape"), doc="Return chosen tensors of a list as rows of one.",
)  # fmt: skip


@gathered.shape
def gathered_shape(
    input_handle: Static, indices: Static, element_shape: Static, *, element_dtype: Any
) -> Dims:
    dims = _known(element_shape)
    count = None if indices.shape is None else indices.shape[0]
    return None if dims is None else (count, *dims)


@gathered.kernel
def gathered_kernel(
    input_handle: TensorList, indices: Any, element_shape: Any, *, element_dtype: Any
) -> Any:
    dims = _dims(element_shape)
    if not len(indices):
        return _no_rows(input_handle, dims)
    return _stack([input_handle.at(int(k), dims) for k in indices])


concatenated = define(
    "TensorListConcatV2(input_handle: variant, element_shape: shape_type, leading_dims: int64;"
    " element_dtype: type) -> tensor: element_dtype, lengths: int64",
    host=("element_shape", "leading_dims", "lengths"), shape_type=dtypes.INDEX,
    doc="Return the tensors of a list one after the other, and how long each is.",
)  # fmt: skip


@concatenated.shape
def concatenated_shape(
    input_handle: Static, element_shape: Static, leading_dims: Static, *, element_dtype: Any
) -> list[Dims]:
    dims = _known(element_shape)
    return [None if not dims else (None, *dims[1:]), (None,)]


@concatenated.kernel
def concatenated_kernel(
    input_handle: TensorList, element_shape: Any, leading_dims: Any, *, element_dtype: Any
) -> Any:
    dims = _dims(element_shape)
    if not input_handle.length:
        whole = (0, *(dims or (0,))[1:])
        if None in whole:
            raise invalid(
                "All except the first dimension must be fully defined when concating an empty "
                f"tensor list. element_shape: {_shown(dims)}"
            )
        return input_handle.nothing(whole), np.zeros(0, np.int64)
    items = [input_handle.at(k, dims) for k in range(input_handle.length)]
    lengths = np.array([shape_of(item)[0] for item in items], np.int64)
    joined = torch.cat(items) if isinstance(items[0], torch.Tensor) else np.concatenate(items)
    return joined, lengths


element_shape_of = define(
    "TensorListElementShape(input_handle: variant; shape_type: type) -> element_shape: shape_type",
    host=("element_shape",), differentiable=False, doc="Return the shape of a list's tensors.",
)  # fmt: skip
element_shape_of.shape(lambda *_, **__: None)


@element_shape_of.kernel
def element_shape_of_kernel(input_handle: TensorList, *, shape_type: Any) -> Any:
    dims = input_handle.dims
    found = -1 if dims is None else [-1 if size is None else size for size in dims]
    return np.array(found, shape_type.as_numpy_dtype)


def _no_gradient(call: Any, *_: Any) -> Any:
    raise LookupError(
        f"No gradient defined for operation of type {call.op.name}: gradients go through "
        "tf.TensorArray and tf.while_loop, not through lists of an imported graph."
    )


_no_gradient.takes_none = True  # type: ignore[attr-defined]
for _declared in (
    list_from_tensor, push_back, pop_back, get_item, set_item, stacked, gathered, concatenated
):  # fmt: skip
    _declared.op.gradient_rule = _no_gradient
