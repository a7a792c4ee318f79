"""Samples of the ops of TensorFlow 1's TensorArray that need no array yet."""

from placewise.check.samples.sample import Sample
from placewise.core import dtypes

SAMPLES = {
    "TensorArrayV3": [
        Sample((3,), {"dtype": dtypes.float32}),
        Sample((-1,), {"dtype": dtypes.float32}, error="InvalidArgumentError"),
    ],
}
