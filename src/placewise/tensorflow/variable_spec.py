"""`VariableSpec`: what is known of a variable that is a part of a composite."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.shapes import TensorShape
from placewise.ops.specs import TypeSpec
from placewise.ops.state.variable import Variable, is_variable


class VariableSpec(TypeSpec):
    """The shape and dtype of a variable; `alias_id` is equal for places that share one."""

    def __init__(
        self, shape: Any, dtype: Any = dtypes.float32, trainable: bool = True, alias_id: Any = None
    ) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """Return the spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def value_type(self) -> Any:
        """The class of variables."""
        return Variable

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> Any:
        # A variable is a leaf here: it passes through structures whole.
        return [self]

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether a variable, or another spec of one, fits."""
        return (
            (isinstance(spec_or_value, VariableSpec) or is_variable(spec_or_value))
            and self.dtype == spec_or_value.dtype
            and bool(self.shape.is_compatible_with(spec_or_value.shape))
        )


VariableSpec.__module__ = "tensorflow.python.ops.resource_variable_ops"
