"""`tf.hessians`: second derivatives in graphs."""

import numpy as np
import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_the_hessian_of_a_vector_is_a_matrix() -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    (found,) = tf.hessians(tf.reduce_sum(x**3) * x[0], x)
    assert found.shape.as_list() == [3, 3]
    with tf.Session() as session:
        session.run(x.initializer)
        expected = [[12.0, 12.0, 27.0], [12.0, 12.0, 0.0], [27.0, 0.0, 18.0]]
        np.testing.assert_allclose(session.run(found), expected)


def test_the_hessian_of_a_matrix_has_its_shape_twice() -> None:
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    (found,) = tf.hessians(tf.reduce_sum(tf.matmul(m, m)), m)
    assert found.shape.as_list() == [2, 2, 2, 2]
    with tf.Session() as session:
        session.run(m.initializer)
        assert session.run(found).sum() == 16


def test_the_length_may_be_known_only_when_it_runs() -> None:
    p = tf.placeholder(tf.float32, [None])
    (found,) = tf.hessians(tf.reduce_sum(p**3), p)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(found, {p: [1.0, 2.0]}), [[6, 0], [0, 12]])
