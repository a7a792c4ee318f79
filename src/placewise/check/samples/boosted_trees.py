"""Sample calls of the ops of boosted trees; those on a handle are in their own tests."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample

ONE = np.array([1.0], np.float32)
VALUES = np.array([0.5, 2.5, 1.5], np.float32)
NODES = np.array([0, 1, 0], np.int32)
PAIRS = np.array([[0.5], [1.0], [-1.0]], np.float32)
BUCKETS = np.array([0, 1, 1], np.int32)
SUMS = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
NUMBER = np.array(0.1, np.float32)
LIMITS = (NUMBER, NUMBER, NUMBER, NUMBER)

SAMPLES: dict[str, list[Sample]] = {
    "BoostedTreesEnsembleResourceHandleOp": [Sample(())],
    "BoostedTreesQuantileStreamResourceHandleOp": [Sample(())],
    "BoostedTreesMakeQuantileSummaries": [
        Sample(([VALUES], ONE, NUMBER)),
        Sample(([VALUES], np.ones(2, np.float32), NUMBER), error="InvalidArgumentError"),
    ],
    "BoostedTreesBucketize": [Sample(([VALUES], [np.array([1.0, 2.0], np.float32)]))],
    "BoostedTreesMakeStatsSummary": [
        Sample((NODES, PAIRS, PAIRS, [BUCKETS, BUCKETS]), {"max_splits": 3, "num_buckets": 2}),
        Sample(
            (NODES, PAIRS, PAIRS, [BUCKETS]),
            {"max_splits": 1, "num_buckets": 2},
            error="InvalidArgumentError",
        ),
    ],
    "BoostedTreesCalculateBestGainsPerFeature": [
        Sample((np.array([0, 2], np.int32), [SUMS, SUMS], *LIMITS), {"max_splits": 3}),
        Sample(
            (np.array([0, 4], np.int32), [SUMS], *LIMITS),
            {"max_splits": 3},
            error="InvalidArgumentError",
        ),
    ],
}
