"""Samples of the random ops."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample

SHAPE = [2, 3]
KEY, COUNTER = np.array([5], np.uint64), np.array([1, 2], np.uint64)
SEED = [1, 2]
F = np.float32
PLACE = (SHAPE, KEY, COUNTER, 1)
BAD_SHAPE = "InvalidArgumentError"


def _stateful(dtypes: str) -> list[Sample]:
    good = [Sample((SHAPE,), {"dtype": dtype, "seed": 1}) for dtype in dtypes.split()]
    return [
        *good,
        Sample(([],), {"dtype": "float32"}),
        Sample(([0, 3],), {"dtype": "float32"}),
        Sample(([-1],), {"dtype": "float32"}, error=BAD_SHAPE),
        Sample((3,), {"dtype": "float32"}, error=BAD_SHAPE),
        Sample(([2],), {"dtype": "int32"}, error=BAD_SHAPE),
    ]


def _stateless(dtypes: str) -> list[Sample]:
    good = [Sample(PLACE, {"dtype": dtype}) for dtype in dtypes.split()]
    return [
        *good,
        Sample((SHAPE, KEY, COUNTER, 2), {"dtype": dtypes.split()[0]}, error=BAD_SHAPE),
        Sample((SHAPE, COUNTER, COUNTER, 1), {"dtype": dtypes.split()[0]}, error=BAD_SHAPE),
        Sample(([-2], KEY, COUNTER, 1), {"dtype": dtypes.split()[0]}, error=BAD_SHAPE),
    ]


def _from_seed(dtypes: str) -> list[Sample]:
    return [
        *(Sample((SHAPE, SEED), {"dtype": dtype}) for dtype in dtypes.split()),
        Sample((SHAPE, [1, 2, 3]), {"dtype": dtypes.split()[0]}, error=BAD_SHAPE),
    ]


FLOATS = "float16 bfloat16 float32 float64"
LOGITS = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]], F) + 1e-6)
ALPHA = np.array([0.5, 1.0, 3.0], F)

SAMPLES: dict[str, list[Sample]] = {
    "RandomUniform": _stateful(FLOATS),
    "RandomStandardNormal": _stateful(FLOATS),
    "TruncatedNormal": _stateful(FLOATS),
    "RandomUniformInt": [
        Sample((SHAPE, np.int32(-3), np.int32(4))),
        Sample((SHAPE, np.int64(-3), np.int64(2**40))),
        Sample((SHAPE, np.int32(4), np.int32(4)), error="InvalidArgumentError"),
        Sample((SHAPE, np.array([4], np.int32), np.int32(5)), error="InvalidArgumentError"),
    ],
    "ParameterizedTruncatedNormal": [
        Sample((SHAPE, F(0), F(1), F(-1), F(1))),
        Sample((SHAPE, np.array([0, 1], F), F(1), F(-1), F(9))),
        Sample((SHAPE, F(0), F(-1), F(-1), F(1)), error="InvalidArgumentError"),
        Sample((SHAPE, np.zeros(3, F), F(1), F(-1), F(1)), error="InvalidArgumentError"),
    ],
    "RandomShuffle": [
        Sample((np.arange(6),)),
        Sample((np.arange(6.0).reshape(3, 2),), differentiable=False),
        Sample((["a", "b", "c"],)),
    ],
    "StatelessShuffle": [
        Sample((np.arange(6), KEY, COUNTER, 1)),
        Sample((["a", "b", "c"], KEY, COUNTER, 1)),
    ],
    "Multinomial": [
        Sample((LOGITS, 5)),
        Sample((LOGITS, 5), {"output_dtype": "int32"}),
        Sample((LOGITS[0], 5), error="InvalidArgumentError"),
        Sample((LOGITS, -5), error="InvalidArgumentError"),
    ],
    "StatelessMultinomial": [
        Sample((LOGITS, 5, SEED)),
        Sample((LOGITS, 5, [1, 2, 3]), error="InvalidArgumentError"),
    ],
    "RandomGamma": [Sample((SHAPE, ALPHA), differentiable=False)],
    "StatelessRandomGammaV3": [
        Sample((np.array([2, 3]), KEY, COUNTER, 1, ALPHA), differentiable=False),
        Sample((np.array([2, 4]), KEY, COUNTER, 1, ALPHA), error="InvalidArgumentError"),
    ],
    "RandomGammaGrad": [Sample((ALPHA, np.array([0.2, 1.5, 2.0], F)))],
    "RandomPoissonV2": [
        Sample((SHAPE, ALPHA * 10), {"dtype": "float32"}),
        Sample((SHAPE, ALPHA), {"dtype": "string"}, error="InvalidArgumentError"),
    ],
    "StatelessRandomPoisson": [
        Sample((SHAPE, SEED, ALPHA), {"dtype": "int32"}),
        Sample(([2], SEED, ALPHA), {"dtype": "int32"}, error="InvalidArgumentError"),
    ],
    "StatelessRandomBinomial": [
        Sample((SHAPE, SEED, np.array([3.0, 50.0, 9.0]), np.array(0.5)), {"dtype": "int32"}),
        Sample(([2], SEED, np.ones(3), np.ones(3)), {"dtype": "int32"}, error=BAD_SHAPE),
    ],
    "StatelessParameterizedTruncatedNormal": [
        Sample((SHAPE, SEED, np.zeros(3, F), F(1), F(-1), F(1))),
        Sample((SHAPE, SEED, F(0), F(1), F(1), F(-1)), error="InvalidArgumentError"),
    ],
    "StatelessRandomGetKeyCounter": [
        Sample((SEED,)),
        Sample(([1],), error="InvalidArgumentError"),
    ],
    "StatelessRandomGetAlg": [Sample(())],
    "StatelessRandomUniformV2": _stateless(FLOATS),
    "StatelessRandomNormalV2": _stateless(FLOATS),
    "StatelessTruncatedNormalV2": _stateless(FLOATS),
    "StatelessRandomUniformFullIntV2": _stateless("int32 int64 uint32 uint64"),
    "StatelessRandomUniformIntV2": [
        Sample((*PLACE, np.int32(1), np.int32(9))),
        Sample((*PLACE, np.int32(9), np.int32(9)), error="InvalidArgumentError"),
    ],
    "StatelessRandomGetKeyCounterAlg": [Sample((SEED,))],
    "StatelessRandomUniform": _from_seed(FLOATS),
    "StatelessRandomNormal": _from_seed(FLOATS),
    "StatelessTruncatedNormal": _from_seed(FLOATS),
    "StatelessRandomUniformFullInt": _from_seed("int32 int64 uint32 uint64"),
    "StatelessRandomUniformInt": [
        Sample((SHAPE, SEED, np.int32(1), np.int32(9))),
        Sample((SHAPE, SEED, np.int32(9), np.int32(9)), error="InvalidArgumentError"),
    ],
    "RandomIndexShuffle": [
        Sample((np.arange(4, dtype=np.int32), np.array([1, 2, 3], np.uint32), np.int32(9))),
        Sample((np.int64(3), np.array([1, 2, 3], np.int64), np.int64(2**40))),
        Sample((np.int32(9), np.array([1, 2, 3]), np.int32(3)), error="InvalidArgumentError"),
        Sample((np.int32(1), np.array([1, 2]), np.int32(3)), error="InvalidArgumentError"),
    ],
}
