"""Samples of the ops that only graphs hold."""

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core.dtypes import float32

SAMPLES = {
    "Const": [Sample((), {"value": np.ones((2, 3), np.float32), "dtype": float32})],
    "PlaceholderWithDefault": [Sample((np.ones((2, 3), np.float32),), {"shape": (None, 3)})],
}
