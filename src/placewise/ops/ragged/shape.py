"""`tf.experimental.DynamicRaggedShape`: what `tf.shape` of a ragged tensor is."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.nest import Composite
from placewise.core.shapes import TensorShape
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.ragged_tensor import RaggedTensor, _as_type
from placewise.ops.ragged.row_partition import RowPartition, known


class DynamicRaggedShape(Composite):
    """The partitions of a ragged tensor and the shape of its flat values."""

    __slots__ = ("_inner", "_partitions")

    def __init__(self, row_partitions: Any, inner_shape: Any, dtype: Any = None) -> None:
        self._partitions = tuple(row_partitions)
        inner = convert_to_tensor(inner_shape, dtype_hint=dtype)
        if dtype is None and self._partitions:
            dtype = self._partitions[0].dtype
        self._inner = _as_type(inner, dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """Return the shape of a (ragged) tensor."""
        if isinstance(t, RaggedTensor):
            partitions: tuple[RowPartition, ...] = t._nested_row_partitions
            if dtype is not None:
                partitions = tuple(each.with_dtype(dtype) for each in partitions)
            kind = partitions[0].dtype
            return cls(partitions, shape(t.flat_values, kind), kind)
        return cls((), shape(convert_to_tensor(t), dtype), dtype)

    @property
    def dtype(self) -> Any:
        """int32 or int64."""
        return self._inner.dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions, outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """How many partitions there are."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values, as a tensor."""
        return self._inner

    @property
    def inner_rank(self) -> int:
        """The number of dimensions of the flat values."""
        rank: int = self._inner.shape[0]
        return rank

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.num_row_partitions + self.inner_rank

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Return each dimension: a number where uniform, a tuple of lengths where ragged."""
        inner: list[Any] = np.asarray(known(self._inner)).tolist()
        if not self._partitions:
            return inner
        found: list[Any] = [self._partitions[0].static_nrows]
        for partition in self._partitions:
            uniform = partition.static_uniform_row_length
            if uniform is not None:
                found.append(uniform)
            elif ragged_lengths:
                found.append(tuple(np.asarray(partition.row_lengths()).tolist()))
            else:
                found.append(None)
        lengths: list[Any] = found + inner[1:]
        return lengths

    def is_uniform(self, axis: int) -> bool:
        """Return True if all slices along `axis` have one length."""
        if axis == 0 or axis > self.num_row_partitions:
            return True
        return self._partitions[axis - 1].static_uniform_row_length is not None

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            lengths = self.static_lengths()[index]
            if any(isinstance(each, tuple) for each in lengths):
                raise ValueError("Slices of ragged dimensions are not tensors")
            return convert_to_tensor(lengths, self.dtype)
        rank = self.rank
        if not -rank <= index < rank:
            raise IndexError(f"Index {index} is out of range for a shape of rank {rank}")
        if self._partitions and index % rank == 0:
            return self._partitions[0].nrows()
        found = self.static_lengths(ragged_lengths=False)[index]
        if found is None:
            raise ValueError(f"Index {index % rank} is not uniform")
        return convert_to_tensor(found, self.dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DynamicRaggedShape):
            return False
        return self.static_lengths() == other.static_lengths()

    def __hash__(self) -> int:
        return hash(tuple(self.static_lengths()))

    def _components(self) -> list[Any]:
        return [*(each.row_splits() for each in self._partitions), self._inner]

    def _from_components(self, parts: list[Any]) -> DynamicRaggedShape:
        partitions = [
            RowPartition(splits, uniform_row_length=like.uniform_row_length())
            for splits, like in zip(parts[:-1], self._partitions, strict=True)
        ]
        return DynamicRaggedShape(partitions, parts[-1])

    def _run_op(self, op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
        """Fill makes ragged tensors of a ragged shape; other ops want plain shapes."""
        if op.name != "Fill":
            return NotImplemented
        flat = op.bind(self._inner, inputs[1], name=name)
        return RaggedTensor._from_nested_row_partitions(flat, self._partitions)

    def _to_tensor_shape(self) -> TensorShape:
        return TensorShape(self.static_lengths(ragged_lengths=False))

    def __repr__(self) -> str:
        def shown(length: Any) -> str:
            if isinstance(length, tuple):
                if len(length) > 10:
                    length = (*length[:10], "...")
                inside = ", ".join(map(str, length))
                return f"({inside},)" if len(length) == 1 else f"({inside})"
            return str(length)

        lengths = ", ".join(map(shown, self.static_lengths()))
        return (
            f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"
        )


DynamicRaggedShape.__module__ = "tensorflow.python.ops.ragged.dynamic_ragged_shape"
