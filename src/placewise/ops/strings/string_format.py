"""Tensors written into a text, shortened where they are long."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.flow.tensor_text import filled_in, tensor_text
from placewise.ops.strings.contents import strings
from placewise.ops.values import Content

string_format = define(
    "StringFormat(inputs: [T]; template: string = '%s', placeholder: string = '%s',"
    " summarize: int = 3) -> output: string",
    devices=("CPU",),
    differentiable=False,
    doc="Return a template filled with tensors.",
)
string_format.shape(lambda *_, **__: ())


def format(
    template: str,
    inputs: TensorLike,
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
def string_format_kernel(
    inputs: list[Content], *, template: str, placeholder: str, summarize: int
) -> Any:
    text = template.encode() if isinstance(template, str) else template
    mark = placeholder.encode() if isinstance(placeholder, str) else placeholder
    pieces = text.split(mark)
    if len(pieces) != len(inputs) + 1:
        raise invalid(
            f"num placeholders in template and num inputs must match: {len(pieces) - 1} vs. "
            f"{len(inputs)}"
        )
    texts = [tensor_text(value, summarize) for value in inputs]
    return strings([filled_in(text, mark, texts)], ())
