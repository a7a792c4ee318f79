"""Dimensions of a shape, whether they are numbers (TF 2) or `Dimension` objects (TF 1)."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import Dimension, TensorShape


def dimension_value(dimension: Any) -> Any:
    """Return the number a dimension stands for, or None when it is unknown.

    >>> dimension_value(Dimension(3)), dimension_value(3), dimension_value(None)
    (3, 3, None)
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Return one dimension of a shape as a `Dimension`; unknown when the rank is.

    >>> dimension_at_index(TensorShape([4, None]), 0)
    Dimension(4)
    """
    if shape.rank is None:
        return Dimension(None)
    return Dimension(shape.as_list()[index])
