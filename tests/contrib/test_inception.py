"""Inception networks have the variables, layers and numbers of TensorFlow 1.15."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.api.contrib import slim

pytestmark = pytest.mark.usefixtures("graph_mode")
inception = slim.nets.inception


@pytest.mark.parametrize(
    ("name", "size", "variables", "moving", "weights", "layers"),
    [
        ("inception_v1", 224, 230, 114, 5_602_874, 18),
        ("inception_v2", 224, 277, 136, 10_163_586, 17),
        ("inception_v3", 299, 388, 192, 24_353_332, 22),
    ],
)
def test_a_network_has_the_variables_of_tensorflows(name, size, variables, moving, weights, layers):
    pictures = tf.placeholder(tf.float32, [2, size, size, 3])
    with slim.arg_scope(getattr(inception, f"{name}_arg_scope")()):
        logits, end_points = getattr(inception, name)(pictures, 10)
    found = tf.trainable_variables()
    assert len(tf.global_variables()) == variables
    assert len(tf.get_collection("moving_vars")) == moving
    assert sum(each.shape.num_elements() for each in found) == weights
    assert (logits.shape.as_list(), len(end_points)) == ([2, 10], layers)
    assert len({each.name for each in found}) == len(found)


def test_names_that_break_the_rule_are_kept():
    pictures = tf.placeholder(tf.float32, [1, 120, 120, 3])
    inception.inception_v3(pictures, 10, is_training=False, depth_multiplier=0.5)
    shapes = {each.op.name: each.shape.as_list() for each in tf.global_variables()}
    assert shapes["InceptionV3/Mixed_5c/Branch_1/Conv_1_0c_5x5/weights"] == [5, 5, 24, 32]
    assert shapes["InceptionV3/Mixed_6a/Branch_0/Conv2d_1a_1x1/weights"] == [3, 3, 144, 192]
    assert shapes["InceptionV3/Mixed_7b/Branch_1/Conv2d_0b_3x1/weights"] == [3, 1, 192, 192]
    assert shapes["InceptionV3/Mixed_7c/Branch_1/Conv2d_0c_3x1/weights"] == [3, 1, 192, 192]


def test_a_network_gives_tensorflows_logits():
    pictures = np.sin(np.arange(64 * 64 * 3)).reshape(1, 64, 64, 3).astype(np.float32)
    with slim.arg_scope(inception.inception_v2_arg_scope()):
        logits, _ = inception.inception_v2(
            tf.constant(pictures), 5, is_training=False, depth_multiplier=0.25
        )
    with tf.Session() as session:
        for variable in tf.global_variables():
            shape = variable.shape.as_list()
            wave = np.cos(np.arange(np.prod(shape)) * 1.7) * (2 / np.prod(shape[:-1])) ** 0.5
            value = np.ones(shape) if "variance" in variable.op.name else wave
            variable.load(value.reshape(shape).astype(np.float32), session)
        found = session.run(logits)
    expected = [[1.4142295, -0.18229231, -1.3672547, 0.5346188, 1.2294894]]
    np.testing.assert_allclose(found, expected, rtol=2e-6)


def test_layers_and_depths_that_are_not_there_are_refused():
    pictures = tf.placeholder(tf.float32, [1, 224, 224, 3])
    with pytest.raises(ValueError, match="Unknown final endpoint Mixed_9z"):
        inception.inception_v1_base(pictures, "Mixed_9z")
    with pytest.raises(ValueError, match="depth_multiplier is not greater than zero"):
        inception.inception_v2_base(pictures, depth_multiplier=0)
