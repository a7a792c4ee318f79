"""`tf.experimental.Optional`: a value that may be there or not."""

from __future__ import annotations

import functools
from typing import Any

from placewise.core import dtypes
from placewise.core.nest import Composite
from placewise.data.engine.source import on_host
from placewise.data.nested_spec import NestedSpec
from placewise.data.structure import Structure, normalised, spec_of
from placewise.ops.flow import optionals
from placewise.ops.specs import TensorSpec, TypeSpec


class Optional(Composite):
    """A value of some structure, or nothing."""

    _alike: Optional | None = None  # another of the same structure, which may know it already

    def __init__(self, variant_tensor: Any, element_spec: Any) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    def has_value(self, name: str | None = None) -> Any:
        """Return a bool tensor: is there a value?"""
        with on_host(self._variant_tensor):
            return optionals.has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Return the value; fails when there is none."""
        structure = (self if self._alike is None else self._alike)._structure
        attrs = structure.attrs
        del attrs["structure"]
        with on_host(self._variant_tensor):
            tensors = optionals.get_value(self._variant_tensor, **attrs, name=name)
        return structure.packed_tensors(list(tensors))

    @functools.cached_property
    def _structure(self) -> Structure:
        return Structure(self._element_spec)

    @property
    def element_spec(self) -> Any:
        """The structure of the value."""
        return self._element_spec

    @property
    def value_structure(self) -> Any:
        """The structure of the value; the older name."""
        return self._element_spec

    @staticmethod
    def empty(element_spec: TypeSpec) -> Optional:
        """Return an optional without a value."""
        with on_host():
            return Optional(optionals.none(), element_spec)

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """Return an optional without a value; the older name."""
        return Optional.empty(value_structure)

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Return an optional that has a value."""
        given = normalised(value)
        spec = spec_of(given)
        with on_host():
            return Optional(optionals.from_value(Structure(spec).tensors(given)), spec)

    @property
    def _type_spec(self) -> Any:
        return OptionalSpec.from_value(self)

    def _components(self) -> list[Any]:
        return [self._variant_tensor]

    def _from_components(self, parts: list[Any]) -> Any:
        made = Optional(parts[0], self._element_spec)
        made._alike = self if self._alike is None else self._alike
        return made


class OptionalSpec(NestedSpec):
    """The structure of the value an optional may have."""

    @property
    def value_type(self) -> Any:
        """tf.experimental.Optional."""
        return Optional

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec((), dtypes.variant)]

    def _from_components(self, parts: list[Any]) -> Any:
        if any(isinstance(part, TypeSpec) for part in parts):
            return self
        return Optional(parts[0], self._element_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r},)"


Optional.__module__ = OptionalSpec.__module__ = "tensorflow.python.data.ops.optional_ops"
