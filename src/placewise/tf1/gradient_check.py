"""tf.test.compute_gradient of TensorFlow 1: a graph's gradients beside those by differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.autodiff.graph_gradients import gradients
from placewise.core import dtypes
from placewise.ops.array.creation import ones
from placewise.session.session import get_default_session

Array = np.ndarray[Any, Any]


def _run(fetch: Any, feeds: Any) -> Any:
    session = get_default_session()
    if session is None:
        raise ValueError(
            "Cannot compute gradients: No default session is registered. Use `with "
            "sess.as_default()`."
        )
    return np.asarray(session.run(fetch, feeds))


def _by_gradients(x: Any, y: Any, dy: Any, start: Array, shape: Any, feeds: Any) -> Array:
    """Return the Jacobian [elements of x, elements of y] that `tf.gradients` gives."""
    found = gradients(y, x, grad_ys=dy)[0]
    size = int(np.prod(shape, dtype=np.int64))
    result = np.zeros((start.size, size), start.dtype)
    chosen = np.zeros(shape, start.dtype)
    for column in range(size):
        chosen.ravel()[column] = 1
        if found is not None:
            value = _run(found, {**feeds, x: start, dy: chosen})
            result[:, column] = value.ravel()
        chosen.ravel()[column] = 0
    return result


def _by_differences(x: Any, y: Any, start: Array, size: int, delta: float, feeds: Any) -> Array:
    """Return the Jacobian by central differences."""
    result = np.zeros((start.size, size), start.dtype)
    moved = start.copy()
    for row in range(start.size):
        kept = moved.ravel()[row]
        moved.ravel()[row] = kept + delta
        high = _run(y, {**feeds, x: moved})
        moved.ravel()[row] = kept - delta
        low = _run(y, {**feeds, x: moved})
        moved.ravel()[row] = kept
        result[row] = ((high - low) / (2 * delta)).ravel()
    return result


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """Return two Jacobians of `y` by `x`: by gradients, and by differences; lists for a list."""
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            get_default_session().run(target)
    if isinstance(x, list):
        starts = x_init_value or [None] * len(x)
        return [
            _one(each, shape, y, y_shape, start, delta, extra_feed_dict or {})
            for each, shape, start in zip(x, x_shape, starts, strict=True)
        ]
    return _one(x, x_shape, y, y_shape, x_init_value, delta, extra_feed_dict or {})


def _one(
    x: Any, x_shape: Any, y: Any, y_shape: Any, start: Any, delta: float, feeds: Any
) -> tuple[Array, Array]:
    kind = x.dtype.base_dtype
    if kind not in (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16):
        raise TypeError(f"gradients are checked of real floating tensors, not of {kind!r}")
    if start is None:
        start = np.random.random_sample(x_shape)
    start = np.array(start, dtype=kind.as_numpy_dtype)
    if tuple(x_shape) != start.shape:
        raise ValueError(f"x_shape is {tuple(x_shape)}, but x_init_value is {start.shape}")
    dy = ones(y_shape, kind)
    size = int(np.prod(y_shape, dtype=np.int64))
    return (
        _by_gradients(x, y, dy, start, y_shape, feeds),
        _by_differences(x, y, start, size, delta, feeds),
    )


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """Return the largest difference between the two Jacobians of `compute_gradient`."""
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.fabs(one - other).max()) for one, other in pairs if one.size), default=0.0)
