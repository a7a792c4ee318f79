"""`tf.print`: tensors and whatever else written to a stream, a log or a file."""

from __future__ import annotations

import logging
import os
import pprint
import secrets
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes, nest
from placewise.core.errors import NotFoundError, invalid
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.flow.tensor_text import filled_in, tensor_text

if TYPE_CHECKING:
    from placewise.ops.ragged.ragged_tensor import RaggedTensor


print_v2 = define(
    "PrintV2(input: string; output_stream: string = 'stderr', end: string = '\n')",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    doc="Write a string to a stream.",
)

print_v2.shape(lambda input, **_: [])

_LEVELS = {"log(info)": "I", "log(warning)": "W", "log(error)": "E"}
_writing = threading.Lock()


@print_v2.kernel
def print_v2_kernel(input: Any, *, output_stream: str, end: str) -> None:
    if input.ndim:
        raise invalid(f"Input is expected to be scalar, but got {bracketed(input.shape)}")
    text = input[()] + end.encode()
    if output_stream.startswith("file://"):
        _append(output_stream[len("file://") :], text)
    elif output_stream in _LEVELS:
        level, thread = _LEVELS[output_stream], threading.get_native_id()
        stamp = f"{level}0000 00:00:{time.time():.6f} {thread:7d} print] "
        _write(sys.stderr, stamp.encode() + input[()] + b"\n")
    elif output_stream in ("stdout", "stderr"):
        _write(getattr(sys, output_stream), text)
    else:
        raise invalid(
            f"Unknown output stream: {output_stream}, Valid streams are: stdout stderr "
            "log(info) log(warning) log(error)"
        )


def _append(path: str, text: bytes) -> None:
    try:
        with _writing, open(path, "ab") as file:
            file.write(text)
    except OSError as problem:
        raise NotFoundError(None, None, f"{path}; {problem.strerror}") from None


def _write(stream: Any, text: bytes) -> None:
    # Through Python's stream, so that whoever replaced it (a notebook, a test) sees the text.
    with _writing:
        stream.write(text.decode("utf-8", "backslashreplace"))
        stream.flush()


def _stream_name(stream: Any) -> str | None:
    if isinstance(stream, str):
        return stream if stream.startswith("file://") else None
    if stream is sys.stdout:
        return "stdout"
    if stream is sys.stderr:
        return "stderr"
    level = getattr(stream, "__name__", None) if callable(stream) else stream
    if level in ("info", logging.INFO):
        return "log(info)"
    if level in ("warning", "warn", logging.WARNING):
        return "log(warning)"
    if level in ("error", logging.ERROR):
        return "log(error)"
    return None


def print(*inputs: Any, **kwargs: Any) -> Any:
    """Write `inputs` to `output_stream`, by default standard error; tensors anywhere inside too.

    `output_stream`: sys.stdout, sys.stderr, a level of `logging`, or 'file://path'. `summarize`:
    how many elements to show at both ends of a dimension (3; -1: all). `sep` and `end` as in
    Python's own print.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = _stream_name(stream)
    if target is None:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
            "sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File "
            "needs to be in the form of 'file://<filepath>'."
        )
    text = _text_eagerly(inputs, sep, summarize)
    return print_v2(text, output_stream=target, end=end, name=name)


def _text_eagerly(inputs: tuple[Any, ...], sep: str, summarize: int | None) -> Any:
    """Return everything as one string, the tensors as they are now."""
    if len(inputs) == 1 and _is_text(inputs[0]):
        return inputs[0]
    summarize = 3 if summarize is None else summarize
    placeholder = "{}"
    while True:
        texts: list[bytes] = []
        templates = [
            each if isinstance(each, str) else _template(each, placeholder, texts, summarize)
            for each in inputs
        ]
        template = sep.join(templates).replace(f"'{placeholder}'", placeholder)
        if template.count(placeholder) == len(texts):
            break
        placeholder = f"{{}}{secrets.randbits(32)}"  # the other stands in the text itself
    found = np.empty((), dtype=object)
    found[()] = filled_in(template.encode(), placeholder.encode(), texts)
    return convert_to_tensor(found)


def _is_text(value: Any) -> bool:
    return _is_tensor(value) and value.dtype is dtypes.string and value.shape.rank == 0


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__")


def _template(value: Any, placeholder: str, texts: list[bytes], summarize: int) -> str:
    """Return a structure as Python prints it, placeholders for its tensors; `texts` grows."""

    def leaf(each: Any) -> Any:
        if isinstance(each, nest.Composite):
            return _composite(each, placeholder, texts, summarize)
        if not _is_tensor(each):
            return each
        texts.append(tensor_text(convert_to_tensor(each)._value, summarize))
        return placeholder

    return pprint.pformat(_in_print_order(value, leaf))


def _in_print_order(value: Any, leaf: Callable[..., Any]) -> Any:
    """Apply `leaf` in the order in which Python prints: only plain dicts are sorted."""
    parts = nest.children(value)
    if parts is None:
        return leaf(value)
    is_sorted = type(value) is dict or not isinstance(value, dict)
    ordered = dict(parts)
    keys = list(ordered) if is_sorted else list(value)
    made = {key: _in_print_order(ordered[key], leaf) for key in keys}
    return nest.rebuild(value, [made[key] for key, _ in parts])


def _composite(value: Any, placeholder: str, texts: list[bytes], summarize: int) -> Any:
    if hasattr(value, "to_list"):
        texts.append(ragged_text(value, summarize))
        return placeholder
    if type(value).__name__ == "SparseTensor":
        parts = (value.indices, value.values, value.dense_shape)
        texts += [tensor_text(convert_to_tensor(part)._value, summarize) for part in parts]
        return f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})"
    converted = convert_to_tensor(value)
    if not isinstance(converted, Tensor):
        return value  # values of replicas, datasets: as Python prints them
    texts.append(tensor_text(converted._value, summarize))
    return placeholder


def ragged_text(value: RaggedTensor, summarize: int = 3) -> bytes:
    """Return a ragged tensor as text: `[[1, 2], [3]]`, the middle of long rows left out."""
    return _ragged_rows(value.to_list(), summarize)


def _ragged_rows(rows: Any, summarize: int) -> bytes:
    if not isinstance(rows, list):
        return _ragged_element(rows)
    count = len(rows)
    if summarize >= 0 and count > 2 * summarize:
        tail = rows[count - summarize :] if summarize else []
        parts = [_ragged_rows(row, summarize) for row in rows[:summarize]]
        parts += [b"...", *[_ragged_rows(row, summarize) for row in tail]]
    else:
        parts = [_ragged_rows(row, summarize) for row in rows]
    return b"[" + b", ".join(parts) + b"]"


def _ragged_element(value: int) -> bytes:
    if isinstance(value, bytes):
        return b"'" + value + b"'"
    if isinstance(value, bool):
        return str(value).lower().encode()
    if isinstance(value, float):
        return f"{value:f}".encode()
    return str(value).encode()
