"""Tensors written into a text, shortened where they are long."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.strings.contents import strings
from placewise.ops.values import dtype_of, to_numpy

string_format = define(
    "StringFormat(inputs: [T]; template: string = '%s', placeholder: string = '%s',"
    " summarize: int = 3) -> output: string",
    devices=("CPU",), differentiable=False, doc="Return a template filled with tensors.",
)  # fmt: skip
string_format.shape(lambda *_, **__: ())


def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
    """Return `template` with each placeholder replaced by the next of `inputs`.

    Long dimensions show `summarize` elements at either end; all of them with -1.
    """
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    expected = template.count(placeholder)
    if expected != len(inputs):
        raise ValueError(
            f"The template expects {expected} tensors, but the inputs only has {len(inputs)}. "
            "Please ensure the number of placeholders in template matches inputs length."
        )
    tensors = [convert_to_tensor(each) for each in inputs]
    return string_format(
        tensors, template=template, placeholder=placeholder, summarize=summarize, name=name
    )


@string_format.kernel
def string_format_kernel(inputs: Any, *, template: Any, placeholder: Any, summarize: int) -> Any:
    text = template.encode() if isinstance(template, str) else template
    mark = placeholder.encode() if isinstance(placeholder, str) else placeholder
    pieces = text.split(mark)
    if len(pieces) != len(inputs) + 1:
        raise invalid(
            f"num placeholders in template and num inputs must match: {len(pieces) - 1} vs. "
            f"{len(inputs)}"
        )
    out = [pieces[0]]
    for value, piece in zip(inputs, pieces[1:], strict=True):
        out += [summary(value, summarize), piece]
    return strings([b"".join(out)], ())


def summary(value: Any, summarize: int) -> bytes:
    """Return a content as text: brackets, spaces, dots for what is left out."""
    array = to_numpy(value)
    write = _writer(dtype_of(value))
    if array.ndim == 0:
        return write(array[()])
    return _rows(array, write, summarize, 1)


def _rows(array: Any, write: Any, summarize: int, depth: int) -> bytes:
    size = array.shape[0]
    shortened = summarize >= 0 and size > 2 * summarize
    shown: list[Any] = list(range(size))
    if shortened:
        shown = [*range(summarize), None, *range(size - summarize, size)]
    if array.ndim == 1:
        parts = [b"..." if i is None else write(array[i]) for i in shown]
        return b"[" + b" ".join(parts) + b"]"
    between = b"\n" * (array.ndim - 1) + b" " * depth
    if not array.size and size:
        return b"[" + between + b"...]"
    parts = [b"..." if i is None else _rows(array[i], write, summarize, depth + 1) for i in shown]
    return b"[" + between.join(parts) + b"]"


_QUOTED = {b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b'"': b'\\"', b"'": b"\\'"}


def _quoted(text: bytes) -> bytes:
    text = text.replace(b"\\", b"\\\\")
    for raw, shown in _QUOTED.items():
        text = text.replace(raw, shown)
    return b'"' + text + b'"'


def _writer(dtype: Any) -> Any:
    if dtype.name == "string":
        return _quoted
    if dtype.is_complex:
        return lambda value: b"?"
    if dtype.is_floating:
        digits = (15, 17) if dtype.name == "float64" else (6, 9)
        kind = np.float64 if dtype.name == "float64" else np.float32
        return lambda value: _float_text(kind(value), kind, digits)
    return lambda value: str(int(value)).encode()


def _float_text(value: Any, kind: Any, digits: tuple[int, int]) -> bytes:
    """Return the shorter of two lengths that reads back as the same number."""
    short = f"%.{digits[0]}g" % value
    if kind(short) == value or not np.isfinite(value):
        return short.encode()
    return (f"%.{digits[1]}g" % value).encode()
