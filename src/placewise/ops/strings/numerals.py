"""Numbers as strings and strings as numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import NUMBERS, DType, as_dtype
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.ops.declare import op
from placewise.ops.families import same_shape
from placewise.ops.strings.contents import numbers, strings
from placewise.ops.values import Content, c_name, dtype_of, to_numpy

_INTEGER = re.compile(rb"\s*[+-]?[0-9]+\s*\Z")
_FLOAT = re.compile(
    rb"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"
    rb"|inf(?:inity)?|nan(?:\(\w*\))?)\s*\Z",
    re.IGNORECASE,
)
_HEX = re.compile(rb"\s*[+-]?0x[0-9a-f]*\.?[0-9a-f]*(?:p[+-]?[0-9]+)?\s*\Z", re.IGNORECASE)
_NUMBER_TYPES = frozenset(
    {dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64}
)

_NATIVE_KINDS = {dtypes.float32: "f", dtypes.float64: "d", dtypes.int32: "i", dtypes.int64: "q"}


@op(
    "StringToNumber(string_tensor: string; out_type: type = float32) -> output: out_type",
    devices=("CPU",),
    differentiable=False,
    out_type=_NUMBER_TYPES,
    elementwise=True,
)
def to_number(
    input: TensorLike, out_type: DTypeLike = dtypes.float32, name: str | None = None
) -> Any:
    """Return the numbers that strings hold."""
    return to_number.bind(input, out_type=as_dtype(out_type), name=name)


to_number.shape(same_shape)


@to_number.kernel
def string_to_number_kernel(string_tensor: np.ndarray[Any, Any], *, out_type: DType) -> Any:
    if out_type not in _NUMBER_TYPES:
        raise invalid(
            f"Value for attr 'out_type' of {c_name(out_type)} is not in the list of allowed "
            "values: float, double, int32, int64, uint32, uint64"
        )
    read = _float if out_type.is_floating else _integer(out_type.min, out_type.max)
    if native.code is not None and out_type in _NATIVE_KINDS:
        return _native_numbers(np.asarray(string_tensor, order="C"), out_type, read)
    with np.errstate(over="ignore"):
        return numbers(read, string_tensor, out_type.as_numpy_dtype)


def _native_numbers(texts: Any, dtype: DType, read: Callable[[bytes], Any]) -> torch.Tensor:
    """Return numbers, of which `read` gets those that are spelled in an unusual way."""
    result = np.empty(texts.shape, dtype.as_numpy_dtype)
    flat, place = result.reshape(-1), 0
    while (place := native.code.parse_numbers(texts, result, _NATIVE_KINDS[dtype], place)) < (
        texts.size
    ):
        with np.errstate(over="ignore"):
            flat[place] = read(texts.flat[place])
        place += 1
    return torch.from_numpy(result)


def _unreadable(text: bytes) -> InvalidArgumentError:
    shown = text.decode(errors="replace")
    return invalid(f"StringToNumberOp could not correctly convert string: {shown}")


def _integer(low: int, high: int) -> Callable[[bytes], int]:
    def read(text: bytes) -> int:
        # Python refuses very long numerals; none of them is in range.
        if not _INTEGER.match(text) or len(text.strip()) > 1000:
            raise _unreadable(text)
        number = int(text)
        if not low <= number <= high:
            raise _unreadable(text)
        return number

    return read


def _float(text: bytes) -> float:
    if _FLOAT.match(text):
        return float(text.partition(b"(")[0])
    if _HEX.match(text):
        try:
            return float.fromhex(text.decode())
        except (ValueError, OverflowError):
            pass
    raise _unreadable(text)


@op(
    "AsString(input: T; precision: int = -1, scientific: bool = False, shortest: bool = False,"
    " width: int = -1, fill: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
    T=NUMBERS | {dtypes.bool, dtypes.string, dtypes.variant},
    elementwise=True,
)
def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Any:
    """Return values as text; `width` and `fill` (one of `0`, `+`, `-`, space) pad as in C."""
    return as_string.bind(
        input,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
        name=name,
    )


as_string.shape(same_shape)


@as_string.kernel
def as_string_kernel(
    input: Content, *, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Any:
    dtype = dtype_of(input)
    _check(dtype, precision, scientific, shortest, fill)
    array = to_numpy(input)
    padding = fill + (str(width) if width > -1 else "")
    if native.code is not None and not padding and not (scientific or shortest or precision > -1):
        result = np.empty(array.shape, object)
        if dtype.is_integer and dtype is not dtypes.uint64:
            native.code.format_integers(array.astype(np.int64, order="C"), result)
            return result
        contiguous = np.asarray(array, order="C")
        if dtype is dtypes.float32 and native.code.format_floats(contiguous, result):
            return result
    if dtype is dtypes.string:
        # Padding with zeros means nothing for text: C uses spaces.
        most = f".{precision}" if precision > -1 else ""
        text = "%" + padding.removeprefix("0") + most + "s"
        make: Any = (lambda s: text.encode() % s) if width > -1 else (lambda s: s)
    elif dtype.is_bool:
        make = lambda value: b"true" if value else b"false"  # noqa: E731
    elif dtype.is_integer:
        form = "%" + padding + "d"
        make = lambda value: (form % value).encode()  # noqa: E731
    else:
        kind = "e" if scientific else "g" if shortest else "f"
        form = "%" + padding + (f".{precision}" if precision > -1 else "") + kind
        one = _float_writer(form, "%" + padding.replace("0", "", fill == "0") + "s")
        if dtype.is_complex:
            make = lambda value: f"({one(value.real)},{one(value.imag)})".encode()  # noqa: E731
        else:
            make = lambda value: one(value).encode()  # noqa: E731
            array = array.astype(np.float64)
    return strings(map(make, array.reshape(-1).tolist()), array.shape)


def _check(dtype: Any, precision: int, scientific: bool, shortest: bool, fill: str) -> None:
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters")
    if fill and fill not in "+- 0":
        raise invalid(f'Fill argument not supported: "{fill}"')
    if dtype.is_integer or dtype.is_bool:
        if scientific or shortest:
            raise invalid(f"scientific and shortest format not supported for datatype {dtype.name}")
        if precision > -1:
            raise invalid(f"precision not supported for datatype {dtype.name}")


def _float_writer(form: str, padded: str) -> Callable[[float], str]:
    def write(value: float) -> str:
        if math.isfinite(value):
            return form % value
        sign = "-" if math.copysign(1.0, value) < 0 else "+" if "+" in form else ""
        return padded.replace("+", "") % (sign + ("nan" if math.isnan(value) else "inf"))

    return write
