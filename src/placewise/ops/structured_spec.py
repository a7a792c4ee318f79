"""`BatchableTypeSpec`: specs of composites that other libraries define, in TensorFlow's protocol.

Such a class takes its values apart with `_to_components` into a structure like
`_component_specs`, and makes values of such a structure with `_from_components`. Inside placewise
the parts of a composite are one flat list of tensors; this class translates between the two.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.dtypes import DType, as_dtype, float32
from placewise.core.nest import Composite
from placewise.core.shapes import TensorShape
from placewise.ops.specs import CompositeSpec


class BatchableTypeSpec(CompositeSpec):
    """Base of specs whose values are made of a structure of tensors and composites."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        make_value = vars(cls).get("_from_components")
        if make_value is not None:
            cls._from_components = _from_structure_or_list(make_value)  # type: ignore[assignment,method-assign]

    def _to_components(self, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensors a value is made of."""
        return nest.flatten(self._to_components(value), expand_composites=True)


def _from_structure_or_list(make_value: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a method that also takes the parts as the flat list that placewise has."""

    @functools.wraps(make_value)
    def from_components(self: Any, components: Any) -> Any:
        specs = self._component_specs
        if not _is_like(specs, components):
            components = nest.pack_sequence_as(specs, list(components), expand_composites=True)
        return make_value(self, components)

    return from_components


def _is_like(specs: Any, components: Any) -> bool:
    """Return whether components have the structure of specs, with composites as whole values."""
    try:
        nest.assert_same_structure(specs, components, check_types=False)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(specs), nest.flatten(components), strict=True)
    return all(isinstance(spec, Composite) == isinstance(part, Composite) for spec, part in pairs)


BatchableTypeSpec.__module__ = "tensorflow.python.framework.type_spec"


class DenseSpec(BatchableTypeSpec):
    """Base of specs of values that behave as one dense tensor: a shape, a dtype and a name."""

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, if one was given."""
        return self._name


DenseSpec.__module__ = "tensorflow.python.framework.tensor"
