"""Spectrograms and cepstral coefficients of sound: TensorFlow 1.15.5's numbers."""

import numpy as np
import pytest

import placewise as tf
from placewise.ops.signal.speech import audio_spectrogram, mfcc

TIME = np.arange(1600) / 16000
SOUND = np.sin(2 * np.pi * 440 * TIME) + 0.3 * np.sin(2 * np.pi * 1800 * TIME)
SOUND = SOUND[:, None].astype(np.float32)


def test_spectrograms():
    found = audio_spectrogram(SOUND, window_size=480, stride=160).numpy()
    assert found.shape == (1, 8, 257)
    np.testing.assert_allclose(
        found[0, 0, :6], [0.012, 0.015, 0.022, 0.032, 0.046, 0.064], atol=6e-4
    )
    assert np.abs(found).sum() == pytest.approx(2749.23, rel=1e-5)
    squares = audio_spectrogram(SOUND, 512, 200, magnitude_squared=True).numpy()
    assert squares.sum() == pytest.approx(160727.03, rel=1e-5)
    assert audio_spectrogram(SOUND, 2000, 10).shape == (1, 0, 1025)
    both = audio_spectrogram(np.repeat(SOUND, 2, 1), 480, 160).numpy()
    np.testing.assert_array_equal(both[0], both[1])


def test_coefficients():
    squares = audio_spectrogram(SOUND, 480, 160, magnitude_squared=True)
    found = mfcc(squares, 16000).numpy()
    np.testing.assert_allclose(found[0, 0, :4], [-25.669, 11.611, -4.627, 2.636], atol=6e-4)
    assert np.abs(found).sum() == pytest.approx(654.76, abs=0.01)
    found = mfcc(squares, 8000, 3000, 100, 20, 5).numpy()
    assert np.abs(found).sum() == pytest.approx(394.62, abs=0.01)
    # There are no frequencies so high: zeros, as in TensorFlow.
    assert not mfcc(squares, 16000, upper_frequency_limit=20000.0).numpy().any()


def test_what_has_no_spectrum_is_refused():
    squares = audio_spectrogram(SOUND, 480, 160)
    with pytest.raises(tf.errors.InvalidArgumentError, match="window size 1 and stride 1"):
        audio_spectrogram(SOUND, 1, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Mfcc initialization failed"):
        mfcc(squares, 16000, lower_frequency_limit=-1.0)
