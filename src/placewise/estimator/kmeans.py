"""`tf.estimator.experimental.KMeans` and `tf.contrib.factorization.KMeansClustering`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import placewise as tf
from placewise.core.log import get_logger
from placewise.estimator import clustering
from placewise.estimator.estimator import Estimator
from placewise.estimator.modes import EstimatorSpec
from placewise.estimator.receivers import PredictOutput
from placewise.feature_column.input_layer import input_layer
from placewise.layers.mean_metrics import mean
from placewise.summary.tf1 import scalar as scalar_summary
from placewise.training.global_step import get_global_step
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook

if TYPE_CHECKING:
    from placewise.estimator.run_config import RunConfig

_NAMED_INITIALIZATIONS = (
    clustering.RANDOM_INIT,
    clustering.KMEANS_PLUS_PLUS_INIT,
    clustering.KMC2_INIT,
)


class _InitializationHook(SessionRunHook):
    """Fills the centers before the first step; other workers wait for the chief."""

    def __init__(self, initialize: Any, initialized: Any, is_chief: bool) -> None:
        self._initialize, self._initialized, self._is_chief = initialize, initialized, is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Run the initialization until there are enough centers."""
        while not session.run(self._initialized):
            try:
                if self._is_chief:
                    session.run(self._initialize)
                else:
                    time.sleep(1)
            except RuntimeError as error:
                get_logger().info("%s", error)


class _ToleranceHook(SessionRunHook):
    """Stops once the loss changes by less than a share of it."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss, self._tolerance = loss, tolerance
        self._before: float | None = None

    def before_run(self, run_context: Any) -> Any:
        """Ask for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Compare it with that of the step before."""
        loss, before = run_values.results, self._before
        if before and abs(loss - before) / (1 + abs(before)) < self._tolerance:
            run_context.request_stop()
        self._before = loss


class KMeans(Estimator):
    """Finds `num_clusters` centers of points, the rows of the features.

    A dict of features is joined by the names of its columns, or goes through `feature_columns`.
    Each step is one of Lloyd's algorithm, over what the input function gives in that step:
    `use_mini_batch=False` takes that for all points there are. `initial_clusters` are the first
    centers, 'random', 'kmeans_plus_plus', or a function of (points, how many are missing).
    `relative_tolerance`: training stops when the loss changes by less than this share.
    """

    # Metrics and predictions.
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    # What parameters may be.
    SQUARED_EUCLIDEAN_DISTANCE = clustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering.COSINE_DISTANCE
    RANDOM_INIT = clustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering.KMEANS_PLUS_PLUS_INIT
    CLUSTER_CENTERS_VAR_NAME = clustering.CLUSTERS_VAR_NAME

    _gives_squares = False  # what `transform` gives of squared distances

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = clustering.RANDOM_INIT,
        distance_metric: str = clustering.SQUARED_EUCLIDEAN_DISTANCE,
        seed: int | None = None,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
        feature_columns: Any = None,
    ) -> None:
        if isinstance(initial_clusters, str) and initial_clusters not in _NAMED_INITIALIZATIONS:
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")
        self._is_cosine = distance_metric == self.COSINE_DISTANCE

        def model(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            graph = clustering.KMeans(
                _points(features, feature_columns),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                seed or 0,
                kmeans_plus_plus_num_retries,
            )
            return self._spec(graph.training_graph(), mode, config.is_chief, relative_tolerance)

        super().__init__(model_fn=model, model_dir=model_dir, config=config)

    def _spec(
        self, parts: tuple[Any, ...], mode: str, is_chief: bool, tolerance: float | None
    ) -> EstimatorSpec:
        (distances,), (index,), (nearest,), initialized, initialize, step = parts
        loss = tf.reduce_sum(nearest)
        scalar_summary("loss/raw", loss)
        count_step = tf.compat.v1.assign_add(get_global_step(), 1)
        with tf.control_dependencies([step, count_step]):
            train_op: Any = tf.identity(loss)
        hooks: list[Any] = [_InitializationHook(initialize, initialized, is_chief)]
        if tolerance is not None:
            hooks.append(_ToleranceHook(loss, tolerance))
        outputs = {
            self.ALL_DISTANCES: PredictOutput(distances),
            self.CLUSTER_INDEX: PredictOutput(index),
            "serving_default": PredictOutput(index),
        }
        return EstimatorSpec(
            mode=mode,
            predictions={self.ALL_DISTANCES: distances, self.CLUSTER_INDEX: index},
            loss=loss,
            train_op=train_op,
            eval_metric_ops={self.SCORE: mean(loss)},
            training_hooks=hooks,
            export_outputs=outputs,
        )

    def cluster_centers(self) -> Any:
        """Return the centers, one a row."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)

    def predict_cluster_index(self, input_fn: Any) -> Iterator[Any]:
        """Yield the number of the nearest center for each point."""
        for prediction in self.predict(input_fn, predict_keys=[self.CLUSTER_INDEX]):
            yield prediction[self.CLUSTER_INDEX]

    def score(self, input_fn: Any) -> Any:
        """Return the sum of the points' distances (squared, unless cosine) to their centers."""
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Any) -> Iterator[Any]:
        """Yield the distances to all centers for each point."""
        for prediction in self.predict(input_fn, predict_keys=[self.ALL_DISTANCES]):
            distances = prediction[self.ALL_DISTANCES]
            squared = not self._is_cosine and not self._gives_squares
            # Rounding can leave a square of zero a little below it.
            yield np.sqrt(np.maximum(distances, 0)) if squared else distances


class KMeansClustering(KMeans):
    """`KMeans` as tf.contrib has it: `transform` gives squared distances."""

    _gives_squares = True

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = clustering.RANDOM_INIT,
        distance_metric: str = clustering.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
        feature_columns: Any = None,
    ) -> None:
        super().__init__(
            num_clusters,
            model_dir,
            initial_clusters,
            distance_metric,
            random_seed,
            use_mini_batch,
            mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries,
            relative_tolerance,
            config,
            feature_columns,
        )


def _points(features: Any, columns: Any) -> Any:
    if not isinstance(features, dict):
        return features
    if columns:
        return input_layer(features, columns)
    return tf.concat([features[name] for name in sorted(features)], axis=1)


KMeans.__module__ = "tensorflow_estimator.python.estimator.canned.kmeans"
KMeansClustering.__module__ = "tensorflow.contrib.factorization.python.ops.kmeans"
