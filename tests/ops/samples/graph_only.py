"""Samples of the ops that only graphs hold."""

import numpy as np

from placewise.core.dtypes import float32
from tests.ops.samples.sample import Sample

SAMPLES = {
    "Const": [Sample((), {"value": np.ones((2, 3), np.float32), "dtype": float32})],
    "PlaceholderWithDefault": [Sample((np.ones((2, 3), np.float32),), {"shape": (None, 3)})],
}
