"""Changing the dtype of elements: cast and saturate_cast."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import FLOATS_COMPLEX, DType, as_dtype
from placewise.core.errors import UnimplementedError
from placewise.core.shapes import Static
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import same_shape
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.values import TORCH, Content, c_name, dtype_of, to_numpy
from placewise.ops.work import elementwise_work


@op(
    "Cast(x: SrcT; DstT: type, Truncate: bool = False) -> y: DstT",
    result="view",
    static="users",
    elementwise=True,
    sparse_values=True,
    work=elementwise_work,
)
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return `x` with its elements converted to another dtype.

    `x`: a tensor, a sparse or ragged tensor, or anything that converts to one.
    `dtype`: the new dtype. The tensor itself comes back if it has that dtype already.

    Fractions are cut off towards zero, integers that do not fit wrap around, complex numbers lose
    their imaginary part, and any number but 0 becomes True. Gradients flow between floating-point
    and complex dtypes only. A floating-point number outside of the integer range has no defined
    result: CPU and GPU may differ there.

    Raises UnimplementedError for strings: use `tf.strings.to_number` and `tf.strings.as_string`.

    >>> tf.cast([1.8, -1.8], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    """
    target = dtype if type(dtype) is dtypes.DType else as_dtype(dtype)
    target = target.base_dtype
    if isinstance(x, Tensor):
        return x if x.dtype is target else cast.bind(x, DstT=target, name=name)
    if hasattr(x, "with_values"):  # sparse
        return x.with_values(cast(x.values, target, name))
    if hasattr(x, "with_flat_values"):  # ragged
        return x.with_flat_values(cast(x.flat_values, target, name))
    if hasattr(x, "indices") and hasattr(x, "dense_shape"):
        return type(x)(cast(x.values, target, name), x.indices, x.dense_shape)
    with in_scope(name, "Cast") as scope:
        x = convert_to_tensor(x, name="x")
        return x if x.dtype is target else cast.bind(x, DstT=target, name=scope)


cast.shape(same_shape)


@cast.static_value
def cast_static_value(x: Static, **_: object) -> tuple[int | None, ...] | None:
    return x.parts


@cast.kernel
def cast_kernel(x: Content, *, DstT: DType, Truncate: bool) -> Any:  # noqa: N803 - their names
    target = TORCH.get(DstT)
    if target is None or not isinstance(x, torch.Tensor):
        if isinstance(x, np.ndarray) and DstT is dtypes.string:
            return x
        raise UnimplementedError(
            None, None, f"Cast {c_name(dtype_of(x))} to {c_name(DstT)} is not supported"
        )
    if x.is_complex() and not target.is_complex and target is not torch.bool:
        x = x.real
    if x.is_floating_point() and not target.is_floating_point and target in _INTEGERS:
        return _whole(x, target)
    if target is torch.float8_e4m3fn:  # has no infinity; torch takes the largest number instead
        x = torch.where(x.abs() > _LARGEST_E4M3FN, math.nan, x)
    return x.to(target)


# Halfway from 448, the largest number, to where the next one would be.
_LARGEST_E4M3FN = 464.0


_INTEGERS = {d: np.dtype(t.as_numpy_dtype) for t, d in TORCH.items() if t.is_integer}


def _whole(x: Any, target: Any) -> Any:
    """Return floats as integers the way a processor's conversion does.

    What is out of range of the target goes through a wider integer and keeps its low bits;
    NaN and what no integer holds become the smallest one.
    """
    if target is torch.uint64 and x.device.type == "cpu":
        with np.errstate(all="ignore"):
            wide = x if x.dtype in (torch.float32, torch.float64) else x.float()
            array = to_numpy(wide)
            found = array.astype(np.uint64)
            return torch.from_numpy(np.where(array < 2.0**64, found, np.uint64(2**63)))
    if target is torch.uint64:
        # Half of the range does not fit into int64: its first bit is put in by hand.
        is_large = x >= 2.0**63
        bits = torch.where(is_large, x - 2.0**63, x).to(torch.int64)
        return torch.where(is_large, bits ^ torch.iinfo(torch.int64).min, bits).view(target)
    if target in (torch.int32, torch.int64, torch.uint32):
        return x.to(torch.int64).to(target) if target is torch.uint32 else x.to(target)
    return x.to(torch.int32).to(target)


@cast.gradient
def cast_gradient(call: Call, dy: Tensor) -> Any:
    source = call.inputs[0].dtype
    if source in FLOATS_COMPLEX and call.attrs["DstT"] in FLOATS_COMPLEX:
        return cast(dy, source)
    return None


def _cut_off(
    value: Tensor, low: TensorLike, high: TensorLike, target: DType, name: str | None
) -> Any:
    """Write a cast that saturates down as TensorFlow 1 does."""
    source = value.dtype
    with in_scope(name, "saturate_cast") as scope:
        if source.is_floating or source.min < target.min:
            value = lazy.maximum(value, convert_to_tensor(low, source, name="min"))
        if source.is_floating or source.max > target.max:
            value = lazy.minimum(value, convert_to_tensor(high, source, name="max"))
        return cast(value, target, scope)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """Return `value` with another dtype; what does not fit becomes the nearest that does."""
    value = convert_to_tensor(value)
    target = as_dtype(dtype).base_dtype
    source = value.dtype
    if source.is_complex:
        if target.is_complex:
            part = target.real_dtype
            return lazy.to_complex(
                saturate_cast(lazy.real(value), part), saturate_cast(lazy.imag(value), part)
            )

        return saturate_cast(lazy.real(value), target, name)
    if target.is_complex:
        return cast(saturate_cast(value, target.real_dtype), target, name)
    # Floats are always clipped: what is infinite becomes the largest number of the target.
    if source.is_floating or source.min < target.min or source.max > target.max:
        low, high = _limits(source, target)
        if is_tf1_graph():
            return _cut_off(value, low, high, target, name)
        value = lazy.clip_by_value(
            value, convert_to_tensor(low, source), convert_to_tensor(high, source)
        )
    return cast(value, target, name)


def _limits(source: DType, target: DType) -> tuple[Any, Any]:
    """Return the bounds of `target` within `source`, as numbers `source` can hold."""
    low, high = max(source.min, target.min), min(source.max, target.max)
    if not source.is_floating:
        return int(low), int(high)
    kind = source.as_numpy_dtype
    bounds = [kind(float(low)), kind(float(high))]
    for index, limit in enumerate((low, high)):
        # Rounded past the limit: the number before it is the last that fits.
        if abs(int(bounds[index])) > abs(int(limit)):
            bounds[index] = np.nextafter(bounds[index], kind(0))
    return bounds[0], bounds[1]


def _to(dtype: DType, name: str) -> Any:
    def to(x: Any, name: str = f"To{name}") -> Any:
        return cast(x, dtype, name)

    to.__name__ = to.__qualname__ = f"to_{name.lower()}"
    to.__doc__ = f"Return `x` with elements of dtype {dtype.name}."
    return to


to_float, to_double = _to(dtypes.float32, "Float"), _to(dtypes.float64, "Double")
to_int32, to_int64 = _to(dtypes.int32, "Int32"), _to(dtypes.int64, "Int64")
to_bfloat16, to_complex64 = _to(dtypes.bfloat16, "BFloat16"), _to(dtypes.complex64, "Complex64")
to_complex128 = _to(dtypes.complex128, "Complex128")
