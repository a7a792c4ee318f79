"""Samples of checks on values, and of making a variable."""

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core.dtypes import float32

SAMPLES = {
    "CheckNumerics": [
        Sample((np.array([1.0, 2.0], np.float32),), {"message": "told"}),
        Sample(
            (np.array([1.0, np.nan], np.float32),),
            {"message": "told"},
            error="InvalidArgumentError",
        ),
    ],
    "VarHandleOp": [Sample((), {"dtype": float32, "shape": (2,)})],
}
