"""Statistics that do not exist for some parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.distributions.parameters import checked
from placewise.ops.array.creation import fill
from placewise.ops.array.shape import shape_of
from placewise.ops.array.where import where
from placewise.ops.debugging.assertions import Assert
from placewise.ops.math.reduction import reduce_all


def where_defined(condition: Any, value: Any, allow_nan: bool, message: str) -> Any:
    """Return a value with NaN where a condition does not hold, or raise InvalidArgumentError."""
    if not allow_nan:
        return checked(value, [Assert(reduce_all(condition), [message, condition])])
    nan = np.array(np.nan, value.dtype.as_numpy_dtype)
    return where(condition, value, fill(shape_of(value), nan))
