"""Sample calls of the ops on ragged tensors."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core import dtypes

VALUES = np.array([1.5, -2.0, 3.0], np.float32)
SPLITS = np.array([0, 2, 2, 3], np.int64)
TEXT = np.array([b"a", b"b", b"c"], dtype=object)
KINDS = {"row_partition_types": ("ROW_SPLITS",)}
CROSS = {
    "hashed_output": False,
    "num_buckets": 0,
    "hash_key": 5,
    "out_values_type": dtypes.string,
    "out_row_splits_type": dtypes.int64,
}
BAD = "InvalidArgumentError"

SAMPLES: dict[str, list[Sample]] = {
    "RaggedTensorToTensor": [
        Sample((np.array(-1), VALUES, np.float32(9), [SPLITS]), KINDS),
        Sample((np.array([-1, 4]), VALUES, np.float32(9), [SPLITS]), KINDS),
        Sample((np.array([2, 1]), VALUES, np.float32(9), [SPLITS]), KINDS),
        Sample((np.array(-1), TEXT, np.array(b"", dtype=object), [SPLITS]), KINDS),
        Sample(
            (np.array(-1), VALUES, np.float32(0), [np.array(3), np.array([0, 0, 2])]),
            {"row_partition_types": ("FIRST_DIM_SIZE", "VALUE_ROWIDS")},
        ),
        Sample((np.array([1, 2, 3]), VALUES, np.float32(9), [SPLITS]), KINDS, error=BAD),
    ],
    "RaggedTensorToSparse": [
        Sample(([SPLITS], VALUES)),
        Sample(([SPLITS], np.ones((3, 2), np.float32))),
        Sample(([SPLITS + 1], VALUES), error=BAD),
    ],
    "RaggedGather": [
        Sample(([SPLITS], VALUES, np.array([2, 0, 0])), {"OUTPUT_RAGGED_RANK": 1}),
        Sample(([SPLITS], VALUES, np.array([[2, 0]])), {"OUTPUT_RAGGED_RANK": 2}),
        Sample(([SPLITS], VALUES, np.array([3])), {"OUTPUT_RAGGED_RANK": 1}, error=BAD),
    ],
    "RaggedRange": [
        Sample((np.array([0, 5]), np.array([3, 1]), np.array([1, -2]))),
        Sample((np.float32(0), np.float32(1), np.float32(0.25))),
        Sample((np.array([1]), np.array([5]), np.array([0])), error=BAD),
        Sample((np.array([1, 2]), np.array([5, 6, 7]), np.array(1)), error=BAD),
    ],
    "RaggedCross": [
        Sample(
            ([TEXT], [np.array([0, 1, 3])], [], [], [], [np.array([[1], [2]], np.int64)]),
            {**CROSS, "input_order": "RD"},
        ),
    ],
    "RaggedFillEmptyRows": [
        Sample((np.array([0, 2]), VALUES[:2], np.array(4), np.float32(7))),
        Sample((np.array([0, 5]), VALUES[:2], np.array(4), np.float32(7)), error=BAD),
    ],
    "RaggedFillEmptyRowsGrad": [Sample((np.array([0, 2]), VALUES))],
}
