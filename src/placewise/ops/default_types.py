"""The default dtypes of type attributes, as TensorFlow's registry of ops has them.

TensorFlow converts an argument to the default when no tensor says the dtype: `axis=np.int8(0)`
becomes int32, `tf.raw_ops.FFT(input=[1.0])` computes in complex64. Most ops have no default.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import DType

# By the attribute's name, for all ops but those of `_WITHOUT`.
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
_WITHOUT = {
    "Ta": "BatchMatMulV3",
    "Tb": "BatchMatMulV3",
    "Taxis": "GatherV2 Roll",
    "Tidx": "DenseBincount RaggedBincount SparseBincount",
    "Treal": "SparseAdd",
    "Tseed": "RandomIndexShuffle StatelessSampleDistortedBoundingBox",
    "Tshape": "RaggedTensorToTensor",
    "shape_type": (
        "EmptyTensorList TensorListConcatV2 TensorListFromTensor TensorListReserve "
        "TensorListScatter TensorListScatterV2 TensorListSplit"
    ),
}
# `T` means something else in each op: by the op's name.
_OF_T = {
    dtypes.bool: "Where",
    dtypes.uint8: "EncodePng",
    dtypes.int32: (
        "BroadcastArgs BroadcastGradientArgs DataFormatDimMap DataFormatVecPermute InTopK InTopKV2 "
        "InvertPermutation RaggedRange StatelessRandomNormal StatelessRandomUniform "
        "StatelessRandomUniformFullInt StatelessTruncatedNormal"
    ),
    dtypes.float32: (
        "AdjustContrastv2 AdjustHue AdjustSaturation CTCBeamSearchDecoder CTCGreedyDecoder CTCLoss "
        "Complex DrawBoundingBoxes DrawBoundingBoxesV2 HSVToRGB HistogramSummary ImageSummary LRN "
        "LRNGrad LeakyRelu LeakyReluGrad MaxPool MaxPool3DGrad MaxPoolGrad MaxPoolGradV2 MaxPoolV2 "
        "NextAfter NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 RGBToHSV "
        "WriteHistogramSummary WriteImageSummary"
    ),
    dtypes.float64: "StatefulRandomBinomial StatelessRandomBinomial",
    dtypes.complex64: "Angle ComplexAbs Conj Imag Real",
}
_EVERYWHERE = {attr: dtype for dtype, attrs in _BY_ATTRIBUTE.items() for attr in attrs.split()}
_IN_OP: dict[tuple[str, str], DType | None] = {
    **{(op, attr): None for attr, ops in _WITHOUT.items() for op in ops.split()},
    **{(op, "T"): dtype for dtype, ops in _OF_T.items() for op in ops.split()},
    ("MatrixBandPart", "Tindex"): dtypes.int64,
    ("SparseTensorDenseMatMul", "Tindices"): dtypes.int64,
}


def default_of(op: str, attr: str | None) -> DType | None:
    """Return the default of an op's type attribute; None if it has none."""
    if attr is None:
        return None
    return _IN_OP.get((op, attr), _EVERYWHERE.get(attr))


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
