"""`tf.contrib.factorization.gmm` and `GMM`: mixtures of normal distributions, found by steps of EM.

Points are rows. A step takes each point for a member of each class by its likelihood, and moves
weights, means and covariances to those of the members.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import placewise as tf
from placewise.contrib.learn.estimators import Estimator, ModelFnOps
from placewise.graph.collections import GraphKeys
from placewise.graph.cond import cond
from placewise.graph.variable import VariableV1
from placewise.saving.reader import load_variable
from placewise.training.global_step import get_global_step
from placewise.training.session_run_hook import SessionRunHook

_WEIGHTS, _MEANS, _COVARIANCES = "alphas", "clusters", "clusters_covs"
# Added to variances, and to counts, so that neither is zero.
_LEAST_VARIANCE = 1e-3
_EPSILON = float(np.finfo(float).eps)


class _Mixture:
    """The graph of a mixture of `count` classes over several tensors of points."""

    def __init__(
        self, data: list[Any], count: int, first: Any, params: str, is_full: bool, seed: int
    ) -> None:
        self._count, self._params, self._is_full = count, params, is_full
        self._size = tf.shape(data[0])[1]
        self._floor = tf.eye(self._size) * _LEAST_VARIANCE
        nothing = _nothing()
        self._means: Any = VariableV1(nothing, name=_MEANS, validate_shape=False)
        self._covs: Any = VariableV1(nothing, name=_COVARIANCES, validate_shape=False)
        start = tf.tile([1.0 / count], [count])
        self._weights: Any = VariableV1(start, name=_WEIGHTS, validate_shape=False)
        self.is_initialized: Any = VariableV1(False, dtype=tf.bool, name="initialized")
        self.init_op = self._initialization(data, first, seed)
        shares = [self._log_shares(points) for points in data]
        totals = [tf.reduce_logsumexp(share, axis=1, keepdims=True) for share in shares]
        members = [tf.exp(share - total) for share, total in zip(shares, totals, strict=True)]
        self.assignments = [tf.argmax(member, 1) for member in members]
        self.loss = tf.reduce_logsumexp(tf.stack([tf.reduce_logsumexp(t) for t in totals]))
        scores = [total + tf.math.log(m) for total, m in zip(totals, members, strict=True)]
        self.scores = tf.concat([tf.reduce_logsumexp(s, 1, keepdims=True) for s in scores], 0)
        self.train_op = self._maximization(data, members)

    def _initialization(self, data: list[Any], first: Any, seed: int) -> Any:
        if first is None:
            points = tf.concat(data, 0)
            rows = tf.cast(tf.shape(points)[0], tf.int64)
            chosen = tf.random.uniform([self._count], 0, rows, tf.int64, seed=seed)
            first = tf.gather(points, chosen)
        points = data[0]
        centered = points - tf.reduce_mean(points, 0, keepdims=True)
        degrees = tf.cast(tf.shape(points)[0], tf.float32) - 1
        if self._is_full:
            cov = tf.matmul(centered, centered, transpose_a=True) / degrees + self._floor
            covs = tf.tile(cov[None], [self._count, 1, 1])
        else:
            cov = tf.reduce_sum(tf.square(centered), 0) / degrees + _LEAST_VARIANCE
            covs = tf.tile(cov[None], [self._count, 1])
        means = tf.expand_dims(first, 1)

        def fill() -> Any:
            assigned = [
                self._means.assign(means),
                self._covs.assign(covs),
            ]
            with tf.control_dependencies(assigned):
                return tf.group(self.is_initialized.assign(True))

        return cond(tf.identity(self.is_initialized), tf.no_op, fill)

    def _log_shares(self, points: Any) -> Any:
        """Return the logarithm of each class's share in the likelihood of each point."""
        size = tf.cast(self._size, tf.float32)
        constant = size * float(np.log(2 * np.pi))
        if self._is_full:
            factor = tf.linalg.cholesky(self._covs + self._floor)
            log_det = 2.0 * tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)), 1)
            away = tf.transpose(points[None] - self._means, [0, 2, 1])
            solved = tf.linalg.triangular_solve(factor, away, lower=True)
            distances = tf.transpose(tf.reduce_sum(tf.square(solved), 1))
        else:
            variances = self._covs + _LEAST_VARIANCE
            log_det = tf.reduce_sum(tf.math.log(variances), 1)
            squares = tf.math.squared_difference(points[None], self._means)
            distances = tf.transpose(tf.reduce_sum(squares / variances[:, None], 2))
        return -0.5 * (constant + log_det + distances) + tf.math.log(self._weights)

    def _maximization(self, data: list[Any], members: list[Any]) -> Any:
        counts = tf.add_n([tf.reduce_sum(member, 0) for member in members])
        pairs = list(zip(data, members, strict=True))
        sums = tf.add_n([tf.matmul(m, points, transpose_a=True)[:, None] for points, m in pairs])
        squares = tf.add_n([tf.einsum("nk,nd,ne->kde", m, points, points) for points, m in pairs])
        weight = counts[:, None, None] + _EPSILON
        steps: list[Any] = []
        # All that the step reads was computed before it changes anything.
        with tf.control_dependencies([counts, sums, squares]):
            if "w" in self._params:
                shares = counts / len(data)
                steps.append(self._weights.assign(shares / (tf.reduce_sum(shares) + _EPSILON)))
            means = tf.identity(self._means)
            if "m" in self._params:
                means = self._means.assign(sums / weight)
                steps.append(means)
            if "c" in self._params:
                outer = tf.matmul(means, means, transpose_a=True)
                covs = squares / weight - outer + self._floor
                covs = covs if self._is_full else tf.linalg.diag_part(covs)
                steps.append(self._covs.assign(covs))
        return tf.group(*steps)


def gmm(
    inp: Any,
    initial_clusters: Any,
    num_clusters: int,
    random_seed: int,
    covariance_type: str = "full",
    params: str = "wmc",
) -> tuple[Any, ...]:
    """Return (loss, scores, assignments, training_op, init_op, is_initialized) of a mixture.

    `inp`: points, one a row, or a list of such tensors.
    `initial_clusters`: the first means, or 'random': points drawn with `random_seed`.
    `covariance_type`: 'full' or 'diag'.
    `params`: what a step changes: 'w' weights, 'm' means, 'c' covariances.
    """
    if covariance_type not in ("full", "diag"):
        raise ValueError(f"programmer error: Invalid covariance type: {covariance_type}")
    is_random = isinstance(initial_clusters, str) and initial_clusters == "random"
    first = None if is_random else tf.convert_to_tensor(initial_clusters, tf.float32)
    data = [tf.convert_to_tensor(part) for part in (inp if isinstance(inp, list) else [inp])]
    mixture = _Mixture(data, num_clusters, first, params, covariance_type == "full", random_seed)
    return (
        mixture.loss,
        mixture.scores,
        [mixture.assignments],
        mixture.train_op,
        mixture.init_op,
        mixture.is_initialized,
    )


class _InitializationHook(SessionRunHook):
    """Fills the means before the first step; other workers wait for the chief."""

    def __init__(self, initialize: Any, initialized: Any, is_chief: bool) -> None:
        self._initialize, self._initialized, self._is_chief = initialize, initialized, is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Run the initialization, unless the means are there."""
        while not session.run(self._initialized):
            if self._is_chief:
                session.run(self._initialize)
            else:
                time.sleep(1)


class GMM(Estimator):
    """An estimator that finds a mixture of `num_clusters` normal distributions.

    The other parameters are those of `gmm`. The loss is the log likelihood of all points.
    """

    SCORES = "scores"
    LOG_LIKELIHOOD = "loss"
    ASSIGNMENTS = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: Any = "random",
        covariance_type: str = "full",
        config: Any = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            loss, scores, assignments, step, init, is_filled = gmm(
                _points(features),
                initial_clusters,
                num_clusters,
                random_seed,
                covariance_type,
                params,
            )
            counted = tf.compat.v1.assign_add(get_global_step(), 1)
            with tf.control_dependencies([step, counted]):
                train_op = tf.identity(loss)
            return ModelFnOps(
                mode,
                predictions={self.ASSIGNMENTS: assignments[0][0]},
                loss=loss,
                train_op=train_op,
                eval_metric_ops={self.SCORES: _last(scores)},
                training_hooks=[_InitializationHook(init, is_filled, config.is_chief)],
            )

        super().__init__(model_fn, model_dir, config)

    def predict_assignments(
        self, input_fn: Any = None, batch_size: int | None = None, outputs: Any = None
    ) -> Iterator[Any]:
        """Yield the class of each point."""
        found = self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs)
        for prediction in found:
            yield prediction[self.ASSIGNMENTS]

    def score(
        self, input_fn: Any = None, batch_size: int | None = None, steps: int | None = None
    ) -> Any:
        """Return the log likelihood of all points."""
        found = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(found[self.SCORES])))

    def weights(self) -> Any:
        """Return the weights of the classes."""
        return load_variable(self.model_dir, _WEIGHTS)

    def clusters(self) -> Any:
        """Return the means, one a row."""
        return np.squeeze(load_variable(self.model_dir, _MEANS), 1)

    def covariances(self) -> Any:
        """Return the covariances: matrices, or their diagonals."""
        return load_variable(self.model_dir, _COVARIANCES)


def _points(features: Any) -> Any:
    if isinstance(features, dict):
        return tf.concat([features[name] for name in sorted(features)], 1)
    return features


def _nothing() -> Any:
    """Return no numbers, of a shape that is not known: what a variable may hold before others."""
    return tf.compat.v1.placeholder_with_default([], shape=tf.TensorShape(None))


def _last(values: Any) -> tuple[Any, Any]:
    """Return a metric that is what a tensor was in the last batch."""
    kept: Any = VariableV1(
        _nothing(),
        trainable=False,
        validate_shape=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        name="scores",
    )
    return kept.read_value(), kept.assign(values)
