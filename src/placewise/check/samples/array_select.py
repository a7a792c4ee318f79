"""Sample calls of the ops that take elements by place, index or condition, and put them there."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core import dtypes

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - 0.5
Y = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 8
V = np.array([4.0, 1.0, 4.0, 2.0], np.float32)
TEXT = np.array([[b"a", b"b"], [b"c", b"d"]], dtype=object)
WIDE = np.arange(6, dtype=np.uint16).reshape(2, 3)
LONG = np.int64
BAD = "InvalidArgumentError"

SAMPLES: dict[str, list[Sample]] = {
    "StridedSlice": [
        Sample((X, [0, 1], [2, 3], [1, 1])),
        Sample((X, [1, 2], [-3, -4], [-1, -2])),
        Sample((Y, [1, 0], [2, 1], [1, 1]), {"shrink_axis_mask": 1, "new_axis_mask": 2}),
        Sample((Y, [0, 1], [0, 2], [1, 1]), {"ellipsis_mask": 1}),
        Sample((X, [0, 0], [0, 2], [1, 1]), {"begin_mask": 1, "end_mask": 1}),
        Sample((TEXT, [1, 1], [0, 0], [-1, -1]), {"end_mask": 3}),
        Sample((WIDE, [0], [1], [1])),
        Sample((X, [5], [6], [1]), {"shrink_axis_mask": 1}, error=BAD),
        Sample((X, [0], [1], [0]), error=BAD),
        Sample((X, [0, 0, 0], [1, 1, 1], [1, 1, 1]), error=BAD),
        Sample((X, [0, 0], [1], [1]), error=BAD),
    ],
    "StridedSliceGrad": [
        Sample(([2, 3], [0, 1], [2, 3], [1, 1], X[:, 1:])),
        Sample(([2, 3], [1, 2], [-3, -4], [-1, -1], X)),
        Sample(([2, 3], [0], [1], [1], X), error=BAD),
    ],
    "TensorStridedSliceUpdate": [
        Sample((X, [0, 1], [2, 3], [1, 1], X[:, 1:] * 2)),
        Sample((X, [0], [1], [1], np.float32(7))),
        Sample((X, [0], [1], [1], V), error=BAD),
    ],
    "Slice": [
        Sample((X, [0, 1], [2, 2])),
        Sample((X, [1, 0], [-1, -1])),
        Sample((TEXT, [1, 0], [1, 2])),
        Sample((X, [0, 1], [2, 3]), error=BAD),
        Sample((X, [0], [1]), error=BAD),
    ],
    "GatherV2": [
        Sample((X, [1, 0], 0)),
        Sample((X, [[2], [0]], 1)),
        Sample((TEXT, [1, 1], 0)),
        Sample((X, [[2], [0]], 1), {"batch_dims": 1}),
        Sample((WIDE, [1], 0)),
        Sample((Y, [[3, 0], [1, 1]], -1), {"batch_dims": 1}),
        Sample((X, 1, 1)),
        Sample((TEXT, [[1], [0]], 1), {"batch_dims": 1}),
        Sample((WIDE[0], [2], 0)),
        Sample((X, [2], 0), error=BAD),
        Sample((X, [-1], 0), error=BAD),
        Sample((X, [0], 2), error=BAD),
    ],
    "Gather": [Sample((X, [1, 0])), Sample((X, [2]), error=BAD)],
    "GatherNd": [
        Sample((X, [[0, 1], [1, 2]])),
        Sample((X, [[1], [0]])),
        Sample((X, [1, 2])),
        Sample((TEXT, [[1, 0]])),
        Sample((X, np.zeros((1, 0), np.int32))),
        Sample((WIDE, [[1, 1]])),
        Sample((X, [[5, 5], [0, 0]]), {"bad_indices_policy": "IGNORE"}),
        Sample((X, [[0, 0, 0]]), error=BAD),
    ],
    "ScatterNd": [
        Sample(([[0], [2], [0]], V[:3], [4])),
        Sample(([[1]], X[:1], [2, 3])),
        Sample(([[1], [1]], np.array([b"a", b"b"], object), [2])),
        Sample(([[1]], np.array([True]), [2])),
        Sample(([[1], [1]], WIDE[0, :2], [2])),
        Sample(([[0]], V[:2], [4]), error=BAD),
        Sample(([[0, 0]], V[:1], [4]), error=BAD),
    ],
    **{
        name: [
            Sample((V, [[0], [2]], np.array([3.0, 5.0], np.float32))),
            Sample((X, [[1]], X[:1] * 3)),
            Sample((WIDE, [[0]], WIDE[1:])),
            Sample((V, [[0]], V[:2]), error=BAD),
        ]
        for name in (
            "TensorScatterUpdate",
            "TensorScatterAdd",
            "TensorScatterSub",
            "TensorScatterMax",
            "TensorScatterMin",
        )
    },
    "ScatterNdNonAliasingAdd": [Sample((V, [[0], [0]], V[:2]))],
    "Where": [
        Sample((np.array([[True, False], [True, True]]),)),
        Sample((V - 1,)),
        Sample((WIDE,)),
        Sample((np.array(True),), error=BAD),
    ],
    "SelectV2": [
        Sample((np.array([[True], [False]]), X, np.float32(0))),
        Sample((np.array([True, False]), TEXT, TEXT[::-1])),
        Sample((np.array([True, False]), WIDE[:, :2], WIDE[:, 1:])),
        Sample((np.array([True, False]), X, X), error=BAD),
    ],
    "Select": [
        Sample((np.array([True, False]), X, X * 2)),
        Sample((np.array(True), X, X * 2)),
        Sample((np.array([True, False, True]), X, X), error=BAD),
    ],
    "OneHot": [
        Sample(([0, 2, -1, 5], 3, np.float32(1), np.float32(0)), differentiable=False),
        Sample(([[0, 1]], 2, 5, -1), {"axis": 1}),
        Sample(([0, 1], 2, b"y", b"n")),
        Sample(([0, 1], 2, WIDE[0, 1], WIDE[0, 0]), {"axis": 0}),
        Sample(([0], -1, 1, 0), error=BAD),
        Sample(([0], 2, 1, 0), {"axis": 3}, error=BAD),
    ],
    "Unique": [
        Sample((V,)),
        Sample((TEXT[0],)),
        Sample((WIDE[0],), {"out_idx": dtypes.int64}),
        Sample((V[:0],)),
        Sample((X,), error=BAD),
    ],
    "UniqueWithCounts": [Sample((V,)), Sample((TEXT[0],)), Sample((X,), error=BAD)],
    "UniqueV2": [
        Sample((X, [1])),
        Sample((V, np.zeros(0, np.int64))),
        Sample((TEXT, [0])),
        Sample((X, np.zeros(0, np.int64)), error=BAD),
        Sample((X, [3]), error=BAD),
    ],
    "UniqueWithCountsV2": [Sample((X, [0])), Sample((WIDE, [1]))],
    "ListDiff": [
        Sample((V, V[1:2])),
        Sample((TEXT[0], TEXT[0, :1])),
        Sample((X, V), error=BAD),
    ],
    "DynamicPartition": [
        Sample((V, [0, 1, 0, 2]), {"num_partitions": 3}),
        Sample((TEXT, [1, 0]), {"num_partitions": 2}),
        Sample((X, [[0, 1, 0], [1, 1, 0]]), {"num_partitions": 2}),
        Sample((V, [0, 1, 0, 3]), {"num_partitions": 3}, error=BAD),
        Sample((V, [0, 1]), {"num_partitions": 3}, error=BAD),
    ],
    "DynamicStitch": [
        Sample(([[0, 2], [1, 0]], [V[:2], V[2:]])),
        Sample(([1, [0, 3]], [X[0], X])),
        Sample(([[1], [0]], [TEXT[:1], TEXT[1:]])),
        Sample(([[0, -1]], [V[:2]]), error=BAD),
        Sample(([[0]], [V[:2]]), error=BAD),
    ],
    "ParallelDynamicStitch": [Sample(([[0, 2], [1]], [V[:2], V[2:3]]))],
    "LowerBound": [
        Sample((np.sort(X), X)),
        Sample((np.sort(WIDE), WIDE)),
        Sample((X, X[:1]), error=BAD),
    ],
    "UpperBound": [
        Sample((np.sort(X), X)),
        Sample((np.sort(X).astype(np.float16), X.astype(np.float16))),
    ],
    "UnravelIndex": [
        Sample(([5, 1], [2, 3])),
        Sample((1, [2, 3])),
        Sample(([9], [2, 3]), error=BAD),
    ],
    "Bitcast": [
        Sample((X,), {"type": dtypes.int32}),
        Sample((X,), {"type": dtypes.uint8}),
        Sample((np.zeros((2, 4), np.uint8),), {"type": dtypes.int32}),
        Sample((np.zeros((2, 3), np.uint8),), {"type": dtypes.int32}, error=BAD),
    ],
    "Fingerprint": [
        Sample((X, b"farmhash64")),
        Sample((TEXT, b"farmhash64")),
        Sample((X, b"md5"), error=BAD),
    ],
    "EditDistance": [
        Sample(
            (
                np.array([[0, 0]], LONG),
                [b"a"],
                np.array([1, 1], LONG),
                np.array([[0, 0], [0, 1]], LONG),
                [b"a", b"b"],
                np.array([1, 2], LONG),
            )
        ),
    ],
    "DenseToDenseSetOperation": [
        Sample(([[1, 2], [3, 4]], [[2, 3], [3, 3]]), {"set_operation": kind})
        for kind in ("intersection", "union", "a-b", "b-a")
    ]
    + [Sample(([[1]], [[2]]), {"set_operation": "other"}, error=BAD)],
    "DenseToSparseSetOperation": [
        Sample(
            ([[1, 2]], np.array([[0, 0]], LONG), [2], np.array([1, 1], LONG)),
            {"set_operation": "a-b"},
        ),
    ],
    "SparseToSparseSetOperation": [
        Sample(
            (
                np.array([[0, 0], [0, 1]], LONG),
                [1, 2],
                np.array([1, 2], LONG),
                np.array([[0, 0]], LONG),
                [2],
                np.array([1, 1], LONG),
            ),
            {"set_operation": "union"},
        ),
    ],
    "SetSize": [Sample((np.array([[0, 0], [0, 1]], LONG), [1, 1], np.array([2, 2], LONG)))],
}
