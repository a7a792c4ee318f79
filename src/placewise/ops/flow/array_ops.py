"""The ops of TensorFlow 1's TensorArray: a list behind a handle, kept in order by a flow.

The list lives as long as the run that made it. Its gradient is another list of the same size, one
for each call of `tf.gradients` (the `source`), to which several writes to one place add up.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.scope import local
from placewise.core.shapes import Dims, Static, TensorShape, merge
from placewise.ops.array.shape import identity
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.values import TORCH, Handle, c_name, dtype_of, shape_of

_numbers = itertools.count()


class Items:
    """The state behind a TensorArray's handle."""

    __slots__ = (
        "clears", "closed", "dims", "dtype", "dynamic", "gradients", "identical", "is_gradient",
        "name", "shapes", "states", "values",
    )  # fmt: skip

    def __init__(
        self, dtype: DType, size: int, dims: Dims, dynamic: bool, clears: bool, identical: bool,
        name: str,
    ) -> None:  # fmt: skip
        self.dtype, self.dims, self.dynamic = dtype, dims, dynamic
        self.clears, self.identical, self.name = clears, identical, name
        self.values: list[Any] = [None] * size
        self.states: list[str] = [""] * size  # "", "written", "cleared"
        self.shapes: list[Any] = [None] * size
        self.gradients: dict[str, Handle] = {}
        self.is_gradient = self.closed = False

    def check_open(self) -> None:
        """Raise if the array was closed."""
        if self.closed:
            raise invalid(f"TensorArray {self.name} has already been closed.")

    def write(self, index: int, value: Any) -> None:
        """Put a value in its place; in a gradient, add it to what is there."""
        self.check_open()
        size = len(self.values)
        if index < 0 or (index >= size and not self.dynamic):
            raise invalid(
                f"TensorArray {self.name}: Tried to write to index {index} but array is not "
                f"resizeable and size is: {size}"
            )
        if index >= size:
            more = index - size + 1
            self.values += [None] * more
            self.states += [""] * more
            self.shapes += [None] * more
        found = dtype_of(value)
        if found is not self.dtype:
            raise invalid(
                f"TensorArray dtype is {c_name(self.dtype)} but Op is trying to write dtype "
                f"{c_name(found)}."
            )
        shape = shape_of(value)
        if not _fits(self.dims, shape):
            raise invalid(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because "
                f"the value shape is {bracketed(shape)} which is incompatible with the "
                f"TensorArray's inferred element shape: {bracketed(self.dims or ())} (consider "
                "setting infer_shape=False)."
            )
        state = self.states[index]
        if state == "cleared":
            raise invalid(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because "
                "it has already been read."
            )
        if state == "written":
            if not self.is_gradient:
                raise invalid(
                    f"TensorArray {self.name}: Could not write to TensorArray index {index} "
                    "because it has already been written to."
                )
            value = self.values[index] + value
        if self.identical and self.dims != shape:
            self.dims = shape
        self.values[index], self.states[index], self.shapes[index] = value, "written", shape

    def read(self, index: int) -> Any:
        """Return the value in a place, zeros if none was written; then it may be gone."""
        self.check_open()
        size = len(self.values)
        if not 0 <= index < size:
            raise invalid(f"Tried to read from index {index} but array size is: {size}")
        state = self.states[index]
        if state == "cleared":
            raise invalid(
                f"TensorArray {self.name}: Could not read index {index} twice because it was "
                "cleared after a previous read (perhaps try setting clear_after_read = false?)."
            )
        value = self.values[index] if state else self._zeros(index)
        if self.clears:
            self.values[index], self.states[index] = None, "cleared"
        return value

    def _zeros(self, index: int) -> Any:
        shape = self.shapes[index]
        if shape is None:
            shape = self.dims
        if shape is None or None in shape:
            known = "<unknown>" if shape is None else bracketed(shape)
            raise invalid(
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  "
                f"Furthermore, the element shape is not fully defined: {known}.  It is possible "
                "you are working with a resizeable TensorArray and stop_gradients is not allowing "
                "the gradients to be written.  If you set the full element_shape property on the "
                "forward TensorArray, the proper all-zeros tensor will be returned instead of "
                "incurring this error."
            )
        if self.dtype not in TORCH:
            raise invalid(f"tensor_array::TensorSetZero type not supported: {c_name(self.dtype)}")
        return torch.zeros(shape, dtype=TORCH[self.dtype])

    def gradient(self, source: str) -> Handle:
        """Return the list that gathers gradients for one source."""
        self.check_open()
        found = self.gradients.get(source)
        if found is None:
            like = Items(
                self.dtype, len(self.values), self.dims, False, True, self.identical,
                f"{self.name}@{source}",
            )  # fmt: skip
            like.shapes = list(self.shapes)
            like.is_gradient = True
            found = Handle("TensorArray", like.name, None, self.dtype)
            found.value = like
            self.gradients[source] = found
        return found


def _fits(dims: Dims, shape: tuple[int, ...]) -> bool:
    if dims is None or dims == shape:
        return True
    return len(dims) == len(shape) and all(
        d is None or d == s for d, s in zip(dims, shape, strict=True)
    )


tensor_array = define(
    "TensorArrayV3(size: int32; dtype: type, element_shape: shape = None,"
    " dynamic_size: bool = False, clear_after_read: bool = True,"
    " identical_element_shapes: bool = False, tensor_array_name: string = '')"
    " -> handle: resource, flow: float32",
    host=("size",), stateful=True, differentiable=False,
    doc="Make a list of tensors that lives for one run.",
)  # fmt: skip


@tensor_array.shape
def tensor_array_shape(size: Static, **_: Any) -> list[Dims]:
    if size.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(size.shape)}")
    return [(), ()]


@tensor_array.kernel
def tensor_array_kernel(
    size: Any, *, dtype: Any, element_shape: Any, dynamic_size: bool, clear_after_read: bool,
    identical_element_shapes: bool, tensor_array_name: str,
) -> tuple[Any, Any]:  # fmt: skip
    if size.ndim:
        raise invalid("TensorArray size must be scalar, but had shape: " + bracketed(size.shape))
    if size < 0:
        raise invalid("Size should be >= 0.")
    name = f"{tensor_array_name or 'TensorArray'}_{next(_numbers)}"
    handle = Handle("TensorArray", name, None, dtype)
    handle.value = Items(
        dtype, int(size), TensorShape(element_shape)._dims, dynamic_size, clear_after_read,
        identical_element_shapes, name,
    )  # fmt: skip
    return handle, _FLOW


_FLOW = torch.zeros(())


def _flow(*_: Static, **__: Any) -> Dims:
    return ()


array_gradient = define(
    "TensorArrayGradV3(handle: resource, flow_in: float32; source: string)"
    " -> grad_handle: resource, flow_out: float32",
    stateful=True, differentiable=False, doc="Return the list that gathers a list's gradients.",
)  # fmt: skip
array_gradient.shape(lambda *_, **__: [(), ()])


@array_gradient.kernel
def array_gradient_kernel(handle: Handle, flow_in: Any, *, source: str) -> tuple[Any, Any]:
    return handle.value.gradient(source), flow_in


def _gradient_of(handle: Any, flow: Any) -> tuple[Any, Any]:
    """Return handle and flow of the list for the gradients being computed now."""
    graph = local.interpreter.graph  # type: ignore[attr-defined]  # only graphs have arrays
    source = graph.scopes.gradients.rstrip("/")
    with graph.name_scope("TensorArrayGrad"):
        found, after = array_gradient(handle, flow, source=source)
        with graph.control_dependencies([after.op]):
            return found, identity(flow, name="gradient_flow")


write = define(
    "TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float32)"
    " -> flow_out: float32",
    host=("index",), stateful=True, doc="Put a tensor into a list.",
)  # fmt: skip


@write.shape
def write_shape(handle: Static, index: Static, value: Static, flow_in: Static) -> Dims:
    if index.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(index.shape)}")
    return ()


@write.kernel
def write_kernel(handle: Handle, index: Any, value: Any, flow_in: Any) -> Any:
    handle.value.write(int(index), value)
    return flow_in


@write.gradient
def write_gradient(call: Any, dy: Any) -> Any:
    handle, index, value, _ = call.inputs
    list_of, flow = _gradient_of(handle, dy)
    return None, None, _shaped(read(list_of, index, flow, dtype=value.dtype), value._dims), dy


def _shaped(tensor: Any, dims: Dims) -> Any:
    tensor.set_shape(TensorShape(dims))
    return tensor


read = define(
    "TensorArrayReadV3(handle: resource, index: int32, flow_in: float32; dtype: type)"
    " -> value: dtype",
    host=("index",), stateful=True, doc="Return a tensor of a list.",
)  # fmt: skip


@read.shape
def read_shape(handle: Static, index: Static, flow_in: Static, *, dtype: Any) -> Dims:
    if index.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(index.shape)}")
    return None


@read.kernel
def read_kernel(handle: Handle, index: Any, flow_in: Any, *, dtype: Any) -> Any:
    items = handle.value
    if items.dtype is not dtype:
        raise invalid(
            f"TensorArray dtype is {c_name(items.dtype)} but Op requested dtype {c_name(dtype)}."
        )
    return items.read(int(index))


@read.gradient
def read_gradient(call: Any, dy: Any) -> Any:
    handle, index, flow = call.inputs
    list_of, after = _gradient_of(handle, flow)
    return None, None, write(list_of, index, dy, after)


gather = define(
    "TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float32; dtype: type,"
    " element_shape: shape = None) -> value: dtype",
    host=("indices",), stateful=True, doc="Return tensors of a list as one.",
)  # fmt: skip


@gather.shape
def gather_shape(
    handle: Static, indices: Static, flow_in: Static, *, dtype: Any, element_shape: Any
) -> Dims:
    dims = TensorShape(element_shape)._dims
    if dims is None:
        return None
    return (indices.shape[0] if indices.shape else None, *dims)


@gather.kernel
def gather_kernel(
    handle: Handle, indices: Any, flow_in: Any, *, dtype: Any, element_shape: Any
) -> Any:
    items = handle.value
    items.check_open()
    dims = TensorShape(element_shape)._dims
    if not len(indices):
        known = merge(items.dims, dims)
        if known is None or None in known:
            shown = "<unknown>" if known is None else bracketed(known)
            raise UnimplementedError(
                None, None,
                f"TensorArray has size zero, but element shape {shown} is not fully defined. "
                "Currently only static shapes are supported when packing zero-size TensorArrays.",
            )  # fmt: skip
        return _empty((0, *known), items.dtype)
    values = [items.read(index) for index in indices.tolist()]
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


def _empty(shape: tuple[Any, ...], dtype: DType) -> Any:
    if dtype is dtypes.string:
        return np.empty(shape, dtype=object)
    return torch.zeros(shape, dtype=TORCH[dtype])


@gather.gradient
def gather_gradient(call: Any, dy: Any) -> Any:
    handle, indices, flow = call.inputs
    list_of, after = _gradient_of(handle, flow)
    return None, None, scatter(list_of, indices, dy, after)


scatter = define(
    "TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float32)"
    " -> flow_out: float32",
    host=("indices",), stateful=True, doc="Put the rows of a tensor into a list.",
)  # fmt: skip


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
def scatter_kernel(handle: Handle, indices: Any, value: Any, flow_in: Any) -> Any:
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
def scatter_gradient(call: Any, dy: Any) -> Any:
    handle, indices, value, _ = call.inputs
    list_of, flow = _gradient_of(handle, dy)
    dims = None if value._dims is None else value._dims[1:]
    found = gather(list_of, indices, flow, dtype=value.dtype, element_shape=dims)
    return None, None, _shaped(found, value._dims), dy


concat = define(
    "TensorArrayConcatV3(handle: resource, flow_in: float32; dtype: type,"
    " element_shape_except0: shape = None) -> value: dtype, lengths: int64",
    host=("lengths",), stateful=True, doc="Return the tensors of a list joined end to end.",
)  # fmt: skip


@concat.shape
def concat_shape(
    handle: Static, flow_in: Static, *, dtype: Any, element_shape_except0: Any
) -> list[Dims]:
    dims = TensorShape(element_shape_except0)._dims
    return [None if dims is None else (None, *dims), (None,)]


@concat.kernel
def concat_kernel(
    handle: Handle, flow_in: Any, *, dtype: Any, element_shape_except0: Any
) -> tuple[Any, Any]:
    items = handle.value
    items.check_open()
    values = [items.read(index) for index in range(len(items.values))]
    if not values:
        dims = TensorShape(element_shape_except0)._dims
        if dims is None or None in dims:
            shown = "<unknown>" if dims is None else bracketed(dims)
            raise UnimplementedError(
                None, None,
                f"TensorArray has size zero, but element_shape_except0 {shown} is not fully "
                "defined. Currently only static shapes are supported when concatenating zero-size "
                "TensorArrays.",
            )  # fmt: skip
        return _empty((0, *dims), items.dtype), torch.zeros(0, dtype=torch.int64)
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
def concat_gradient(call: Any, dy: Any, _lengths: Any) -> Any:
    handle, flow = call.inputs
    list_of, after = _gradient_of(handle, flow)
    return None, split(list_of, dy, call.outputs[1], after)


split = define(
    "TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float32)"
    " -> flow_out: float32",
    host=("lengths",), stateful=True, doc="Put pieces of a tensor into a list.",
)  # fmt: skip
split.shape(_flow)


@split.kernel
def split_kernel(handle: Handle, value: Any, lengths: Any, flow_in: Any) -> Any:
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
def split_gradient(call: Any, dy: Any) -> Any:
    handle, value, _, _ = call.inputs
    list_of, flow = _gradient_of(handle, dy)
    dims = None if value._dims is None else value._dims[1:]
    found, _ = concat(list_of, flow, dtype=value.dtype, element_shape_except0=dims)
    return None, _shaped(found, value._dims), None, dy


size = define(
    "TensorArraySizeV3(handle: resource, flow_in: float32) -> size: int32",
    host=("size",), stateful=True, differentiable=False, doc="Return the length of a list.",
)  # fmt: skip
size.shape(_flow)


@size.kernel
def size_kernel(handle: Handle, flow_in: Any) -> Any:
    handle.value.check_open()
    return torch.tensor(len(handle.value.values), dtype=torch.int32)


close = define(
    "TensorArrayCloseV3(handle: resource)", stateful=True, differentiable=False,
    doc="Give back what a list holds.",
)  # fmt: skip


@close.kernel
def close_kernel(handle: Handle) -> None:
    items = handle.value
    items.values, items.closed = [], True
