"""The default dtypes of type attributes, as TensorFlow's registry of ops has them.

TensorFlow converts an argument to the default when no tensor says the dtype: `axis=np.int8(0)`
becomes int32, `tf.raw_ops.FFT(input=[1.0])` computes in complex64. Most ops have no default.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.ops.facts import Facts

# By the attribute's name. Ops with another default, or none, state it: `Facts.default_types`.
_BY_ATTRIBUTE = {
    dtypes.int32: (
        "Tidx Tshape Tsegmentids Tnumsegments Tpaddings Tblock_shape Tcrops Tperm Tdim Tmultiples "
        "index_type shape_type Tk shape_dtype"
    ),
    dtypes.int64: "Tseed Tsplits Tlen Taxis TI Tlabels",
    dtypes.float32: "Treal T_threshold Ta Tb TInput",
    dtypes.float64: "R",
    dtypes.complex64: "Tcomplex",
    dtypes.string: "Tserialized",
}
_EVERYWHERE = {attr: dtype for dtype, attrs in _BY_ATTRIBUTE.items() for attr in attrs.split()}


def default_of(op: Facts, attr: str | None) -> DType | None:
    """Return the default of an op's type attribute; None if it has none."""
    if attr is None:
        return None
    if attr in op.default_types:
        return op.default_types[attr]
    return _EVERYWHERE.get(attr)


def in_default_type(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any] | None:
    """Return an array in another dtype; None if it does not have the dtype's values.

    TensorFlow casts any array, as NumPy does, whatever is lost, but for one thing: integers that
    the dtype cannot hold would be others, and sizes and axes among them silently wrong.
    """
    if np.dtype(dtype.as_numpy_dtype) == object or array.dtype.kind in "mMV":
        return None
    try:
        with np.errstate(all="ignore"):
            made: np.ndarray[Any, Any] = array.astype(dtype.as_numpy_dtype)
    except (TypeError, ValueError, OverflowError):
        return None
    if array.dtype.kind in "iu" and dtype.is_integer and not np.array_equal(made, array):
        return None
    return made
