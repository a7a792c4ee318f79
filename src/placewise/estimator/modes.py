"""What a model function is asked for, and what it gives: `ModeKeys`, `EstimatorSpec`."""

from __future__ import annotations

from typing import Any, NamedTuple

import placewise as tf
from placewise.graph.defaults import get_default_graph
from placewise.graph.operation import Operation


class ModeKeys:
    """What a model is called for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _Fields(NamedTuple):
    """The fields of an EstimatorSpec."""

    mode: Any
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class EstimatorSpec(_Fields):
    """What a model function returns: predictions, loss, training step, metrics.

    `mode`: the mode it was called with: `tf.estimator.ModeKeys.TRAIN`, `EVAL` or `PREDICT`.
    `predictions`: a tensor or a dict of tensors; needed to predict.
    `loss`: a scalar; needed to train and to evaluate.
    `train_op`: the operation of one step; needed to train.
    `eval_metric_ops`: a dict of metrics, each a pair (value, update).
    `export_outputs`: signatures for a SavedModel.
    `training_chief_hooks`, `training_hooks`, `evaluation_hooks`, `prediction_hooks`: hooks of the
        sessions.
    `scaffold`: a `Scaffold`: initializers and saver of the training session.

    Raises ValueError if something that the mode needs is missing, TypeError if it is something
    else.

    >>> with tf.Graph().as_default():
    ...     spec = tf.compat.v1.estimator.EstimatorSpec("infer", predictions=tf.constant(1.0))
    >>> spec.mode
    'infer'
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> EstimatorSpec:
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            if loss is None:
                raise ValueError("Missing loss.")
            loss = _scalar(loss)
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        predictions = {} if predictions is None else predictions
        metrics = _metrics(eval_metric_ops)
        if (
            train_op is not None
            and not isinstance(train_op, Operation)
            and not tf.is_tensor(train_op)
        ):
            raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
        if export_outputs is not None and not isinstance(export_outputs, dict):
            raise TypeError(f"export_outputs must be dict, given: {export_outputs}")
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            metrics,
            export_outputs,
            _hooks(training_chief_hooks),
            _hooks(training_hooks),
            scaffold,
            _hooks(evaluation_hooks),
            _hooks(prediction_hooks),
        )


def _hooks(given: Any) -> tuple[Any, ...]:
    return tuple(given or ())


def _scalar(loss: Any) -> Any:
    loss = tf.convert_to_tensor(loss)
    sizes = loss.shape.as_list() if loss.shape.rank is not None else []
    if sizes == [1]:
        return tf.reshape(loss, [])
    if sizes:
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss


def _metrics(given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {given}")
    for key, pair in given.items():
        if hasattr(pair, "update_state"):
            raise TypeError(
                f"eval_metric_ops: {key} is a Keras metric; give what tf.metrics returns"
            )
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{pair} for key: {key}"
            )
    graph = get_default_graph()
    for pair in given.values():
        for each in pair:
            if getattr(each, "graph", graph) is not graph:
                raise ValueError("eval_metric_ops must be of the default graph")
    return given
