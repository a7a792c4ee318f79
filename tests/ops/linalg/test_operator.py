"""Linear operators: what each does without its matrix is what the matrix would do."""

import numpy as np
import pytest

import placewise as tf

L = tf.linalg
FULL = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], np.float32)
X = np.random.RandomState(0).rand(3, 2).astype(np.float32)

MADE = {
    "full": lambda: L.LinearOperatorFullMatrix(FULL),
    "lower": lambda: L.LinearOperatorLowerTriangular(FULL),
    "diag": lambda: L.LinearOperatorDiag([1.0, 2.0, -3.0]),
    "identity": lambda: L.LinearOperatorIdentity(3),
    "scaled": lambda: L.LinearOperatorScaledIdentity(3, 2.5),
    "householder": lambda: L.LinearOperatorHouseholder([1.0, 2.0, 3.0]),
    "permutation": lambda: L.LinearOperatorPermutation([2, 0, 1]),
    "toeplitz": lambda: L.LinearOperatorToeplitz([5.0, 2.0, 3.0], [5.0, 1.0, 0.5]),
    "tridiag": lambda: L.LinearOperatorTridiag([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 2.0]]),
    "circulant": lambda: L.LinearOperatorCirculant([3.0, 1.0, 1.0], tf.float32),
    "kronecker": lambda: L.LinearOperatorKronecker(
        [L.LinearOperatorIdentity(1), L.LinearOperatorFullMatrix(FULL)]
    ),
    "blocks": lambda: L.LinearOperatorBlockDiag(
        [L.LinearOperatorFullMatrix(FULL[:2, :2]), L.LinearOperatorDiag([2.0])]
    ),
    "triangle": lambda: L.LinearOperatorBlockLowerTriangular(
        [
            [L.LinearOperatorDiag([1.0, 2.0])],
            [L.LinearOperatorFullMatrix(FULL[:1, :2]), L.LinearOperatorDiag([3.0])],
        ]
    ),
    "product": lambda: L.LinearOperatorComposition(
        [L.LinearOperatorFullMatrix(FULL), L.LinearOperatorDiag([1.0, 2.0, 3.0])]
    ),
    "adjoint": lambda: L.LinearOperatorAdjoint(L.LinearOperatorLowerTriangular(FULL)),
    "inverse": lambda: L.LinearOperatorInversion(L.LinearOperatorFullMatrix(FULL)),
    "update": lambda: L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag([1.0, 2.0, 3.0]), X, [1.0, 2.0]
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_it_does_what_its_matrix_does(name):
    operator = MADE[name]()
    dense = operator.to_dense().numpy()
    assert operator.shape == dense.shape
    close = {"rtol": 1e-3, "atol": 1e-4}
    np.testing.assert_allclose(operator.matmul(X).numpy(), dense @ X, **close)
    np.testing.assert_allclose(operator.matmul(X, adjoint=True).numpy(), dense.T @ X, **close)
    np.testing.assert_allclose(operator.matvec(X[:, 0]).numpy(), dense @ X[:, 0], **close)
    np.testing.assert_allclose(operator.solve(X).numpy(), np.linalg.solve(dense, X), **close)
    np.testing.assert_allclose(
        operator.solve(X, adjoint=True).numpy(), np.linalg.solve(dense.T, X), **close
    )
    np.testing.assert_allclose(operator.determinant().numpy(), np.linalg.det(dense), **close)
    np.testing.assert_allclose(operator.trace().numpy(), np.trace(dense), **close)
    np.testing.assert_allclose(operator.adjoint().to_dense().numpy(), dense.T, **close)
    np.testing.assert_allclose(operator.inverse().to_dense().numpy(), np.linalg.inv(dense), **close)


def test_conjugate_gradients_solve_what_is_positive_definite():
    operator = L.LinearOperatorFullMatrix(FULL, is_self_adjoint=True, is_positive_definite=True)
    found = L.experimental.conjugate_gradient(operator, tf.constant(X[:, 0]))
    np.testing.assert_allclose(found.x.numpy(), np.linalg.solve(FULL, X[:, 0]), rtol=1e-3)
    with pytest.raises(ValueError, match="self-adjoint, positive definite"):
        L.experimental.conjugate_gradient(L.LinearOperatorFullMatrix(FULL), X[:, 0])


def test_dimensions_must_fit():
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        L.LinearOperatorDiag([1.0, 2.0, 3.0]).matmul(tf.ones([2, 1]))


def test_hints_must_not_contradict():
    with pytest.raises(ValueError, match="always non-singular"):
        L.LinearOperatorFullMatrix(FULL, is_positive_definite=True, is_non_singular=False)
