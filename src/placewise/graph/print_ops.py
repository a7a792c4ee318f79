"""Saying and checking while a graph runs: `tf.Assert`, `tf.Print`, and `tf.print` in graphs."""

from __future__ import annotations

import os
import pprint
import secrets
import sys
from typing import Any

from placewise.core import dtypes, nest
from placewise.core.arguments import TensorLike
from placewise.core.names import name_scope
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging import assertions
from placewise.ops.flow import assert_print, print_op
from placewise.ops.strings.string_format import string_format


def Assert(  # noqa: N802 - TensorFlow's own name
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    """Return an operation that fails, showing `data`, unless `condition` is true."""
    if current.interpreter is Scope.eager:
        return assertions.Assert(condition, data, summarize, name)
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"Expected list for 'data' argument to 'Assert' Op, not {data!r}.")
    with name_scope(name or "Assert"):
        shown = 3 if summarize is None else summarize
        # TensorFlow makes constants of the data twice; seeds count on their number.
        for entry in data:
            if not isinstance(entry, Tensor):
                convert_to_tensor(entry)
        return assert_print.assert_op(condition, list(data), summarize=shown)


class _Countdown(int):
    """How often a `tf.Print` may still write; its own value stays what was asked for."""

    def __new__(cls, value: int) -> _Countdown:
        result = super().__new__(cls, value)
        result.left = value
        return result

    left: int


def Print(  # noqa: N802 - TensorFlow's own name
    input_: TensorLike,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Return `input_`; whenever it is computed, write `data` to standard error."""
    times: Any = -1 if first_n is None else first_n
    return assert_print.print_op(
        input_,
        list(data),
        message=message or "",
        first_n=_Countdown(times) if times > 0 else times,
        summarize=3 if summarize is None else summarize,
        name=name,
    )


def print(*inputs: Any, **kwargs: Any) -> Any:
    """Write `inputs` to standard error, tensors as they are when the operation runs.

    `inputs`: what to write, separated by spaces; tensors may stand anywhere inside lists and dicts.
    `kwargs`: `output_stream` (`sys.stderr`, `sys.stdout`, a logging function or "file://" and a
        path), `summarize` (how many elements to show at each end of a dimension, 3; -1 shows all),
        `sep`, `end`, `name`.

    Returns None when ops run at once, else an operation. In a `tf.function` it writes at every
    call, where Python's `print` writes while tracing only. Raises ValueError for another stream.

    >>> import sys
    >>> tf.print("x:", tf.constant([1, 2]), output_stream=sys.stdout)
    x: [1 2]
    """
    if current.interpreter is Scope.eager:
        return print_op.print(*inputs, **kwargs)
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = print_op._stream_name(stream)
    if target is None:
        raise ValueError(f"Unsupported output stream, logging level, or file.{stream}.")
    text = _text(inputs, sep, 3 if summarize is None else summarize, name)
    return print_op.print_v2(text, output_stream=target, end=end, name=name)


def _text(inputs: tuple[Any, ...], sep: str, summarize: int, name: str | None) -> Any:
    """Return a string tensor: everything as Python prints it, the tensors filled in later."""
    if len(inputs) == 1 and _is_plain_text(inputs[0]):
        return convert_to_tensor(inputs[0])  # as it is: only strings beside others are quoted
    placeholder = "{}"
    while True:
        tensors: list[Any] = []
        parts = [
            source if isinstance(source, str) else _template(source, placeholder, tensors)
            for source in inputs
        ]
        template = sep.join(parts).replace(f"'{placeholder}'", placeholder)
        if template.count(placeholder) == len(tensors):
            break
        placeholder = f"{{}}{secrets.randbits(32)}"  # the other stands in the text itself
    if not tensors:
        return convert_to_tensor(template)
    return string_format(
        tensors,
        template=template,
        placeholder=placeholder,
        summarize=summarize,
        name=None if name is None else f"{name}_format",
    )


def _is_plain_text(value: Any) -> bool:
    is_tensor = isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__")
    return is_tensor and value.dtype is dtypes.string and value.shape.rank == 0


def _template(value: Any, placeholder: str, tensors: list[Any]) -> str:
    def leaf(tensor: Tensor) -> Any:
        result: Any = tensor
        if isinstance(tensor, nest.Composite) and hasattr(result, "dense_shape"):
            tensors.extend([result.indices, result.values, result.dense_shape])
            return f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})"
        if isinstance(result, Tensor) or hasattr(type(result), "__tf_tensor__"):
            tensors.append(convert_to_tensor(result))
            return placeholder
        return result

    return pprint.pformat(print_op._in_print_order(value, leaf))
