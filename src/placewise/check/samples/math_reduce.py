"""Sample calls of reductions, scans, segments, sorting and counting."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.math_elementwise import BAD, I32, TEXT, TRUTH, U16, C, P, R
from placewise.check.samples.sample import Sample

OUT = Sample((R(2, 3), [2]), error=BAD)
TWICE = Sample((R(2, 3), [0, -2]), error=BAD)
KEEP = {"keep_dims": True}


def reductions(*names: str, more: tuple[Sample, ...] = ()) -> dict[str, list[Sample]]:
    good = [
        Sample((R(2, 3), [0])),
        Sample((R(2, 3, 2), [0, -1]), KEEP),
        Sample((R(2, 3), [])),
        Sample((R(2, 3), 1)),
        Sample((R(2, 0), [1])),
        Sample((R(2, 0), [0])),
        Sample((U16, [1])),
        Sample((I32, [0, 1])),
        *more,
    ]
    return {name: [*good, OUT, TWICE, Sample((TEXT, [0]), error=BAD)] for name in names}


IDS = np.asarray([0, 0, 2], np.int32)
SIZES: dict[str, list[Sample]] = {
    f"SparseSegment{word}{tail}": [
        Sample((R(4, 2), [0, 3, 1], [0, 0, 1], *extra)),
        Sample((R(4, 2), [0, 4], [0, 0], *extra), error=BAD),
        Sample((R(4, 2), [0, 1], [1, 0], *extra), error=BAD),
        Sample((R(4, 2), [0, 1], [0], *extra), error=BAD),
    ]
    for word in ("Sum", "Mean", "SqrtN")
    for tail, extra in (("", ()), ("WithNumSegments", (3,)))
}
for _word in ("Sum", "Mean", "SqrtN"):
    for _tail in ("Grad", "GradV2"):
        SIZES[f"SparseSegment{_word}{_tail}"] = [
            Sample((R(2, 2), [0, 2, 2], [0, 1, 1], 4)),
            Sample((R(2, 2), [0, 5, 2], [0, 1, 1], 4), error=BAD),
        ]


def segments(*names: str) -> dict[str, list[Sample]]:
    return {
        name: [
            Sample((R(3, 2), IDS)),
            Sample((I32.T, IDS)),
            Sample((U16.T, IDS)),
            Sample((R(0, 2), np.zeros(0, np.int32))),
            Sample((R(3), IDS[::-1].copy()), error=BAD),
            Sample((R(3), IDS[:2]), error=BAD),
            Sample((R(3), -IDS - 1), error=BAD),
        ]
        for name in names
    }


def unsorted(*names: str) -> dict[str, list[Sample]]:
    return {
        name: [
            # The extreme of nothing is the largest float, which no difference survives.
            Sample((R(3, 2), IDS[::-1].copy(), 4), differentiable=False),
            Sample((R(3, 2), [1, -1, 0], 2)),
            Sample((R(2, 3), [[0, 1, 0], [1, 1, 2]], 3)),
            Sample((I32.T, IDS, 3)),
            Sample((U16.T, IDS, 3)),
            Sample((R(3), IDS, 2), error=BAD),
            Sample((R(3), IDS[:2], 3), error=BAD),
            Sample((R(3), IDS, -1), error=BAD),
        ]
        for name in names
    }


LOGS = "CumulativeLogsumexp"


def scans(*names: str) -> dict[str, list[Sample]]:
    return {
        name: [
            *[
                # An exclusive log-sum-exp begins with -inf, which no difference survives.
                Sample(
                    (P(2, 3), axis),
                    {"exclusive": exclusive, "reverse": reverse},
                    differentiable=None if not exclusive or name != LOGS else False,
                )
                for axis in (0, -1)
                for exclusive in (False, True)
                for reverse in (False, True)
            ],
            Sample((R(0), 0)),
            Sample((R(2, 3), 2), error=BAD),
            Sample((R(2, 3), [0]), error=BAD),
        ]
        for name in names
    }


EMPTY = np.zeros(0, np.int32)
SAMPLES: dict[str, list[Sample]] = {
    **reductions("Sum", "Mean", "Prod", "EuclideanNorm", more=(Sample((C(2, 2), [0])),)),
    **reductions("Max", "Min"),
    "Any": [
        Sample((TRUTH, [0])),
        Sample((TRUTH, []), KEEP),
        Sample(([1.5], [0]), error="TypeError"),
    ],
    "All": [Sample((TRUTH, [1])), Sample((TRUTH[:0], [0])), Sample((TRUTH, [2]), error=BAD)],
    "ArgMax": [
        Sample((R(2, 3), 1)),
        Sample((U16, -2), {"output_type": "int32"}),
        Sample((TRUTH, 0)),
        Sample((R(2, 3), 2), error=BAD),
        Sample((R(2, 0), 1), error=BAD),
    ],
    "ArgMin": [Sample((R(2, 3), 0)), Sample((I32, 1)), Sample((R(2, 3), -3), error=BAD)],
    "TopKV2": [
        Sample((R(2, 4), 3)),
        Sample((U16, 2), {"index_type": "int64"}),
        Sample((R(3), 0)),
        Sample((R(2, 100), 5)),
        Sample((R(3), 4), error=BAD),
        Sample((np.float32(1), 1), error=BAD),
        Sample((R(3), -1), error=BAD),
    ],
    "InTopKV2": [
        Sample((R(2, 3), [0, 5], 2)),
        Sample((R(2, 3), [0, 1, 2], 1), error=BAD),
    ],
    "NthElement": [
        Sample((R(2, 4), 1)),
        Sample((U16, 0), {"reverse": True}),
        Sample((R(3), 3), error=BAD),
        Sample((R(3), -1), error=BAD),
    ],
    "InvertPermutation": [
        Sample(([2, 0, 1],)),
        Sample(([2, 0, 0],), error=BAD),
        Sample(([3, 0, 1],), error=BAD),
        Sample(([[0]],), error=BAD),
    ],
    "Bucketize": [
        Sample((R(2, 3),), {"boundaries": [-1.0, 0.0, 0.5]}),
        Sample((I32,), {"boundaries": []}),
        Sample((R(2),), {"boundaries": [1.0, 0.0]}, error=BAD),
    ],
    "Bincount": [
        Sample(([1, 5, 1], 3, EMPTY)),
        Sample(([1, 2], 3, R(2))),
        Sample(([1, -1], 3, EMPTY), error=BAD),
    ],
    "DenseBincount": [
        Sample(([1, 5, 1], 3, EMPTY)),
        Sample(([[1, 2], [0, 0]], 3, EMPTY), {"binary_output": True}),
        Sample(([1, 2], 3, R(2))),
        Sample(([1, -1], 3, EMPTY), error=BAD),
        Sample(([1, 1], -3, EMPTY), error=BAD),
        Sample(([1, 1], 3, R(3)), error=BAD),
    ],
    "RaggedBincount": [
        Sample((np.asarray([0, 2, 3]), [1, 1, 2], 3, EMPTY)),
        Sample((np.asarray([0, 2]), [1, 1, 2], 3, EMPTY), error=BAD),
    ],
    "SparseBincount": [
        Sample((np.asarray([[0, 0], [1, 1]]), [1, 2], np.asarray([2, 2]), 4, EMPTY)),
        Sample((np.asarray([[0], [1]]), [1, 2], np.asarray([2]), 4, R(2))),
        Sample((np.asarray([[0, 0], [3, 1]]), [1, 2], np.asarray([2, 2]), 4, EMPTY), error=BAD),
    ],
    "HistogramFixedWidth": [
        Sample((R(2, 5), [-1.0, 1.0], 4)),
        Sample((I32, [0, 10], 2), {"dtype": "int64"}),
        Sample((R(2), [1.0, 1.0], 4), error=BAD),
        Sample((R(2), [0.0, 1.0], 0), error=BAD),
    ],
    "SobolSample": [
        Sample((3, 5, 2), {"dtype": "float64"}),
        Sample((0, 5, 0), error=BAD),
        Sample((2, 0, 0), error=BAD),
        Sample((2, 1, -1), error=BAD),
    ],
    **scans("Cumsum", "Cumprod", "CumulativeLogsumexp"),
    **segments("SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd"),
    **unsorted(
        "UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"
    ),
    **SIZES,
}
SAMPLES["Cumsum"] += [Sample((U16, 1), {"exclusive": True}), Sample((I32, 0))]
SAMPLES["Cumprod"] += [Sample((U16, 1), {"reverse": True}), Sample((C(2), 0))]
