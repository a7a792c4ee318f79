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

    @property
    def name(self) -> None:
        """None: a spec of a variable has no name."""
        return

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

    def _components(self) -> list[Any]:
        return [self]

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether a variable, or another spec of one, fits."""
        other = spec_or_value
        if not (isinstance(other, VariableSpec) or is_variable(other)):
            return False
        return (
            self.dtype == other.dtype
            and bool(self.shape.is_compatible_with(other.shape))
            and self.trainable == other.trainable
            and (is_variable(other) or self.alias_id == other.alias_id)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every variable of this spec is one of `other`."""
        self._check_aliases([other])
        return super().is_subtype_of(other)

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Return the narrowest spec that holds the variables of all, or None."""
        self._check_aliases(others)
        return super().most_specific_common_supertype(others)

    def _check_aliases(self, others: Any) -> None:
        aliases = [one.alias_id for one in (self, *others) if isinstance(one, VariableSpec)]
        if None in aliases and any(alias is not None for alias in aliases):
            raise NotImplementedError(
                f"VariableSpec doesn't support alias_id=None beside others, got self: {self} and "
                f"others: {others}."
            )

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )


VariableSpec.__module__ = "tensorflow.python.ops.resource_variable_ops"
