"""Sample calls of the ops that make lookup tables; those on a table are in its own tests."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core import dtypes

TYPES = {"key_dtype": dtypes.string, "value_dtype": dtypes.int64}
KEYS = (np.array(0), np.array(-1))

SAMPLES: dict[str, list[Sample]] = {
    "HashTableV2": [
        Sample((), TYPES),
        Sample(
            (), {"key_dtype": dtypes.float32, "value_dtype": dtypes.int64}, error="NotFoundError"
        ),
    ],
    "AnonymousHashTable": [Sample((), TYPES)],
    "MutableHashTableV2": [Sample((), TYPES)],
    "AnonymousMutableHashTable": [Sample((), TYPES)],
    "MutableHashTableOfTensorsV2": [Sample((), {**TYPES, "value_shape": (2,)})],
    "AnonymousMutableHashTableOfTensors": [Sample((), {**TYPES, "value_shape": (2,)})],
    "MutableDenseHashTableV2": [
        Sample(KEYS, {"value_dtype": dtypes.int64}),
        Sample((KEYS[0], KEYS[0]), {"value_dtype": dtypes.int64}, error="InvalidArgumentError"),
    ],
    "AnonymousMutableDenseHashTable": [Sample(KEYS, {"value_dtype": dtypes.int64})],
}
