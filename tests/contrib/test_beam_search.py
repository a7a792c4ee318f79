"""Beam search as in TensorFlow 1.15.5: sequences and scores of fixed weights."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

seq2seq = tf.contrib.seq2seq
WORDS, UNITS, BATCH, BEAMS = 7, 6, 2, 3


def _decode(steps=5, with_attention=False, **options):
    """Return what a decoder of fixed weights finds: ids, outputs, lengths and the last state."""
    random = np.random.RandomState(3)

    def values(*shape):
        return tf.constant(random.randn(*shape).astype(np.float32))

    embedding, cell = values(WORDS, 4), tf.nn.rnn_cell.GRUCell(UNITS)
    memory, first = (
        seq2seq.tile_batch(values(*shape), BEAMS) for shape in ((BATCH, 5, UNITS), (BATCH, UNITS))
    )
    if with_attention:
        lengths = seq2seq.tile_batch(tf.constant([5, 3]), BEAMS)
        attention = seq2seq.LuongAttention(UNITS, memory, memory_sequence_length=lengths)
        cell = seq2seq.AttentionWrapper(
            cell, attention, attention_layer_size=UNITS, alignment_history=True
        )
        first = cell.zero_state(BATCH * BEAMS, tf.float32).clone(cell_state=first)
    decoder = seq2seq.BeamSearchDecoder(
        cell,
        embedding,
        tf.fill([BATCH], 1),
        2,
        first,
        BEAMS,
        output_layer=tf.layers.Dense(WORDS, use_bias=False),
        **options,
    )
    found, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
    assert found.predicted_ids.shape.as_list() == [BATCH, None, BEAMS]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():
            dims = variable.shape.as_list()
            numbers = np.sin(np.arange(np.prod(dims)) * 1.7 + len(dims)).reshape(dims) * 0.9
            variable.load(numbers.astype(np.float32), session)
        parts = (found, lengths, state.log_probs, state.lengths, state.finished)
        history = state.cell_state.alignment_history.stack() if with_attention else ()
        return (*session.run(parts), session.run(history) if with_attention else None)


def test_sequences_are_read_back_from_their_ends(graph_mode):
    ids = [
        [[1, 2, 3], [4, 5, 6]],
        [[7, 8, 9], [1, 2, 3]],
        [[4, 5, 6], [7, 8, 10]],
        [[2, 2, 2], [10, 5, 5]],
    ]
    parents = [
        [[0, 0, 0], [0, 0, 0]],
        [[0, 0, 1], [0, 1, 0]],
        [[2, 1, 0], [1, 1, 2]],
        [[0, 2, 1], [0, 1, 2]],
    ]
    found = seq2seq.gather_tree(ids, parents, [4, 3], 10)
    assert found.eval(session=tf.Session()).tolist() == [
        [[2, 1, 1], [5, 5, 4]],
        [[9, 7, 8], [2, 2, 3]],
        [[4, 6, 5], [7, 8, 10]],
        [[2, 2, 2], [10, 10, 10]],
    ]


def test_the_likeliest_sequences(graph_mode):
    found, lengths, log_probs, state_lengths, finished, _ = _decode()
    assert found.predicted_ids.tolist() == [
        [[2, 5, 6], [2, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2]],
        [[2, 6, 6], [2, 2, 6], [2, 2, 6], [2, 2, 6], [2, 2, 6]],
    ]
    assert lengths.tolist() == [[1, 2, 2], [2, 3, 5]]
    assert state_lengths.tolist() == [[1, 2, 2], [1, 2, 5]]
    assert finished.tolist() == [[True] * 3, [True, True, False]]
    expected = [[-0.992, -2.5819, -2.6169], [-1.09, -2.5305, -7.3959]]
    np.testing.assert_allclose(log_probs, expected, atol=1e-4)


def test_longer_sequences_are_preferred_by_a_penalty(graph_mode):
    found, lengths, *_ = _decode(length_penalty_weight=1.0)
    assert found.predicted_ids[0].tolist() == [
        [2, 6, 5],
        [2, 6, 6],
        [2, 6, 5],
        [2, 6, 6],
        [2, 6, 6],
    ]
    scores = found.beam_search_decoder_output.scores[0, -1]
    np.testing.assert_allclose(scores, [-0.992, -4.6152, -4.6577], atol=1e-4)
    assert lengths.tolist() == [[1, 5, 5], [2, 5, 5]]


def test_attention_and_its_history(graph_mode):
    found, _, log_probs, *_, history = _decode(with_attention=True)
    assert found.predicted_ids[1].tolist() == [
        [4, 4, 4],
        [4, 0, 4],
        [0, 0, 4],
        [0, 0, 0],
        [0, 0, 0],
    ]
    assert found.beam_search_decoder_output.parent_ids[0].tolist() == [
        [0, 0, 0],
        [0, 1, 2],
        [0, 0, 1],
        [0, 0, 1],
        [0, 1, 0],
    ]
    np.testing.assert_allclose(log_probs[0], [-6.1559, -6.1995, -6.2823], atol=1e-4)
    np.testing.assert_allclose(history[2, 0], [0.0001, 0.0005, 0.6587, 0.1952, 0.1455], atol=1e-4)


def test_penalties_of_length_and_coverage(graph_mode):
    options = {"length_penalty_weight": 0.5, "coverage_penalty_weight": 0.4}
    found, *_ = _decode(with_attention=True, **options)
    scores = found.beam_search_decoder_output.scores[0, -1]
    np.testing.assert_allclose(scores, [-4.7683, -4.8021, -4.8662], atol=1e-4)


def test_coverage_needs_attention(graph_mode):
    with pytest.raises(ValueError, match="coverage_penalty_weight must be 0"):
        _decode(coverage_penalty_weight=0.4)


def test_what_a_decoder_refuses(graph_mode):
    cell, table, state = tf.nn.rnn_cell.GRUCell(2), tf.ones([3, 2]), tf.ones([2, 2])
    with pytest.raises(ValueError, match="start_tokens must be a vector"):
        seq2seq.BeamSearchDecoder(cell, table, 1, 2, state, 2)
    with pytest.raises(ValueError, match="end_token must be a scalar"):
        seq2seq.BeamSearchDecoder(cell, table, [1], [2], state, 2)
    with pytest.raises(TypeError, match="is not an RNNCell"):
        seq2seq.BeamSearchDecoder(3, table, [1], 2, state, 2)
