"""Estimators with a strategy train on all replicas; numbers are TensorFlow 1.15's."""

import numpy as np
import pytest

import placewise
import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def model(features, labels, mode):
    normal = tf.layers.batch_normalization(features, training=mode == "train")
    found = tf.layers.dense(normal, 1, kernel_initializer=tf.ones_initializer(), name="d")
    loss = tf.losses.mean_squared_error(labels, found)
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, found)}
    tf.summary.scalar("own", loss)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


def batches():
    x = np.arange(24, dtype=np.float32).reshape(12, 2) / 10
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1] * 2 + 1)).batch(3).repeat()


def estimator(folder, strategy):
    config = tf.estimator.RunConfig(str(folder), train_distribute=strategy)
    return tf.estimator.Estimator(model, config=config)


def test_an_estimator_trains_on_two_gpus_to_tensorflows_numbers(tmp_path):
    placewise.simulate("2xV100")
    own = estimator(tmp_path, tf.distribute.MirroredStrategy())
    own.train(batches, steps=6)
    assert not [name for name in own.get_variable_names() if "replica" in name]
    for name, value in {
        "batch_normalization/gamma/Adam_1": [0.01908076, 0.01908079],
        "batch_normalization/moving_mean": [0.06454828, 0.07040026],  # of both replicas
        "d/kernel": [0.6442137, 0.6442133],
        "d/bias/Adam": [-2.4580727],
        "global_step": 6,
    }.items():
        np.testing.assert_allclose(own.get_variable_value(name).ravel(), value, rtol=1e-5)
    found = own.evaluate(batches, steps=4)
    np.testing.assert_allclose([found["loss"], found["mae"]], [2.494229, 1.3017979], rtol=1e-5)
    own.train(batches, steps=2)
    assert own.get_variable_value("global_step") == 8
    (events, *_) = sorted(tmp_path.glob("events*"))
    values = [
        (each.tag, each.simple_value)
        for event in tf.train.summary_iterator(str(events))
        for each in event.summary.value
        if each.tag != "global_step/sec"
    ]
    assert [tag for tag, _ in values] == ["own", "loss"] * 2
    np.testing.assert_allclose([values[0][1], values[1][1]], [4.6395202, 7.0395193], rtol=1e-5)


def test_an_estimator_trains_on_the_one_device_it_is_given(tmp_path):
    placewise.simulate("2xV100")
    devices = []

    def model_on_device(features, labels, mode):
        made = model(features, labels, mode)
        devices.extend(each.device for each in tf.trainable_variables())
        return made

    strategy = tf.distribute.OneDeviceStrategy("/gpu:1")
    config = tf.estimator.RunConfig(str(tmp_path), train_distribute=strategy)
    tf.estimator.Estimator(model_on_device, config=config).train(batches, steps=1)
    assert {name.rpartition("/")[2] for name in devices} == {"device:GPU:1"}


def test_a_strategy_of_tensorflow_2_trains_as_that_of_tensorflow_1(tmp_path):
    placewise.simulate("2xV100")
    kernels = []
    for module in (tf, placewise):
        folder = tmp_path / module.__name__
        estimator(folder, module.distribute.MirroredStrategy()).train(batches, steps=2)
        kernels.append(tf.train.load_variable(str(folder), "d/kernel"))
    np.testing.assert_array_equal(*kernels)
