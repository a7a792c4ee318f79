"""Sample calls of the ops that round numbers to few bits."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample

X = np.array([[-7.0, -1.03, 0.0], [0.31, 3.3, 8.0]], np.float32)
LOW, HIGH = np.float32(-1), np.float32(1.5)
LOWS, HIGHS = np.array([-1, -0.5, -2], np.float32), np.array([1, 0.5, 2], np.float32)
BAD = "InvalidArgumentError"


def flat(*args: object, **attrs: object) -> Sample:
    """A step function: finite differences do not show the gradient that training uses."""
    return Sample(args, dict(attrs), differentiable=False)


SAMPLES: dict[str, list[Sample]] = {
    "FakeQuantWithMinMaxArgs": [
        flat(X),
        flat(X, min=-1.0, max=1.0, num_bits=4, narrow_range=True),
        Sample((X,), {"min": 1.0, "max": -1.0}, error=BAD),
        Sample((X,), {"num_bits": 20}, error=BAD),
    ],
    "FakeQuantWithMinMaxArgsGradient": [flat(X, X), Sample((X, X[0]), error=BAD)],
    "FakeQuantWithMinMaxVars": [flat(X, LOW, HIGH), flat(X, np.float32(0), np.float32(0))],
    "FakeQuantWithMinMaxVarsGradient": [flat(X, X, LOW, HIGH)],
    "FakeQuantWithMinMaxVarsPerChannel": [
        flat(X, LOWS, HIGHS),
        Sample((X, LOWS[:2], HIGHS), error=BAD),
    ],
    "FakeQuantWithMinMaxVarsPerChannelGradient": [flat(X, X, LOWS, HIGHS)],
    "QuantizeAndDequantizeV2": [
        flat(X, LOW, HIGH, range_given=True),
        flat(X, LOW, HIGH, num_bits=4),
        flat(X, LOWS, HIGHS, range_given=True, axis=1),
        Sample((X, LOW, HIGH), {"num_bits": 70}, error=BAD),
    ],
    "QuantizeAndDequantizeV4": [
        flat(X, LOW, HIGH, range_given=True),
        flat(X, LOW, HIGH, round_mode="HALF_UP"),
        Sample((X, HIGH, LOW), {"range_given": True}, error=BAD),
    ],
    "QuantizeAndDequantizeV4Grad": [flat(X, X, LOW, HIGH)],
}
