"""Ragged tensors as NumPy arrays: what `Session.run` returns for a ragged fetch."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np


class RaggedTensorValue:
    """Values and row splits of a ragged tensor: what fetching returns and feeding takes.

    `values`: a NumPy array, or a RaggedTensorValue where several dimensions are ragged.
    `row_splits`: where each row begins and ends in `values`, an array of int32 or int64.

    >>> tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3])).to_list()
    [[1, 2], [3]]
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (
            isinstance(row_splits, (np.ndarray, np.generic))
            and row_splits.dtype in (np.int64, np.int32)
            and row_splits.ndim == 1
        ):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError(
                "row_splits and values.row_splits must have the same dtype: "
                f"{row_splits.dtype}, {values.row_splits.dtype}"
            )
        self._values, self._row_splits = values, np.asarray(row_splits)

    @property
    def values(self) -> Any:
        """The rows, one after the other."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where rows begin and end in `values`."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, outermost first."""
        inner = self._values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()
        return (self._row_splits, *rest)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""
        return self.flat_values.dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are ragged."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape, with None for ragged dimensions."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """Return the rows as nested lists."""
        inner = self._values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        splits = self._row_splits.tolist()
        return [rows[begin:end] for begin, end in pairwise(splits)]

    def _components(self) -> list[Any]:
        """Return the arrays in the order of a RaggedTensor's tensors: values, then row splits."""
        return [self.flat_values, *self.nested_row_splits]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


def value_of(arrays: list[Any]) -> Any:
    """Return flat values and nested row splits, outermost first, as one value."""
    values, *nested_splits = arrays
    for splits in reversed(nested_splits):
        values = RaggedTensorValue(values, splits)
    return values


RaggedTensorValue.__module__ = "tensorflow.python.ops.ragged.ragged_tensor_value"
