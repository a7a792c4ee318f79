"""Ragged tensors of 5,000 rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}
ROW_COUNT = 5000


def rows_of(tf: Any) -> Any:
    """Return a ragged tensor with rows of up to 20 numbers, the same in both frameworks."""
    random = np.random.RandomState(0)
    lengths = random.randint(0, 20, ROW_COUNT)
    values = random.randn(int(lengths.sum())).astype("float32")
    return tf.RaggedTensor.from_row_lengths(values, lengths)


def reduce_sum(tf: Any) -> Callable[[], object]:
    """Sum rows."""
    x = rows_of(tf)
    return lambda: tf.reduce_sum(x, axis=1)


def to_tensor(tf: Any) -> Callable[[], object]:
    """Fill rows up."""
    x = rows_of(tf)
    return lambda: x.to_tensor()


def map_flat_values(tf: Any) -> Callable[[], object]:
    """Apply a function to each value."""
    x = rows_of(tf)
    return lambda: tf.ragged.map_flat_values(tf.square, x)


def add(tf: Any) -> Callable[[], object]:
    """Add a number."""
    x = rows_of(tf)
    return lambda: x + 1.0


def concat(tf: Any) -> Callable[[], object]:
    """Join rows."""
    x = rows_of(tf)
    return lambda: tf.concat([x, x], axis=1)


def gather(tf: Any) -> Callable[[], object]:
    """Pick rows."""
    x = rows_of(tf)
    ids = tf.constant(np.random.RandomState(0).randint(0, ROW_COUNT, 1000))
    return lambda: tf.gather(x, ids)


def constant(tf: Any) -> Callable[[], object]:
    """Make one of lists."""
    lists = rows_of(tf).to_list()
    return lambda: tf.ragged.constant(lists)


def to_sparse(tf: Any) -> Callable[[], object]:
    """Make sparse."""
    x = rows_of(tf)
    return lambda: x.to_sparse()


def from_tensor(tf: Any) -> Callable[[], object]:
    """Make one of a padded tensor."""
    x = rows_of(tf).to_tensor()
    return lambda: tf.RaggedTensor.from_tensor(x, padding=0.0)


def getitem(tf: Any) -> Callable[[], object]:
    """Cut rows."""
    x = rows_of(tf)
    return lambda: x[:, :5]


def to_list(tf: Any) -> Callable[[], object]:
    """Make lists."""
    x = rows_of(tf)
    return lambda: x.to_list()


def boolean_mask(tf: Any) -> Callable[[], object]:
    """Keep some values."""
    x = rows_of(tf)
    mask = x > 0
    return lambda: tf.ragged.boolean_mask(x, mask)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "reduce_sum": reduce_sum,
    "to_tensor": to_tensor,
    "map_flat_values": map_flat_values,
    "add": add,
    "concat": concat,
    "gather": gather,
    "constant of 5,000 lists": constant,
    "to_sparse": to_sparse,
    "from_tensor": from_tensor,
    "getitem": getitem,
    "to_list": to_list,
    "boolean_mask": boolean_mask,
}
