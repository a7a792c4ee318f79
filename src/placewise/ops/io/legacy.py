"""TensorFlow 1's spellings of parsing functions whose arguments differ."""

from __future__ import annotations

from typing import Any

from placewise.ops.io.csv import decode_csv
from placewise.ops.io.examples import parse_example, parse_single_example
from placewise.ops.io.raw import decode_raw


def decode_raw_v1(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Any:
    """Return what `decode_raw` does; `bytes` is the old name of `input_bytes`."""
    if input_bytes is not None and bytes is not None:
        raise ValueError("Cannot specify both 'bytes' and 'input_bytes'.")
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return decode_raw(input_bytes if bytes is None else bytes, out_type, little_endian, name=name)


def decode_csv_v1(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> Any:
    """Return what `decode_csv` does, with TensorFlow 1's order of arguments."""
    return decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name
    )


def parse_example_v1(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> Any:
    """Return what `parse_example` does, with TensorFlow 1's order of arguments."""
    return parse_example(serialized, features, example_names, name)


def parse_single_example_v1(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> Any:
    """Return what `parse_single_example` does, with TensorFlow 1's order of arguments."""
    return parse_single_example(serialized, features, example_names, name)
