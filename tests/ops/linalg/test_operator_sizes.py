"""Identities and zeros of sizes that are known when a graph runs."""

import numpy as np
import pytest

import placewise as tf

v1 = tf.compat.v1
linalg = tf.linalg


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def fed(value):
    return v1.placeholder_with_default(value, shape=None)


def test_operators_of_as_many_rows_as_an_argument_has():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def use(x):
        rows = tf.shape(x)[0]
        one, three = (
            linalg.LinearOperatorIdentity(rows),
            linalg.LinearOperatorScaledIdentity(rows, 3.0),
        )
        zeros = linalg.LinearOperatorZeros(rows)
        return (
            one.matmul(x),
            three.solve(x),
            zeros.matmul(x),
            three.determinant(),
            one.shape_tensor(),
        )

    x = np.float32([[1.0, 2.0], [3.0, 6.0]])
    product, solved, nothing, determinant, shape = [each.numpy() for each in use(x)]
    np.testing.assert_array_equal(product, x)
    np.testing.assert_allclose(solved, x / 3.0)
    np.testing.assert_array_equal(nothing, np.zeros([2, 2]))
    assert determinant == 9.0 and shape.tolist() == [2, 2]


def test_batches_of_a_fed_shape(session):
    one = linalg.LinearOperatorIdentity(2, batch_shape=fed([3]))
    zeros = linalg.LinearOperatorZeros(
        fed(2), fed(4), batch_shape=fed([3]), is_square=False, is_self_adjoint=False
    )
    shapes = [one.to_dense(), one.matmul(tf.ones([2, 5])), zeros.to_dense(), zeros.diag_part()]
    found = [value.shape for value in session.run(shapes)]
    assert found == [(3, 2, 2), (3, 2, 5), (3, 2, 4), (3, 2)]
    assert session.run(zeros.shape_tensor()).tolist() == [3, 2, 4]


@pytest.mark.parametrize("kind", [linalg.LinearOperatorIdentity, linalg.LinearOperatorZeros])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_rows": -2}, "`num_rows` must be non-negative"),
        ({"num_rows": [2]}, "`num_rows` must be a 0-D Tensor"),
        ({"num_rows": 2, "batch_shape": [-1]}, "`batch_shape` must be non-negative"),
        ({"num_rows": 2, "batch_shape": 3}, "`batch_shape` must be a 1-D Tensor"),
    ],
)
def test_fed_sizes_are_checked_where_that_is_asked_for(session, kind, options, message):
    made = kind(**{name: fed(value) for name, value in options.items()}, assert_proper_shapes=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(made.to_dense())


def test_fed_matrices_have_as_many_rows_as_the_operator_has_columns(session):
    made = linalg.LinearOperatorZeros(2, assert_proper_shapes=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimensions are not compatible"):
        session.run(made.matmul(fed(np.ones((3, 3), np.float32))))


def test_a_variable_is_no_size():
    with pytest.raises(TypeError, match="num_rows cannot be reference type"):
        linalg.LinearOperatorIdentity(tf.Variable(2))
    with pytest.raises(TypeError, match="batch_shape cannot be reference type"):
        linalg.LinearOperatorZeros(2, batch_shape=tf.Variable([2]))


def test_a_loop_over_an_operator_without_tensors(session):
    zeros = linalg.LinearOperatorZeros(2)
    (made,) = tf.while_loop(
        lambda _: True,
        lambda each: (type(each)(**each.parameters),),
        (zeros,),
        maximum_iterations=3,
    )
    assert session.run(made.to_dense()).tolist() == [[0.0, 0.0], [0.0, 0.0]]
