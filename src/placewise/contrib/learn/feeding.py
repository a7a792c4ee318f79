"""Batches of arrays in the order tf.contrib.learn takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from placewise.core.dtypes import as_dtype
from placewise.data.dataset import DatasetV2

# The order of rows does not change between runs.
_SEED = 42


def array_input_fn(
    x: Any, y: Any, batch_size: int | None, is_shuffled: bool, epochs: int | None
) -> Callable[[], Any]:
    """Return an input function for arrays, or dicts of arrays; without `epochs` it never ends."""
    if batch_size is not None and batch_size <= 0:
        raise ValueError(f"Invalid batch_size {batch_size}.")
    features = _each(x, _as_rows)
    labels = None if y is None else _each(y, _as_labels)
    count = len(next(iter(features.values())) if isinstance(features, dict) else features)

    def batches() -> Iterator[Any]:
        random = np.random.RandomState(_SEED)
        epoch = 0
        while epochs is None or epoch < epochs:
            order = random.permutation(count) if is_shuffled else np.arange(count)
            for start in range(0, count, batch_size or count):
                rows = order[start : start + (batch_size or count)]
                yield _rows_of(features, labels, rows)
            epoch += 1

    def input_fn() -> Any:
        parts = features if labels is None else (features, labels)
        return DatasetV2.from_generator(
            batches, _each(parts, lambda a: as_dtype(a.dtype)), _each(parts, _batch_shape)
        )

    return input_fn


def _rows_of(features: Any, labels: Any, rows: Any) -> Any:
    taken = _each(features, lambda array: array[rows])
    return taken if labels is None else (taken, _each(labels, lambda array: array[rows]))


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: _each(part, function) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_each(part, function) for part in value)
    return function(value)


def _batch_shape(array: Any) -> list[int | None]:
    return [None, *array.shape[1:]]


def _as_rows(values: Any) -> Any:
    array = _array(values)
    return array[:, None] if array.ndim == 1 else array


def _as_labels(values: Any) -> Any:
    array = _array(values)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _array(values: Any) -> Any:
    """Return an array of values, those of a DataFrame too."""
    return np.asarray(getattr(values, "values", values))
