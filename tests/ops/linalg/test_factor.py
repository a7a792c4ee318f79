"""Factorisations and what they are used for, on matrices good and bad."""

import numpy as np
import pytest

import placewise as tf

RANDOM = np.random.RandomState(0)
A = RANDOM.rand(2, 4, 4).astype(np.float32)
SPD = (A @ A.swapaxes(-1, -2) + 4 * np.eye(4)).astype(np.float32)


def test_cholesky_of_an_indefinite_matrix_is_nan_and_leaves_its_neighbours_alone():
    both = np.stack([np.array([[1, 2], [2, 1]]), np.eye(2)]).astype(np.float32)
    found = tf.linalg.cholesky(both).numpy()
    assert np.isnan(found[0][np.tril_indices(2)]).all()
    assert found[1].tolist() == [[1, 0], [0, 1]]


def test_cholesky_gradient_is_symmetric():
    x = tf.constant(SPD[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.linalg.cholesky(x) ** 2)
    found = tape.gradient(loss, x).numpy()
    # |L|² is the trace of the matrix.
    np.testing.assert_allclose(found, np.eye(4), atol=1e-5)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64])
def test_lu_puts_rows_in_order(kind):
    x = A.astype(kind) + (0.5j * A[::-1]).astype(kind) if kind is np.complex64 else A.astype(kind)
    factors, order = tf.linalg.lu(x)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(factors, order).numpy(), x, atol=1e-5)


@pytest.mark.parametrize("function", [tf.linalg.inv, tf.linalg.lu])
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_what_has_no_inverse_raises(function, value):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        function(tf.fill([2, 2], value))


def test_a_singular_system_raises():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        tf.linalg.solve(tf.zeros([2, 2]), tf.ones([2, 1]))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (0, 2), (2, 0)])
def test_svd_puts_the_matrix_together_again(full, shape):
    x = RANDOM.rand(*shape).astype(np.float32)
    s, u, v = tf.linalg.svd(x, full_matrices=full)
    count = s.shape[0]
    again = u.numpy()[:, :count] * s.numpy() @ v.numpy()[:, :count].T
    np.testing.assert_allclose(again, x, atol=1e-5)


def test_svd_of_nan_is_nan():
    s, u, _ = tf.linalg.svd([[np.nan, 1.0], [0.0, 1.0]])
    assert np.isnan(s.numpy()).all()
    assert np.isnan(u.numpy()).all()


def test_qr_has_the_signs_of_tensorflow():
    _, r = tf.linalg.qr([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    np.testing.assert_allclose(r.numpy(), [[-5.9160796, -7.437358], [0, 0.828079]], atol=1e-5)


def test_eigh_reads_the_lower_triangle():
    e, v = tf.linalg.eigh(np.tril(SPD))
    np.testing.assert_allclose(e.numpy(), np.linalg.eigvalsh(SPD), rtol=1e-4)
    np.testing.assert_allclose((SPD @ v.numpy()), v.numpy() * e.numpy()[:, None], atol=1e-3)


def test_eigenvalues_of_nan_raise():
    with pytest.raises(tf.errors.InvalidArgumentError, match="was not successful"):
        tf.linalg.eigh([[np.nan, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("shape", [(5, 2), (2, 5)])
def test_least_squares(fast, shape):
    x, y = RANDOM.rand(*shape).astype(np.float32), RANDOM.rand(shape[0], 1).astype(np.float32)
    found = tf.linalg.lstsq(x, y, fast=fast).numpy()
    np.testing.assert_allclose(found, np.linalg.lstsq(x, y, rcond=None)[0], atol=1e-3)


def test_square_root_of_a_defective_matrix():
    x = np.array([[1.0, 1.0], [0.0, 1.0]], np.float32)
    np.testing.assert_allclose(tf.linalg.sqrtm(x).numpy(), [[1, 0.5], [0, 1]], atol=1e-5)


def test_logarithm_undoes_the_exponential():
    x = (0.3 * A[0]).astype(np.complex64)
    np.testing.assert_allclose(tf.linalg.logm(tf.linalg.expm(x)).numpy(), x, atol=1e-5)


def test_exponential_of_infinity_is_nan():
    assert np.isnan(tf.linalg.expm([[np.inf, 0.0], [0.0, 1.0]]).numpy()).all()


@pytest.mark.parametrize("pivoting", [True, False])
def test_tridiagonal_systems(pivoting):
    n = 50
    diagonals = RANDOM.rand(3, n).astype(np.float64) + np.array([[0], [3], [0]])
    x = RANDOM.rand(n, 2)
    product = tf.linalg.tridiagonal_matmul(diagonals, x)
    found = tf.linalg.tridiagonal_solve(diagonals, product, partial_pivoting=pivoting)
    np.testing.assert_allclose(found.numpy(), x, rtol=1e-8)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "float16"])
def test_determinants_keep_their_dtype(dtype):
    x = tf.cast(SPD, dtype)
    assert tf.linalg.det(x).dtype.name == dtype
    assert tf.linalg.slogdet(x).log_abs_determinant.dtype.name == dtype
