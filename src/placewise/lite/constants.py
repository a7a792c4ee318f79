"""`tf.lite.constants`: the dtypes that TensorFlow 1's converter is told."""

from __future__ import annotations

from placewise.core import dtypes

FLOAT = dtypes.float32
FLOAT16 = dtypes.float16
INT8 = dtypes.int8
INT32 = dtypes.int32
INT64 = dtypes.int64
QUANTIZED_UINT8 = dtypes.uint8
STRING = dtypes.string
