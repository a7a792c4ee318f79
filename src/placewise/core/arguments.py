"""Names for the kinds of arguments that public functions take, to annotate parameters with.

`tf.types.experimental.TensorLike` is another: the union that TensorFlow shows to programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from placewise.core.dtypes import DType
from placewise.core.nest import Composite
from placewise.core.shapes import Dimension, TensorShape
from placewise.core.tensor import Tensor


class ConvertsToTensor(Protocol):
    """A value that makes a tensor of itself: a variable, a Keras variable, a user's class."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """Return the tensor."""


class ConvertsToArray(Protocol):
    """A value that makes a NumPy array of itself: arrays, scalars, other libraries' tensors."""

    def __array__(self) -> Any:
        """Return the array."""


# What `convert_to_tensor` takes: convert it before anything else is asked of it.
TensorLike: TypeAlias = (
    Tensor
    | Composite
    | ConvertsToTensor
    | ConvertsToArray
    | bool
    | int
    | float
    | complex
    | str
    | bytes
    | Sequence[Any]
)

# What `as_dtype` takes.
DTypeLike: TypeAlias = DType | str | int | type[Any] | np.dtype[Any]

# What `TensorShape` takes, and a tensor or an array of the sizes.
ShapeLike: TypeAlias = TensorShape | Sequence[Any] | Tensor | ConvertsToArray | Dimension | int

# One axis or several.
AxisLike: TypeAlias = int | Sequence[int] | Tensor | ConvertsToArray
