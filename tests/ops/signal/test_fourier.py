"""Fourier transforms, frames, windows and cosine transforms."""

import numpy as np
import pytest

import placewise as tf

X = np.random.RandomState(0).rand(2, 3, 6).astype(np.float32)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_transforms_agree_with_numpy(rank):
    name = {1: "", 2: "2d", 3: "3d"}[rank]
    axes = tuple(range(-rank, 0))
    x = X.astype(np.complex64)
    close = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(
        getattr(tf.signal, f"fft{name}")(x), np.fft.fftn(x, axes=axes), **close
    )
    np.testing.assert_allclose(
        getattr(tf.signal, f"ifft{name}")(x), np.fft.ifftn(x, axes=axes), **close
    )
    half = getattr(tf.signal, f"rfft{name}")(X)
    np.testing.assert_allclose(half, np.fft.rfftn(X, axes=axes), **close)
    np.testing.assert_allclose(getattr(tf.signal, f"irfft{name}")(half), X, **close)


@pytest.mark.parametrize("length", [1, 4, 6, 9])
def test_lengths_cut_or_extend(length):
    found = tf.signal.rfft(X, [length]).numpy()
    np.testing.assert_allclose(found, np.fft.rfft(X, length), rtol=1e-4, atol=1e-4)


def test_given_axes():
    found = tf.signal.fftnd(X.astype(np.complex64), axes=[0, 2]).numpy()
    np.testing.assert_allclose(found, np.fft.fftn(X, axes=[0, 2]), rtol=1e-4, atol=1e-4)
    half = tf.signal.rfftnd(X, fft_length=[2, 6], axes=[0, 2], norm="ortho")
    again = tf.signal.irfftnd(half, fft_length=[2, 6], axes=[0, 2], norm="ortho")
    np.testing.assert_allclose(again.numpy(), X, rtol=1e-4, atol=1e-5)


def test_nothing_transforms_to_nothing():
    assert tf.signal.rfft(tf.zeros([2, 0])).shape == (2, 0)
    assert tf.signal.fft(tf.zeros([2, 0], tf.complex64)).shape == (2, 0)


def test_a_length_of_zero_does_not_crash():
    assert tf.signal.rfft(tf.ones([4]), [0]).shape == (0,)


def test_real_numbers_have_their_own_transform():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'Tcomplex' of float"):
        tf.signal.fft(tf.constant(X))
    with pytest.raises(ValueError, match=r"RFFT requires tf.float32 or tf.float64"):
        tf.signal.rfft(tf.constant(X.astype(np.complex64)))


@pytest.mark.parametrize("type", [2, 3, 4])
def test_orthonormal_cosine_transforms_are_undone_by_their_inverse(type):
    there = tf.signal.dct(X, type=type, norm="ortho")
    np.testing.assert_allclose(tf.signal.idct(there, type=type, norm="ortho"), X, atol=1e-5)


def test_short_time_transform_is_undone():
    signal = np.random.RandomState(1).rand(64).astype(np.float32)
    window = tf.signal.inverse_stft_window_fn(4)
    again = tf.signal.inverse_stft(tf.signal.stft(signal, 16, 4), 16, 4, window_fn=window)
    np.testing.assert_allclose(again.numpy()[12:-12], signal[12:-12], atol=1e-5)


def test_modified_cosine_transform_is_undone():
    signal = np.random.RandomState(1).rand(64).astype(np.float32)
    again = tf.signal.inverse_mdct(tf.signal.mdct(signal, 16, norm="ortho"), norm="ortho")
    np.testing.assert_allclose(again.numpy()[8:-8], signal[8:-8], atol=1e-5)


def test_frames_that_do_not_fit_are_left_out_or_filled():
    assert tf.signal.frame(tf.range(5), 3, 2).numpy().tolist() == [[0, 1, 2], [2, 3, 4]]
    filled = tf.signal.frame(tf.range(5), 3, 2, pad_end=True, pad_value=9).numpy().tolist()
    assert filled == [[0, 1, 2], [2, 3, 4], [4, 9, 9]]


def test_frames_add_up():
    added = tf.signal.overlap_and_add([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], 2)
    assert added.numpy().tolist() == [1, 1, 3, 2, 2]


def test_frames_need_a_step():
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        tf.signal.frame(tf.range(5), 3, 0)


def test_a_longer_transform_pads_what_has_no_known_rank():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, None)
        y = tf.signal.rfft(x, [7])
        slope = tf.gradients(tf.math.real(y), x)
        found, gradient = session.run([y, slope], {x: np.arange(5.0)})
    np.testing.assert_allclose(found, np.fft.rfft(np.arange(5.0), 7), rtol=1e-5)
    assert gradient[0].shape == (5,)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.signal.frame(x, 5, 3, pad_end=True),
        lambda x: tf.signal.dct(x, n=15),
        tf.signal.mfccs_from_log_mel_spectrograms,
        tf.sort,
    ],
)
def test_functions_of_the_last_dimension_take_an_unknown_rank(function):
    values = np.arange(24.0, dtype=np.float32).reshape(2, 12)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, None)
        found = session.run(function(x), {x: values})
    np.testing.assert_allclose(found, function(tf.constant(values)), rtol=1e-5, atol=1e-5)


def test_frames_are_padded_with_one_number():
    with pytest.raises(ValueError, match="must have rank 0"):
        tf.signal.frame([1.0], 1, 1, pad_end=True, pad_value=[1.0])


@pytest.mark.parametrize(
    ("length", "words"),
    [([[1]], r"Shape \(1, 1\) must have rank 1"), ([1, 1], "Dimension must be 1 but is 2")],
)
def test_lengths_of_another_rank_are_refused_in_graphs(length: list, words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.signal.rfft(tf.compat.v1.placeholder(tf.float32, [1]), np.int32(length))
