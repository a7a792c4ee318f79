"""Variables of unsigned integers wider than a byte are added to and subtracted from."""

import pytest

import placewise as tf


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_sums_and_differences_wrap_around(dtype: str) -> None:
    greatest = tf.constant(tf.as_dtype(dtype).max, dtype)
    variable = tf.Variable(greatest)
    variable.assign_add(tf.constant(3, dtype))
    assert int(variable) == 2
    before = variable.read_value()
    variable.assign_sub(tf.constant(3, dtype))
    assert int(variable) == int(greatest)
    assert int(before) == 2


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_functions_and_sessions_update_them_too(dtype: str) -> None:
    variable = tf.Variable(tf.constant([1, 2], dtype))
    one = tf.constant([1, 1], dtype)

    @tf.function
    def step() -> tf.Tensor:
        variable.assign_add(one)
        return variable.assign_sub([1, 0])

    assert step().numpy().tolist() == [1, 3]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        inside = tf.compat.v1.get_variable("v", initializer=tf.constant([1, 2], dtype))
        update = tf.compat.v1.assign_add(inside, tf.constant([5, 6], dtype))
        session.run(inside.initializer)
        assert session.run(update).tolist() == [6, 8]


def test_shapes_must_be_equal() -> None:
    variable = tf.Variable(tf.constant([1, 2], tf.uint16))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="shape"):
        variable.assign_add(tf.constant([1, 2, 3], tf.uint16))
