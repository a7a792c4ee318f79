"""Einstein summation and tensordot."""

import numpy as np
import pytest

import placewise as tf

X = np.random.RandomState(0).rand(2, 3, 4).astype(np.float32)
Y = np.random.RandomState(1).rand(4, 5).astype(np.float32)
Z = np.random.RandomState(2).rand(5, 3).astype(np.float32)


@pytest.mark.parametrize(
    "equation", ["abc,cd->abd", "abc,cd->dba", "...c,cd->...d", "abc,cd->b", "a...c,c...->a..."]
)
def test_it_agrees_with_numpy(equation):
    if equation == "a...c,c...->a...":
        x, y = X[:, :1], X[0].T
        expected = np.einsum("abc,cb->ab", np.broadcast_to(x, (2, 3, 4)), y)
        np.testing.assert_allclose(
            tf.einsum(equation, tf.constant(x), tf.constant(y)).numpy(), expected, rtol=1e-5
        )
        return
    found = tf.einsum(equation, tf.constant(X), tf.constant(Y))
    np.testing.assert_allclose(found.numpy(), np.einsum(equation, X, Y), rtol=1e-5)


@pytest.mark.parametrize("result", ["ik", "ki"])
@pytest.mark.parametrize("terms", ["ij,jk", "ji,jk", "ij,kj", "ji,kj"])
def test_products_of_matrices_in_all_layouts(terms, result):
    shapes = {"i": 3, "j": 4, "k": 5}
    x, y = (np.random.rand(*(shapes[label] for label in term)) for term in terms.split(","))
    equation = f"{terms}->{result}"
    np.testing.assert_allclose(
        tf.einsum(equation, x, y).numpy(), np.einsum(equation, x, y), rtol=1e-12
    )


def test_many_operands_are_taken_in_pairs():
    found = tf.einsum("abc,cd,de->abe", tf.constant(X), tf.constant(Y), tf.constant(Z))
    np.testing.assert_allclose(found.numpy(), X @ Y @ Z, rtol=1e-5)


def test_dimensions_of_size_one_do_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected dimension 1 at axis 0"):
        tf.einsum("ij,jk->ik", tf.ones([2, 1]), tf.ones([3, 2]))


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        ("ij->ij->", "Subscripts have incorrect format"),
        ("ij->k", "the label k not present in the input"),
        ("ij->ii", "a label appearing more than once"),
        ("ij,jk->ik", 'Got 1 inputs for equation "ij,jk->ik", expecting 2'),
    ],
)
def test_equations_that_make_no_sense(equation, words):
    with pytest.raises(ValueError, match=words):
        tf.einsum(equation, tf.ones([2, 3]))


def test_gradient_where_an_operand_broadcasts_and_a_label_is_summed():
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        found = tf.einsum("...ac,cd->a...", x, y)
    dx, dy = tape.gradient(found, [x, y])
    np.testing.assert_allclose(dx.numpy(), np.broadcast_to(Y.sum(1), X.shape), rtol=1e-5)
    np.testing.assert_allclose(dy.numpy()[:, 0], X.sum((0, 1)), rtol=1e-5)


@pytest.mark.parametrize("axes", [0, 1, [[2], [0]], [[1, 2], [1, 0]]])
def test_tensordot_agrees_with_numpy(axes):
    y = X[0].T if axes == [[1, 2], [1, 0]] else Y
    np.testing.assert_allclose(
        tf.tensordot(X, y, axes).numpy(), np.tensordot(X, y, axes), rtol=1e-5
    )
