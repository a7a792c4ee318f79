"""CTC: the loss against all paths written out, decoding against all labellings."""

import itertools

import numpy as np
import pytest

import placewise as tf

STATE = np.random.RandomState(7)


def collapsed(path: tuple, blank: int) -> tuple:
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


def chances(logits: np.ndarray, blank: int) -> dict:
    """The probability of every labelling, by summing over every path."""
    p = np.exp(logits - np.log(np.exp(logits).sum(-1, keepdims=True)))
    found: dict = {}
    for path in itertools.product(range(p.shape[1]), repeat=len(p)):
        key = collapsed(path, blank)
        found[key] = found.get(key, 0) + np.prod(p[np.arange(len(p)), path])
    return found


@pytest.mark.parametrize("blank", [0, 1, -1])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_loss_sums_over_all_paths(blank: int, sparse: bool) -> None:
    logits = STATE.uniform(-1, 1, (5, 1, 3)).astype("float32")
    at = blank % 3
    labels = [each for each in range(3) if each != at]
    wanted = -np.log(chances(logits[:, 0].astype("float64"), at)[tuple(labels)])
    if sparse:
        given = tf.SparseTensor([[0, 0], [0, 1]], labels, [1, 2])
        loss = tf.nn.ctc_loss(given, logits, None, [5], blank_index=blank)
    else:
        loss = tf.nn.ctc_loss(np.asarray([labels], "int32"), logits, [2], [5], blank_index=blank)
    assert float(loss[0]) == pytest.approx(wanted, rel=1e-5)


def test_the_gradient_agrees_with_finite_differences() -> None:
    logits = STATE.uniform(-1, 1, (5, 2, 4)).astype("float32")

    def loss(x: np.ndarray) -> object:
        return tf.reduce_sum(tf.nn.ctc_loss(np.int32([[1, 2, 2], [3, 0, 0]]), x, [3, 1], [5, 3]))

    x = tf.constant(logits)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    found = tape.gradient(y, x).numpy()
    assert not found[3:, 1].any()
    for place in [(0, 0, 1), (2, 0, 2), (1, 1, 3), (4, 0, 0)]:
        moved = logits.copy()
        moved[place] += 1e-2
        up = float(loss(moved))
        moved[place] -= 2e-2
        assert found[place] == pytest.approx((up - float(loss(moved))) / 2e-2, abs=2e-3)


def test_a_wide_beam_finds_the_likeliest_labellings() -> None:
    logits = STATE.uniform(-2, 2, (4, 1, 3)).astype("float32")
    ranked = sorted(chances(logits[:, 0].astype("float64"), 2).items(), key=lambda item: -item[1])
    decoded, scores = tf.nn.ctc_beam_search_decoder(logits, [4], beam_width=50, top_paths=3)
    for (labels, chance), path, score in zip(ranked, decoded, scores[0], strict=False):
        assert tuple(path.values.numpy().tolist()) == labels
        assert float(score) == pytest.approx(np.log(chance), rel=1e-4)


def test_greedy_decoding_drops_repetitions_and_blanks() -> None:
    steps = [1, 1, 2, 1, 0, 0]
    logits = np.eye(3, dtype="float32")[steps][:, None] * 5
    (decoded,), score = tf.nn.ctc_greedy_decoder(logits, [6])
    assert decoded.values.numpy().tolist() == [1, 1, 0]
    assert float(score[0, 0]) == -30.0


# A prefix that left the beam before its turn is not made longer; the answers are TensorFlow's.
@pytest.mark.parametrize(
    ("logits", "paths", "logs"),
    [
        (
            [[-3.8, -0.4, 1.3], [-2.7, 0.7, 2.6], [0.9, -3.4, -1.5]],
            [[0], []],
            [-0.41584665, -2.8158467],
        ),
        (
            [[2.8, -1.3, -0.5], [2.4, 0.6, 0.4], [0.5, -2.7, -0.8]],
            [[0], [0, 0]],
            [-0.28266925, -2.5874665],
        ),
    ],
)
def test_a_narrow_beam_keeps_the_prefixes_that_tensorflow_keeps(logits, paths, logs) -> None:
    decoded, chances = tf.nn.ctc_beam_search_decoder(
        tf.constant(logits)[:, None], [3], beam_width=2, top_paths=2
    )
    assert [path.values.numpy().tolist() for path in decoded] == paths
    np.testing.assert_allclose(chances[0], logs, rtol=1e-5)


def test_unique_labels_of_a_batch_of_unknown_size() -> None:
    traced = tf.function(
        tf.nn.ctc_unique_labels, input_signature=[tf.TensorSpec([None, None], tf.int64)]
    )
    labels, places = traced(tf.constant([[3, 4, 4, 3], [1, 0, 0, 5]], tf.int64))
    assert labels.numpy().tolist() == [[3, 4, 0, 0], [1, 0, 5, 0]]
    assert places.numpy().tolist() == [[0, 1, 1, 0], [0, 1, 1, 2]]
    assert traced(tf.zeros([2, 0], tf.int64))[0].shape == (2, 0)


@pytest.mark.parametrize(
    ("labels", "error", "words"),
    [
        (3, ValueError, "must be 1\\+ dimensional Tensors, not scalars"),
        ([1, 1, 2], tf.errors.InvalidArgumentError, "unique expects a 1D vector"),
        ([[[1]]], tf.errors.InvalidArgumentError, "unique expects a 1D vector"),
    ],
)
def test_unique_labels_are_found_row_by_row(labels, error, words):
    with pytest.raises(error, match=words):
        tf.nn.ctc_unique_labels(labels)


def test_no_labels_have_no_unique_ones():
    found, places = tf.nn.ctc_unique_labels([])
    assert (found.shape, found.dtype, places.shape, places.dtype) == ((0,), "int64", (0,), "int32")
