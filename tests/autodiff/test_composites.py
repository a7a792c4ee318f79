"""Gradients by values of several tensors; the numbers are TensorFlow's."""

import pytest

import placewise as tf


def numbers(value):
    return [part.tolist() for part in value]


def test_the_gradient_by_an_operator_is_an_operator():
    base = tf.linalg.LinearOperatorDiag(tf.constant([2.0, 3.0]))
    operator = tf.linalg.LinearOperatorLowRankUpdate(base, tf.constant([[1.0], [2.0]]))
    with tf.GradientTape() as tape:
        tape.watch(operator)
        y = operator.matmul([[1.0], [2.0]])
    gradient = tape.gradient(y, operator)
    assert isinstance(gradient, tf.linalg.LinearOperatorLowRankUpdate)
    parts = tf.nest.flatten(gradient, expand_composites=True)
    assert numbers(part.numpy() for part in parts) == [[1.0, 2.0], [[8.0], [11.0]]]


@pytest.mark.parametrize("inverts", [False, True])
def test_graphs_are_differentiated_by_operators(inverts):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        operator = tf.linalg.LinearOperatorLowerTriangular(tf.constant([[2.0, 0.0], [1.0, 4.0]]))
        if inverts:
            operator = tf.linalg.LinearOperatorInversion(operator)
        (gradient,) = tf.gradients(operator.matmul([[1.0], [2.0]]), operator)
        assert type(gradient) is type(operator)
        (part,) = tf.nest.flatten(gradient, expand_composites=True)
        wanted = [[-0.1875, 0.0], [-0.125, -0.09375]] if inverts else [[1.0, 0.0], [1.0, 2.0]]
        assert session.run(part).tolist() == wanted
        assert tf.gradients(tf.constant(1.0), operator) == [None]


def test_operators_as_targets_lead_to_their_variables():
    v, w = tf.Variable([[1.0, 0.0], [2.0, 1.0]]), tf.Variable([1.0, 2.0])
    operator = tf.linalg.LinearOperatorKronecker(
        [tf.linalg.LinearOperatorDiag(w), tf.linalg.LinearOperatorLowerTriangular(v)]
    )
    with tf.GradientTape(persistent=True) as tape:
        inverse = operator.inverse()
    ones = [[1, 1], [1, 1]]
    by_operator = tape.gradient(operator, operator.variables)
    assert [gradient.numpy().tolist() for gradient in by_operator] == [[1, 1], ones]
    by_inverse = tape.gradient(inverse, [w, v])
    assert [gradient.numpy().tolist() for gradient in by_inverse] == [[-1, -0.25], ones]
