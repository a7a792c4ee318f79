"""Tensors joined and taken apart along an axis: concat, stack, unstack."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import hint, invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, merge
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.contents import is_text
from placewise.ops.array.shape import identity, shape_of
from placewise.ops.convert import (
    constant_of,
    contains_tensor,
    convert_to_tensor,
    dtype_hint_of,
    has_converter,
)
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.math.cast import cast
from placewise.ops.name_scopes import in_scope
from placewise.ops.values import Content
from placewise.ops.work import copy_work, view_work


@op(
    "ConcatV2(values: N*T >= 2, axis: Tidx) -> output: T",
    host=("axis",),
    Tidx=INDEX,
    result="whole",
    static="users",
    numerics="none",
    node_name="concat",
    work=copy_work,
)
def concat(values: TensorLike, axis: TensorLike, name: str | None = "concat") -> Tensor:
    """Return the tensors of a list joined along an axis they all have.

    `values`: tensors of one dtype that differ in size along `axis` only.
    `axis`: the axis to join along; a negative one counts from the last.

    Raises InvalidArgumentError if the other sizes or the ranks differ. `tf.stack` joins along a new
    axis.

    >>> tf.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        if type(axis) is not int:
            _check_scalar(axis)
        return identity(values[0], name)
    if not len(values):
        raise invalid(
            "OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, Tidx=DT_INT32]'"
        )
    return concat.bind(values, axis, name)


def _check_scalar(axis: TensorLike) -> None:
    """Refuse what is no axis, most often values and axis the wrong way round."""
    wanted = None if isinstance(axis, Tensor) else dtypes.int32
    convert_to_tensor(axis, wanted).shape.assert_has_rank(0)


@concat.static_value
def concat_static_value(values: list[Static], axis: Static) -> tuple[int | None, ...] | None:
    elements: list[int | None] = []
    for value in values:
        if value.parts is None:
            return None
        elements += value.parts
    return tuple(elements)


@concat.shape
def concat_shape(values: list[Static], axis: Static) -> Dims:
    known = [each.shape for each in values if each.shape is not None]
    if not known:
        return None
    rank = len(known[0])
    for shape in known:
        if len(shape) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(shape)}")
    if axis.value is None:
        return (None,) * rank
    at = int(np.asarray(axis.value).reshape(-1)[0])
    if rank == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= at < rank:
        raise ValueError(f"Invalid concatenation dimension {at} for tensors of rank {rank}")
    at %= rank
    result: Dims = None
    total: int | None = 0
    for each in values:
        if each.shape is None:
            total = None
            continue
        length = each.shape[at]
        total = None if total is None or length is None else total + length
        result = merge(result, (*each.shape[:at], None, *each.shape[at + 1 :]))
    return (*result[:at], total, *result[at + 1 :])  # type: ignore[index]


@concat.kernel
def concat_kernel(values: Any, axis: np.ndarray[Any, Any]) -> Any:
    rank = len(values[0].shape)
    for each in values:
        if len(each.shape) != rank:  # torch passes over empty vectors
            raise ValueError
    at = int(axis.reshape(-1)[0])
    if axis.size != 1 or not -rank <= at < rank:
        raise ValueError
    return np.concatenate(values, at) if is_text(values[0]) else torch.cat(values, at)


@concat.error
def concat_error(values: list[Content], axis: np.ndarray[Any, Any]) -> str | None:
    if axis.size != 1:
        return (
            f"ConcatOp : axis tensor should be a scalar integer, but got shape "
            f"{bracketed(axis.shape)}"
        )
    first = tuple(values[0].shape)
    rank, at = len(first), int(axis.reshape(-1)[0])
    if not rank:
        return "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
    if not -rank <= at < rank:
        return (
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), "
            f"but got {at}"
        )
    for index, each in enumerate(values):
        other = tuple(each.shape)
        shown = f"shape[0] = {bracketed(first)} vs. shape[{index}] = {bracketed(other)}"
        if len(other) != rank:
            return f"ConcatOp : Ranks of all input tensors should match: {shown}"
        for d in range(rank):
            if d != at % rank and first[d] != other[d]:
                return f"ConcatOp : Dimension {d} in both shapes must be equal: {shown}"
    return None


@concat.gradient
def concat_gradient(call: Any, dy: Any) -> Any:
    values, axis = call.inputs
    static = [value._shape_tuple for value in values]
    if isinstance(axis, np.ndarray) and all(s is not None and None not in s for s in static):
        at = int(axis.reshape(-1)[0]) % len(static[0])
        begin = np.zeros(len(static[0]), np.int64)
        parts = []
        for shape in static:
            parts.append(lazy.slice_of(dy, begin.copy(), np.asarray(shape, np.int64)))
            begin[at] += shape[at]
        return parts, None
    offsets = concat_offset(axis, [shape_of(value) for value in values])
    return [
        lazy.slice_of(dy, begin, shape_of(value))
        for begin, value in zip(offsets, values, strict=True)
    ], None


@op(
    "ConcatOffset(concat_dim: int32, shape: N*shape_type >= 2) -> offset: N*shape_type",
    host=("concat_dim", "shape", "offset"),
    shape_type=INDEX,
    differentiable=False,
    work=view_work,
)
def concat_offset(concat_dim: Any, shape: Any, name: str | None = None) -> Any:
    """Return, per shape, where a tensor of that shape begins in the concatenation of all."""
    return concat_offset.bind(concat_dim, list(shape), name)


@concat_offset.shape
def concat_offset_shape(concat_dim: Static, shape: list[Static]) -> list[Dims]:
    return [each.shape for each in shape]


@concat_offset.kernel
def concat_offset_kernel(
    concat_dim: np.ndarray[Any, Any], shape: list[np.ndarray[Any, Any]]
) -> Any:
    rank, at = shape[0].size, int(concat_dim)
    if not -rank <= at < rank:
        raise invalid(f"Concat dim is out of range: {at} vs. {rank}")
    at %= rank
    offset = np.zeros(rank, shape[0].dtype)
    made = []
    for index, each in enumerate(shape):
        for d in range(rank):
            if each.size != rank or (d != at and each[d] != shape[0][d]):
                raise invalid(
                    f"All dimensions except {at} must match. Input {index} has shape "
                    f"{each.tolist()} and doesn't match input 0 with shape {shape[0].tolist()}."
                )
        made.append(torch.from_numpy(offset.copy()))
        offset[at] += each[at]
    return made


@op(
    "Pack(values: N*T >= 1; axis: int = 0) -> output: T",
    result="new",
    static="users",
    node_name="stack",
    work=copy_work,
)
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Return the tensors of a list side by side along a new axis.

    `values`: tensors of one shape and dtype.
    `axis`: where the new axis stands in the result; a negative one counts from the last.

    Raises InvalidArgumentError if shapes differ, ValueError if `axis` is beyond the rank.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if axis == 0:
        if isinstance(values, Tensor):
            return values
        is_list = isinstance(values, (list, tuple))
        if not is_list or not contains_tensor(values) or _is_mixed(values):
            try:
                return convert_to_tensor(values, name=name)
            except (TypeError, ValueError):
                pass  # packing says better what is wrong
    if not isinstance(values, (list, tuple)):
        values = unstack(values)
    if not values:
        raise invalid("Value for attr 'N' of 0 must be at least minimum 1")
    first = values[0] if isinstance(values[0], Tensor) else convert_to_tensor(values[0])
    if first._shape_tuple is not None:
        count = len(first._shape_tuple) + 1
        if not -count <= axis < count:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-count}, {count})")
    return stack.bind(list(values), axis=axis, name=name)


def _is_mixed(values: Any) -> bool:
    """Return True where numbers in a list are named by their place in it."""
    if current.interpreter is Scope.eager:
        return False
    return any(type(each) in (int, float) for each in values)


@stack.static_value
def pack_static_value(values: list[Static], *, axis: int) -> tuple[int | None, ...]:
    return tuple(None if value.parts is None else value.parts[0] for value in values)


@stack.shape
def pack_shape(values: list[Static], *, axis: int) -> Dims:
    shape: Dims = None
    for each in values:
        shape = merge(shape, each.shape)
    if shape is None:
        return None
    count = len(shape) + 1
    if not -count <= axis < count:
        raise ValueError(f"Invalid axis {axis} for tensors of rank {count - 1}")
    axis %= count
    return (*shape[:axis], len(values), *shape[axis:])


@stack.kernel
def pack_kernel(values: Any, *, axis: int) -> Any:
    return np.stack(values, axis) if is_text(values[0]) else torch.stack(values, axis)


@stack.error
def pack_error(values: list[Content], *, axis: int) -> str | None:
    first = tuple(values[0].shape)
    for index, each in enumerate(values):
        if tuple(each.shape) != first:
            return (
                f"Shapes of all inputs must match: values[0].shape = {bracketed(first)} != "
                f"values[{index}].shape = {bracketed(each.shape)}"
            )
    count = len(first) + 1
    return f"axis = {axis} not in [{-count}, {count})"


@stack.gradient
def pack_gradient(call: Call, dy: Tensor) -> Any:
    return unstack(dy, num=len(call.inputs[0]), axis=call.attrs["axis"])


def pack_nested(value: Any, dtype: DType | None, name: str | None) -> Any:
    """Return nested lists that hold tensors as one tensor, packed level by level."""
    if dtype is None:
        if all(isinstance(item, Tensor) for item in value):
            return stack.bind(list(value), axis=0, name=name or "packed")
        dtype = dtype_hint_of(value)
    # A dtype that was asked for is cast to; tensors among themselves must agree.
    casts = dtype is not dtype_hint_of(value)
    with in_scope(name, "packed") as scope:
        items = [_packed(item, dtype, casts, str(place)) for place, item in enumerate(value)]
        return stack.bind(items, axis=0, name=scope)


def _packed(item: Any, dtype: DType | None, casts: bool, name: str) -> Any:
    """Return an item of a list as a tensor; a number is named by its place."""
    if has_converter(item):
        item = convert_to_tensor(item)
    if isinstance(item, Tensor):
        if casts:
            return cast(item, dtype)
        if dtype is not None and item.dtype.base_dtype is not dtype:
            raise TypeError(
                f"Cannot convert a list containing a tensor of dtype {item.dtype!r} to "
                f"{dtype!r} (Tensor is: {item!r})"
            )
        return item
    if isinstance(item, (list, tuple)) and contains_tensor(item):
        return pack_nested(item, dtype, name)
    if hasattr(type(item), "__tf_tensor__"):
        return convert_to_tensor(item, dtype)
    return constant_of(item, dtype, None, name)


@op(
    "Unpack(value: T; num: int >= 0, axis: int = 0) -> output: num*T",
    result="view",
    numerics="none",
    static="users",
    node_name="unstack",
)
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> Any:
    """Return the list of slices of `value` along `axis`, each without that axis.

    `value`: a tensor of rank 1 or more.
    `num`: how many slices there are. Needed only where the size of the axis is not known.
    `axis`: the axis to take apart; a negative one counts from the last.

    Raises ValueError if the number is neither known nor given, InvalidArgumentError if it differs
    from
    `num`.

    >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    if num is None:
        value = convert_to_tensor(value)
        shape = value._shape_tuple
        if shape is not None:
            count = len(shape)
            if not -count <= axis < count:
                raise ValueError(f"Argument `axis` = {axis} not in range [{-count}, {count})")
            num = shape[axis]
        if num is None:
            raise ValueError(
                hint(
                    f"Cannot infer argument `num` from shape {value.shape}",
                    "pass num, or state the size first with set_shape",
                )
            )
    return unstack.bind(value, num=num, axis=axis, name=name)


@unstack.shape
def unpack_shape(value: Static, *, num: int, axis: int) -> list[Dims]:
    if value.shape is None:
        return [None] * num
    rank = len(value.shape)
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis {axis} for a tensor of rank {rank}")
    axis %= rank
    if value.shape[axis] not in (None, num):
        raise ValueError(f"Dimension must be {num} but is {value.shape[axis]}")
    return [(*value.shape[:axis], *value.shape[axis + 1 :])] * num


@unstack.static_value
def unpack_static_value(value: Static, *, num: int, axis: int) -> tuple[int | None, ...] | None:
    return value.parts  # an element an output


@unstack.kernel
def unpack_kernel(value: Any, *, num: int, axis: int) -> Any:
    if num == 0:  # TensorFlow asks nothing of a value that no slice is taken of
        return []
    rank = len(value.shape)
    if not -rank <= axis < rank:
        raise invalid(f"axis = {axis} not in [{-rank}, {rank})")
    if value.shape[axis] != num:
        raise invalid(
            f"Input shape axis {axis % rank} must equal {num}, got shape {bracketed(value.shape)}"
        )
    if is_text(value):
        front = np.moveaxis(value, axis, 0)
        return [front[i, ...] for i in range(num)]
    return list(value.unbind(axis))


@unstack.gradient
def unpack_gradient(call: Call, *dys: Any) -> Any:
    return stack.bind(list(dys), axis=call.attrs["axis"])
