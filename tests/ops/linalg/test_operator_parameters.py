"""What linear operators are made from: variables, slices of batches, operators as arguments."""

import numpy as np
import pytest

import placewise as tf

linalg = tf.linalg


def test_an_operator_reads_its_variable_at_each_use():
    variable = tf.Variable([1.0, 2.0])
    operator = linalg.LinearOperatorDiag(variable)
    variable.assign([3.0, 4.0])
    with tf.GradientTape() as tape:
        product = operator.matvec([1.0, 1.0])
    assert product.numpy().tolist() == [3.0, 4.0]
    assert tape.gradient(product, variable).numpy().tolist() == [1.0, 1.0]


def test_an_operator_knows_its_variables():
    variable = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
    operator = linalg.LinearOperatorInversion(linalg.LinearOperatorFullMatrix(variable))
    assert operator.variables[0] is variable
    assert len(operator.trainable_variables) == 1


@pytest.mark.parametrize(
    "operator",
    [
        lambda: linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]]),
        lambda: linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]),
        lambda: linalg.LinearOperatorTridiag([[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]),
        lambda: linalg.LinearOperatorTridiag(
            [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]], diagonals_format="sequence"
        ),
        lambda: linalg.LinearOperatorComposition(
            [linalg.LinearOperatorDiag([1.0, 2.0]), linalg.LinearOperatorIdentity(2)]
        ),
        lambda: linalg.LinearOperatorLowRankUpdate(
            linalg.LinearOperatorDiag([1.0, 2.0]), [[1.0], [2.0]]
        ),
    ],
)
def test_operators_are_arguments_of_functions(operator):
    made = operator()
    product = tf.function(lambda each, x: each.matvec(x))(made, [1.0, 2.0])
    np.testing.assert_allclose(product, made.matvec([1.0, 2.0]))


def test_an_operator_goes_around_a_loop():
    _, last = tf.while_loop(
        lambda i, operator: i < 3,
        lambda i, operator: (i + 1, linalg.LinearOperatorDiag(operator.diag * 2)),
        (0, linalg.LinearOperatorDiag([1.0, 1.0])),
    )
    assert last.diag_part().numpy().tolist() == [8.0, 8.0]


def test_slices_take_part_of_the_batch():
    matrices = np.arange(24.0).reshape(2, 3, 2, 2)
    operator = linalg.LinearOperatorFullMatrix(matrices.astype(np.float32))
    assert (operator[1].to_dense().numpy() == matrices[1]).all()
    assert (operator[..., 1:].to_dense().numpy() == matrices[:, 1:]).all()
    assert operator[:, tf.newaxis].shape == (2, 1, 3, 2, 2)
    both = linalg.LinearOperatorComposition([operator, linalg.LinearOperatorDiag([1.0, 2.0])])
    assert (both[1, 2].to_dense().numpy() == matrices[1, 2] * [1.0, 2.0]).all()
    assert linalg.LinearOperatorIdentity(2, batch_shape=[3, 4])[0].shape == (4, 2, 2)


def test_a_triangle_times_a_diagonal_is_a_triangle():
    triangle = linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]])
    diagonal = linalg.LinearOperatorDiag([2.0, 5.0])
    for left, right in ((triangle, diagonal), (diagonal, triangle)):
        product = left @ right
        assert isinstance(product, linalg.LinearOperatorLowerTriangular)
        np.testing.assert_allclose(product.to_dense(), left.to_dense() @ right.to_dense())


def test_a_triangle_times_its_adjoint_keeps_its_cholesky_factor():
    triangle = linalg.LinearOperatorLowerTriangular([[-1.0, 0.0], [0.5, 0.2]], is_non_singular=True)
    product = triangle @ triangle.H
    factor = product.cholesky()
    assert factor.diag_part().numpy().min() > 0
    np.testing.assert_allclose((factor @ factor.H).to_dense(), product.to_dense(), rtol=1e-6)


def test_singular_operators_say_so():
    singular = linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular operator"):
        singular.assert_non_singular()
    zeros = linalg.LinearOperatorZeros(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-invertible"):
        zeros.assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-positive definite"):
        zeros.assert_positive_definite()
    with pytest.raises(ValueError, match="must be non-negative"):
        linalg.LinearOperatorZeros(2, batch_shape=[-2])


def test_zeros_times_zeros_keep_the_batch():
    zeros = linalg.LinearOperatorZeros(2, batch_shape=[3])
    assert (zeros @ zeros).shape == (3, 2, 2)


def test_a_toeplitz_operator_may_have_an_unknown_shape():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        column = tf.compat.v1.placeholder(tf.float32, None)
        row = tf.compat.v1.placeholder(tf.float32, None)
        operator = linalg.LinearOperatorToeplitz(column, row)
        fed = {column: [[1.0, 2.0], [3.0, 4.0]], row: [1.0, 5.0]}
        dense, trace = session.run([operator.to_dense(), operator.trace()], fed)
    assert dense.tolist() == [[[1.0, 5.0], [2.0, 1.0]], [[3.0, 5.0], [4.0, 3.0]]]
    assert trace.tolist() == [2.0, 6.0]


def test_an_operator_of_a_graph_knows_its_variables():
    with tf.Graph().as_default():
        variable = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        assert linalg.LinearOperatorDiag(variable).variables == (variable,)


def test_operators_alike_are_of_one_spec_whatever_they_were_given():
    matrix = [[1.0, 2.0], [3.0, 4.0]]
    plain = linalg.LinearOperatorFullMatrix(matrix)
    told = linalg.LinearOperatorFullMatrix(matrix, is_square=True, name="other")
    assert plain._type_spec == told._type_spec
    assert plain._type_spec != linalg.LinearOperatorFullMatrix(matrix, True)._type_spec
    zeros = linalg.LinearOperatorZeros(2)._type_spec
    assert zeros == linalg.LinearOperatorZeros(2, 2, batch_shape=[], dtype=tf.float32)._type_spec


@pytest.mark.parametrize(
    "make",
    [
        lambda: linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]], is_square=True),
        lambda: linalg.LinearOperatorZeros(2, batch_shape=[3]),
        lambda: linalg.LinearOperatorBlockDiag(
            [linalg.LinearOperatorIdentity(2), linalg.LinearOperatorDiag([1.0, 2.0])]
        ),
        lambda: linalg.LinearOperatorCirculant([1.0 + 0j, 2.0]),
    ],
)
def test_saved_functions_take_operators(make, tmp_path):
    operator, module = make(), tf.Module()
    module.dense = tf.function(lambda each: each.to_dense(), input_signature=(operator._type_spec,))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    np.testing.assert_array_equal(loaded.dense(make()), operator.to_dense())
