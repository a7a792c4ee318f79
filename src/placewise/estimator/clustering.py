"""k-means as operations of a graph: `tf.contrib.factorization.KMeans`, and what `KMeans` trains.

Points are rows. A run of the training operation is one step of Lloyd's algorithm over the points
(full batch), or moves each center towards its points by their share of all points it had so far
(mini batch). The centers begin empty and are filled by the initialization operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.graph.cond import cond
from placewise.graph.variable import VariableV1
from placewise.ops.flow.order import group

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"
CLUSTERS_VAR_NAME = "clusters"

# Added to counts, so that a center without points goes to zero and not to NaN.
_EPSILON = 1e-6


class KMeans:
    """The graph of k-means over `inputs`: a tensor of points or a list of such tensors.

    `initial_clusters`: the first centers, how they are chosen ('random', 'kmeans_plus_plus',
    'kmc2'), or a function of the inputs and the number of centers that are missing.
    `mini_batch_steps_per_iteration`: after how many mini batches points see the moved centers.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: int,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric passed to Kmeans {distance_metric}")
        self._inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        self._inputs = [tf.convert_to_tensor(each) for each in self._inputs]
        self._num_clusters, self._initial_clusters = num_clusters, initial_clusters
        self._is_cosine = distance_metric == COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._steps_per_iteration = int(mini_batch_steps_per_iteration)
        self._is_delayed = use_mini_batch and self._steps_per_iteration > 1
        self._seed, self._retries = random_seed, kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    @property
    def _keeps_unit_length(self) -> bool:
        """Whether the centers themselves are of length 1."""
        return self._is_cosine and (not self._use_mini_batch or self._is_delayed)

    def training_graph(self) -> tuple[Any, ...]:
        """Return (distances to all centers, nearest center, its distance, initialized, init, step).

        The first three are tuples with a tensor for each tensor of the inputs. `init` is run until
        the variable `initialized` is true, then `step` as often as wanted.
        """
        given = self._initial_clusters
        if isinstance(given, str) or callable(given):
            count = tf.convert_to_tensor(self._num_clusters)
        else:
            self._initial_clusters = given = tf.convert_to_tensor(given)
            count = tf.shape(given)[0]
        nothing = tf.compat.v1.placeholder_with_default([], shape=tf.TensorShape(None))
        centers = VariableV1(nothing, name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = VariableV1(False, dtype=tf.bool, name="initialized")
        moved, left, counts = centers, None, None
        if self._is_delayed:
            moved = VariableV1(nothing, name="clusters_updated", validate_shape=False)
            left = VariableV1(self._steps_per_iteration, dtype=tf.int64, name="update_in_steps")
            counts = VariableV1(tf.zeros([count], tf.int64))
        elif self._use_mini_batch:
            counts = VariableV1(tf.ones([count], tf.int64))
        init = _Initialization(self, count, centers, moved, initialized).operation()
        inputs, seen = self._inputs, centers
        if self._is_cosine:
            inputs = [_unit_length(points) for points in inputs]
            seen = centers if self._keeps_unit_length else _unit_length(centers)
        results = [self._nearest(points, seen) for points in inputs]
        everything, nearest, scores = map(tuple, zip(*results, strict=True))
        if not self._use_mini_batch:
            step = self._full_step(inputs, nearest, count, centers)
        else:
            with tf.control_dependencies([self._shown(left, centers, moved, counts)]):
                step = self._mini_step(inputs, nearest, moved, counts)
        return everything, nearest, scores, initialized, init, step

    def _nearest(self, points: Any, centers: Any) -> tuple[Any, Any, Any]:
        """Return the distances to all centers, the nearest one, and its distance."""
        product = tf.matmul(points, tf.convert_to_tensor(centers), transpose_b=True)
        if self._is_cosine:
            distances = 1 - product
        else:
            squares = tf.reduce_sum(tf.square(points), 1, keepdims=True)
            distances = squares - 2 * product + tf.reduce_sum(tf.square(centers), 1)[None, :]
        nearest = tf.argmin(distances, 1)
        return distances, nearest, tf.reduce_min(distances, 1)

    def _full_step(self, inputs: Any, nearest: Any, count: Any, centers: Any) -> Any:
        totals, counts = [], []
        for points, index in zip(inputs, nearest, strict=True):
            totals.append(tf.math.unsorted_segment_sum(points, index, count))
            ones = tf.ones([tf.shape(points)[0], 1])
            counts.append(tf.math.unsorted_segment_sum(ones, index, count))
        total = tf.add_n(totals)
        means = total / (tf.cast(tf.add_n(counts), total.dtype) + _EPSILON)
        return centers.assign(_unit_length(means) if self._keeps_unit_length else means)

    def _shown(self, left: Any, centers: Any, moved: Any, counts: Any) -> Any:
        """Return the operation that lets points see the moved centers once steps have passed."""
        if left is None:
            return tf.no_op()

        def show() -> Any:
            with tf.control_dependencies([left.assign(self._steps_per_iteration - 1)]):
                value = _unit_length(moved) if self._is_cosine else tf.identity(moved)
                with (
                    tf.control_dependencies([centers.assign(value)]),
                    tf.control_dependencies([counts.assign(tf.zeros_like(counts))]),
                ):
                    return tf.identity(left)

        return cond(left <= 0, show, lambda: left.assign_sub(1))

    def _mini_step(self, inputs: Any, nearest: Any, centers: Any, counts: Any) -> Any:
        updates, scatter_add = [], tf.compat.v1.scatter_add
        for points, index in zip(inputs, nearest, strict=True):
            touched, place = tf.unique(index)
            size = tf.size(touched)
            before, at = tf.gather(counts, touched), tf.gather(centers, touched)
            more = tf.math.unsorted_segment_sum(tf.ones_like(place, tf.int64), place, size)
            total = tf.math.unsorted_segment_sum(points, place, size)
            change = total - tf.cast(more, points.dtype)[:, None] * at
            rate = 1 / tf.cast(before + more, points.dtype)
            updates.append(scatter_add(counts, touched, more))
            change *= rate[:, None]
            updates.append(scatter_add(centers, touched, change))
        return group(*updates)


def _unit_length(points: Any) -> Any:
    return tf.math.l2_normalize(points, axis=1)


class _Initialization:
    """Chooses centers until there are enough: each run adds those that the inputs give."""

    def __init__(
        self, kmeans: KMeans, count: Any, centers: Any, moved: Any, initialized: Any
    ) -> None:
        self._kmeans, self._count = kmeans, count
        self._centers, self._moved, self._initialized = centers, moved, initialized
        self._selected = tf.shape(centers)[0]
        self._missing = count - self._selected

    def operation(self) -> Any:
        """Return the operation."""

        def nothing() -> Any:
            checked = tf.debugging.Assert(self._initialized, ["clusters are full but not ready"])
            with tf.control_dependencies([checked]):
                return tf.constant(True)

        return cond(tf.equal(self._missing, 0), nothing, self._add)

    def _add(self) -> Any:
        with tf.control_dependencies([tf.debugging.assert_greater(self._missing, 0)]):
            new = self._chosen()
            if self._kmeans._is_cosine:
                new = _unit_length(new)
            is_first = tf.equal(self._selected, 0)
            joined = cond(is_first, lambda: new, lambda: tf.concat([self._centers, new], 0))
            assigned = tf.compat.v1.assign(self._centers, joined, validate_shape=False)
            if self._moved is not self._centers:
                assigned = tf.compat.v1.assign(self._moved, assigned, validate_shape=False)
            return self._initialized.assign(tf.equal(self._count, tf.shape(assigned)[0]))

    def _chosen(self) -> Any:
        kmeans, given = self._kmeans, self._kmeans._initial_clusters
        if not isinstance(given, str):
            made = given(kmeans._inputs, self._missing) if callable(given) else given
            return self._checked(tf.convert_to_tensor(made))
        if given == RANDOM_INIT:
            points = kmeans._inputs[0] if len(kmeans._inputs) == 1 else tf.concat(kmeans._inputs, 0)
            rows = tf.cast(tf.shape(points)[0], tf.int64)
            index = tf.random.uniform(
                tf.reshape(self._missing, [-1]), 0, rows, tf.int64, kmeans._seed
            )
            return tf.gather(points, index)
        choose = {KMEANS_PLUS_PLUS_INIT: self._plus_plus, KMC2_INIT: self._chains}.get(given)
        if choose is None:
            raise ValueError(f"Unsupported initialization algorithm {given!r}")
        points = kmeans._inputs[0]
        if kmeans._is_cosine:
            points = _unit_length(points)
        made = tf.numpy_function(choose, [points, self._missing, self._centers], points.dtype)
        made.set_shape([None, *points.shape[1:]])
        return made

    def _checked(self, new: Any) -> Any:
        size = tf.shape(new)[0]
        checks = [
            tf.debugging.assert_positive(size),
            tf.debugging.assert_less_equal(size, self._missing),
        ]
        with tf.control_dependencies([check for check in checks if check is not None]):
            return tf.identity(new)

    # On arrays, with a generator of their own: TensorFlow's kernels draw from one too.

    def _plus_plus(self, points: Any, missing: Any, _: Any) -> Any:
        random = np.random.default_rng(self._kmeans._seed)
        retries = self._kmeans._retries
        tries = retries if retries >= 0 else 2 + int(np.log(max(int(missing), 1)))
        chosen = [points[random.integers(len(points))]]
        nearest = _squared(points, chosen[0])
        while len(chosen) < min(int(missing), len(points)):
            weights = nearest / nearest.sum() if nearest.sum() > 0 else None
            options = random.choice(len(points), size=tries + 1, p=weights)
            found = [np.minimum(nearest, _squared(points, points[index])) for index in options]
            best = int(np.argmin([distances.sum() for distances in found]))
            chosen.append(points[options[best]])
            nearest = found[best]
        return np.asarray(chosen, points.dtype)

    def _chains(self, points: Any, missing: Any, centers: Any) -> Any:
        """Add one center by each Markov chain over a part of the points."""
        random = np.random.default_rng(self._kmeans._seed)
        chosen = [] if centers.ndim < 2 else list(centers)
        known = len(chosen)
        if not chosen:
            chosen.append(points[random.integers(len(points))])
        parts = max(len(points) // self._kmeans._chain_length, 1)
        wanted = min(int(missing), parts)
        for part in np.array_split(points, parts):
            if len(chosen) - known >= wanted:
                break
            distances = np.min([_squared(part, center) for center in chosen], axis=0)
            at = 0
            for step in range(1, len(part)):
                if distances[at] == 0 or distances[step] / distances[at] > random.random():
                    at = step
            chosen.append(part[at])
        return np.asarray(chosen[known:], points.dtype)


def _squared(points: Any, center: Any) -> Any:
    return np.square(points - center).sum(axis=1, dtype=np.float64)


KMeans.__module__ = "tensorflow.contrib.factorization.python.ops.clustering_ops"
