"""slim.summaries: summaries of tensors by their names, under a prefix."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.graph.print_ops import Print
from placewise.summary import tf1 as v1


def _name(tensor: Any, name: str | None, prefix: str | None) -> str:
    name = name or tensor.op.name
    return f"{prefix}/{name}" if prefix else name


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Any:
    """Return a histogram of a tensor."""
    return v1.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Return a summary of pictures."""
    made = v1.image(_name(tensor, name, prefix), tensor)
    if print_summary:
        tf.print(_name(tensor, name, prefix), tensor)
    return made


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Return a summary of one number; print it too if asked."""
    label = _name(tensor, name, prefix)
    if print_summary:
        tensor = Print(tensor, [tensor], f"{label}: ")
    return v1.scalar(label, tensor)


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Return a summary of how much of a tensor is zero."""
    return add_scalar_summary(
        tf.math.zero_fraction(tensor),
        name or f"{tensor.op.name}_zero_fraction",
        prefix,
        print_summary,
    )


def add_histogram_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Return a histogram of each tensor."""
    return [add_histogram_summary(each, prefix=prefix) for each in tensors]


def add_image_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Return a summary of each picture."""
    return [add_image_summary(each, prefix=prefix) for each in tensors]


def add_scalar_summaries(
    tensors: Any, prefix: str | None = None, print_summary: bool = False
) -> list[Any]:
    """Return a summary of each number."""
    return [add_scalar_summary(each, None, prefix, print_summary) for each in tensors]


def add_zero_fraction_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Return a summary of how much of each tensor is zero."""
    return [add_zero_fraction_summary(each, prefix=prefix) for each in tensors]
