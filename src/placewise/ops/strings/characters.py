"""Strings one by one: length, case, white space, parts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.ops.declare import op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.strings.contents import mapped, numbers, one_of, strings
from placewise.ops.values import to_numpy

_UNITS = ("BYTE", "UTF8_CHAR")
# A character begins at every byte that does not continue one.
_STARTS = re.compile(rb"[^\x80-\xbf]")


@op(
    "StringLength(input: string; unit: string = 'BYTE') -> output: int32",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """Return the length of each string in bytes, or in characters with unit `UTF8_CHAR`."""
    return length.bind(input, unit=unit, name=name)


length.shape(same_shape)


@length.kernel
def string_length_kernel(input: Any, *, unit: str) -> Any:
    one_of("unit", unit, _UNITS)
    if unit == "BYTE":
        return numbers(len, input, np.int32)
    return numbers(lambda s: len(_STARTS.findall(s)), input, np.int32)


def _check_encoding(encoding: str) -> None:
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")


@op(
    "StringLower(input: string; encoding: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Return strings in small letters: of ASCII only, or of all scripts with `utf-8`."""
    return lower.bind(input, encoding=encoding, name=name)


lower.shape(same_shape)


@lower.kernel
def string_lower_kernel(input: Any, *, encoding: str) -> Any:
    _check_encoding(encoding)
    if not encoding:
        return mapped(bytes.lower, input)
    return mapped(lambda s: s.decode("utf-8", "replace").lower().encode(), input)


@op(
    "StringUpper(input: string; encoding: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Return strings in capital letters: of ASCII only, or of all scripts with `utf-8`."""
    return upper.bind(input, encoding=encoding, name=name)


upper.shape(same_shape)


@upper.kernel
def string_upper_kernel(input: Any, *, encoding: str) -> Any:
    _check_encoding(encoding)
    if not encoding:
        return mapped(bytes.upper, input)
    return mapped(lambda s: s.decode("utf-8", "replace").upper().encode(), input)


@op(
    "StringStrip(input: string) -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def strip(input: Any, name: str | None = None) -> Any:
    """Return strings without white space at their ends."""
    return strip.bind(input, name)


strip.shape(same_shape)


@strip.kernel
def string_strip_kernel(input: Any) -> Any:
    return mapped(bytes.strip, input)


@op(
    "Substr(input: string, pos: T, len: T; unit: string = 'BYTE') -> output: string",
    devices=("CPU",),
    differentiable=False,
    T=INDEX,
    elementwise=True,
)
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """Return the part of each string that starts at `pos` (from the end if negative)."""
    return substr.bind(input, pos, len, unit=unit, name=name)


@substr.shape
def substr_shape(input: Static, pos: Static, len: Static, *, unit: str) -> Dims:
    return broadcast(input.shape, pos.shape)


@substr.kernel
def substr_kernel(input: Any, pos: Any, len: Any, *, unit: str) -> Any:
    one_of("unit", unit, _UNITS)
    starts, sizes = to_numpy(pos), to_numpy(len)
    if starts.shape != sizes.shape:
        raise invalid(
            f"pos and len should have the same shape, got: {bracketed(starts.shape)} vs. "
            f"{bracketed(sizes.shape)}"
        )
    try:
        texts, firsts, counts = np.broadcast_arrays(input, starts, sizes)
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {bracketed(input.shape)} vs. {bracketed(starts.shape)}"
        ) from None
    part = _bytes_part if unit == "BYTE" else _character_part
    each = zip(
        texts.reshape(-1).tolist(),
        firsts.reshape(-1).tolist(),
        counts.reshape(-1).tolist(),
        strict=True,
    )
    return strings((part(*item, i) for i, item in enumerate(each)), texts.shape)


def _bytes_part(text: bytes, first: int, count: int, index: int) -> bytes:
    size = len(text)
    if not -size <= first <= size:
        raise invalid(
            f"pos {first} out of range for string b'{text.decode(errors='replace')}' "
            f"at index {index}"
        )
    first += size if first < 0 else 0
    # A negative length wraps around to one longer than any string.
    return text[first:] if count < 0 else text[first : first + count]


def _character_part(text: bytes, first: int, count: int, index: int) -> bytes:
    places = [match.start() for match in _STARTS.finditer(text)]
    size = len(places)
    if not -size <= first <= size:
        raise invalid(f"pos {first} out of range for string at index {index}")
    first += size if first < 0 else 0
    if count <= 0 or first == size:
        return b""
    end = first + count
    return text[places[first] : places[end] if end < size else len(text)]
