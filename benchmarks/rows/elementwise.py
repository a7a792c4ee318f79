"""A million elements: functions of each, orders, sums, choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {"searchsorted": (1.5, "torch's kernel")}
MILLION = 1_000_000


def numbers(tf: Any, *shape: int, seed: int = 0) -> Any:
    """Return normal numbers, a million without a shape, the same in both frameworks."""
    return tf.constant(np.random.RandomState(seed).randn(*(shape or (MILLION,))), tf.float32)


def integers(tf: Any, end: int, *shape: int) -> Any:
    """Return integers below `end`, the same in both frameworks."""
    return tf.constant(np.random.RandomState(0).randint(0, end, shape or (MILLION,)), tf.int32)


def unary(name: str, positive: bool = False) -> Callable[[Any], Callable[[], object]]:
    """Return the row of a function of `tf.math`."""

    def prepare(tf: Any) -> Callable[[], object]:
        x = numbers(tf)
        x = tf.abs(x) + 0.1 if positive else x
        function = getattr(tf.math, name)
        return lambda: function(x)

    return prepare


def sort(tf: Any) -> Callable[[], object]:
    """Sort."""
    x = numbers(tf)
    return lambda: tf.sort(x)


def argsort(tf: Any) -> Callable[[], object]:
    """Find the order."""
    x = numbers(tf)
    return lambda: tf.argsort(x)


def top_k(tf: Any) -> Callable[[], object]:
    """Find the largest hundred."""
    x = numbers(tf)
    return lambda: tf.math.top_k(x, 100)


def top_k_rows(tf: Any) -> Callable[[], object]:
    """Find the largest five of rows."""
    x = numbers(tf, 256, 1000)
    return lambda: tf.math.top_k(x, 5)


def unique(tf: Any) -> Callable[[], object]:
    """Find what is there."""
    x = integers(tf, MILLION)
    return lambda: tf.unique(x)


def segment_sum(tf: Any) -> Callable[[], object]:
    """Sum neighbours."""
    x, ids = numbers(tf), tf.sort(integers(tf, 10_000))
    return lambda: tf.math.segment_sum(x, ids)


def segment_sum_rows(tf: Any) -> Callable[[], object]:
    """Sum neighbouring rows."""
    x, ids = numbers(tf, 10_000, 64), tf.sort(integers(tf, 1000, 10_000))
    return lambda: tf.math.segment_sum(x, ids)


def unsorted_segment_sum(tf: Any) -> Callable[[], object]:
    """Sum by ids."""
    x, ids = numbers(tf), integers(tf, 10_000)
    return lambda: tf.math.unsorted_segment_sum(x, ids, 10_000)


def bincount(tf: Any) -> Callable[[], object]:
    """Count."""
    x = integers(tf, 1000)
    return lambda: tf.math.bincount(x)


def cumsum(tf: Any) -> Callable[[], object]:
    """Sum up."""
    x = numbers(tf)
    return lambda: tf.cumsum(x)


def gather(tf: Any) -> Callable[[], object]:
    """Pick elements."""
    x, ids = numbers(tf), integers(tf, MILLION)
    return lambda: tf.gather(x, ids)


def scatter_nd(tf: Any) -> Callable[[], object]:
    """Put elements."""
    x, ids = numbers(tf), integers(tf, MILLION)[:, tf.newaxis]
    return lambda: tf.scatter_nd(ids, x, [MILLION])


def boolean_mask(tf: Any) -> Callable[[], object]:
    """Keep some."""
    x = numbers(tf)
    mask = x > 0
    return lambda: tf.boolean_mask(x, mask)


def where(tf: Any) -> Callable[[], object]:
    """Choose between elements and a number."""
    x = numbers(tf)
    mask = x > 0
    return lambda: tf.where(mask, x, 0.0)


def where_both(tf: Any) -> Callable[[], object]:
    """Choose between elements."""
    x, y = numbers(tf), numbers(tf, seed=1)
    mask = x > 0
    return lambda: tf.where(mask, x, y)


def where_positions(tf: Any) -> Callable[[], object]:
    """Find what holds."""
    mask = numbers(tf) > 0
    return lambda: tf.where(mask)


def argmax(tf: Any) -> Callable[[], object]:
    """Find the largest of rows."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.argmax(x, -1)


def argmax_all(tf: Any) -> Callable[[], object]:
    """Find the largest."""
    x = numbers(tf)
    return lambda: tf.argmax(x)


def argmax_columns(tf: Any) -> Callable[[], object]:
    """Find the largest of columns."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.argmax(x, 0)


def mean(tf: Any) -> Callable[[], object]:
    """Average columns."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.reduce_mean(x, 0)


def total(tf: Any) -> Callable[[], object]:
    """Sum all."""
    x = numbers(tf)
    return lambda: tf.reduce_sum(x)


def largest(tf: Any) -> Callable[[], object]:
    """Find the largest values of rows."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.reduce_max(x, 1)


def one_hot(tf: Any) -> Callable[[], object]:
    """Write classes as vectors."""
    x = integers(tf, 1000, 10_000)
    return lambda: tf.one_hot(x, 1000)


def concat(tf: Any) -> Callable[[], object]:
    """Join."""
    x = numbers(tf)
    return lambda: tf.concat([x, x], 0)


def tile(tf: Any) -> Callable[[], object]:
    """Repeat."""
    x = numbers(tf, 1000, 500)
    return lambda: tf.tile(x, [2, 2])


def pad(tf: Any) -> Callable[[], object]:
    """Put zeros around."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.pad(x, [[1, 1], [1, 1]])


def stack(tf: Any) -> Callable[[], object]:
    """Stack."""
    x = numbers(tf)
    return lambda: tf.stack([x, x])


def reverse(tf: Any) -> Callable[[], object]:
    """Turn around."""
    x = numbers(tf)
    return lambda: tf.reverse(x, [0])


def transpose(tf: Any) -> Callable[[], object]:
    """Swap rows and columns."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.transpose(x) + 0.0


def searchsorted(tf: Any) -> Callable[[], object]:
    """Find places in a sorted sequence."""
    x, y = tf.sort(numbers(tf)), numbers(tf, seed=1)
    return lambda: tf.searchsorted(x, y)


def power(tf: Any) -> Callable[[], object]:
    """Raise to a power."""
    x = tf.abs(numbers(tf))
    return lambda: tf.pow(x, 2.5)


def fft(tf: Any) -> Callable[[], object]:
    """Transform."""
    x = tf.complex(numbers(tf, 2**20), numbers(tf, 2**20, seed=1))
    return lambda: tf.signal.fft(x)


def stft(tf: Any) -> Callable[[], object]:
    """Transform windows."""
    x = numbers(tf)
    return lambda: tf.signal.stft(x, 512, 256)


def moments(tf: Any) -> Callable[[], object]:
    """Find mean and variance of columns."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.nn.moments(x, [0])


def l2_normalize(tf: Any) -> Callable[[], object]:
    """Give rows length one."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.math.l2_normalize(x, 1)


def cast_float64(tf: Any) -> Callable[[], object]:
    """Make wider."""
    x = numbers(tf)
    return lambda: tf.cast(x, tf.float64)


def cast_bfloat16(tf: Any) -> Callable[[], object]:
    """Make narrower."""
    x = numbers(tf)
    return lambda: tf.cast(x, tf.bfloat16)


def cast_int32(tf: Any) -> Callable[[], object]:
    """Cut off decimals."""
    x = numbers(tf)
    return lambda: tf.cast(x, tf.int32)


def clip(tf: Any) -> Callable[[], object]:
    """Limit."""
    x = numbers(tf)
    return lambda: tf.clip_by_value(x, -1.0, 1.0)


def floormod(tf: Any) -> Callable[[], object]:
    """Divide, keep the rest."""
    x = integers(tf, MILLION)
    return lambda: x % 7


def floordiv(tf: Any) -> Callable[[], object]:
    """Divide, drop the rest."""
    x = integers(tf, MILLION)
    return lambda: x // 7


def equal(tf: Any) -> Callable[[], object]:
    """Compare elements."""
    x, y = integers(tf, 3), integers(tf, 5)
    return lambda: tf.equal(x, y)


def equal_floats(tf: Any) -> Callable[[], object]:
    """Compare floats."""
    x, y = numbers(tf), numbers(tf, seed=1)
    return lambda: tf.equal(x, y)


def greater(tf: Any) -> Callable[[], object]:
    """Compare with a number."""
    x = numbers(tf)
    return lambda: x > 0.5


def any_none(tf: Any) -> Callable[[], object]:
    """Look for what is not there."""
    x = numbers(tf) > 100
    return lambda: tf.reduce_any(x)


def any_rows(tf: Any) -> Callable[[], object]:
    """Look in each row."""
    x = numbers(tf, 1000, 1000) > 2
    return lambda: tf.reduce_any(x, 1)


def all_elements(tf: Any) -> Callable[[], object]:
    """Tell whether all hold."""
    x = numbers(tf) < 100
    return lambda: tf.reduce_all(x)


def logsumexp(tf: Any) -> Callable[[], object]:
    """Sum exponentials."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.reduce_logsumexp(x, 1)


def vectorized(tf: Any) -> Callable[[], object]:
    """Apply a function to each row at once."""
    x = numbers(tf, 1000, 32)

    @tf.function
    def mapped(rows: Any) -> Any:
        return tf.vectorized_map(lambda row: tf.reduce_sum(row * row), rows)

    return lambda: mapped(x)


def vectorized_matmul(tf: Any) -> Callable[[], object]:
    """Multiply a matrix by each row at once."""
    x, w = numbers(tf, 256, 8, 32), numbers(tf, 32, 32)

    @tf.function
    def mapped(rows: Any) -> Any:
        return tf.vectorized_map(lambda row: tf.nn.relu(tf.matmul(row, w) + 1.0), rows)

    return lambda: mapped(x)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "sort": sort,
    "argsort": argsort,
    "top_k 100": top_k,
    "top_k 5 of 256 rows of 1,000": top_k_rows,
    "unique": unique,
    "segment_sum": segment_sum,
    "segment_sum of rows of 64": segment_sum_rows,
    "unsorted_segment_sum": unsorted_segment_sum,
    "bincount": bincount,
    "cumsum": cumsum,
    "gather": gather,
    "scatter_nd": scatter_nd,
    "boolean_mask": boolean_mask,
    "where with a scalar": where,
    "where of two tensors": where_both,
    "where, positions": where_positions,
    "argmax of rows of 1,000": argmax,
    "argmax of all": argmax_all,
    "argmax of columns": argmax_columns,
    "reduce_mean of columns": mean,
    "reduce_sum": total,
    "reduce_max of rows": largest,
    "one_hot 10,000 x 1,000": one_hot,
    "concat": concat,
    "tile": tile,
    "pad": pad,
    "stack": stack,
    "reverse": reverse,
    "transpose": transpose,
    "searchsorted": searchsorted,
    "sigmoid": unary("sigmoid"),
    "tanh": unary("tanh"),
    "exp": unary("exp"),
    "log": unary("log", positive=True),
    "sqrt": unary("sqrt", positive=True),
    "rsqrt": unary("rsqrt", positive=True),
    "erf": unary("erf"),
    "lgamma": unary("lgamma", positive=True),
    "sin": unary("sin"),
    "square": unary("square"),
    "softplus": unary("softplus"),
    "pow": power,
    "fft": fft,
    "stft": stft,
    "moments": moments,
    "l2_normalize": l2_normalize,
    "cast to float64": cast_float64,
    "cast to bfloat16": cast_bfloat16,
    "cast to int32": cast_int32,
    "clip_by_value": clip,
    "floormod of integers": floormod,
    "floordiv of integers": floordiv,
    "equal": equal,
    "equal of floats": equal_floats,
    "greater": greater,
    "reduce_any, none": any_none,
    "reduce_any of rows": any_rows,
    "reduce_all": all_elements,
    "logsumexp of rows": logsumexp,
    "vectorized_map of 1,000 rows": vectorized,
    "vectorized_map of matmuls": vectorized_matmul,
}
