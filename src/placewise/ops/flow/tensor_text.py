"""Tensors as text, to the letter as `tf.print` and `tf.strings.format` write them.

`[[1 2 3]\n [4 5 6]]`: no commas, numbers as short as they can be read back, the middle of long
dimensions left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.ops.values import Content, to_numpy


def tensor_text(value: Content, summarize: int = 3) -> bytes:
    """Return a content as text: the first and last `summarize` of each dimension, all if < 0."""
    array = to_numpy(value)
    if array.dtype.kind == "c":
        return _marks(array, summarize)
    if array.ndim == 0:
        return _element(array[()])
    if summarize < 0:
        summarize = max(array.shape, default=0)
    if not array.shape[0]:
        return b"[]"
    return _dimension(array, 0, summarize if array.size else 0)


def _marks(array: np.ndarray[Any, Any], most: int) -> bytes:
    """Return question marks for complex numbers, which TensorFlow does not write, in one line."""
    shown = array.size if most < 0 else min(array.size, most)
    text = b" ".join([b"?"] * shown) + (b"..." if shown < array.size else b"")
    return text if array.ndim == 0 else b"[" + text + b"]"


def _dimension(array: np.ndarray[Any, Any], depth: int, summarize: int) -> bytes:
    """Return one dimension of an array, whose rows stand in lines indented by `depth`."""
    rest = array.ndim - 1
    gap = b"\n" * rest + b" " * (depth + 1) if rest else b" "
    count = len(array)
    if count <= 2 * summarize:
        chosen: list[Any] = list(array)
    else:
        chosen = [*array[:summarize], None, *array[count - summarize :]] if summarize else [None]
    parts = [
        b"..." if one is None else _dimension(one, depth + 1, summarize) if rest else _element(one)
        for one in chosen
    ]
    # Of nothing but dots, the gap before them stays.
    return b"[" + (gap if not summarize else b"") + gap.join(parts) + b"]"


def _element(value: TensorLike) -> bytes:
    if isinstance(value, bytes):
        return b'"' + escaped(value) + b'"'
    if isinstance(value, np.bool_):
        return b"1" if value else b"0"
    if isinstance(value, np.integer):
        return str(value).encode()
    return number_text(value).encode()


def number_text(value: Any) -> str:
    """Return a float in 6 digits (15 for float64) if they tell it apart, else in all it takes."""
    if np.isnan(value):
        return "-nan" if np.signbit(value) else "nan"
    if isinstance(value, np.float64):
        short = f"{value:.15g}"
        return short if np.float64(short) == value else f"{value:.17g}"
    value = np.float32(value)
    short = f"{value:.6g}"
    return short if np.float32(short) == value else f"{value:.9g}"


_ESCAPES = {
    ord("\n"): b"\\n",
    ord("\r"): b"\\r",
    ord("\t"): b"\\t",
    ord('"'): b'\\"',
    ord("'"): b"\\'",
    ord("\\"): b"\\\\",
}
_ESCAPES |= {code: b"\\%03o" % code for code in (*range(32), 127) if code not in _ESCAPES}
_SPECIAL = bytes(_ESCAPES)


def escaped(text: bytes) -> bytes:
    """Return bytes with quotes and control characters escaped; UTF-8 stays as it is."""
    if not any(code in _SPECIAL for code in text):
        return text
    return b"".join(_ESCAPES.get(code) or bytes((code,)) for code in text)


def filled_in(template: bytes, placeholder: bytes, texts: list[bytes]) -> bytes:
    """Return a template with each placeholder replaced by the text whose turn it is."""
    parts = template.split(placeholder)
    pieces = [parts[0]]
    for text, part in zip(texts, parts[1:], strict=True):
        pieces += (text, part)
    return b"".join(pieces)


def flat_text(value: Content, limit: int) -> bytes:
    """Return a content in the older way: rows in brackets without spaces, `limit` elements in all.

    `[1 2][3...]...`; less than 0 means all of them.
    """
    array = to_numpy(value)
    limit = array.size if limit < 0 else min(limit, array.size)
    left = [limit]
    text = _row_text(array if array.ndim else array.reshape(1), left)
    return text + (b"..." if array.size > limit else b"")


def _row_text(array: np.ndarray[Any, Any], left: list[int], depth: int = 0) -> bytes:
    """Return rows while elements are `left`, a number that this counts down."""
    if array.ndim == 1:
        shown = [_bare(one) for one in array[: left[0]]]
        left[0] -= len(shown)
        return b" ".join(shown) + (b"..." if depth and len(shown) < len(array) else b"")
    parts = []
    for row in array:
        if not left[0]:
            break
        parts.append(b"[" + _row_text(row, left, depth + 1) + b"]")
    return b"".join(parts)


def _bare(value: TensorLike) -> bytes:
    return value if isinstance(value, bytes) else _element(value)
