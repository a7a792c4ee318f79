"""Sample calls of the transforms and of sound files."""

from __future__ import annotations

import struct

import numpy as np

from placewise.check.samples.linalg import BAD, C, R
from placewise.check.samples.sample import Sample

WAV = struct.pack(
    "<4sI4s4sIHHIIHH4sI4s",
    b"RIFF",
    40,
    b"WAVE",
    b"fmt ",
    16,
    1,
    1,
    8000,
    16000,
    2,
    16,
    b"data",
    4,
    b"\x00\x40\x00\xc0",
)

SOUND = np.sin(np.arange(64, dtype=np.float32) / 3).reshape(32, 2)
SQUARES = np.linspace(0.1, 1, 34, dtype=np.float32).reshape(1, 2, 17)

SAMPLES = {
    "AudioSpectrogram": [
        Sample((SOUND,), {"window_size": 8, "stride": 4}),
        Sample((SOUND,), {"window_size": 6, "stride": 4, "magnitude_squared": True}),
        Sample((SOUND[:, 0],), {"window_size": 8, "stride": 4}, error="InvalidArgumentError"),
        Sample((SOUND,), {"window_size": 1, "stride": 4}, error="InvalidArgumentError"),
    ],
    "Mfcc": [
        Sample((SQUARES, np.array(8000, np.int32)), {"filterbank_channel_count": 6}),
        Sample(
            (SQUARES, np.array(8000, np.int32)),
            {"lower_frequency_limit": -1.0},
            error="InvalidArgumentError",
        ),
    ],
    "FFT": [Sample((C(2, 5),)), Sample((np.complex64(1),), error=BAD)],
    "FFT2D": [Sample((C(2, 3, 4),)), Sample((C(4),), error=BAD)],
    "FFT3D": [Sample((C(2, 3, 4),)), Sample((C(4),), error=BAD)],
    "IFFT": [Sample((C(2, 5),)), Sample((C(2, 0),))],
    "IFFT2D": [Sample((C(2, 3, 4),))],
    "IFFT3D": [Sample((C(2, 3, 4),))],
    "RFFT": [
        Sample((R(2, 5), [5])),
        Sample((R(2, 5), [4])),
        Sample((R(2, 5), [6]), error=BAD),
        Sample((R(2, 5), [5, 5]), error=BAD),
        Sample((R(2, 5), [-1]), error=BAD),
    ],
    "RFFT2D": [Sample((R(2, 3, 4), [3, 4])), Sample((R(2, 3, 4), [2, 3]))],
    "RFFT3D": [Sample((R(2, 3, 4), [2, 3, 4]))],
    "IRFFT": [
        Sample((C(2, 4), [6])),
        Sample((C(2, 4), [5])),
        Sample((C(2, 4), [10]), error=BAD),
    ],
    "IRFFT2D": [Sample((C(3, 4), [3, 6]))],
    "IRFFT3D": [Sample((C(2, 3, 4), [2, 3, 6]))],
    "FFTND": [
        Sample((C(2, 3, 4), [2, 4], [0, 2])),
        Sample((C(2, 3), [2], [5]), error=BAD),
        Sample((C(2, 3), [2, 2], [0, 0]), error=BAD),
    ],
    "IFFTND": [Sample((C(2, 3, 4), [4, 2], [2, 0]))],
    "RFFTND": [Sample((R(2, 3, 4), [2, 4], [0, 2]))],
    "IRFFTND": [Sample((C(2, 3, 3), [2, 4], [0, 2]))],
    "DecodeWav": [
        Sample((WAV,)),
        Sample((WAV,), {"desired_channels": 2, "desired_samples": 5}),
        Sample((WAV[:30],), error=BAD),
        Sample(([WAV],), error=BAD),
    ],
    "EncodeWav": [
        Sample((R(4, 2), 8000)),
        Sample((R(4), 8000), error=BAD),
        Sample((R(4, 2), 0), error=BAD),
    ],
}
