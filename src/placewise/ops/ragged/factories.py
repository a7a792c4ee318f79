"""How ragged tensors are made: from values and an account of which row each belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.row_partition import RowPartition


class Factories(Composite):
    """The class methods of `tf.RaggedTensor`, its one subclass."""

    __slots__ = ()
    is_native = True
    _partition: RowPartition

    @classmethod
    def _from_row_partition(
        cls, values: TensorLike, partition: RowPartition, validate: bool
    ) -> Any:
        values = as_values(values)
        if isinstance(values, Factories) and values._partition.dtype is not partition.dtype:
            raise ValueError(
                "Argument `row_partition` of RaggedTensor with name: partition must have same "
                f"dtype as Argument `values`. ({partition.dtype} vs. {values._partition.dtype})."
            )
        if validate:
            partition = partition.with_as_many_values(
                rows_of(values),
                static_rows(values),
                "Arguments to _from_row_partition do not form a valid RaggedTensor",
            )
        made: Any = cls(values, partition, internal=True)  # type: ignore[call-arg]  # the subclass's
        return made

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Return rows `values[row_splits[i]:row_splits[i + 1]]`."""
        _check_flag(validate)
        values = as_values(values)
        partition = RowPartition.from_row_splits(row_splits, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Return rows of these lengths, one after the other."""
        _check_flag(validate)
        values = as_values(values)
        partition = RowPartition.from_row_lengths(row_lengths, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return rows made of the values that name them; `value_rowids` is in order."""
        _check_flag(validate)
        values = as_values(values)
        partition = RowPartition.from_value_rowids(value_rowids, nrows, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_starts(
        cls,
        values: list[Any],
        row_starts: list[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return rows that begin at `row_starts`; the last one ends with the values."""
        _check_flag(validate)
        values = as_values(values)
        partition = RowPartition.from_row_starts(row_starts, rows_of(values), validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_limits(
        cls,
        values: list[Any],
        row_limits: list[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return rows that end at `row_limits`; the first one begins with the values."""
        _check_flag(validate)
        values = as_values(values)
        partition = RowPartition.from_row_limits(row_limits, validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: TensorLike,
        nrows: Tensor | None = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Return rows that all have one length."""
        _check_flag(validate)
        values = as_values(values)
        dtype = values._partition.dtype if isinstance(values, Factories) else None
        if isinstance(uniform_row_length, Tensor):
            dtype = None
        partition = RowPartition.from_uniform_row_length(
            uniform_row_length, rows_of(values), nrows, validate, dtype
        )
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return nested rows: one list of row ids a ragged dimension, outermost first."""
        _check_list(nested_value_rowids, "nested_value_rowids", "Tensors")
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        else:
            _check_list(nested_nrows, "nested_nrows", "Tensors")
            if len(nested_nrows) != len(nested_value_rowids):
                raise ValueError(
                    "Argument `nested_nrows` must have the same length as argument "
                    f"`nested_value_rowids`. len(nested_nrows) = {len(nested_nrows)} vs. "
                    f"len(nested_values_rowids) = {len(nested_value_rowids)}."
                )
        result = flat_values
        pairs = list(zip(nested_value_rowids, nested_nrows, strict=True))
        for rowids, nrows in reversed(pairs):
            result = cls.from_value_rowids(result, rowids, nrows, validate=validate)
        return result

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return nested rows: one list of splits a ragged dimension, outermost first."""
        _check_flag(validate)
        _check_list(nested_row_splits, "nested_row_splits", "Tensors")
        result = flat_values
        for splits in reversed(nested_row_splits):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return nested rows: one list of lengths a ragged dimension, outermost first."""
        _check_flag(validate)
        _check_list(nested_row_lengths, "nested_row_lengths", "Tensors")
        result = flat_values
        for lengths in reversed(nested_row_lengths):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    def _from_nested_row_partitions(cls, flat_values: Tensor, partitions: Sequence[Any]) -> Any:
        result = flat_values
        for partition in reversed(partitions):
            result = cls._from_row_partition(result, partition, False)
        return result

    @classmethod
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: int | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DType = dtypes.int64,
    ) -> Any:
        """Return a tensor as rows: whole, cut to `lengths`, or without trailing `padding`."""
        return lazy.ragged_from_tensor(
            tensor, lengths, padding, ragged_rank, as_dtype(row_splits_dtype)
        )

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: DType = dtypes.int64
    ) -> Any:
        """Return the rows of a sparse matrix whose values are all at the left."""
        return lazy.ragged_from_sparse(st_input, as_dtype(row_splits_dtype))


def as_values(value: TensorLike) -> Any:
    """Return what may be the values of a ragged tensor: ragged as it is, else a tensor."""
    return value if isinstance(value, Factories) else convert_to_tensor(value)


def static_rows(values: Any) -> int | None:
    """Return the size of dimension 0 where it is known."""
    shape = values.shape
    return None if shape.rank is None else shape[0]


def rows_of(values: TensorLike) -> Any:
    """Return the size of dimension 0: a number where it is known, else a tensor."""
    count = static_rows(values)
    if count is not None:
        return count
    if isinstance(values, Factories):
        rows: Any = values
        return rows.nrows()

    return shape(values, dtypes.int64)[0]


def _check_flag(validate: bool) -> None:
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _check_list(value: TensorLike, what: str, of: str) -> None:
    if isinstance(value, Tensor):
        raise TypeError(f"Argument `{what}` must be a list of {of}. Received {value}.")
