"""What is told of a tensor's content: its dtype and shape as text, and which op run made it."""

from __future__ import annotations

from typing import Any
from weakref import ref

import torch

from placewise.ops.values import Handle, dtype_of, shape_of


def describe(content: Any) -> str:
    """Return dtype and shape of what an op reads or makes, such as "float32[32,10]"."""
    if isinstance(content, list | tuple):
        return "(" + ", ".join(map(describe, content)) + ")"
    if isinstance(content, Handle):
        named = getattr(content.named, "name", "") if content.named is not None else ""
        return f"variable {named}".rstrip()
    try:
        shape = ",".join(map(str, shape_of(content)))
        return f"{dtype_of(content).name}[{shape}]"
    except (AttributeError, TypeError, ValueError, KeyError):
        return type(content).__name__


class Makers:
    """Which op run made each content, as long as the content lives."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[Any, int]] = {}

    def add(self, content: Any, number: int) -> None:
        """Take down who made a content."""
        if not isinstance(content, torch.Tensor):
            return
        key, numbers = id(content), self._numbers
        # An id is used again after the content ends: its entry must not outlive it.
        numbers[key] = (ref(content, lambda _: numbers.pop(key, None)), number)

    def number(self, content: Any) -> int:
        """Return the op run that made a content, -1 if that is not known."""
        known = self._numbers.get(id(content))
        return known[1] if known is not None and known[0]() is content else -1
