"""Sound files."""

import struct

import numpy as np
import pytest

import placewise as tf

SOUND = np.array([[0.0, 0.25], [0.5, -0.5], [-1.0, 0.75]], np.float32)


def test_what_is_encoded_is_decoded():
    sound, rate = tf.audio.decode_wav(tf.audio.encode_wav(SOUND, 8000))
    assert int(rate) == 8000
    np.testing.assert_array_equal(sound.numpy(), SOUND)


def test_samples_out_of_range_are_clipped():
    sound, _ = tf.audio.decode_wav(tf.audio.encode_wav([[2.0], [-2.0]], 8000))
    assert sound.numpy().reshape(-1).tolist() == [32767 / 32768, -1.0]


def test_channels_and_samples_as_desired():
    file = tf.audio.encode_wav(SOUND, 8000)
    assert tf.audio.decode_wav(file, desired_channels=1).audio.shape == (3, 1)
    repeated = tf.audio.decode_wav(file, desired_channels=3).audio.numpy()
    np.testing.assert_array_equal(repeated[:, 2], SOUND[:, 1])
    longer = tf.audio.decode_wav(file, desired_samples=5).audio.numpy()
    assert longer[3:].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("place", "bytes_there", "words"),
    [
        (0, b"RIFX", "Header mismatch: Expected RIFF but found RIFX"),
        (16, struct.pack("<I", 40), "Expected 16 or 18, but got40"),
        (20, struct.pack("<H", 3), r"Expected 1 \(PCM\), but got3"),
        (22, struct.pack("<H", 0), "Expected at least 1, but got 0"),
        (34, struct.pack("<H", 24), "Can only read 16-bit WAV files, but received 24"),
        (40, struct.pack("<I", 2**31), "Data too short"),
    ],
)
def test_files_that_are_wrong(place, bytes_there, words):
    file = bytearray(tf.audio.encode_wav(SOUND, 8000).numpy())
    file[place : place + len(bytes_there)] = bytes_there
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.audio.decode_wav(bytes(file))


@pytest.mark.parametrize("count", range(44))
def test_every_cut_raises(count):
    file = tf.audio.encode_wav(SOUND, 8000).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.audio.decode_wav(file[:count])
