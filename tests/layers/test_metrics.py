"""Metrics keep their state in local variables and join collections."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.core.errors import InvalidArgumentError


@pytest.mark.usefixtures("graph_mode")
def test_a_metric_has_local_variables_that_can_be_reset() -> None:
    x = tf.placeholder(tf.float32, [None])
    value, update = tf.metrics.mean(x, name="m")
    with tf.Session() as session:
        for _ in range(2):
            session.run(tf.variables_initializer(tf.local_variables("m/")))
            assert session.run(update, {x: [1.0, 3.0]}) == 2.0
            assert session.run(update, {x: [5.0]}) == 3.0
            assert session.run(value) == 3.0
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
    assert tf.global_variables() == []


@pytest.mark.usefixtures("graph_mode")
def test_a_metric_joins_the_collections_asked_for() -> None:
    x = tf.placeholder(tf.float32, [None])
    value, update = tf.metrics.precision(
        x, x, metrics_collections=["values"], updates_collections="updates"
    )
    assert tf.get_collection("values") == [value]
    assert tf.get_collection("updates") == [update]


@pytest.mark.usefixtures("graph_mode")
def test_probabilities_outside_their_range_are_refused() -> None:
    x = tf.placeholder(tf.float32, [None])
    _, update = tf.metrics.auc(x, x)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with pytest.raises(InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
            session.run(update, {x: [0.0, 1.5]})


@pytest.mark.usefixtures("graph_mode")
def test_an_empty_metric_is_zero() -> None:
    x = tf.placeholder(tf.float32, [None])
    values = [tf.metrics.mean(x)[0], tf.metrics.recall(x, x)[0], tf.metrics.mean_iou(x, x, 2)[0]]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(values) == [0.0, 0.0, 0.0]


def test_metrics_are_for_graphs() -> None:
    for name in ("accuracy", "auc", "mean_iou", "recall_at_k", "true_positives"):
        arguments = {"mean_iou": 3, "recall_at_k": 1}
        extra = [arguments[name]] if name in arguments else []
        with pytest.raises(RuntimeError, match=f"tf.metrics.{name} is not supported when eager"):
            getattr(tf.metrics, name)(np.ones(2), np.ones(2), *extra)
