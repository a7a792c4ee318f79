"""The global step: found, made once, checked."""

import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_a_graph_has_one_global_step() -> None:
    assert tf.train.get_global_step() is None
    made = tf.train.create_global_step()
    assert (made.name, made.dtype.base_dtype, made.trainable) == ("global_step:0", tf.int64, False)
    assert tf.train.get_or_create_global_step() is made
    with pytest.raises(ValueError, match='"global_step" already exists'):
        tf.train.create_global_step()


def test_a_variable_of_that_name_counts_too() -> None:
    tf.Variable(0, name="global_step")
    assert tf.train.get_global_step().name == "global_step:0"


def test_it_must_be_an_integer_without_dimensions() -> None:
    with pytest.raises(TypeError, match="does not have integer type"):
        tf.train.assert_global_step(tf.Variable(0.0))
    with pytest.raises(TypeError, match=r'"global_step" is not scalar: \(1,\)'):
        tf.train.assert_global_step(tf.Variable([0]))
    with pytest.raises(TypeError, match="must be a Variable or Tensor: 3"):
        tf.train.assert_global_step(3)


def test_its_value_is_an_int() -> None:
    step = tf.train.create_global_step()
    with tf.Session() as session:
        session.run(step.initializer)
        session.run(step.assign_add(2))
        assert tf.train.global_step(session, step) == 2
