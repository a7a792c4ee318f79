"""Reading and decoding in the spelling of TensorFlow 1."""

from __future__ import annotations

from placewise.ops.io import csv, examples, file_system, raw, tensors
from placewise.tf1.spelling import spelled

decode_csv = spelled(
    csv.decode_csv,
    "records, record_defaults, field_delim=COMMA, use_quote_delim=True, name=None, na_value='',"
    " select_cols=None",
)
decode_raw = spelled(
    raw.decode_raw,
    "input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None",
    bytes="input_bytes",
)
_EXAMPLES = "serialized, features, name=None, example_names=None"
parse_example = spelled(examples.parse_example, _EXAMPLES)
parse_single_example = spelled(examples.parse_single_example, _EXAMPLES)
serialize_sparse = spelled(tensors.serialize_sparse, "sp_input, name=None, out_type=string")
serialize_many_sparse = spelled(
    tensors.serialize_many_sparse, "sp_input, name=None, out_type=string"
)
walk = spelled(file_system.walk, "top, in_order=True", in_order="topdown")
