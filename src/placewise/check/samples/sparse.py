"""Sample calls of the ops on sparse tensors."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core import dtypes

INDICES = np.array([[0, 1], [1, 0], [1, 2]], np.int64)
OTHERS = np.array([[0, 1], [1, 1]], np.int64)
VALUES = np.array([1.5, -2.0, 3.0], np.float32)
MORE = np.array([0.5, 4.0], np.float32)
SHAPE = np.array([2, 3], np.int64)
DENSE = np.array([[1.0, 2.0, 0.5], [4.0, -1.0, 2.0]], np.float32)
PARTS = (INDICES, VALUES, SHAPE)
TEXT = np.array([b"a", b"b", b"c"], dtype=object)
AXES = np.array([1], np.int32)
NONE = np.zeros(0, np.int32)
COUNTS = {"binary_output": False}
CROSS = {
    "hashed_output": True,
    "num_buckets": 10,
    "hash_key": 5,
    "out_type": dtypes.int64,
    "internal_type": dtypes.int64,
}
BAD = "InvalidArgumentError"

SAMPLES: dict[str, list[Sample]] = {
    "SparseToDense": [
        Sample((INDICES, SHAPE, VALUES, np.float32(9))),
        Sample((np.array([1, 3]), np.array([5]), np.float32(2), np.float32(0))),
        Sample((INDICES, SHAPE, TEXT, np.array(b"", dtype=object))),
        Sample((INDICES[::-1], SHAPE, VALUES, np.float32(0)), error=BAD),
        Sample((INDICES, SHAPE - 1, VALUES, np.float32(0)), error=BAD),
    ],
    "SparseReorder": [
        Sample((INDICES[::-1].copy(), VALUES, SHAPE)),
        Sample((INDICES, TEXT, SHAPE)),
        Sample((INDICES + 5, VALUES, SHAPE), error=BAD),
    ],
    "SparseReshape": [
        Sample((INDICES, SHAPE, np.array([3, -1]))),
        Sample((INDICES, SHAPE, np.array([4])), error=BAD),
    ],
    "SparseConcat": [
        Sample(([INDICES, OTHERS], [VALUES, MORE], [SHAPE, SHAPE]), {"concat_dim": 1}),
        Sample(
            ([INDICES, OTHERS], [VALUES, MORE], [SHAPE, SHAPE + 1]), {"concat_dim": 1}, error=BAD
        ),
    ],
    "SparseSlice": [
        Sample((*PARTS, np.array([1, 0]), np.array([1, 2]))),
        Sample((*PARTS, np.array([1]), np.array([1, 2])), error=BAD),
    ],
    "SparseSliceGrad": [
        Sample((np.array([2.0], np.float32), INDICES, np.array([1, 0]), np.array([[0, 0]]))),
    ],
    "SparseSplit": [
        Sample((np.array(1), *PARTS), {"num_split": 2}),
        Sample((np.array(1), *PARTS), {"num_split": 9}, error=BAD),
    ],
    "SparseAdd": [
        Sample((*PARTS, OTHERS, MORE, SHAPE, np.float32(0))),
        Sample((*PARTS, OTHERS, MORE, SHAPE + 1, np.float32(0)), error=BAD),
    ],
    "SparseAddGrad": [
        Sample(
            (
                np.arange(4, dtype=np.float32),
                INDICES,
                OTHERS,
                np.array([[0, 1], [1, 0], [1, 1], [1, 2]]),
            )
        ),
    ],
    "SparseTensorDenseAdd": [
        Sample((*PARTS, DENSE)),
        Sample((*PARTS, DENSE[:1]), error=BAD),
    ],
    "SparseDenseCwiseMul": [Sample((*PARTS, DENSE)), Sample((*PARTS, DENSE[:, :2]), error=BAD)],
    "SparseDenseCwiseDiv": [Sample((*PARTS, DENSE)), Sample((*PARTS, DENSE[0]))],
    "SparseDenseCwiseAdd": [Sample((*PARTS, DENSE)), Sample((*PARTS, DENSE[:, :1]))],
    "SparseSparseMaximum": [Sample((*PARTS, OTHERS, MORE, SHAPE))],
    "SparseSparseMinimum": [Sample((*PARTS, OTHERS, MORE, SHAPE))],
    "SparseTensorDenseMatMul": [
        Sample((*PARTS, DENSE.T.copy())),
        Sample((*PARTS, DENSE), {"adjoint_a": True}),
        Sample((*PARTS, DENSE), {"adjoint_b": True}),
        Sample((INDICES, VALUES.astype(np.complex64), SHAPE, DENSE.T.astype(np.complex64))),
        Sample((*PARTS, DENSE), error=BAD),
        Sample((INDICES + 1, VALUES, SHAPE, DENSE.T.copy()), error=BAD),
    ],
    "SparseReduceSum": [
        Sample((*PARTS, AXES)),
        Sample((*PARTS, AXES), {"keep_dims": True}),
        Sample((*PARTS, AXES + 5), error=BAD),
    ],
    "SparseReduceSumSparse": [Sample((*PARTS, AXES)), Sample((*PARTS, AXES), {"keep_dims": True})],
    "SparseReduceMax": [Sample((*PARTS, AXES)), Sample((*PARTS, AXES), {"keep_dims": True})],
    "SparseReduceMaxSparse": [Sample((*PARTS, AXES)), Sample((*PARTS, AXES), {"keep_dims": True})],
    "SparseSoftmax": [
        Sample(PARTS),
        Sample((INDICES[:, :1], VALUES, SHAPE[:1]), error=BAD),
    ],
    "SparseFillEmptyRows": [
        Sample((INDICES, VALUES, np.array([4, 3]), np.float32(7))),
        Sample((INDICES, VALUES, np.array([1, 3]), np.float32(7)), error=BAD),
    ],
    "SparseFillEmptyRowsGrad": [
        Sample((np.array([0, 2]), np.arange(4, dtype=np.float32))),
        Sample((np.array([0, 9]), np.arange(4, dtype=np.float32)), error=BAD),
    ],
    "DenseCountSparseOutput": [
        Sample((np.array([1, 1, 3]), NONE), COUNTS),
        Sample((np.array([[1, 1], [2, 0]]), NONE), COUNTS),
        Sample((np.array([-1]), NONE), COUNTS, error=BAD),
    ],
    "SparseCountSparseOutput": [
        Sample((INDICES, np.array([1, 1, 3]), SHAPE, NONE), COUNTS),
        Sample((INDICES + 2, np.array([1, 1, 3]), SHAPE, NONE), COUNTS, error=BAD),
    ],
    "RaggedCountSparseOutput": [
        Sample((np.array([0, 2, 3]), np.array([1, 1, 3]), NONE), COUNTS),
        Sample((np.array([0, 2]), np.array([1, 1, 3]), NONE), COUNTS, error=BAD),
    ],
    "SparseCrossV2": [
        Sample(
            (
                [INDICES],
                [TEXT],
                [SHAPE],
                [np.array([[1], [2]], np.int64)],
                np.array(b"-", dtype=object),
            )
        ),
    ],
    "SparseCross": [
        Sample(([INDICES], [TEXT], [SHAPE], [np.array([[1], [2]], np.int64)]), CROSS),
    ],
    "SparseCrossHashed": [
        Sample(
            (
                [INDICES],
                [TEXT],
                [SHAPE],
                [np.array([[1], [2]], np.int64)],
                np.array(100, np.int64),
                np.array(True),
                np.array([1, 2], np.int64),
            )
        )
    ],
}
