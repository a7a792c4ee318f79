"""Small questions a program asks: eager or not, name scope, time, numerics, initializers."""

import numpy as np
import pytest

import placewise as tf
from placewise.ops.debugging import numerics


def test_a_program_runs_eagerly():
    assert tf.executing_eagerly() and not tf.inside_function()
    assert not tf.is_symbolic_tensor(tf.constant(1))
    with tf.init_scope(), tf.control_dependencies([tf.constant(1)]):
        assert tf.executing_eagerly()


def test_init_scope_hides_from_the_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.init_scope():
        y = x * x
    assert tape.gradient(y, x) is None


def test_the_name_scope_can_be_asked_for():
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.get_current_name_scope() == "a/b"
    assert tf.get_current_name_scope() == ""


def test_time_version_and_logger():
    assert tf.timestamp().dtype is tf.float64
    assert tf.version.VERSION.startswith("2.")
    assert tf.get_logger().name == "tensorflow"
    assert tf.sysconfig.get_build_info()["is_tensorrt_build"] is False


@pytest.fixture
def checking():
    numerics.enable_check_numerics()
    yield
    numerics.disable_check_numerics()


def test_check_numerics_stops_at_the_op_that_made_nan(checking):
    with pytest.raises(tf.errors.InvalidArgumentError, match='op "Log"') as raised:
        tf.math.log(tf.constant([-1.0, 0.0]))
    assert "-Inf and NaN" in str(raised.value)


def test_check_numerics_ends_when_disabled():
    numerics.enable_check_numerics()
    numerics.disable_check_numerics()
    assert np.isinf(tf.constant(1.0) / 0.0)


def test_traceback_filtering_is_remembered():
    numerics.disable_traceback_filtering()
    assert not numerics.is_traceback_filtering_enabled()
    numerics.enable_traceback_filtering()
    assert numerics.is_traceback_filtering_enabled()


def test_seeded_initializers_give_tensorflows_numbers():
    found = tf.random_normal_initializer(seed=5)([2])
    np.testing.assert_allclose(found, [-0.10276892, 0.05790939], rtol=1e-6)
    found = tf.random_uniform_initializer(1, 20, 3)([4], tf.int32)
    assert found.numpy().tolist() == [3, 6, 13, 18]


def test_initializers_check_their_dtype():
    with pytest.raises(ValueError, match="expected to be numeric or boolean"):
        tf.zeros_initializer()([2], tf.string)
    with pytest.raises(ValueError, match="expected to be floating point"):
        tf.random_normal_initializer()([2], tf.int32)
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        tf.constant_initializer(None)


def test_initializers_can_be_made_again():
    first = tf.constant_initializer([1, 2])
    again = tf.constant_initializer.from_config(first.get_config())
    np.testing.assert_array_equal(again([2]), [1, 2])
