"""Sample calls of the ops that arrange elements: shapes, joins, margins, orders, blocks."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core import dtypes
from placewise.core.shapes import TensorShape

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - 0.5
Y = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 8
TEXT = np.array([[b"a", b"b"], [b"c", b"d"]], dtype=object)
WIDE = np.arange(6, dtype=np.uint16).reshape(2, 3)
BAD = "InvalidArgumentError"

SAMPLES: dict[str, list[Sample]] = {
    "Shape": [Sample((X,)), Sample((TEXT,), {"out_type": dtypes.int64})],
    "ShapeN": [Sample(([X, X[0]],))],
    "Size": [Sample((X,)), Sample((X,), {"out_type": dtypes.int64})],
    "Rank": [Sample((X,))],
    "Reshape": [
        Sample((X, [3, 2])),
        Sample((X, [-1])),
        Sample((TEXT, [4])),
        Sample((WIDE, [6])),
        Sample((X, [4, 2]), error=BAD),
        Sample((X, [-1, -1]), error=BAD),
        Sample((X, [2.0]), error=BAD),
    ],
    "ExpandDims": [
        Sample((X, 1)),
        Sample((X, -1)),
        Sample((TEXT, 0)),
        Sample((X, 3), error=BAD),
    ],
    "Squeeze": [
        Sample((X[None],)),
        Sample((X[None],), {"squeeze_dims": (0,)}),
        Sample((TEXT[None],), {"squeeze_dims": (-3,)}),
        Sample((X,), {"squeeze_dims": (0,)}, error=BAD),
    ],
    "Identity": [Sample((X,)), Sample((TEXT,))],
    "BroadcastTo": [
        Sample((X[:, :1], [4, 2, 3])),
        Sample((TEXT, [2, 2, 2])),
        Sample((X, [0, 2, 3])),
        Sample((X, [3, 3]), error=BAD),
        Sample((X, [3]), error=BAD),
    ],
    "BroadcastArgs": [Sample(([2, 1], [3])), Sample(([2], [3]), error=BAD)],
    "BroadcastGradientArgs": [Sample(([2, 1], [3])), Sample(([2], [3]), error=BAD)],
    "Transpose": [
        Sample((Y, [2, 0, 1])),
        Sample((X, [-1, 0])),
        Sample((TEXT, [1, 0])),
        Sample((WIDE, [1, 0])),
        Sample((X, [0]), error=BAD),
        Sample((X, [0, 0]), error=BAD),
        Sample((X, [0, 2]), error=BAD),
    ],
    "ConjugateTranspose": [Sample((X + 1j * X, [1, 0])), Sample((X, [1, 0]))],
    "ConcatV2": [
        Sample(([X, X], 0)),
        Sample(([X, X[:, :1]], -1)),
        Sample(([TEXT, TEXT], 1)),
        Sample(([WIDE, WIDE], 0)),
        Sample(([X, X[:1]], 1), error=BAD),
        Sample(([X, X[0]], 0), error=BAD),
        Sample(([X, X], 2), error=BAD),
    ],
    "Concat": [Sample((1, [X, X])), Sample((2, [X, X]), error=BAD)],
    "ConcatOffset": [Sample((1, [[2, 3], [2, 4]])), Sample((2, [[2], [2]]), error=BAD)],
    "Pack": [
        Sample(([X, X],)),
        Sample(([X, X],), {"axis": -1}),
        Sample(([TEXT, TEXT],), {"axis": 1}),
        Sample(([X, X[0]],), error=BAD),
    ],
    "ParallelConcat": [Sample(([X[:1], X[1:]],), {"shape": TensorShape([2, 3])})],
    "Unpack": [
        Sample((X,), {"num": 2}),
        Sample((X,), {"num": 3, "axis": -1}),
        Sample((TEXT,), {"num": 2}),
        Sample((X,), {"num": 3}, error=BAD),
    ],
    "Split": [
        Sample((1, X), {"num_split": 3}),
        Sample((0, TEXT), {"num_split": 2}),
        Sample((1, X), {"num_split": 2}, error=BAD),
        Sample((2, X), {"num_split": 2}, error=BAD),
    ],
    "SplitV": [
        Sample((X, [1, 2], 1), {"num_split": 2}),
        Sample((X, [-1, 1], 1), {"num_split": 2}),
        Sample((TEXT, [0, 2], 0), {"num_split": 2}),
        Sample((X, [1, 1], 1), {"num_split": 2}, error=BAD),
        Sample((X, [-1, -1], 1), {"num_split": 2}, error=BAD),
    ],
    "Pad": [
        Sample((X, [[1, 0], [0, 2]])),
        Sample((TEXT, [[1, 0], [0, 1]])),
        Sample((WIDE, [[1, 1], [0, 0]])),
        Sample((X, [[1, 0]]), error=BAD),
        Sample((X, [[-1, 0], [0, 0]]), error=BAD),
    ],
    "PadV2": [
        Sample((X, [[1, 0], [0, 2]], np.float32(3))),
        Sample((TEXT, [[1, 0], [0, 1]], b"z")),
        Sample((X, [[1, 0]], np.float32(0)), error=BAD),
    ],
    "MirrorPad": [
        Sample((X, [[1, 0], [2, 1]]), {"mode": "REFLECT"}),
        Sample((X, [[2, 0], [0, 3]]), {"mode": "SYMMETRIC"}),
        Sample((TEXT, [[1, 0], [0, 2]]), {"mode": "SYMMETRIC"}),
        Sample((X, [[2, 0], [0, 0]]), {"mode": "REFLECT"}, error=BAD),
        Sample((X, [[1, 0], [0, 0]]), {"mode": "OTHER"}, error=BAD),
    ],
    "MirrorPadGrad": [
        Sample((Y[0], [[1, 0], [1, 1]]), {"mode": "REFLECT"}),
        Sample((Y[0], [[1, 0], [1, 1]]), {"mode": "SYMMETRIC"}),
    ],
    "Tile": [
        Sample((X, [2, 1])),
        Sample((TEXT, [1, 2])),
        Sample((X, [0, 1])),
        Sample((X, [2]), error=BAD),
        Sample((X, [-1, 1]), error=BAD),
    ],
    "ReverseV2": [
        Sample((X, [1])),
        Sample((X, [-1, 0])),
        Sample((TEXT, [0])),
        Sample((WIDE, [0])),
        Sample((X, [2]), error=BAD),
        Sample((X, [0, 0]), error=BAD),
    ],
    "Reverse": [Sample((X, [True, False])), Sample((X, [True]), error=BAD)],
    "Roll": [
        Sample((X, 1, 1)),
        Sample((X, [1, -2], [0, 1])),
        Sample((TEXT, 1, 0)),
        Sample((X, 1, 2), error=BAD),
        Sample((X, [1, 2], [0]), error=BAD),
    ],
    "ReverseSequence": [
        Sample((X, [2, 3]), {"seq_dim": 1, "batch_dim": 0}),
        Sample((TEXT, [1, 2]), {"seq_dim": 1}),
        Sample((WIDE, [1, 2]), {"seq_dim": 1}),
        Sample((X, [2, 4]), {"seq_dim": 1}, error=BAD),
        Sample((X, [2]), {"seq_dim": 1}, error=BAD),
    ],
    "SpaceToDepth": [
        Sample((Y.reshape(1, 4, 6, 1),), {"block_size": 2}),
        Sample((Y.reshape(1, 1, 4, 6),), {"block_size": 2, "data_format": "NCHW"}),
        Sample((X.reshape(1, 2, 3, 1),), {"block_size": 2}, error=BAD),
    ],
    "DepthToSpace": [
        Sample((Y.reshape(1, 2, 3, 4),), {"block_size": 2}),
        Sample((Y.reshape(1, 4, 2, 3),), {"block_size": 2, "data_format": "NCHW"}),
        Sample((X.reshape(1, 1, 2, 3),), {"block_size": 2}, error=BAD),
    ],
    "SpaceToBatchND": [
        Sample((Y.reshape(1, 4, 6, 1), [2, 3], [[0, 0], [0, 0]])),
        Sample((Y.reshape(1, 4, 6, 1), [2, 2], [[1, 1], [0, 0]])),
        Sample((Y.reshape(1, 4, 6, 1), [3, 2], [[0, 0], [0, 0]]), error=BAD),
    ],
    "BatchToSpaceND": [
        Sample((Y.reshape(4, 3, 2, 1), [2, 2], [[0, 1], [0, 0]])),
        Sample((Y.reshape(4, 3, 2, 1), [3, 2], [[0, 0], [0, 0]]), error=BAD),
    ],
    "SpaceToBatch": [Sample((Y.reshape(1, 4, 6, 1), [[0, 0], [0, 0]]), {"block_size": 2})],
    "BatchToSpace": [Sample((Y.reshape(4, 3, 2, 1), [[0, 1], [0, 0]]), {"block_size": 2})],
    "Fill": [
        Sample(([2, 3], np.float32(7))),
        Sample(([2], b"x")),
        Sample(([0], True)),
        Sample(([-1], 1), error=BAD),
        Sample(([2], [1, 2]), error=BAD),
    ],
    "ZerosLike": [Sample((X,)), Sample((TEXT,)), Sample((WIDE,))],
    "OnesLike": [Sample((X,)), Sample((WIDE,))],
    "Range": [
        Sample((0, 5, 2)),
        Sample((np.float32(0), np.float32(1), np.float32(0.3))),
        Sample((5, 0, -2)),
        Sample((0, 5, 0), error=BAD),
        Sample((5, 0, 1), error=BAD),
    ],
    "LinSpace": [
        Sample((np.float32(0), np.float32(1), 5)),
        Sample((np.float32(0), np.float32(1), 0), error=BAD),
    ],
    "ExtractVolumePatches": [
        Sample(
            (Y.reshape(1, 2, 3, 4, 1),),
            {"ksizes": (1, 2, 2, 2, 1), "strides": (1, 1, 1, 2, 1), "padding": padding},
        )
        for padding in ("VALID", "SAME")
    ]
    + [
        Sample(
            (Y.reshape(1, 2, 3, 4, 1),),
            {"ksizes": (1, 3, 2, 2, 2), "strides": (1,) * 5, "padding": "VALID"},
            error=BAD,
        ),
    ],
    "DeepCopy": [Sample((X,))],
}
