"""Estimators train, evaluate, predict and export; numbers and files are TensorFlow 1.15's."""

import os

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")
X = np.arange(40).reshape(10, 4).astype(np.float32) / 10
Y = np.arange(10) % 3


def inputs(y, epochs):
    return tf.estimator.inputs.numpy_input_fn(
        {"x": X}, y, batch_size=5 if epochs is None else 4, num_epochs=epochs, shuffle=False
    )


def model_fn(features, labels, mode, params):
    start = tf.constant_initializer
    net = tf.layers.dense(features["x"], 5, tf.nn.relu, kernel_initializer=start(0.1))
    logits = tf.layers.dense(net, 3, kernel_initializer=start(0.2))
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"p": tf.nn.softmax(logits)})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    metrics = {"acc": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}
    step = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step, eval_metric_ops=metrics)


def test_a_model_of_ones_own_trains_as_in_tensorflow(tmp_path):
    config = tf.estimator.RunConfig(str(tmp_path), save_checkpoints_steps=100)
    estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 0.1})
    estimator.train(inputs(Y, None), steps=120)
    kept = {name for name in os.listdir(tmp_path) if name.endswith(".index")}
    assert kept == {"model.ckpt-0.index", "model.ckpt-100.index", "model.ckpt-120.index"}
    found = estimator.evaluate(inputs(Y, 1))
    np.testing.assert_allclose([found["acc"], found["loss"]], [0.4, 1.06167], rtol=1e-4)
    assert found["global_step"] == 120
    rows = list(estimator.predict(inputs(None, 1)))
    assert len(rows) == 10
    np.testing.assert_allclose(rows[0]["p"], [0.37657, 0.35548, 0.26794], rtol=1e-4)
    receive = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1, 4])})
    path = estimator.export_saved_model(str(tmp_path / "export"), receive)
    assert sorted(os.listdir(path.decode())) == ["saved_model.pb", "variables"]


def test_a_linear_classifier_gives_tensorflows_metrics(tmp_path):
    column = tf.feature_column.numeric_column("x", shape=(4,))
    model = tf.estimator.BaselineClassifier(str(tmp_path / "b"), n_classes=3)
    model.train(inputs(Y, None), steps=10)
    found = model.evaluate(inputs(Y, 1))
    np.testing.assert_allclose([found["average_loss"], found["loss"]], [1.0893, 3.6309], rtol=1e-4)
    linear = tf.estimator.LinearRegressor([column], str(tmp_path / "l"))
    linear.train(inputs(X.sum(1), None), steps=2)
    assert linear.get_variable_value("linear/linear_model/x/weights").shape == (4, 1)


def test_training_stops_where_max_steps_is_reached(tmp_path):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path), params={"rate": 0.1})
    estimator.train(inputs(Y, None), max_steps=3)
    estimator.train(inputs(Y, None), max_steps=3)
    assert estimator.get_variable_value("global_step") == 3


def test_a_spec_without_its_loss_is_refused():
    with pytest.raises(ValueError, match="Missing loss"):
        tf.estimator.EstimatorSpec("eval")
    with pytest.raises(ValueError, match="shuffle must be provided"):
        tf.estimator.inputs.numpy_input_fn({"x": X})
