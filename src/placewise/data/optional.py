"""`tf.experimental.Optional`: a value that may be there or not."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.nest import Composite
from placewise.data.engine.source import on_host
from placewise.data.nested_spec import NestedSpec
from placewise.data.structure import Structure, normalised, spec_of
from placewise.ops.declare import define
from placewise.ops.specs import TensorSpec, TypeSpec
from placewise.ops.values import Variant


class Present:
    """The content of an optional that has a value."""

    __slots__ = ("contents",)

    def __init__(self, contents: list[Any]) -> None:
        self.contents = contents


_from_value = define(
    "OptionalFromValue(components: [Toutput_types]) -> optional: variant",
    devices=("CPU",), differentiable=False, doc="Make an optional that has a value.",
)  # fmt: skip
_from_value.shape(lambda components: ())
_from_value.kernel(lambda components: Variant(Present(list(components))))

_none = define(
    "OptionalNone() -> optional: variant", devices=("CPU",), differentiable=False,
    doc="Make an optional without a value.",
)  # fmt: skip
_none.shape(lambda: ())
_none.kernel(lambda: Variant(None))

_has_value = define(
    "OptionalHasValue(optional: variant) -> has_value: bool", devices=("CPU",),
    differentiable=False, doc="Does an optional have a value?",
)  # fmt: skip
_has_value.shape(lambda optional: ())
_has_value.kernel(lambda optional: torch.tensor(optional.value is not None))

_get_value = define(
    "OptionalGetValue(optional: variant; output_types: list(type), output_shapes: list(shape))"
    " -> components: [output_types]",
    devices=("CPU",), differentiable=False, doc="The value of an optional.",
)  # fmt: skip
_get_value.shape(lambda optional, *, output_types, output_shapes: list(output_shapes))


@_get_value.kernel
def get_value_kernel(optional: Variant, *, output_types: Any, output_shapes: Any) -> list[Any]:
    """Return the contents of the value."""
    if optional.value is None:
        raise invalid("The given optional does not have a value.")
    return list(optional.value.contents)


class Optional(Composite):
    """A value of some structure, or nothing."""

    def __init__(self, variant_tensor: Any, element_spec: Any) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    def has_value(self, name: str | None = None) -> Any:
        """Return a bool tensor: is there a value?"""
        with on_host():
            return _has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Return the value; fails when there is none."""
        structure = Structure(self._element_spec)
        types = {key: structure.attrs[key] for key in ("output_types", "output_shapes")}
        with on_host():
            tensors = _get_value(self._variant_tensor, **types, name=name)
        return structure.packed_tensors(list(tensors))

    @property
    def element_spec(self) -> Any:
        """The structure of the value."""
        return self._element_spec

    @property
    def value_structure(self) -> Any:
        """The structure of the value; the older name."""
        return self._element_spec

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """Return an optional without a value."""
        with on_host():
            return Optional(_none(), element_spec)

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
            return Optional(_from_value(Structure(spec).tensors(given)), spec)

    @property
    def _type_spec(self) -> Any:
        return OptionalSpec.from_value(self)

    def _components(self) -> list[Any]:
        return [self._variant_tensor]

    def _from_components(self, parts: list[Any]) -> Any:
        return Optional(parts[0], self._element_spec)


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
