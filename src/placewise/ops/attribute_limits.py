"""What attributes of `tf.raw_ops` may be, as TensorFlow's registry of ops limits them.

Only attributes that no input tells: the dtypes of inputs are the op's own `types`.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.ops.convert import not_allowed
from placewise.ops.declare import Op

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_WIDE = frozenset({dtypes.float32, dtypes.float64})
_COMPLEX = frozenset({dtypes.complex64, dtypes.complex128})
_PARSED = frozenset({dtypes.float32, dtypes.int64, dtypes.string})
_HASHED = frozenset({dtypes.int64, dtypes.string})
_BYTES = frozenset({dtypes.uint8})

# The dtypes that an attribute may have, and the ops that limit it so.
_DTYPES: tuple[tuple[str, frozenset[DType], str], ...] = (
    ("output_type", _INDEX, "ArgMin ExtractJpegShape"),
    ("output_type", _INDEX | {dtypes.int16, dtypes.uint16}, "ArgMax"),
    ("out_type", _INDEX, "LowerBound Shape ShapeN Size UpperBound VariableShape"),
    ("out_idx", _INDEX, "ListDiff Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2"),
    ("output_idx_type", _INDEX, "Lu"),
    ("output_dtype", _INDEX, "Multinomial StatelessMultinomial"),
    ("Tsplits", _INDEX, "RaggedRange UnicodeDecode UnicodeDecodeWithOffsets"),
    ("out_row_splits_type", _INDEX, "RaggedCross"),
    ("out_values_type", _HASHED, "RaggedCross"),
    ("shape_type", _INDEX, "TensorListElementShape"),
    ("index_type", _INDEX | {dtypes.int16}, "TopKV2"),
    ("dtype", _INDEX, "HistogramFixedWidth"),
    ("dtype", _WIDE, "SobolSample"),
    ("dtype", _BYTES, "DecodeJxl DecodeWebP"),
    ("dtype", _BYTES | {dtypes.uint16}, "DecodePng"),
    ("dtype", _BYTES | {dtypes.uint16, dtypes.float32}, "DecodeImage"),
    ("T", _INDEX, "ResourceCountUpTo"),
    ("Tout", _WIDE, "Angle ComplexAbs Imag Real"),
    ("Tout", _COMPLEX, "Complex Eig"),
    ("Treal", _WIDE, "IRFFT IRFFT2D IRFFT3D IRFFTND"),
    ("Tcomplex", _COMPLEX, "RFFT RFFT2D RFFT3D RFFTND"),
    ("out_type", frozenset({dtypes.string, dtypes.variant}), "SerializeManySparse SerializeSparse"),
    ("out_type", _HASHED, "SparseCross"),
    ("internal_type", _HASHED, "SparseCross"),
    ("type", dtypes.NUMBERS | dtypes.QUANTIZED_DTYPES, "Bitcast"),
    ("sparse_types", _PARSED, "ParseExampleV2"),
    ("ragged_value_types", _PARSED, "ParseExampleV2"),
    ("ragged_split_types", _INDEX, "ParseExampleV2"),
    ("context_sparse_types", _PARSED, "ParseSequenceExampleV2"),
    ("context_ragged_value_types", _PARSED, "ParseSequenceExampleV2"),
    ("context_ragged_split_types", _INDEX, "ParseSequenceExampleV2"),
    ("feature_list_dense_types", _PARSED, "ParseSequenceExampleV2"),
    ("feature_list_sparse_types", _PARSED, "ParseSequenceExampleV2"),
    ("feature_list_ragged_value_types", _PARSED, "ParseSequenceExampleV2"),
    ("feature_list_ragged_split_types", _INDEX, "ParseSequenceExampleV2"),
)
_OF_OP = {(op, attr): allowed for attr, allowed, ops in _DTYPES for op in ops.split()}

# The least number, or the least length of a list.
_LEAST = {
    "max_outputs": (1, "AudioSummary AudioSummaryV2 WriteAudioSummary"),
    "max_images": (1, "ImageSummary WriteImageSummary"),
    "minlength": (-1, "DenseCountSparseOutput RaggedCountSparseOutput SparseCountSparseOutput"),
    "maxlength": (-1, "DenseCountSparseOutput RaggedCountSparseOutput SparseCountSparseOutput"),
    "component_types": (
        1,
        "FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2 QueueDequeueV2 QueueDequeueManyV2 "
        "QueueDequeueUpToV2",
    ),
    "ksize": (4, "MaxPoolWithArgmax MaxPoolGradWithArgmax MaxPoolGradGradWithArgmax"),
    "strides": (4, "MaxPoolWithArgmax MaxPoolGradWithArgmax MaxPoolGradGradWithArgmax"),
    "num_buckets": (0, "RaggedCross SparseCross"),
    "dtypes": (1, "RestoreV2"),
    "num": (0, "Unpack"),
    "block_size": (2, "SpaceToBatch BatchToSpace SpaceToDepth DepthToSpace"),
}
_LEAST_OF_OP = {(op, attr): least for attr, (least, ops) in _LEAST.items() for op in ops.split()}
_LEAST_INPUTS = {
    **dict.fromkeys(["MergeSummary", "ParallelConcat", "OptionalFromValue", "IdentityN"], 1),
    **dict.fromkeys(["Concat", "ConcatV2", "ConcatOffset"], 2),
}

_IMAGES, _VOLUMES = ("NHWC", "NCHW"), ("NDHWC", "NCDHW")
_WORDS = {
    ("FusedBatchNorm", "data_format"): _IMAGES,
    ("FusedBatchNormV2", "data_format"): _IMAGES,
    ("FusedBatchNormV3", "data_format"): _IMAGES + _VOLUMES,
    ("FusedBatchNormGrad", "data_format"): _IMAGES,
    ("FusedBatchNormGradV2", "data_format"): _IMAGES,
    ("FusedBatchNormGradV3", "data_format"): _IMAGES + _VOLUMES,
    ("MaxPoolGradWithArgmax", "padding"): ("SAME", "VALID"),
    ("MaxPoolGradGradWithArgmax", "padding"): ("SAME", "VALID"),
}

# Alone of all ops they pass their shape on without TensorFlow's Python looking at it.
SHAPES_UNSEEN = frozenset({"PlaceholderWithDefault", "EnsureShape", "VarHandleOp"})

# TensorFlow's kernels read these into 32 bits.
_NARROW = {
    *("capacity", "min_after_dequeue", "precision", "width", "maxsplit", "desired_channels"),
    *("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"),
    *("strides", "rates", "ksize", "ksizes", "depth_radius"),
    *("desired_samples", "summarize", "max_attempts"),
}


def check_limits(declared: Op, inputs: list[Any], attrs: dict[str, Any]) -> None:
    """Refuse attributes that the registry does not allow, and lists of too few inputs."""
    op = declared.name
    least_inputs = _LEAST_INPUTS.get(op, 0)
    for arg, given in zip(declared.inputs, inputs, strict=True) if least_inputs else ():
        if arg.is_list and hasattr(given, "__len__"):
            _check_least("N", len(given), least_inputs)
    for name, value in attrs.items():
        allowed = _OF_OP.get((op, name)) or declared.types.get(name)
        if allowed is not None:
            for dtype in value if isinstance(value, list) else [value]:
                if isinstance(dtype, DType) and dtype not in allowed:
                    raise not_allowed(name, dtype, allowed, op)
        least = _LEAST_OF_OP.get((op, name))
        if least is not None:
            _check_least(name, value, least)
        words = _WORDS.get((op, name), ())
        if words and value not in words:
            listed = ", ".join(f'"{word}"' for word in words)
            what = f"Value for attr '{name}' of \"{value}\""
            raise invalid(f"{what} is not in the list of allowed values: {listed}")
        if name in _NARROW:
            _check_narrow(name, value)


def _check_least(name: str, value: Any, least: int) -> None:
    is_list = isinstance(value, (list, tuple))
    if (len(value) if is_list else value) < least:
        what = f"Length for attr '{name}' of {len(value)}" if is_list else None
        what = what or f"Value for attr '{name}' of {value}"
        raise invalid(f"{what} must be at least minimum {least}")


def _check_narrow(name: str, value: Any) -> None:
    for number in value if isinstance(value, (list, tuple)) else [value]:
        if type(number) is int and not -(2**31) <= number < 2**31:
            raise invalid(f"Attr {name} has value {number} out of range for an int32")
