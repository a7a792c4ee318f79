"""Strings one by one: length, case, white space, parts."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.ops.declare import op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.strings.contents import mapped, numbers, strings
from placewise.ops.values import to_numpy

_UNITS = ("BYTE", "UTF8_CHAR")
# A character begins at every byte that does not continue one.
_STARTS = re.compile(rb"[^\x80-\xbf]")


@op(
    "StringLength(input: string; unit: 'BYTE'|'UTF8_CHAR' = 'BYTE') -> output: int32",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """Return the length of each string in bytes, or in characters with unit `UTF8_CHAR`."""
    return length.bind(input, unit=unit, name=name)


length.shape(same_shape)


@length.kernel
def string_length_kernel(input: np.ndarray[Any, Any], *, unit: str) -> Any:
    if native.code is not None:
        result = np.empty(input.shape, np.int32)
        native.code.string_lengths(np.asarray(input, order="C"), result, unit != "BYTE")
        return torch.from_numpy(result)
    if unit == "BYTE":
        return numbers(len, input, np.int32)
    return numbers(lambda s: len(_STARTS.findall(s)), input, np.int32)


def _in_letters(texts: np.ndarray[Any, Any], is_upper: bool) -> Any:
    """Return strings with their ASCII letters small, or capital."""
    if native.code is None:
        return mapped(bytes.upper if is_upper else bytes.lower, texts)
    result = np.empty(texts.shape, object)
    native.code.change_case(np.asarray(texts, order="C"), result, is_upper)
    return result


def _check_encoding(encoding: str) -> None:
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")


@op(
    "StringLower(input: string; encoding: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
    """Return strings in small letters: of ASCII only, or of all scripts with `utf-8`."""
    return lower.bind(input, encoding=encoding, name=name)


lower.shape(same_shape)


@lower.kernel
def string_lower_kernel(input: np.ndarray[Any, Any], *, encoding: str) -> Any:
    _check_encoding(encoding)
    if not encoding:
        return _in_letters(input, is_upper=False)
    return mapped(lambda s: s.decode("utf-8", "replace").lower().encode(), input)


@op(
    "StringUpper(input: string; encoding: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
    """Return strings in capital letters: of ASCII only, or of all scripts with `utf-8`."""
    return upper.bind(input, encoding=encoding, name=name)


upper.shape(same_shape)


@upper.kernel
def string_upper_kernel(input: np.ndarray[Any, Any], *, encoding: str) -> Any:
    _check_encoding(encoding)
    if not encoding:
        return _in_letters(input, is_upper=True)
    return mapped(lambda s: s.decode("utf-8", "replace").upper().encode(), input)


@op(
    "StringStrip(input: string) -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def strip(input: TensorLike, name: str | None = None) -> Any:
    """Return strings without white space at their ends."""
    return strip.bind(input, name)


strip.shape(same_shape)


@strip.kernel
def string_strip_kernel(input: np.ndarray[Any, Any]) -> Any:
    return mapped(bytes.strip, input)


@op(
    "Substr(input: string, pos: T, len: T; unit: 'BYTE'|'UTF8_CHAR' = 'BYTE') -> output: string",
    devices=("CPU",),
    differentiable=False,
    T=INDEX,
    elementwise=True,
)
def substr(
    input: TensorLike, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None
) -> Any:
    """Return the part of each string that starts at `pos` (from the end if negative)."""
    return substr.bind(input, pos, len, unit=unit, name=name)


@substr.shape
def substr_shape(input: Static, pos: Static, len: Static, *, unit: str) -> Dims:
    if unit not in _UNITS:
        allowed = ", ".join(f'"{each}"' for each in _UNITS)
        raise ValueError(f"Attr 'unit' of 'Substr' Op passed string '{unit}' not in: {allowed}.")
    if pos.shape is not None and len.shape is not None:
        if builtins.len(pos.shape) != builtins.len(len.shape):
            raise ValueError(
                f"Shape must be rank {builtins.len(len.shape)} but is rank "
                f"{builtins.len(pos.shape)}"
            )
        for mine, theirs in zip(pos.shape, len.shape, strict=True):
            if None not in (mine, theirs) and mine != theirs:
                raise ValueError(
                    f"pos and len shapes must match: {bracketed(pos.shape)} vs. "
                    f"{bracketed(len.shape)}"
                )
    return broadcast(input.shape, pos.shape)


@substr.kernel
def substr_kernel(
    input: np.ndarray[Any, Any], pos: torch.Tensor, len: torch.Tensor, *, unit: str
) -> Any:
    starts, sizes = to_numpy(pos), to_numpy(len)
    if starts.shape != sizes.shape:
        raise invalid(
            f"pos and len should have the same shape, got: {bracketed(starts.shape)} vs. "
            f"{bracketed(sizes.shape)}"
        )
    part = _bytes_part if unit == "BYTE" else _character_part
    _check_broadcast(input.shape, starts.shape)
    if native.code is not None and (starts.size == 1 and starts.ndim <= input.ndim):
        return _native_parts(np.asarray(input, order="C"), starts, sizes, part)
    texts, firsts, counts = np.broadcast_arrays(input, starts, sizes)
    if native.code is not None:
        return _native_parts(
            np.asarray(texts, order="C"), firsts.copy(order="C"), counts.copy(order="C"), part
        )
    each = zip(
        texts.reshape(-1).tolist(),
        firsts.reshape(-1).tolist(),
        counts.reshape(-1).tolist(),
        strict=True,
    )
    return strings((part(*item, i) for i, item in enumerate(each)), texts.shape)


def _check_broadcast(texts: tuple[int, ...], places: tuple[int, ...]) -> None:
    """Refuse shapes that do not broadcast, or that TensorFlow's kernel does not broadcast."""
    if not places or places == texts:
        return
    try:
        rank = len(np.broadcast_shapes(texts, places))
    except ValueError:
        shapes = f"{bracketed(texts)} vs. {bracketed(places)}"
        raise invalid(f"Incompatible shapes: {shapes}") from None
    if rank > 2:
        raise UnimplementedError(
            None, None, f"Substr broadcast not implemented for {rank} dimensions"
        )


def _native_parts(texts: Any, firsts: Any, counts: Any, part: Callable[..., bytes]) -> Any:
    """Return parts of strings, by one start and length for all or by one each."""
    firsts, counts = firsts.astype(np.int64), counts.astype(np.int64)
    result = np.empty(texts.shape, object)
    stopped = native.code.substrings(texts, firsts, counts, result, part is _character_part)
    if stopped >= 0:  # raises
        at = stopped if firsts.size > 1 else 0
        part(texts.flat[stopped], int(firsts.flat[at]), int(counts.flat[at]), stopped)
    return result


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
