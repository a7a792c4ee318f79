"""Normalisations, losses, dropout and embeddings: what must hold of them."""

import numpy as np
import pytest

import placewise as tf

STATE = np.random.RandomState(8)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_a_fused_batch_norm_has_mean_zero_and_variance_one(data_format: str) -> None:
    x = STATE.normal(3, 2, (4, 5, 6, 3)).astype("float32")
    given = x if data_format == "NHWC" else x.transpose(0, 3, 1, 2)
    results = tf.raw_ops.FusedBatchNormV3(
        x=given,
        scale=np.ones(3, "f"),
        offset=np.zeros(3, "f"),
        mean=[],
        variance=[],
        epsilon=1e-5,
        data_format=data_format,
    )
    axes = (0, 1, 2) if data_format == "NHWC" else (0, 2, 3)
    np.testing.assert_allclose(np.mean(results[0], axes), 0, atol=1e-5)
    np.testing.assert_allclose(np.var(results[0], axes), 1, atol=1e-3)
    np.testing.assert_allclose(results[2], x.reshape(-1, 3).var(0, ddof=1), rtol=1e-4)


def test_softmax_works_along_any_axis() -> None:
    x = STATE.normal(size=(2, 3, 4))
    for axis in (-3, -2, -1, 0, 1, 2):
        np.testing.assert_allclose(np.sum(tf.nn.softmax(x, axis), axis), 1)


def test_both_softmax_losses_agree() -> None:
    logits, classes = STATE.normal(size=(4, 5)), np.asarray([0, 4, 2, 2])
    dense = tf.nn.softmax_cross_entropy_with_logits(np.eye(5)[classes], logits)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(classes, logits)
    np.testing.assert_allclose(dense, sparse)


def test_a_class_out_of_range_raises_on_cpus_and_is_nan_on_gpus() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 3"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3], np.zeros((2, 3)))
    with tf.simulate("2xK40c"):
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3], np.zeros((2, 3)))
    assert np.isnan(loss).tolist() == [False, True]


def test_the_sigmoid_loss_has_its_gradient_at_zero() -> None:
    x = tf.constant([0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid_cross_entropy_with_logits([1.0], x)
    assert float(tape.gradient(y, x)[0]) == -0.5


def test_dropout_keeps_the_mean_and_drops_the_share() -> None:
    tf.random.set_seed(3)
    x = tf.nn.dropout(tf.ones([200, 200]), 0.25)
    assert float(np.mean(x)) == pytest.approx(1, abs=0.02)
    assert float(tf.nn.zero_fraction(x)) == pytest.approx(0.25, abs=0.01)


def test_a_noise_shape_drops_whole_rows() -> None:
    tf.random.set_seed(3)
    rows = tf.nn.dropout(tf.ones([50, 4]), 0.5, noise_shape=[None, 1]).numpy()
    assert set(rows.sum(1).tolist()) == {0.0, 8.0}


def test_an_embedding_has_a_sparse_gradient() -> None:
    table = tf.Variable(STATE.normal(size=(6, 2)))
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(table, [1, 4, 1])
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient)[:, 0], [0, 2, 0, 0, 1, 0])


def test_empty_rows_get_the_default_embedding() -> None:
    table = np.arange(8.0).reshape(4, 2)
    ids = tf.SparseTensor([[0, 0], [2, 0]], np.int64([1, -3]), [3, 2])
    found = tf.nn.safe_embedding_lookup_sparse(table, ids, default_id=3)
    np.testing.assert_array_equal(found, [[2, 3], [6, 7], [6, 7]])
    zeros = tf.nn.safe_embedding_lookup_sparse(table, ids)
    np.testing.assert_array_equal(zeros, [[2, 3], [0, 0], [0, 0]])


def test_isotonic_regression_pools_what_rises() -> None:
    output, segments = tf.nn.isotonic_regression([[3.0, 1.0, 2.0]])
    assert output.numpy().tolist() == [[3.0, 1.5, 1.5]]
    assert segments.numpy().tolist() == [[0, 1, 1]]


@pytest.mark.parametrize(("labels", "logits"), [(None, [[1.0]]), ([0], None)])
def test_a_sparse_cross_entropy_wants_both_arguments(labels: object, logits: object) -> None:
    with pytest.raises(ValueError, match="Both `labels` and `logits` must be provided"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def test_a_noise_shape_may_hold_tensors() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3, 4])])
    def drop(x):  # type: ignore[no-untyped-def]
        return tf.nn.dropout(x, 0.5, noise_shape=(tf.shape(x)[0], 1, 4))

    dropped = drop(np.ones((5, 3, 4), "f")).numpy()
    np.testing.assert_array_equal(dropped[:, :1] == 0, dropped[:, 1:2] == 0)
    assert dropped.shape == (5, 3, 4)


def test_dropout_of_integers_names_the_dtype() -> None:
    with pytest.raises(ValueError, match="Received: x_dtype=<dtype: 'int32'>"):
        tf.nn.dropout(tf.ones([2], tf.int32), 0.5)


def test_moments_of_what_has_no_weight_are_zero():
    mean, variance = tf.nn.weighted_moments(tf.ones([2, 3]), [0], tf.zeros([2, 1]))
    assert mean.numpy().tolist() == variance.numpy().tolist() == [0.0] * 3
