"""CudnnRNNV3 against torch's own layers, whose weights are in cuDNN's order."""

import numpy as np
import pytest
import torch

import placewise as tf


def weights_of(layer):
    """Return a torch layer's weights as cuDNN's one vector."""
    names = [
        f"l{n}{side}"
        for n in range(layer.num_layers)
        for side in ("", "_reverse")[: 1 + layer.bidirectional]
    ]
    parts = [getattr(layer, f"weight_{kind}_{name}") for name in names for kind in ("ih", "hh")]
    parts += [getattr(layer, f"bias_{kind}_{name}") for name in names for kind in ("ih", "hh")]
    return torch.cat([part.detach().flatten() for part in parts]).numpy()


@pytest.mark.parametrize(
    ("mode", "kind", "layers", "both"),
    [
        ("lstm", torch.nn.LSTM, 1, False),
        ("gru", torch.nn.GRU, 1, False),
        ("lstm", torch.nn.LSTM, 2, True),
    ],
)
def test_sequences_run_as_in_torch(mode, kind, layers, both):
    torch.manual_seed(0)
    layer = kind(3, 4, num_layers=layers, bidirectional=both)
    x = np.random.RandomState(0).normal(size=(5, 2, 3)).astype("float32")
    zeros = tf.zeros([layers * (1 + both), 2, 4])
    with tf.GradientTape() as tape:
        given = tf.constant(x)
        tape.watch(given)
        out, h, _, _, _ = tf.raw_ops.CudnnRNNV3(
            input=given,
            input_h=zeros,
            input_c=zeros if mode == "lstm" else 0.0,
            params=weights_of(layer),
            sequence_lengths=[5, 5],
            rnn_mode=mode,
            direction="bidirectional" if both else "unidirectional",
        )
        total = tf.reduce_sum(out * out)
    theirs = torch.tensor(x, requires_grad=True)
    expected, end = layer(theirs)
    np.testing.assert_allclose(out, expected.detach(), atol=1e-5)
    np.testing.assert_allclose(h, (end[0] if mode == "lstm" else end).detach(), atol=1e-5)
    (expected * expected).sum().backward()
    np.testing.assert_allclose(tape.gradient(total, given), theirs.grad, atol=1e-4)


def test_a_shorter_sequence_ends_early():
    layer = torch.nn.GRU(2, 3)
    x = tf.ones([4, 2, 2])
    out, h, *_ = tf.raw_ops.CudnnRNNV3(
        input=x,
        input_h=tf.zeros([1, 2, 3]),
        input_c=0.0,
        params=weights_of(layer),
        sequence_lengths=[4, 2],
        rnn_mode="gru",
    )
    assert not out.numpy()[2:, 1].any()
    np.testing.assert_allclose(h[0, 1], out[1, 1], atol=1e-6)


def test_wrong_number_of_weights_is_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="params has 3 elements"):
        tf.raw_ops.CudnnRNNV3(
            input=tf.ones([4, 2, 2]),
            input_h=tf.zeros([1, 2, 3]),
            input_c=0.0,
            params=[0.0, 0.0, 0.0],
            sequence_lengths=[4, 4],
            rnn_mode="gru",
        )
