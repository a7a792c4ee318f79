"""Sample calls of activations, losses, normalisations, samplers and CTC."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.nn_layers import BAD, f32, values
from placewise.check.samples.sample import Sample

_rows = np.asarray([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])
_classes = np.asarray([2, 0], "int64")
_vectors = (f32(3), f32(3), f32(3), np.asarray([0.5, 1.0, 2.0], "float32"))
_norm = {"epsilon": 0.01}
# Sequences of 3 steps, 2 at a time, of 2 numbers, into 2 units.
_lstm = (np.int64(3), f32(3, 2, 2), f32(2, 2), f32(2, 2), f32(4, 8), f32(2), f32(2), f32(2), f32(8))
_lstm_steps = tuple(f32(3, 2, 2) for _ in range(9))

SAMPLES: dict[str, list[Sample]] = {
    "BlockLSTM": [
        Sample(_lstm, {"cell_clip": 0.0}),
        Sample((np.int64(2), *_lstm[1:]), {"cell_clip": 0.0, "use_peephole": True}),
        Sample((*_lstm[:2], f32(1, 2), *_lstm[3:]), {}, BAD),
    ],
    "BlockLSTMV2": [
        Sample(_lstm),
        Sample((np.int64(0), *_lstm[1:]), {"use_peephole": True}),
        Sample((np.int64(4), *_lstm[1:]), {}, BAD),
    ],
    "BlockLSTMGrad": [
        Sample((*_lstm, *_lstm_steps), {"use_peephole": False}),
        Sample((*_lstm, *_lstm_steps[1:], f32(2, 2, 2)), {"use_peephole": False}, BAD),
    ],
    "BlockLSTMGradV2": [
        Sample((*_lstm, *_lstm_steps), {"use_peephole": True}),
        Sample((np.int64(1), *_lstm[1:], *_lstm_steps), {"use_peephole": False}),
    ],
    "Relu": [
        Sample((values(2, 3),)),
        Sample((np.asarray([1, 2], "uint16"),)),
        Sample((["a"],), {}, BAD),
    ],
    "ReluGrad": [
        Sample((values(2, 3), values(2, 3))),
        Sample((np.asarray([1, 2], "uint32"), np.asarray([0, 2], "uint32"))),
    ],
    "Relu6": [Sample((values(2, 3) * 6,)), Sample((np.asarray([1, 9], "uint16"),))],
    "Relu6Grad": [
        Sample((values(2, 3), values(2, 3) * 6)),
        Sample((np.array([3, 4], np.int32), np.array([1, 9], np.int32))),
    ],
    "LeakyRelu": [
        Sample((values(2, 3),), {"alpha": 0.3}),
        Sample((np.array([b"a"], object),), {}, BAD),
    ],
    "LeakyReluGrad": [Sample((values(2, 3), values(2, 3)), {"alpha": 0.3})],
    "Elu": [Sample((values(2, 3),))],
    "EluGrad": [Sample((values(2, 3), values(2, 3) / 2))],
    "Selu": [Sample((values(2, 3),))],
    "SeluGrad": [Sample((values(2, 3), values(2, 3) / 2))],
    "Softmax": [Sample((values(2, 3),)), Sample((np.float32(1),), {}, BAD)],
    "LogSoftmax": [Sample((values(2, 3),))],
    "SoftmaxCrossEntropyWithLogits": [
        Sample((values(2, 3), _rows), differentiable=False),
        Sample((values(2, 3), _rows[:1]), differentiable=False),
        Sample((values(2, 2), _rows), {}, BAD),
    ],
    "SparseSoftmaxCrossEntropyWithLogits": [
        Sample((values(2, 3), _classes), differentiable=False),
        Sample((values(2, 3), _classes + 1), {}, BAD),
    ],
    "L2Loss": [Sample((values(2, 3),))],
    "BiasAdd": [
        Sample((values(2, 3), values(3))),
        Sample((values(2, 3, 2), values(3)), {"data_format": "NCHW"}),
        Sample((np.array([[1, 2]], np.uint16), np.array([1, 2], np.uint16))),
        Sample((values(2, 3), values(2)), {}, BAD),
    ],
    "BiasAddGrad": [
        Sample((values(2, 3),)),
        Sample((values(2, 3, 2),), {"data_format": "NCHW"}),
        Sample((np.array([[1, 2]], np.uint16),)),
        Sample((values(3),), {}, BAD),
    ],
    "FusedBatchNormV3": [
        Sample((f32(2, 2, 2, 3), *_vectors), _norm, differentiable=False),
        Sample(
            (f32(2, 3, 2, 2), *_vectors), {**_norm, "data_format": "NCHW"}, differentiable=False
        ),
        Sample((f32(2, 2, 2, 3), *_vectors), {**_norm, "is_training": False}, differentiable=False),
        Sample(
            (f32(2, 2, 2, 3), *_vectors),
            {**_norm, "exponential_avg_factor": 0.5},
            differentiable=False,
        ),
        Sample((f32(2, 2, 3), *_vectors), _norm, BAD),
    ],
    "FusedBatchNormV2": [Sample((f32(2, 2, 2, 3), *_vectors), _norm, differentiable=False)],
    "FusedBatchNorm": [Sample((f32(2, 2, 2, 3), *_vectors), _norm, differentiable=False)],
    "FusedBatchNormGradV3": [
        Sample(
            (f32(2, 2, 2, 3), f32(2, 2, 2, 3), *_vectors[1:], f32(1)), _norm, differentiable=False
        ),
    ],
    "FusedBatchNormGradV2": [Sample((f32(2, 2, 2, 3), f32(2, 2, 2, 3), *_vectors[1:]), _norm)],
    "FusedBatchNormGrad": [Sample((f32(2, 2, 2, 3), f32(2, 2, 2, 3), *_vectors[1:]), _norm)],
    "LRN": [
        Sample((f32(1, 2, 2, 5),), {"depth_radius": 2, "alpha": 0.3}, differentiable=False),
        Sample((f32(2, 3),), {}, BAD),
    ],
    "LRNGrad": [Sample((f32(1, 1, 2, 5), f32(1, 1, 2, 5), f32(1, 1, 2, 5)), differentiable=False)],
    "IsotonicRegression": [
        Sample((f32(2, 5),), differentiable=False),
        Sample((np.array([3, 1, 2], np.uint16),)),
    ],
    "ApproxTopK": [
        Sample((f32(2, 5),), {"k": 2}, differentiable=False),
        Sample(
            (f32(2, 5),),
            {"k": 1, "reduction_dimension": 0, "is_max_k": False},
            differentiable=False,
        ),
        Sample((f32(2, 5),), {"k": 9}, BAD),
    ],
}

_true = np.asarray([[1], [2]], "int64")
_draw = {"num_true": 1, "num_sampled": 4, "unique": True, "range_max": 9, "seed": 1, "seed2": 2}
_hits = {"num_true": 2}

SAMPLES.update(
    {
        name: [
            Sample((_true,), _draw),
            Sample((_true[0],), _draw, BAD),
            Sample((_true,), {**_draw, "num_sampled": 10}, BAD),
        ]
        for name in (
            "UniformCandidateSampler",
            "LogUniformCandidateSampler",
            "LearnedUnigramCandidateSampler",
            "ThreadUnsafeUnigramCandidateSampler",
        )
    }
)
SAMPLES["FixedUnigramCandidateSampler"] = [
    Sample((_true,), {**_draw, "range_max": 5, "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0]}),
    Sample((_true,), _draw, BAD),
]
SAMPLES["AllCandidateSampler"] = [
    Sample((_true,), {"num_true": 1, "num_sampled": 3, "unique": True}),
]
SAMPLES["ComputeAccidentalHits"] = [
    Sample((np.array([[1, 2], [3, 4]], np.int64), np.array([2, 5, 3], np.int64)), _hits),
    Sample((np.array([[1], [3]], np.int64), np.array([2, 5, 3], np.int64)), _hits, BAD),
]

_labels = (
    np.array([[0, 0], [0, 1], [1, 0]], np.int64),
    np.array([1, 0, 2], np.int32),
    np.array([5, 4], np.int32),
)
SAMPLES["CTCLoss"] = [
    Sample((values(5, 2, 4), *_labels), differentiable=False),
    Sample((values(5, 2, 4), *_labels), {"ctc_merge_repeated": False}, differentiable=False),
    Sample((values(5, 2, 4), *_labels[:2], np.array([9, 4], np.int32)), {}, BAD),
]
SAMPLES["CTCLossV2"] = [
    Sample(
        (f32(5, 2, 4), _labels[0], np.array([1, 3, 2], np.int32), _labels[2]), differentiable=False
    ),
]
SAMPLES["CTCGreedyDecoder"] = [
    Sample((values(5, 2, 4), np.array([5, 3], np.int32)), {"merge_repeated": True}),
    Sample((values(5, 2, 4), np.array([6, 3], np.int32)), {}, "FailedPreconditionError"),
]
SAMPLES["CTCBeamSearchDecoder"] = [
    Sample((values(5, 2, 4), np.array([5, 3], np.int32)), {"beam_width": 4, "top_paths": 2}),
    Sample((values(5, 2, 4), np.array([5, 3], np.int32)), {"beam_width": 1, "top_paths": 2}, BAD),
]
