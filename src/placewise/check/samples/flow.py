"""Sample calls of the ops that pass values on."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core.shapes import TensorShape

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4

SAMPLES: dict[str, list[Sample]] = {
    "NoOp": [Sample(())],
    "ControlTrigger": [Sample(())],
    "EmptyTensorList": [Sample((np.array([2], np.int32), 3), {"element_dtype": "float32"})],
    "TensorListReserve": [
        Sample((np.array([2], np.int32), 3), {"element_dtype": "float32"}),
        Sample((np.array([2], np.int32), -3), {"element_dtype": "float32"}, "InvalidArgumentError"),
    ],
    "TensorListFromTensor": [
        Sample((np.ones((3, 2), np.float32), np.array([2], np.int32)), differentiable=False),
        Sample((np.float32(1), np.array([2], np.int32)), {}, "InvalidArgumentError"),
    ],
    "OptionalNone": [Sample(())],
    "OptionalFromValue": [Sample(([X, [1, 2]],))],
    "StackV2": [Sample((3,), {"elem_type": "float32"})],
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
