"""Functions on strings in the spelling of TensorFlow 1."""

from __future__ import annotations

from placewise.ops.strings import characters, hash_buckets, join, numerals
from placewise.ops.strings import split as splitting
from placewise.tf1.spelling import spelled

length = spelled(characters.length, "input, name=None, unit='BYTE'")
substr = spelled(characters.substr, "input, pos, len, name=None, unit='BYTE'")
reduce_join = spelled(
    join.reduce_join,
    "inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None,"
    " keepdims=None",
    keep_dims="keepdims",
    reduction_indices="axis",
)
to_hash_bucket = spelled(
    hash_buckets.to_hash_bucket,
    "string_tensor=None, num_buckets=None, name=None, input=None",
    string_tensor="input",
)
to_number = spelled(
    numerals.to_number,
    "string_tensor=None, out_type=float32, name=None, input=None",
    string_tensor="input",
)
string_split = spelled(
    splitting.string_split,
    "source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor', name=None",
)
split = splitting.split_v1
