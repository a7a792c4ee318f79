"""How rows are cut out of a list of values: row splits, and what follows from them.

A `RowPartition` keeps the splits and remembers the other encodings once they were asked for.
What is known is checked at once; what is not, when the graph runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import InvalidArgumentError
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.searchsorted import searchsorted
from placewise.ops.array.shape import identity, shape
from placewise.ops.array.static import get_static_value
from placewise.ops.array.tile import repeat
from placewise.ops.convert import contains_tensor, convert_to_tensor, kept_on_host
from placewise.ops.debugging.assertions import Assert
from placewise.ops.flow.context import control_dependencies
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.division import floordiv
from placewise.ops.math.reduction import reduce_all, reduce_max
from placewise.ops.math.scan import cumsum
from placewise.ops.values import EagerTensor, to_numpy


def partition_tensor(value: TensorLike, what: str, dtype: DType | None = None) -> Any:
    """Return a row-partitioning argument as a tensor of int32 or int64 (plain numbers: int64)."""
    if isinstance(value, Tensor):
        made = value
    elif isinstance(value, np.ndarray) and value.dtype == np.int32 and dtype is None:
        made = kept_on_host(value)
    elif isinstance(value, list) and contains_tensor(value):
        made = convert_to_tensor(value, dtype or dtypes.int64)
    else:
        made = kept_on_host(value, dtype or dtypes.int64)
    if made.dtype not in INDEX:
        raise ValueError(f"{what} must have dtype int32 or int64")
    if dtype is not None and made.dtype is not dtype:
        raise ValueError(f"Inconsistent dtype for encoding tensors: {made} vs {dtype}")
    return made


def known(value: TensorLike) -> np.ndarray[Any, Any] | None:
    """Return the content of an eager tensor on the host, None for a symbolic one."""
    if isinstance(value, EagerTensor):
        return to_numpy(value._value)
    if isinstance(value, (int, np.ndarray, np.generic, list, tuple)):
        return np.asarray(value)
    return None


def _static(value: TensorLike) -> np.ndarray[Any, Any] | None:
    """Return the content of a tensor where it is known now, also of a constant in a graph."""
    content = known(value)
    return get_static_value(value) if content is None and isinstance(value, Tensor) else content


def checked_when_run(value: Any, message: str, *conditions: Any) -> Any:
    """Return a symbolic tensor; where a condition does not hold when it is made, it raises."""
    with control_dependencies([Assert(condition, [message]) for condition in conditions]):
        return identity(value)


def _rises(value: Any) -> Any:
    return reduce_all(value[1:] >= value[:-1])


def wrong(message: str, condition: str, *shown: Any) -> InvalidArgumentError:
    """Return the error of a check on a partition that does not hold."""
    values = "".join(f"\n{one}" for one in shown)
    return InvalidArgumentError(None, None, f"{message}\n{condition}{values}")


def _vector(value: Tensor) -> None:
    value.shape.assert_has_rank(1)


class RowPartition:
    """Cuts `nvals` values into `nrows` rows: row i is `values[row_splits[i]:row_splits[i+1]]`."""

    __slots__ = ("_nrows", "_row_lengths", "_row_splits", "_uniform", "_value_rowids")

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
    ) -> None:
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._uniform = uniform_row_length

    @classmethod
    def from_row_splits(cls, row_splits: Any, validate: bool = True) -> RowPartition:
        """Return the partition with these splits."""
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        splits = partition_tensor(row_splits, "row_splits")
        _vector(splits)
        message = "Arguments to from_row_splits do not form a valid RaggedTensor:"
        if validate and (array := _static(splits)) is not None:
            if not array.size or array[0] != 0:
                raise wrong(message + "zero", "Condition x == y did not hold.", array[:1])
            if (array[1:] < array[:-1]).any():
                raise wrong(
                    message + "monotonic.  ", "Condition x >= 0 did not hold element-wise:", array
                )
        elif validate:
            splits = checked_when_run(splits, message, equal(splits[0], 0), _rises(splits))
        return cls(splits)

    @classmethod
    def from_row_lengths(cls, row_lengths: Any, validate: bool = True) -> RowPartition:
        """Return the partition whose rows have these lengths."""
        lengths = partition_tensor(row_lengths, "row_lengths")
        _vector(lengths)
        message = "Arguments to from_row_lengths do not form a valid RowPartition.  "
        if validate and (array := _static(lengths)) is not None:
            if (array < 0).any():
                raise wrong(message, "Condition x >= 0 did not hold element-wise:", array)
        elif validate:
            lengths = checked_when_run(lengths, message, reduce_all(lengths >= 0))
        return cls(splits_of_lengths(lengths), row_lengths=lengths)

    @classmethod
    def from_value_rowids(
        cls, value_rowids: TensorLike, nrows: Any = None, validate: bool = True
    ) -> RowPartition:
        """Return the partition that puts each value into the row named for it."""
        rowids = partition_tensor(value_rowids, "value_rowids")
        _vector(rowids)
        array, count = _static(rowids), None
        if nrows is not None:
            nrows = partition_tensor(nrows, "nrows", rowids.dtype)
            nrows.shape.assert_has_rank(0)
            count = _static(nrows)
            if count is not None and array is not None:
                _check_count(int(count), array)
        message = "Arguments to from_value_rowids do not form a valid RowPartition.  "
        if validate and array is not None:
            if (array[:1] < 0).any() or (array[1:] < array[:-1]).any():
                raise wrong(message, "Condition x >= 0 did not hold element-wise:", array)
        elif validate:
            rowids = checked_when_run(rowids, message, reduce_all(rowids[:1] >= 0), _rises(rowids))
        if validate and nrows is not None and (array is None or count is None):
            rowids = checked_when_run(
                rowids, message, nrows >= 0, reduce_all(rowids[-1:] < _cast(nrows, rowids.dtype))
            )
        if nrows is None:
            nrows = _count_of_rowids(rowids)
        return cls(_splits_of_rowids(rowids, nrows), value_rowids=rowids, nrows=nrows)

    @classmethod
    def from_row_starts(
        cls, row_starts: TensorLike, nvals: Any, validate: bool = True
    ) -> RowPartition:
        """Return the partition whose rows begin at these places; the last ends at `nvals`."""
        starts = partition_tensor(row_starts, "row_starts")
        _vector(starts)
        message = "Arguments to from_row_starts do not form a valid RaggedTensor."
        array, total = _static(starts), _static(nvals)
        last = _cast(convert_to_tensor(nvals), starts.dtype)
        if validate and array is not None:
            if (array[:1] != 0).any():
                raise wrong(message, "Condition x == y did not hold.", array[:1])
            if (array[1:] < array[:-1]).any():
                raise wrong(message, "Condition x >= 0 did not hold element-wise:", array)
            if total is not None and (array[-1:] > total).any():
                raise wrong(message, "Condition x <= y did not hold.", array[-1:], total)
        elif validate:
            starts = checked_when_run(
                starts, message, reduce_all(equal(starts[:1], 0)), _rises(starts)
            )
        if validate and (array is None or total is None):
            starts = checked_when_run(starts, message, reduce_all(starts[-1:] <= last))
        return cls(concat([starts, [last]], 0))

    @classmethod
    def from_row_limits(cls, row_limits: TensorLike, validate: bool = True) -> RowPartition:
        """Return the partition whose rows end at these places."""
        limits = partition_tensor(row_limits, "row_limits")
        _vector(limits)
        message = "Arguments to from_row_limits do not form a valid RaggedTensor."
        if validate and (array := _static(limits)) is not None:
            if (array[:1] < 0).any() or (array[1:] < array[:-1]).any():
                raise wrong(message, "Condition x >= 0 did not hold element-wise:", array)
        elif validate:
            limits = checked_when_run(limits, message, reduce_all(limits[:1] >= 0), _rises(limits))
        return cls(concat([convert_to_tensor([0], limits.dtype), limits], 0))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: TensorLike,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Return the partition into rows of one length, of so many values or rows.

        `nrows` is needed when the length is 0.
        """
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        if dtype is None and not isinstance(uniform_row_length, Tensor):
            dtype = dtype_hint
        length = partition_tensor(uniform_row_length, "uniform_row_length", dtype)
        length.shape.assert_has_rank(0)
        if nrows is not None:
            nrows = _cast(partition_tensor(nrows, "nrows"), length.dtype)
        size = known(length)
        if validate and size is not None and size < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        if nvals is None:
            nvals = length * nrows
        total = known(nvals)
        if size is None or total is None:
            return cls._from_symbolic_length(length, nvals, nrows, validate)
        count = (int(total) // int(size) if size > 0 else 0) if nrows is None else int(nrows)
        if validate and int(size) * count != int(total):
            raise ValueError(
                f"uniform_row_length={int(size)} times nrows={count} must equal nvals={int(total)}"
            )
        splits = np.arange(count + 1, dtype=length.dtype.as_numpy_dtype) * int(size)
        return cls(
            kept_on_host(splits.astype(length.dtype.as_numpy_dtype)), uniform_row_length=length
        )

    @classmethod
    def _from_symbolic_length(
        cls, length: Any, nvals: Any, nrows: Any, validate: bool
    ) -> RowPartition:
        total = _cast(convert_to_tensor(nvals), length.dtype)
        if nrows is None:
            nrows = floordiv(total, maximum(length, convert_to_tensor(1, length.dtype)))
        nrows = _cast(convert_to_tensor(nrows), length.dtype)
        if validate:
            message = "uniform_row_length times nrows must equal nvals"
            length = checked_when_run(length, message, length >= 0, equal(length * nrows, total))
        return cls(range_of(nrows + 1) * length, uniform_row_length=length)

    def with_as_many_values(self, rows: Any, static_rows: int | None, message: str) -> RowPartition:
        """Return the partition; it raises unless there are `rows` values, or does so when run."""
        total = _static(self._row_splits)
        if total is None or static_rows is None:
            same = equal(self.nvals(), _cast(convert_to_tensor(rows), self.dtype))
            return RowPartition(
                checked_when_run(self._row_splits, message, same),
                self._row_lengths,
                self._value_rowids,
                self._nrows,
                self._uniform,
            )
        if int(total[-1]) != static_rows:
            raise wrong(message, "Condition x == y did not hold.", int(total[-1]), static_rows)
        return self

    @property
    def dtype(self) -> Any:
        """int32 or int64: the type of all encodings."""
        return self._row_splits.dtype

    @property
    def static_nrows(self) -> int | None:
        """The number of rows where it is known."""
        shape = self._row_splits.shape
        return None if shape.rank is None or shape[0] is None else shape[0] - 1

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows where there is one, and it is known."""
        if self._uniform is None:
            return None
        found = get_static_value(self._uniform)
        return None if found is None else int(found)

    @property
    def static_nvals(self) -> int | None:
        """The number of values where it is known."""
        splits = _static(self._row_splits)
        return None if splits is None else int(splits[-1])

    def row_splits(self) -> Any:
        """Return where rows begin, and behind the last one."""
        return self._row_splits

    def uniform_row_length(self) -> Any:
        """Return the length of all rows as a tensor, None unless the partition was made so."""
        return self._uniform

    def is_uniform(self) -> bool:
        """Return True if the partition was made of rows of one length."""
        return self._uniform is not None

    def row_starts(self) -> Any:
        """Return where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self) -> Any:
        """Return where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self) -> Any:
        """Return the length of each row."""
        if self._row_lengths is None:
            splits = self._row_splits
            self._row_lengths = splits[1:] - splits[:-1]
        return self._row_lengths

    def value_rowids(self) -> Any:
        """Return, for each value, the row it is in."""
        if self._value_rowids is None:
            splits = known(self._row_splits)
            if splits is not None:
                rows = np.arange(splits.size - 1, dtype=splits.dtype)
                self._value_rowids = kept_on_host(np.repeat(rows, np.diff(splits)))
            else:
                self._value_rowids = repeat(range_of(self.nrows()), self.row_lengths(), axis=0)
        return self._value_rowids

    def nrows(self) -> Any:
        """Return the number of rows as a scalar tensor."""
        if self._nrows is None:
            count = self.static_nrows
            if count is None:
                self._nrows = shape(self._row_splits, self.dtype)[0] - 1
            else:
                self._nrows = kept_on_host(count, self.dtype)
        return self._nrows

    def nvals(self) -> Any:
        """Return the number of values as a scalar tensor."""
        return self._row_splits[-1]

    def offsets_in_rows(self) -> Any:
        """Return, for each value, its place within its row."""
        return range_of(self.nvals()) - gather(self.row_starts(), self.value_rowids())

    def with_dtype(self, dtype: Any) -> RowPartition:
        """Return the same partition in int32 or int64."""
        if self.dtype is dtype:
            return self
        uniform = None if self._uniform is None else _cast(self._uniform, dtype)
        return RowPartition(_cast(self._row_splits, dtype), uniform_row_length=uniform)

    def is_like(self, other: RowPartition) -> bool:
        """Return True if both are known and cut alike (or are one)."""
        if self is other or self._row_splits is other._row_splits:
            return True
        mine, theirs = known(self._row_splits), known(other._row_splits)
        return mine is not None and theirs is not None and np.array_equal(mine, theirs)

    def __repr__(self) -> str:
        if self._uniform is not None:
            return (
                f"tf.RowPartition(nrows={_shown(self.nrows())}, "
                f"uniform_row_length={_shown(self._uniform)})"
            )
        return f"tf.RowPartition(row_splits={_shown(self._row_splits)})"


def _shown(value: Any) -> str:
    content = known(value)
    return str(value if content is None else content)


RowPartition.__module__ = "tensorflow.python.ops.ragged.row_partition"


def _check_count(count: int, rowids: np.ndarray[Any, Any]) -> None:
    if count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    if rowids.size and rowids[-1] >= count:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, "
            f"value_rowids[-1]={rowids[-1]}"
        )


def _cast(value: Any, dtype: Any) -> Any:
    if value.dtype is dtype:
        return value

    return cast(value, dtype)


def splits_of_lengths(lengths: Tensor) -> Any:
    """Return the splits of rows of these lengths."""
    array = known(lengths)
    if array is not None:
        splits = np.zeros(array.size + 1, array.dtype)
        np.cumsum(array, out=splits[1:])
        return kept_on_host(splits)

    return concat([convert_to_tensor([0], lengths.dtype), cumsum(lengths)], 0)


def _count_of_rowids(rowids: Tensor) -> Any:
    array = known(rowids)
    if array is not None:
        return kept_on_host(int(array[-1]) + 1 if array.size else 0, rowids.dtype)

    return reduce_max(concat([convert_to_tensor([-1], rowids.dtype), rowids[-1:]], 0)) + 1


def _splits_of_rowids(rowids: Any, nrows: Any) -> Any:
    array, count = known(rowids), known(nrows)
    if array is not None and count is not None:
        lengths = np.bincount(array, minlength=int(count)) if array.size else np.zeros(int(count))
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(array.dtype)
        return kept_on_host(splits)

    rows = range_of(_cast(convert_to_tensor(nrows), rowids.dtype) + 1)
    return searchsorted(rowids, rows, out_type=rowids.dtype)
