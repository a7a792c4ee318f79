"""Sample calls of the ops that work element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.check.samples.sample import Sample

BAD = "InvalidArgumentError"


def R(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers between -2 and 2, the same each time, none near 0 or a whole number."""
    state = np.random.RandomState(seed)
    whole = state.randint(-2, 2, shape)
    return np.asarray(whole + state.uniform(0.2, 0.8, shape), np.float32)


def P(*shape: int, seed: int = 0, low: float = 0.2, high: float = 0.9) -> np.ndarray:
    """Positive numbers, the same each time."""
    return np.asarray(np.random.RandomState(seed).uniform(low, high, shape), np.float32)


def C(*shape: int, seed: int = 0) -> np.ndarray:
    return (R(*shape, seed=seed) + 1j * R(*shape, seed=seed + 1)).astype(np.complex64)


I8 = np.asarray([[-128, -1, 3], [0, 5, 127]], np.int8)
I32 = np.asarray([[-7, 4, 1], [9, 2, 5]], np.int32)
U8 = np.asarray([[200, 3, 1], [9, 250, 5]], np.uint8)
U16 = np.asarray([[200, 60000, 1], [9, 2, 5]], np.uint16)
TWO = np.asarray([2, 3, 2])
TRUTH = np.asarray([[True, False], [True, True]])
TEXT = np.asarray([["a", "b"]], object)
HALF = R(2, 3).astype(np.float16)
UNLIKE = Sample((R(2), R(3)), error=BAD)


def unary(
    *names: str, x: np.ndarray[Any, Any] | None = None, more: tuple[Any, ...] = ()
) -> dict[str, list[Sample]]:
    """Samples of ops with one input: a matrix, nothing, half precision, and the others given."""
    x = R(2, 3) if x is None else x
    inputs = [x, x[:0], x.astype(np.float16), *more]
    wrong = Sample((TEXT,), error=BAD)
    return {name: [*[Sample((each,)) for each in inputs], wrong] for name in names}


def binary(*names: str, x: Any = None, y: Any = None, more: Any = ()) -> dict[str, list[Sample]]:
    """Samples of ops with two inputs: broadcast, of equal shape, empty, and the others given."""
    x = R(2, 1, 3) if x is None else x
    y = P(4, 1, seed=3) if y is None else y
    good = [Sample((x, y)), Sample((P(3), P(3, seed=1, low=1.1, high=2)))]
    good += [Sample((R(0, 3), P(1, 3)))]
    good += [Sample(pair) for pair in more]
    return {name: [*good, UNLIKE] for name in names}


def integers(*kinds: str) -> list[tuple[Any, Any]]:
    arrays = {"int8": I8, "int32": I32, "uint8": U8, "uint16": U16}
    return [(arrays[kind], TWO.astype(kind)) for kind in kinds]


WHOLE = integers("int8", "int32", "uint8", "uint16")
COMPLEX = [(C(2, 2), C(2, seed=5))]
HALVES = [(HALF, HALF[0])]
BY_ZERO = Sample((I32, np.zeros(3, np.int32)), error=BAD)
LOWEST = Sample((np.asarray([-(2**31), -(2**31)], np.int32), np.asarray([-1, 1], np.int32)))
LOWEST_LONG = Sample((np.asarray([-(2**63)] * 9), np.asarray([-1] * 9)))

SAMPLES: dict[str, list[Sample]] = {
    **binary("AddV2", "Sub", "Mul", "Div", more=[*WHOLE, *COMPLEX, *HALVES]),
    "Add": [Sample((R(2), R(2))), Sample((TEXT, TEXT)), UNLIKE],
    **binary("RealDiv", "MulNoNan", "DivNoNan", more=[*COMPLEX, *HALVES]),
    **binary("Xdivy", "Xlogy", "Xlog1py", x=R(2, 1, 3), y=P(4, 1), more=COMPLEX),
    **binary("SquaredDifference", more=[*integers("int32"), *COMPLEX]),
    **binary("Maximum", "Minimum", more=[*WHOLE, *HALVES]),
    **binary("FloorMod", "TruncateMod", "Mod", more=integers("int32")),
    **binary("FloorDiv", "TruncateDiv", more=WHOLE),
    **binary("Pow", x=P(2, 1, 3), y=R(4, 1), more=[*integers("int32"), *COMPLEX]),
    **binary("Less", "LessEqual", "Greater", "GreaterEqual", more=[*WHOLE, *HALVES]),
    "Equal": [
        Sample((R(2, 1), R(2))),
        Sample((TEXT, TEXT)),
        Sample((TRUTH, TRUTH[:1])),
        Sample((R(2), R(3)), {"incompatible_shape_error": False}),
        Sample((U16, U16)),
        UNLIKE,
    ],
    "NotEqual": [
        Sample((R(2, 1), R(2))),
        Sample((TEXT, TEXT)),
        Sample((C(2), C(2))),
        Sample((R(2), R(3)), {"incompatible_shape_error": False}),
        UNLIKE,
    ],
    "ApproximateEqual": [
        Sample((R(3), R(3))),
        Sample((R(2), R(2, seed=1)), {"tolerance": 5.0}),
        UNLIKE,
    ],
    "LogicalAnd": [Sample((TRUTH, TRUTH[0])), Sample((TRUTH, np.ones(3, bool)), error=BAD)],
    "LogicalOr": [Sample((TRUTH, TRUTH[0])), Sample(([1.5], [2.5]), error="TypeError")],
    "LogicalNot": [Sample((TRUTH,)), Sample(([1.5],), error="TypeError")],
    **{
        name: [*[Sample(pair) for pair in WHOLE], Sample((R(2), R(2)), error=BAD)]
        for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift")
    },
    **{
        name: [Sample((I8,)), Sample((U8,)), Sample((U16,)), Sample((R(2),), error=BAD)]
        for name in ("Invert", "PopulationCount")
    },
    **unary("Neg", "Sign", more=(I8, C(2))),
    **unary("Abs", more=(I8,)),
    **unary("Square", more=(I8, U8, U16, C(2))),
    **unary(
        "Reciprocal",
        "Inv",
        "Exp",
        "Expm1",
        "Sigmoid",
        "Sin",
        "Cos",
        "Tan",
        "Sinh",
        "Cosh",
        "Tanh",
        "Asinh",
        "Atan",
        more=(C(2),),
    ),
    **unary("Log", "Log1p", "Sqrt", "Rsqrt", "Asin", "Acos", "Atanh", x=P(2, 3), more=(C(2),)),
    **unary("Acosh", x=P(2, 3, low=1.2, high=3), more=(C(2),)),
    **unary("Round", "Rint", "Floor", "Ceil", "IsNan", "IsInf", "IsFinite"),
    **unary(
        "Erf",
        "Erfc",
        "BesselI0",
        "BesselI0e",
        "BesselI1",
        "BesselI1e",
        "BesselJ0",
        "BesselJ1",
        "Dawsn",
        "FresnelCos",
        "FresnelSin",
        "Softplus",
        "Softsign",
    ),
    **unary(
        "Erfinv",
        "Ndtri",
        "Lgamma",
        "Digamma",
        "BesselK0",
        "BesselK0e",
        "BesselK1",
        "BesselK1e",
        "BesselY0",
        "BesselY1",
        "Expint",
        "Spence",
        x=P(2, 3),
    ),
    "Atan2": [Sample((R(2, 3), R(3, seed=2))), UNLIKE],
    "NextAfter": [Sample((R(2), R(2, seed=1))), UNLIKE],
    "Zeta": [Sample((P(2, low=1.5, high=4), P(3, 1))), UNLIKE],
    "Polygamma": [Sample((np.asarray([0.0, 1.0, 2.0], np.float32), P(2, 1))), UNLIKE],
    **{
        name: [Sample((P(2, low=0.5, high=3), P(3, 1, low=0.3, high=4))), UNLIKE]
        for name in ("Igamma", "Igammac", "IgammaGradA")
    },
    "Betainc": [
        Sample((P(3), P(3, seed=1), P(3, seed=2))),
        Sample((P(3), P(), P())),
        Sample((P(3), P(2), P()), error=BAD),
    ],
    **{
        name: [Sample((P(2, 2), R(2, 2))), Sample((P(2), P(3)), error=BAD)]
        for name in (
            "SqrtGrad",
            "RsqrtGrad",
            "SigmoidGrad",
            "TanhGrad",
            "ReciprocalGrad",
            "InvGrad",
            "SoftplusGrad",
            "SoftsignGrad",
        )
    },
    "ComplexAbs": [Sample((C(2),)), Sample((C(2),), {"Tout": "float64"}, error=BAD)],
    "Complex": [Sample((R(2), R(2, 1))), Sample((R(2), R(3)), error=BAD)],
    **{name: [Sample((C(2),)), Sample((R(2),), error=BAD)] for name in ("Real", "Imag", "Angle")},
    "Conj": [Sample((C(2),)), Sample((R(2),), error=BAD)],
    "Cast": [
        Sample((R(2),), {"DstT": "float64"}),
        Sample((R(2),), {"DstT": "int8"}),
        Sample((U16,), {"DstT": "float16"}),
        Sample((C(2),), {"DstT": "float32"}),
        Sample((TEXT,), {"DstT": "int32"}, error="UnimplementedError"),
    ],
    "ClipByValue": [
        Sample((R(2, 3), np.float32(-0.5), np.float32(0.5))),
        Sample((R(2), R(3), np.float32(0.5)), error=BAD),
    ],
    "AddN": [
        Sample(([R(2), R(2, seed=1), R(2)],)),
        Sample(([U16, U16],)),
        Sample(([R(2), R(3)],), error=BAD),
    ],
    "AccumulateNV2": [
        Sample(([R(2), R(2, seed=1), R(2)],), {"shape": [2]}),
        Sample(([R(2), R(3)],), {"shape": [2]}, error=BAD),
    ],
}
for _name in ("Div", "FloorDiv", "FloorMod", "Mod"):
    SAMPLES[_name] = [*SAMPLES[_name], BY_ZERO, LOWEST, LOWEST_LONG]
SAMPLES["Pow"].append(Sample((I32, -TWO.astype(np.int32)), error=BAD))
