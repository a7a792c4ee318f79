"""Sample calls of the ops that make lookup tables; those on a table are in its own tests."""

from __future__ import annotations

import numpy as np

import placewise as tf
from tests.ops.samples.sample import Sample

TYPES = {"key_dtype": tf.string, "value_dtype": tf.int64}
KEYS = (np.array(0), np.array(-1))

SAMPLES: dict[str, list[Sample]] = {
    "HashTableV2": [
        Sample((), TYPES),
        Sample((), {"key_dtype": tf.float32, "value_dtype": tf.int64}, error="NotFoundError"),
    ],
    "AnonymousHashTable": [Sample((), TYPES)],
    "MutableHashTableV2": [Sample((), TYPES)],
    "AnonymousMutableHashTable": [Sample((), TYPES)],
    "MutableHashTableOfTensorsV2": [Sample((), {**TYPES, "value_shape": (2,)})],
    "AnonymousMutableHashTableOfTensors": [Sample((), {**TYPES, "value_shape": (2,)})],
    "MutableDenseHashTableV2": [
        Sample(KEYS, {"value_dtype": tf.int64}),
        Sample((KEYS[0], KEYS[0]), {"value_dtype": tf.int64}, error="InvalidArgumentError"),
    ],
    "AnonymousMutableDenseHashTable": [Sample(KEYS, {"value_dtype": tf.int64})],
}
