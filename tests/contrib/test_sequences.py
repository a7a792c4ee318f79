"""tf.contrib.rnn, seq2seq and crf give TensorFlow 1.15's numbers."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def run(fetches):
    """Run with variables that are sines of their place, as the numbers below were made."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number, variable in enumerate(tf.global_variables()):
            shape = variable.shape.as_list()
            values = np.sin(np.arange(int(np.prod(shape))) * 0.7 + number) * 0.5
            variable.load(values.reshape(shape).astype(np.float32), session)
        return session.run(fetches)


CELLS = {
    "LayerNormBasicLSTMCell": [-0.173, -0.2159, 0.0008, -0.37],
    "UGRNNCell": [-0.1822, -0.1892, -0.0488, 0.2424],
    "IndRNNCell": [0.5385, 0.1016, -0.3899, -0.4921],
    "LSTMBlockCell": [-0.2397, -0.1897, -0.0781, 0.052],
    "GRUBlockCellV2": [-0.0764, -0.2676, -0.3059, -0.1978],
}


@pytest.mark.parametrize("name", sorted(CELLS))
def test_a_cell_gives_its_numbers(name):
    with tf.variable_scope("s"):
        cell = getattr(tf.contrib.rnn, name)(4)
        x = tf.constant(np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32))
        _, state = cell(x, cell.zero_state(2, tf.float32))
        tf.get_variable_scope().reuse_variables()
        output, _ = cell(x * 0.5, state)
    np.testing.assert_allclose(run(output)[0], CELLS[name], atol=1e-4)


def test_a_loss_of_sequences_is_averaged_as_asked():
    logits = tf.constant(np.random.RandomState(0).randn(2, 3, 4).astype(np.float32))
    targets, weights = tf.constant([[1, 2, 3], [0, 1, 0]]), tf.constant([[1.0, 1, 1], [1, 1, 0]])
    loss = tf.contrib.seq2seq.sequence_loss
    made = [loss(logits, targets, weights), loss(logits, targets, weights, False)]
    both, by_step = run(made)
    np.testing.assert_allclose(both, 1.5559, atol=1e-4)
    np.testing.assert_allclose(by_step, [1.8161, 1.7708, 0.6057], atol=1e-4)


def test_attention_decodes_as_in_tensorflow():
    seq2seq, rnn = tf.contrib.seq2seq, tf.contrib.rnn
    x = tf.constant(np.random.RandomState(1).randn(2, 5, 3).astype(np.float32))
    decoder = seq2seq.BasicDecoder(
        rnn.GRUCell(4),
        seq2seq.TrainingHelper(x, tf.constant([5, 3])),
        rnn.GRUCell(4).zero_state(2, tf.float32),
        tf.layers.Dense(7, name="proj"),
    )
    with tf.variable_scope("m"):
        outputs, _, lengths = seq2seq.dynamic_decode(decoder)
    assert tf.trainable_variables()[0].op.name == "m/decoder/gru_cell/gates/kernel"
    found, ids, sizes = run([outputs.rnn_output, outputs.sample_id, lengths])
    np.testing.assert_allclose(found[0, 0, :3], [-0.8241, -0.8706, -0.5077], atol=1e-4)
    assert ids[0].tolist() == [5, 4, 5, 4, 5]
    assert sizes.tolist() == [5, 3]


def test_tags_of_a_chain_have_their_likelihood():
    crf = tf.contrib.crf
    unary = tf.constant(np.random.RandomState(3).randn(2, 4, 3).astype(np.float32))
    lengths, tags = tf.constant([4, 2]), tf.constant([[0, 1, 2, 1], [2, 0, 0, 0]])
    likelihood, transitions = crf.crf_log_likelihood(unary, tags, lengths)
    best, score = crf.crf_decode(unary, transitions, lengths)
    likely, found, scores = run([likelihood, best, score])
    np.testing.assert_allclose(likely, [-5.2132, -3.5521], atol=1e-4)
    assert found.tolist() == [[0, 1, 0, 2], [1, 0, 0, 0]]
    np.testing.assert_allclose(scores, [3.5596, 1.7365], atol=1e-4)
