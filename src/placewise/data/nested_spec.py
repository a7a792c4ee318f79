"""Specs that hold the structure of elements: of optionals, datasets and iterators."""

from __future__ import annotations

import functools
from typing import Any

from placewise.core import nest
from placewise.data.structure import is_compatible, most_general
from placewise.ops.specs import CompositeSpec, TypeSpec


class NestedSpec(CompositeSpec):
    """A spec whose first part is a structure of specs."""

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        return self._element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """Return the spec of a value."""
        return cls(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True if a value, or some value of another spec, fits this one."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = getattr(other, "_type_spec", None)
        return type(other) is type(self) and is_compatible(self._element_spec, other._element_spec)

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every value of this spec is one of `other`."""
        if type(other) is not type(self):
            return False
        try:
            nest.assert_same_structure(self._element_spec, other._element_spec)
        except (TypeError, ValueError):
            return False
        pairs = zip(
            nest.flatten(self._element_spec), nest.flatten(other._element_spec), strict=True
        )
        return all(mine is theirs or mine.is_subtype_of(theirs) for mine, theirs in pairs)

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Return the narrowest spec that holds all, or None."""
        spec = self._element_spec
        for other in others:
            if type(other) is not type(self):
                return None
            try:
                spec = most_general(spec, other._element_spec)
            except TypeError:
                return None
        return type(self)(spec, *self._serialize()[1:])

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the narrowest spec that holds both; ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self._serialize() == other._serialize())

    @functools.cached_property
    def _hash(self) -> int:
        return hash((type(self), tuple(nest.flatten(self._element_spec))))

    def __hash__(self) -> int:
        return self._hash

    def _components(self) -> list[Any]:
        found: list[Any] = self._component_specs
        return found
