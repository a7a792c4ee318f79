"""Polyharmonic splines: smooth functions through given points."""

from __future__ import annotations

from typing import Any

import placewise as tf

_LEAST = 1e-10  # squared distances below count as this: log and sqrt have no derivative at 0


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Any:
    """Return the values of a spline at points; it goes through given values at given points.

    `train_points`: [batch, n, dimensions]; `train_values`: [batch, n, outputs].
    `query_points`: [batch, m, dimensions].
    `order`: 1 is linear, 2 a thin plate, 3 cubic, …
    `regularization_weight`: above 0, the spline comes only near the values and is smoother.
    """
    with tf.name_scope(name):
        points, values = tf.convert_to_tensor(train_points), tf.convert_to_tensor(train_values)
        queries = tf.convert_to_tensor(query_points)
        weights, linear = _solve(points, values, order, regularization_weight)
        bent = tf.matmul(_radial(_squared_distances(queries, points), order), weights)
        return bent + tf.matmul(_with_ones(queries), linear)


def _with_ones(points: Any) -> Any:
    return tf.concat([points, tf.ones_like(points[..., :1])], 2)


def _solve(points: Any, values: Any, order: int, regularization: float) -> tuple[Any, Any]:
    """Return the weights of the radial functions, and of the linear one beside them."""
    batch, count, dimensions = tf.unstack(tf.shape(points))
    distances = _radial(_squared_distances(points, points), order)
    if regularization > 0:
        distances += regularization * tf.eye(count, dtype=points.dtype)[None]
    plane = _with_ones(points)
    none = tf.zeros([batch, dimensions + 1, dimensions + 1], points.dtype)
    left = tf.concat([distances, tf.linalg.matrix_transpose(plane)], 1)
    right = tf.concat([plane, none], 1)
    wanted = tf.zeros([batch, dimensions + 1, tf.shape(values)[-1]], points.dtype)
    found = tf.linalg.solve(tf.concat([left, right], 2), tf.concat([values, wanted], 1))
    return found[:, :count], found[:, count:]


def _squared_distances(x: Any, y: Any) -> Any:
    lengths = [tf.reduce_sum(tf.square(points), 2) for points in (x, y)]
    product = tf.matmul(x, y, adjoint_b=True)
    return lengths[0][:, :, None] - 2 * product + lengths[1][:, None, :]


def _radial(squared: Any, order: int) -> Any:
    bounded = tf.maximum(squared, _LEAST)
    if order == 1:
        return tf.sqrt(bounded)
    if order % 2 == 0:
        power = squared if order == 2 else tf.pow(squared, 0.5 * order)
        return 0.5 * power * tf.math.log(bounded)
    return tf.pow(bounded, 0.5 * order)
