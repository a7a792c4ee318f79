"""`tf.test.compute_gradient`: the Jacobian an op claims, beside the one that differences give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import placewise
from placewise.core.dtypes import as_dtype
from placewise.test.arrays import Array

_DIFFERENTIABLE = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Return the theoretical and the numerical Jacobian of `f`, one per argument in `x`.

    Each is a matrix of output size by input size; complex values count as two real numbers.
    """
    if not isinstance(x, list | tuple):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )

    tf: Any = placewise
    tensors = [tf.convert_to_tensor(value) for value in x]
    values = [np.array(_value(tf, tensor)) for tensor in tensors]
    for index, tensor in enumerate(tensors):
        if tensor.dtype.name not in _DIFFERENTIABLE:
            raise AssertionError(
                f"Cannot compute gradient for unsupported type {tensor.dtype.name} "
                f"of argument {index}"
            )
    # A power of two, so that adding it to most numbers loses nothing.
    step = 1.0 / 1024 if delta is None else delta
    count = range(len(tensors))
    theoretical = tuple(_theoretical(tf, f, tensors, index) for index in count)
    numerical = tuple(_numerical(tf, f, tensors, values, index, step) for index in count)
    return theoretical, numerical


def _real_view(array: Array) -> Array:
    """Return an array as a flat view of real numbers."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if array.dtype.kind == "c" else flat


def _numpy_dtype(tensor: Any) -> Any:
    return as_dtype(tensor.dtype).as_numpy_dtype


def _theoretical(tf: Any, f: Callable[..., Any], xs: list[Any], index: int) -> Array:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(xs[index])
        y = f(*xs)
    dy = np.zeros(tuple(y.shape), _numpy_dtype(y))
    seeds = _real_view(dy)
    size = _real_view(np.zeros(tuple(xs[index].shape), _numpy_dtype(xs[index])))
    jacobian = np.zeros((seeds.size, size.size), size.dtype)
    for row in range(seeds.size):
        seeds[row] = 1
        grad = tape.gradient(y, xs[index], output_gradients=tf.constant(dy))
        if grad is not None:
            dense = np.array(_value(tf, tf.convert_to_tensor(grad)))
            jacobian[row] = _real_view(dense)
        seeds[row] = 0
    return jacobian


def _value(tf: Any, tensor: Any) -> Any:
    """Return the value of a tensor; one of a graph is run in the default session."""
    if tf.executing_eagerly():
        return tensor.numpy()
    session = tf.compat.v1.get_default_session()
    if session is None:
        raise ValueError(
            "compute_gradient runs a graph in the default session, and there is none: call it "
            "inside `with self.session():` or `with tf.compat.v1.Session():`."
        )
    return session.run(tensor)


def _numerical(
    tf: Any, f: Callable[..., Any], xs: list[Any], values: list[Array], index: int, step: float
) -> Array:
    x = values[index].copy()
    entries = _real_view(x)

    def y_at(column: int, value: Any) -> Array:
        before = entries[column]
        entries[column] = value
        moved = [*xs[:index], tf.constant(x.copy()), *xs[index + 1 :]]
        entries[column] = before
        return _real_view(np.array(_value(tf, f(*moved))))

    rows = _real_view(np.array(_value(tf, f(*xs))))
    jacobian = np.zeros((rows.size, entries.size), rows.dtype)
    for column in range(entries.size):
        high = y_at(column, entries[column] + entries.dtype.type(step))
        low = y_at(column, entries[column] - entries.dtype.type(step))
        jacobian[:, column] = (high - low) / high.dtype.type(2 * step)
    return jacobian
