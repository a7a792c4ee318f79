"""`tf.__internal__.CompositeTensor`: what libraries ask for, and derive their values from."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from placewise.core.nest import Composite
from placewise.ops.specs import TypeSpec


class CompositeTensor(Composite, metaclass=ABCMeta):
    """A value made of several tensors.

    Inside placewise the specs of such values are composites, too, so that nests can look into
    them. A library that asks `isinstance(x, CompositeTensor)` means the values alone.
    """

    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        if cls is not CompositeTensor:
            return NotImplemented
        return issubclass(other, Composite) and not issubclass(other, TypeSpec)
