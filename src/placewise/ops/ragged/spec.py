"""`tf.RaggedTensorSpec`: what is known of a ragged tensor."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, as_dtype
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.specs import CompositeSpec, TensorSpec, TypeSpec


class RaggedTensorSpec(CompositeSpec):
    """The shape, dtype and number of ragged dimensions of a ragged tensor."""

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if self._row_splits_dtype not in INDEX:
            raise ValueError("row_splits_dtype must be tf.int32 or tf.int64")
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif as_dtype(dtype) is not flat_values_spec.dtype:
                raise ValueError("dtype must be the same as flat_values_spec.dtype")
        elif dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def ragged_rank(self) -> int:
        """How many partitions there are."""
        return self._ragged_rank

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True if a value fits; without partitions that may be a tensor."""
        if self._ragged_rank == 0:
            plain = TensorSpec(self._shape, self._dtype)
            return plain.is_compatible_with(spec_or_value) or super().is_compatible_with(
                spec_or_value
            )
        return super().is_compatible_with(spec_or_value)

    @property
    def row_splits_dtype(self) -> Any:
        """int32 or int64."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of the flat values, if it was given."""
        return self._flat_values_spec

    @property
    def value_type(self) -> Any:
        """tf.RaggedTensor, or tf.Tensor when nothing is ragged."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """Return the spec of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.nested_row_splits[0].dtype)

    def _serialize(self) -> tuple[Any, ...]:
        parts = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return parts if self._flat_values_spec is None else (*parts, self._flat_values_spec)

    @property
    def _component_specs(self) -> Any:
        if self._ragged_rank <= 0:
            return [TensorSpec(self._shape, self._dtype)]
        inner = self._shape[self._ragged_rank + 1 :]
        flat = TensorShape([None]).concatenate(inner)
        rows = self._shape[0] if self._shape.rank is not None else None
        outer = TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)
        others = [TensorSpec([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [TensorSpec(flat, self._dtype), outer, *others]

    def _from_components(self, parts: list[Any]) -> Any:
        if any(isinstance(part, TypeSpec) for part in parts):
            return self
        flat, *splits = parts
        if not splits:
            return flat
        return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


RaggedTensorSpec.__module__ = "tensorflow.python.ops.ragged.ragged_tensor"
