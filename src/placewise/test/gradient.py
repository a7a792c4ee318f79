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
    gradient_at = _gradient_function(tf, tape, y, xs[index])
    seeds = _real_view(dy)
    size = _real_view(np.zeros(tuple(xs[index].shape), _numpy_dtype(xs[index])))
    jacobian = np.zeros((seeds.size, size.size), size.dtype)
    for row in range(seeds.size):
        seeds[row] = 1
        gradient = gradient_at(dy)
        if gradient is not None:
            jacobian[row] = _real_view(np.array(gradient))
        seeds[row] = 0
    return jacobian


def _gradient_function(tf: Any, tape: Any, y: Any, x: Any) -> Callable[[Array], Any]:
    """Return what gives the gradient of `x` for one of `y`; a graph is built once for all."""
    if tf.executing_eagerly():

        def gradient_at(dy: Array) -> Any:
            gradient = tape.gradient(y, x, output_gradients=tf.constant(dy))
            return None if gradient is None else tf.convert_to_tensor(gradient).numpy()

        return gradient_at
    seed = tf.compat.v1.placeholder(y.dtype, y.shape)
    gradient = tape.gradient(y, x, output_gradients=seed)
    if gradient is None:
        return lambda dy: None
    tensor, session = tf.convert_to_tensor(gradient), _session(tf)
    return lambda dy: session.run(tensor, {seed: dy})


def _session(tf: Any) -> Any:
    session = tf.compat.v1.get_default_session()
    if session is None:
        raise ValueError(
            "compute_gradient runs a graph in the default session, and there is none: call it "
            "inside `with self.session():` or `with tf.compat.v1.Session():`."
        )
    return session


def _value(tf: Any, tensor: Any) -> Any:
    """Return the value of a tensor; one of a graph is run in the default session."""
    return tensor.numpy() if tf.executing_eagerly() else _session(tf).run(tensor)


def _function(tf: Any, f: Callable[..., Any], xs: list[Any], index: int) -> Callable[[Array], Any]:
    """Return the function of argument `index` alone, on arrays; a graph is built once for all."""
    if tf.executing_eagerly():
        return lambda x: f(*xs[:index], tf.constant(x), *xs[index + 1 :]).numpy()
    place = tf.compat.v1.placeholder(xs[index].dtype, xs[index].shape)
    y, session = f(*xs[:index], place, *xs[index + 1 :]), _session(tf)
    return lambda x: session.run(y, {place: x})


def _numerical(
    tf: Any, f: Callable[..., Any], xs: list[Any], values: list[Array], index: int, step: float
) -> Array:
    x = values[index].copy()
    entries = _real_view(x)
    function = _function(tf, f, xs, index)

    def y_at(column: int, value: Any) -> Array:
        before = entries[column]
        entries[column] = value
        moved = x.copy()
        entries[column] = before
        return _real_view(np.array(function(moved)))

    rows = _real_view(np.array(function(x.copy())))
    jacobian = np.zeros((rows.size, entries.size), rows.dtype)
    for column in range(entries.size):
        high = y_at(column, entries[column] + entries.dtype.type(step))
        low = y_at(column, entries[column] - entries.dtype.type(step))
        jacobian[:, column] = (high - low) / high.dtype.type(2 * step)
    return jacobian
