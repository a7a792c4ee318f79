"""Where a call of a function runs: the scope's device, which must exist."""

import pytest
import torch

import placewise as tf


@pytest.fixture
def double():
    tf.simulate("2xV100")
    return tf.function(lambda x: x * 2.0)


@pytest.mark.parametrize("name", ["/gpu:7", "/job:foo/CPU:0", "/task:1/CPU:0"])
def test_a_call_under_a_device_that_does_not_exist_raises(double, name):
    tf.config.set_soft_device_placement(False)
    x = tf.constant([1.0])
    with tf.device(name), pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy"):
        double(x)


def test_a_call_gives_way_only_if_soft_placement_is_on_at_that_moment(double):
    x = tf.constant([1.0])
    tf.config.set_soft_device_placement(True)
    with tf.device("/gpu:7"):
        assert double(x).device.endswith("GPU:0")
    tf.config.set_soft_device_placement(False)
    with tf.device("/gpu:7"), pytest.raises(tf.errors.InvalidArgumentError):
        double(x)


def test_a_malformed_device_is_named(double):
    x = tf.constant([1.0])
    with tf.device("/cpu:-1"), pytest.raises(tf.errors.InvalidArgumentError, match="Malformed"):
        double(x)


def test_a_warning_of_placement_points_at_the_programs_line(double):
    tf.config.set_soft_device_placement(True)
    x = tf.constant([1.0])
    with tf.device("/gpu:5"), pytest.warns(match="GPU:5 does not exist here") as warned:
        tf.add(x, 1.0)
    assert {item.filename for item in warned} == {__file__}


def test_determinism_fixes_the_number_of_threads():
    before = torch.get_num_threads()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    tf.constant(1.0) + 1.0
    assert torch.get_num_threads() == 4
    torch.set_num_threads(before)
