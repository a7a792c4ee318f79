"""Derivatives as operations of a graph."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


@pytest.mark.parametrize("value", [3.0, [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]])
@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, tf.reduce_max])
def test_reductions_of_what_has_no_known_rank(value, reduce):
    x = tf.placeholder("float")
    (found,) = tf.gradients(reduce(x * 2.0), [x])
    array = np.asarray(value, np.float32)
    with tf.Session() as session:
        gradient = session.run(found, {x: array})
    assert gradient.shape == array.shape
    if reduce is tf.reduce_sum:
        assert (gradient == 2.0).all()
    elif reduce is tf.reduce_mean:
        np.testing.assert_allclose(gradient, 2.0 / array.size)
    else:
        assert gradient.sum() == 2.0


def test_what_is_stopped_and_what_is_given():
    x = tf.constant(3.0)
    y = x * x
    z = y * x
    with tf.Session() as session:
        assert session.run(tf.gradients(z, x))[0] == 27.0
        assert session.run(tf.gradients(z, x, stop_gradients=[y]))[0] == 9.0
        assert session.run(tf.gradients(z, x, grad_ys=[2.0]))[0] == 54.0
    assert tf.gradients(tf.constant(1.0), x) == [None]


def test_what_is_stopped_has_a_gradient_but_lets_none_through():
    x = tf.constant(2.0)
    y = x * x
    assert tf.gradients(y, x, stop_gradients=[y]) == [None]
    with tf.Session() as session:
        assert session.run(tf.gradients(x * y, [x, y], stop_gradients=[y])) == [4.0, 2.0]
        assert session.run(tf.gradients(x * x * x, x, stop_gradients=[x])) == [12.0]


@pytest.mark.parametrize("use_resource", [True, False])
def test_zeros_for_a_variable_without_part_have_its_dtype_and_shape(use_resource):
    initial = np.ones([2, 3])
    variable = tf.get_variable("v", initializer=initial, use_resource=use_resource)
    (found,) = tf.gradients(tf.constant(1.0), [variable], unconnected_gradients="zero")
    assert found.dtype == tf.float64
    assert found.shape == [2, 3]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(found).tolist() == np.zeros([2, 3]).tolist()


@pytest.mark.parametrize("mode", ["nonsense", "ZERO", None])
def test_unknown_words_for_what_is_not_connected(mode):
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match=f"Unknown value for unconnected_gradients: '{mode}'"):
        tf.gradients(x * x, x, unconnected_gradients=mode)


def test_gradients_of_one_tensor_are_added_in_tensorflows_order():
    # Sums of floats depend on it: breadth first from the targets, first inputs first.
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.sin(x, name="s") * tf.cos(x, name="c") + tf.exp(x, name="e") + x
    (gradient,) = tf.gradients(y, x, colocate_gradients_with_ops=True)
    scopes = [tensor.name.split("/")[1] for tensor in gradient.op.inputs]
    assert gradient.op.type == "AddN"
    assert scopes == ["Fill:0", "e_grad", "s_grad", "c_grad"]
    assert gradient.op.colocation_groups() == [b"loc:@add_1"]


def test_an_operation_behind_a_stopped_one_does_not_hold_gradients_back():
    x = tf.placeholder(tf.float32, [])
    y = x * 2.0
    z = tf.exp(y)
    (gradient,) = tf.gradients(z + y, x, stop_gradients=[z])
    with tf.Session() as session:
        assert session.run(gradient, {x: 1.0}) == 2.0


@pytest.mark.parametrize("axis", [1, -1])
def test_gradient_of_gather_from_a_tensor_of_unknown_rank(axis):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, None)
        slope = tf.gradients(tf.gather(x, [1, 1], axis=axis), x)[0]
        made = session.run(slope, {x: [[1.0, 2.0], [3.0, 4.0]]}).tolist()
    assert made == [[0.0, 2.0], [0.0, 2.0]]


@pytest.mark.parametrize("by_tape", [False, True])
def test_gradient_of_an_operator_by_its_variable_in_a_graph(by_tape):
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable([[1.0, 0.0], [0.0, 1.0]], use_resource=True)
        operator = tf.linalg.LinearOperatorFullMatrix(variable)
        session.run(variable.initializer)
        with tf.GradientTape() as tape:
            tape.watch(variable)
        if by_tape:
            slopes = tape.gradient(operator, operator.variables)
        else:
            slopes = tf.gradients(operator, operator.variables)
        assert session.run(slopes[0]).tolist() == [[1.0, 1.0], [1.0, 1.0]]
