"""Neighbouring updates of variables are one call, and give what one after the other gives."""

import numpy as np
import pytest

import placewise as tf
from placewise.ops.state.optimizer_ops import apply_adam


def descending(variables, reads=()):
    """Return a step of gradient descent that returns the values of some variables before it."""

    @tf.function
    def step():
        held = [tf.identity(variable) for variable in reads]
        slopes = [tf.sin(variable + float(place)) for place, variable in enumerate(variables)]
        for variable, slope in zip(variables, slopes, strict=True):
            variable.assign_sub(0.1 * slope)
        return held

    return step


def expected(variables):
    return [
        v.numpy() - np.float32(0.1) * tf.sin(v + float(i)).numpy() for i, v in enumerate(variables)
    ]


def test_updates_of_many_variables_are_one_call():
    variables = [tf.Variable(tf.range(1.0, 4.0)) for _ in range(6)]
    step, values = descending(variables), expected(variables)
    assert step.get_concrete_function().source().count("AssignSubVariableOpScaled") == 1
    step()
    for variable, value in zip(variables, values, strict=True):
        np.testing.assert_allclose(variable, value, rtol=1e-6)


def test_a_value_that_was_read_before_stays_as_it_was():
    variables = [tf.Variable([float(i)]) for i in range(6)]
    kept = variables[2].read_value()
    step, values = descending(variables, variables[3:4]), expected(variables)
    (held,) = step()
    assert (float(kept[0]), float(held[0])) == (2.0, 3.0)
    for variable, value in zip(variables, values, strict=True):
        np.testing.assert_allclose(variable, value, rtol=1e-6)


def test_a_variable_that_is_updated_twice_is_updated_in_order():
    v, *others = [tf.Variable([float(i)]) for i in range(1, 6)]

    @tf.function
    def step(x):
        for variable in (v, *others, v):
            variable.assign_add(2.0 * x)

    step(tf.constant([1.0]))
    assert [float(each[0]) for each in (v, *others)] == [5.0, 4.0, 5.0, 6.0, 7.0]


def test_an_update_that_fails_names_its_operation():
    variables = [tf.Variable([float(i)], shape=tf.TensorShape(None)) for i in range(6)]

    @tf.function
    def step(x):
        for place, variable in enumerate(variables):
            variable.assign_add(tf.multiply(2.0, x), name=f"update{place}")

    step(tf.constant([1.0]))
    variables[4].assign([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal") as raised:
        step(tf.constant([1.0]))
    assert "update4" in str(raised.value)
    assert [float(each[0]) for each in variables] == [4.0, 5.0, 6.0, 7.0, 1.0, 7.0]


def adam(variables, slopes):
    """Return a step of Adam, as TensorFlow 1's optimizer writes it, over some variables."""
    slots = [[tf.Variable(tf.zeros_like(v)) for v in variables] for _ in range(2)]

    def step():
        rates = [tf.constant(rate) for rate in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-7)]
        for v, *means, slope in zip(variables, *slots, slopes, strict=True):
            apply_adam(v.handle, *(mean.handle for mean in means), *rates, slope)

    return step


@pytest.mark.parametrize("is_held", [False, True])
def test_adam_of_many_variables_gives_the_bits_of_adam_one_by_one(is_held):
    slopes = [tf.constant(np.random.RandomState(i).randn(5).astype("f")) for i in range(6)]
    alone, many = ([tf.Variable(tf.range(5.0)) for _ in slopes] for _ in range(2))
    one_by_one, at_once = adam(alone, slopes), tf.function(adam(many, slopes))
    assert at_once.get_concrete_function().source().count("ResourceApplyAdam") == 1
    held = many[1].read_value() if is_held else None
    for _ in range(3):
        one_by_one()
        at_once()
    for expected, variable in zip(alone, many, strict=True):
        np.testing.assert_array_equal(expected, variable)
    if held is not None:
        np.testing.assert_array_equal(held, np.arange(5.0))
