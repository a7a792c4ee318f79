"""Sample calls of the ops that make summaries."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample


def _text(value: str) -> np.ndarray:
    array = np.empty((), dtype=object)
    array[()] = value.encode()
    return array


def _bytes(value: bytes) -> np.ndarray:
    array = np.empty((), dtype=object)
    array[()] = value
    return array


# No sample ends in a zero byte, which NumPy drops from what a session fetches.
_TAG = _text("tag")
_ONE = _bytes(b"\n\x08\n\x01a\x15\x00\x00\x80?")
_TWO = _bytes(b"\n\x08\n\x01b\x15\x00\x00\x80?")
_CLIP = np.array([[0.0, 0.5, -0.5]], np.float32)
_REFUSED = "InvalidArgumentError"

SAMPLES = {
    "ScalarSummary": [
        Sample((_TAG, np.float32(1.5))),
        Sample((_TAG, np.int64(3))),
        Sample((_TAG, np.array([1, 2], np.float32)), error=_REFUSED),
    ],
    "HistogramSummary": [
        Sample((_TAG, np.array([1, -2, 0, 1e300], np.float64))),
        Sample((_TAG, np.array([np.nan], np.float32)), error=_REFUSED),
        Sample((_TAG, np.array([np.inf], np.float32)), error=_REFUSED),
    ],
    "ImageSummary": [
        Sample((_TAG, np.zeros((2, 3, 4, 1), np.float32)), {"max_images": 1}),
        Sample((_TAG, np.ones((1, 2, 2, 3), np.uint8))),
        Sample((_TAG, np.zeros((3, 4), np.float32)), error=_REFUSED),
        Sample((_TAG, np.zeros((1, 3, 4, 2), np.float32)), error=_REFUSED),
    ],
    "AudioSummaryV2": [
        Sample((_TAG, _CLIP, np.float32(8000))),
        Sample((_TAG, np.zeros(3, np.float32), np.float32(8000)), error=_REFUSED),
        Sample((_TAG, _CLIP, np.float32(0)), error=_REFUSED),
    ],
    "AudioSummary": [Sample((_TAG, _CLIP), {"sample_rate": 8000.0})],
    "TensorSummaryV2": [
        Sample((_TAG, np.array([1, 2], np.float32), _bytes(b"\n\x06\n\x04text"))),
        Sample((_TAG, np.array([1, 2], np.float32), _bytes(b"\xff\xff")), error=_REFUSED),
    ],
    "TensorSummary": [Sample((np.array([1, 0x01020304], np.int32),))],
    "MergeSummary": [
        Sample(([_ONE, _TWO],)),
        Sample(([_ONE, _ONE],), error=_REFUSED),
        Sample(([_bytes(b"\xff\xff")],), error=_REFUSED),
    ],
    "SummaryWriter": [Sample(())],
}
