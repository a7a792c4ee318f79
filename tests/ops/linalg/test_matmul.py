"""Products of matrices: flags, dtypes, batches, errors, gradients."""

import numpy as np
import pytest

import placewise as tf

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_product_of_two_matrices():
    assert tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist() == [[11.0]]


@pytest.mark.parametrize("flag", ["transpose", "adjoint"])
def test_flags_apply_before_the_product(flag):
    x = (A + 1j * A[::-1]).astype(np.complex64)
    found = tf.matmul(x, x, **{f"{flag}_b": True}).numpy()
    np.testing.assert_allclose(found, x @ (x.T.conj() if flag == "adjoint" else x.T), rtol=1e-6)


def test_batches_broadcast():
    x = np.random.RandomState(0).rand(5, 1, 2, 3).astype(np.float32)
    y = np.random.RandomState(1).rand(4, 3, 2).astype(np.float32)
    np.testing.assert_allclose(tf.matmul(x, y).numpy(), x @ y, rtol=1e-5)


def test_integers_wrap_around():
    big = tf.constant([[2**30, 2**30]])
    assert tf.matmul(big, big, transpose_b=True).numpy().tolist() == [[0]]
    assert tf.matmul(tf.constant([[4]]), tf.constant([[2**30]])).numpy().tolist() == [[0]]


def test_small_integers_may_give_wide_ones():
    x = tf.constant([[100, 100]], tf.int8)
    found = tf.matmul(x, tf.constant([[2], [200]], tf.uint8), output_type=tf.int32)
    assert found.dtype is tf.int32
    assert found.numpy().tolist() == [[20200]]


def test_sparse_hints_change_nothing():
    np.testing.assert_allclose(tf.matmul(A, A, transpose_b=True, a_is_sparse=True).numpy(), A @ A.T)


def test_bfloat16_with_float32_gives_float32():
    assert tf.matmul(tf.cast(A, tf.bfloat16), tf.constant(A.T)).dtype is tf.float32


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ((1, 2), (1, 2), r"Matrix size-incompatible: In\[0\]: \[1,2\], In\[1\]: \[1,2\]"),
        ((2,), (2,), r"In\[0\] and In\[1\] ndims must be == 2: 1"),
        ((2, 2), (2,), r"has different ndims: \[2,2\] vs. \[2\]"),
        ((2, 2, 2), (2,), r"In\[1\] ndims must be >= 2: 1"),
        ((2, 2, 2), (3, 2, 2), r"compatible batch dimensions: \[2,2,2\] vs. \[3,2,2\]"),
    ],
)
def test_shapes_that_do_not_fit(x, y, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.matmul(tf.ones(x), tf.ones(y))


def test_dtypes_must_agree():
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor"):
        tf.matmul(tf.ones([2, 2]), tf.ones([2, 2], tf.float64))


def test_transposed_and_adjoint_exclude_each_other():
    with pytest.raises(ValueError, match="Only one of `transpose_a` and `adjoint_a`"):
        tf.matmul(A, A, transpose_a=True, adjoint_a=True)


def test_the_tape_sees_the_plainest_call():
    x, y = tf.constant(A), tf.constant(A.T)
    with tf.GradientTape() as tape:
        tape.watch(x)
        product = tf.matmul(x, y)
    np.testing.assert_allclose(tape.gradient(product, x).numpy(), np.ones((2, 2)) @ A)


def test_it_runs_on_the_device_asked_for():
    with tf.simulate("2xK40c"), tf.device("/GPU:1"):
        product = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]))
        assert product.device.endswith("/device:GPU:1")


def test_product_with_vectors():
    np.testing.assert_allclose(tf.linalg.matvec(A, [1.0, 0.0, 2.0]).numpy(), A @ [1, 0, 2])
