"""Tensors made from a value or a rule: constant, fill, zeros, ones, range, linspace, eye."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import FLOATS, INDEX, REAL, DType, as_dtype
from placewise.core.errors import ResourceExhaustedError, invalid
from placewise.core.scope import current
from placewise.core.shapes import Dims, Static, TensorShape, from_value
from placewise.core.tensor import Tensor
from placewise.memory.exhausted import instead
from placewise.ops import lazy
from placewise.ops.array.concat import concat
from placewise.ops.array.contents import is_text, sizes, text_full
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import expand_dims, reshape, shape_of
from placewise.ops.convert import constant_of, convert_to_tensor, host_constant, host_number, scalar
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.math.cast import cast
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.values import TORCH, EagerTensor, Variant, from_numpy, to_numpy
from placewise.ops.work import fill_work


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Return a tensor that holds `value`.

    `value`: a number, a string, nested lists of these, or a NumPy array.
    `dtype`: the dtype of the result. By default Python floats become float32 and integers int32.
    `shape`: the shape of the result; `value` is then one element to repeat, or has as many elements
        as that shape.

    Raises TypeError if `shape` does not fit the elements, and ValueError if nested lists are of
    different lengths or hold what no tensor can hold. The tensor lies on the device in force, or in
    a graph becomes part of it.

    >>> tf.constant([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.constant(0.5, shape=[3]).numpy()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype is not wanted:
            raise TypeError(
                f"Expected tensor {value} with dtype {wanted!r}, but got dtype {value.dtype!r}."
            )
        if shape is None:
            return value
    return constant_of(value, wanted, shape, name)


@op(
    "Fill(dims: index_type, value: T) -> output: T",
    host=("dims",),
    index_type=INDEX,
    result="whole",
    static="users",
    numerics="none",
    work=fill_work,
)
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """Return a tensor of shape `dims` whose elements are all the scalar `value`."""
    return fill.bind(dims, value, name)


@fill.shape
def fill_shape(dims: Static, value: Static) -> Dims:
    if dims.value is not None and (np.asarray(dims.value) < 0).any():
        raise ValueError("Fill dimensions must be >= 0")
    for argument, rank in ((dims, 1), (value, 0)):
        if argument.shape is not None and len(argument.shape) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(argument.shape)}")
    return from_value(dims)


@fill.kernel
def fill_kernel(dims: np.ndarray[Any, Any], value: Any) -> Any:
    if dims.ndim != 1 and dims.size != 1:
        raise invalid(f"dims must represent a vector, got shape {bracketed(dims.shape)}")
    if value.shape != ():
        if len(value.shape) != 1 or value.shape[0] != 1:
            raise invalid(f"value must represent a scalar, got shape {bracketed(value.shape)}")
        value = value[0:1].reshape(())
    target = sizes(dims, "dims")
    if is_text(value):
        return text_full(target, value[()])
    return torch.empty(target, dtype=value.dtype, device=value.device).fill_(value)


@fill.gradient
def fill_gradient(call: Call, dy: Tensor) -> Any:
    return None, lazy.reduce_sum(dy)


def shape_argument(shape: Any) -> Any:
    """Return a `shape` argument as a vector for ops: a tensor stays one, the rest becomes int32."""
    if isinstance(shape, Tensor):
        return shape if shape._shape_tuple else reshape(shape, [-1])
    if isinstance(shape, TensorShape):
        return host_constant(shape, None)
    converted = convert_to_tensor(shape, dtypes.int32)
    # A ragged shape stays what it is: `fill` knows it.
    return shape_argument(converted) if isinstance(converted, Tensor) else converted


_PLAIN = dtypes.NUMBERS | dtypes.BOOL


def _filled(shape: Any, value: Any, dtype: Any, name: str | None) -> Any:
    if type(shape) in (tuple, list) and all(type(d) is int and abs(d) < 2**63 for d in shape):
        small = not shape or (max(shape) < 2**31 and min(shape) >= -(2**31))
        dims: Any = np.asarray(shape, np.int32 if small else np.int64)
    else:
        dims = shape_argument(shape)
    # Numbers are remembered: making the constant costs more than filling a small tensor.
    if dtype not in _PLAIN:
        return fill.bind(dims, constant_of(value, dtype, None, None), name)
    try:
        return fill.bind(dims, scalar(value, dtype), name)
    except ResourceExhaustedError as error:
        if not isinstance(dims, np.ndarray):
            raise
        # The number itself may have found no room: the program asked for all of it.
        raise instead(error, tuple(dims.tolist()), TORCH[dtype], "Fill") from None


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Return zeros of a shape, in a graph always by `Fill`; graph/filled.py has `tf.zeros`."""
    dtype = as_dtype(dtype).base_dtype
    nothing = b"" if dtype is dtypes.string else False if dtype is dtypes.bool else 0
    return _filled(shape, nothing, dtype, name)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Return ones of a shape; see `zeros`."""
    dtype = as_dtype(dtype).base_dtype
    return _filled(shape, True if dtype is dtypes.bool else 1, dtype, name)


_zeros_like = define(
    "ZerosLike(x: T) -> y: T",
    differentiable=False,
    doc="Return zeros of the shape and dtype of `x`.",
    result="new",
    elementwise=True,
    work=fill_work,
)
_zeros_like.shape(same_shape)


@_zeros_like.kernel
def zeros_like_kernel(x: Any) -> Any:
    if isinstance(x, Variant):  # of a list of tensors zeros; no gradient is for anything else
        return x.zeros_like() if hasattr(x, "zeros_like") else x
    return text_full(x.shape, b"") if is_text(x) else torch.zeros_like(x)


_ones_like = define(
    "OnesLike(x: T) -> y: T",
    differentiable=False,
    T=dtypes.NUMBERS | dtypes.BOOL,
    doc="Return ones of the shape and dtype of `x`.",
    result="new",
    elementwise=True,
    work=fill_work,
)
_ones_like.shape(same_shape)


@_ones_like.kernel
def ones_like_kernel(x: torch.Tensor) -> Any:
    return torch.ones_like(x)


def zeros_like(input: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return zeros in the shape of `input`, in a graph always by an op; see `zeros`."""
    x = convert_to_tensor(input)
    if dtype is None or as_dtype(dtype) is x.dtype:
        return _zeros_like(x, name)
    return zeros(shape_of(x), dtype, name)


def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return ones in the shape of `input`; see `zeros_like`."""
    x = convert_to_tensor(input)
    if dtype is None or as_dtype(dtype) is x.dtype:
        return _ones_like(x, name)
    return ones(shape_of(x), dtype, name)


_HIERARCHY = [
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
]

_range = define(
    "Range(start: Tidx, limit: Tidx, delta: Tidx) -> output: Tidx",
    host=("start", "limit", "delta"),
    Tidx=REAL - {dtypes.uint8},
    differentiable=False,
    doc="Return start, start + delta, … up to and without limit.",
    result="new",
    static="users",
    node_name="range",
    work=fill_work,
)


def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor:
    """Return the numbers from `start` up to, and without, `limit` in steps of `delta`.

    `start`: the first number. With one bound only, that is the limit and `start` is 0.
    `limit`: where to stop.
    `delta`: the step, which may be negative.
    `dtype`: the dtype of the result, by default the one all three numbers convert to.

    Raises InvalidArgumentError if `delta` is 0 or leads away from `limit`.

    >>> tf.range(2, 10, 3).numpy()
    array([2, 5, 8], dtype=int32)
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None and type(start) is type(limit) is type(delta) is int:
        low, high = min(start, limit, delta), max(start, limit, delta)
        if low >= -(2**31) and high < 2**31:
            bounds = [np.asarray(bound, np.int32) for bound in (start, limit, delta)]
            return _range(*bounds, name or "Range")
    wanted = None if dtype is None else as_dtype(dtype)
    with in_scope(name, "Range") as scope:
        given = [
            each if isinstance(each, Tensor) else host_number(each, wanted, argument)
            for each, argument in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if wanted is None:
            kinds = [as_dtype(v.dtype) for v in given]
            if not all(kind in _HIERARCHY for kind in kinds):
                raise AssertionError  # what TensorFlow raises, without words
            wanted = max(kinds, key=_HIERARCHY.index)
        return _range(*[_as(v, wanted) for v in given], scope)


def _as(value: Any, dtype: Any) -> Any:
    if as_dtype(value.dtype) is dtype:
        return value
    if isinstance(value, np.ndarray):
        return value.astype(dtype.as_numpy_dtype)
    if isinstance(value, EagerTensor):
        return to_numpy(value._value).astype(dtype.as_numpy_dtype)

    return cast(value, dtype)


@_range.shape
def range_shape(start: Static, limit: Static, delta: Static) -> Dims:
    if start.value is None or limit.value is None or delta.value is None:
        return (None,)
    try:
        return (_range_size(start.value, limit.value, delta.value),)
    except Exception as failure:
        raise ValueError(str(failure)) from None


def _range_size(start: Any, limit: Any, delta: Any) -> int:
    for name, each in (("start", start), ("limit", limit), ("delta", delta)):
        if each.shape not in ((), (1,)):
            raise invalid(f"{name} must be a scalar, not shape {bracketed(each.shape)}")
    given = [each.reshape(())[()] for each in (start, limit, delta)]
    low, high, step = given
    if start.dtype.kind in "iu":
        low, high, step = int(low), int(high), int(step)
    else:
        low, high, step = float(low), float(high), float(step)
    if step == 0:
        raise invalid(f"Requires delta != 0: {_shown(step)}")
    if step > 0 and low > high:
        raise invalid(f"Requires start <= limit when delta > 0: {_shown(low)}/{_shown(high)}")
    if step < 0 and low < high:
        raise invalid(f"Requires start >= limit when delta < 0: {_shown(low)}/{_shown(high)}")
    if start.dtype.kind in "iu":
        size: int = (abs(high - low) + abs(step) - 1) // abs(step)
        return size
    # In the precision of the dtype: in float32, 1.1 - 0.1 is ten times 0.1 and no more.
    size = math.ceil(abs(float((given[1] - given[0]) / given[2])))
    if size > 2**62:
        raise invalid(f"Requires ((limit - start) / delta) <= {2**63 - 1}")
    return size


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@_range.kernel
def range_kernel(
    start: np.ndarray[Any, Any],
    limit: np.ndarray[Any, Any],
    delta: np.ndarray[Any, Any],
    *,
    torch_device: str = "cpu",
) -> Any:
    count = _range_size(start, limit, delta)
    first, step = start.reshape(()), delta.reshape(())
    if torch_device != "cpu" and start.dtype != np.int32:  # TensorFlow has those on the host
        return _range_on(torch_device, count, first.item(), step.item(), start.dtype)
    if start.dtype == np.int32 and count:  # in one pass; torch counts 64 bits in floats
        return torch.arange(int(first), int(limit), int(step), dtype=torch.int32)
    steps = np.arange(count)
    if start.dtype.kind in "iu":
        return from_numpy((int(first) + steps * int(step)).astype(start.dtype))
    return from_numpy((first + steps.astype(start.dtype) * step).astype(start.dtype))


def _range_on(torch_device: str, count: int, first: Any, step: Any, numpy_type: Any) -> Any:
    """Return a range in the memory of a torch device; nothing is copied there."""
    dtype = TORCH[as_dtype(numpy_type)]
    steps = torch.arange(count, device=torch_device)
    if dtype.is_floating_point:
        return steps.to(dtype).mul_(step).add_(first)
    wrapped = (first + 2**63) % 2**64 - 2**63  # torch has no arithmetic for uint64
    return steps.mul_(step).add_(wrapped).to(dtype)


_lin_space = define(
    "LinSpace(start: T, stop: T, num: Tidx) -> output: T",
    host=("start", "stop", "num"),
    T=FLOATS,
    Tidx=INDEX,
    differentiable=False,
    doc="Return `num` numbers evenly from `start` to `stop`.",
    work=fill_work,
)


@_lin_space.shape
def lin_space_shape(start: Static, stop: Static, num: Static) -> Dims:
    return (None,) if num.value is None else (int(num.value),)


@_lin_space.kernel
def lin_space_kernel(
    start: np.ndarray[Any, Any],
    stop: np.ndarray[Any, Any],
    num: np.ndarray[Any, Any],
    *,
    torch_device: str = "cpu",
) -> Any:
    for name, each in (("start", start), ("stop", stop), ("num", num)):
        if each.ndim:
            raise invalid(f"{name} must be a scalar, not shape {bracketed(each.shape)}")
    count = int(num)
    if count <= 0:
        raise invalid(f"Requires num > 0: {count}")
    step = ((stop - start) / np.asarray(max(count - 1, 1), start.dtype)).astype(start.dtype)
    if torch_device != "cpu":
        result = _range_on(torch_device, count, float(start), float(step), start.dtype)
        if count > 1:
            result[-1:].fill_(float(stop))
        return result
    made = (start + step * np.arange(count).astype(start.dtype)).astype(start.dtype)
    if count > 1:
        made[-1] = stop
    return from_numpy(made)


def linspace(
    start: TensorLike, stop: TensorLike, num: Any, name: str | None = None, axis: int = 0
) -> Any:
    """Return `num` tensors evenly from `start` to `stop`, along a new `axis`."""
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop, first.dtype)
    lazy.check_integer(convert_to_tensor(num), num, "num")
    count = int(num)
    if first.shape != last.shape:
        common = lazy.broadcast_dynamic_shape(shape_of(first), shape_of(last))
        first, last = lazy.broadcast_to(first, common), lazy.broadcast_to(last, common)
    first, last = expand_dims(first, axis), expand_dims(last, axis)
    if not first.dtype.is_floating and not first.dtype.is_complex:
        first, last = cast(first, dtypes.float64), cast(last, dtypes.float64)
    gap = (last - first) / constant_of(max(count - 1, 1), first.dtype, None, None)
    between = cast(range(1, max(count - 1, 1) if count >= 0 else -1, dtype=dtypes.int64), gap.dtype)
    if count < 2:
        return first if count else first[(slice(None),) * (axis % first.ndim) + (slice(0, 0),)]
    spread = [1] * len(first._shape_tuple)
    spread[axis] = count - 2
    return concat([first, first + gap * reshape(between, spread), last], axis, name)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Sequence[Any] | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Return an identity matrix, or a batch of them, maybe not square."""
    dtype = as_dtype(dtype).base_dtype
    columns = num_rows if num_columns is None else num_columns
    is_bool = dtype is dtypes.bool
    if is_tf1_graph():
        with in_scope(name, "eye"):
            return _diagonal_ones(num_rows, columns, num_columns is None, batch_shape, dtype)
    one = constant_of(True if is_bool else 1, dtype, None, None)
    zero = constant_of(False if is_bool else 0, dtype, None, None)
    if isinstance(num_rows, float) or isinstance(columns, float):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"num_rows={num_rows}, num_columns={columns}"
        )
    is_of_bools = isinstance(num_rows, bool) and isinstance(columns, bool)
    if is_of_bools and current.interpreter.graph is None:
        raise TypeError(f"Cannot convert [{min(num_rows, columns)}] to EagerTensor of dtype int32")
    for count in (num_rows, columns):
        if isinstance(count, int) and count < 0:
            fill([count], one, name)  # says what is wrong
    # int64 is made where the matrix is; int32 would be copied there from the host.
    matrix = one_hot(range(num_rows, dtype=dtypes.int64), columns, one, zero)
    if batch_shape is None:
        return matrix
    batch = shape_argument(batch_shape)
    if isinstance(batch, np.ndarray):
        return lazy.broadcast_to(matrix, [*batch.tolist(), *matrix.shape], name)
    return lazy.broadcast_to(matrix, concat([batch, shape_of(matrix)], 0), name)


def _diagonal_ones(rows: Any, columns: Any, is_square: bool, batch_shape: Any, dtype: DType) -> Any:
    """Write an identity matrix down as TensorFlow 1 does: ones put on a diagonal."""
    batch: Any = [] if batch_shape is None else batch_shape
    known = type(rows) is int and type(columns) is int and not isinstance(batch, Tensor)
    if known:
        batch = TensorShape(batch).as_list()
        diagonal: Any = [*batch, min(rows, columns)]
        whole: Any = [*batch, rows, columns]
    else:
        size = lazy.minimum(rows, columns)
        batch = convert_to_tensor(batch, dtypes.int32, name="shape")
        diagonal = concat([batch, [size]], 0)
        whole = None if is_square else concat([batch, [rows, columns]], 0)
    on = lazy.tf1_ones(diagonal, dtype)
    if is_square or (known and rows == columns):
        return lazy.matrix_diag(on, name="diag")
    return lazy.matrix_set_diag(lazy.tf1_zeros(whole, dtype), on, name="set_diag")
