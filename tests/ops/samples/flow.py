"""Sample calls of the ops that pass values on."""

from __future__ import annotations

import numpy as np

from placewise.core.shapes import TensorShape
from tests.ops.samples.sample import Sample

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4

SAMPLES: dict[str, list[Sample]] = {
    "NoOp": [Sample(())],
    "IdentityN": [Sample(([X, [1, 2], b"a"],))],
    "StopGradient": [Sample((X,))],
    "PreventGradient": [Sample((X,), differentiable=False)],
    "GuaranteeConst": [Sample((X,))],
    "Snapshot": [Sample((X,))],
    "EnsureShape": [
        Sample((X,), {"shape": TensorShape([None, 3])}),
        Sample((X,), {"shape": TensorShape([3, 3])}, error="InvalidArgumentError"),
    ],
}
