"""`tf.SparseTensorSpec`: what is known of a sparse tensor."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.specs import CompositeSpec, TensorSpec, TypeSpec


class SparseTensorSpec(CompositeSpec):
    """The shape and dtype of a sparse tensor."""

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def value_type(self) -> Any:
        """tf.SparseTensor."""
        return SparseTensor

    @classmethod
    def from_value(cls, value: TensorLike) -> Any:
        """Return the spec of a sparse tensor."""
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        raise TypeError("Expected SparseTensor or SparseTensorValue")

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype)

    @property
    def _component_specs(self) -> Any:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _from_components(self, parts: list[Any]) -> Any:
        if any(isinstance(part, TypeSpec) for part in parts):
            return self
        made = SparseTensor(*parts)
        made._static = made.shape.merge_with(self._shape)
        return made


SparseTensorSpec.__module__ = "tensorflow.python.framework.sparse_tensor"
