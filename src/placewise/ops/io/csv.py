"""Lines of comma-separated values as columns of tensors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import op
from placewise.ops.values import Content, c_name, dtype_of, from_numpy, shape_of, to_numpy

_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)
_INTEGER = re.compile(rb"\s*[-+]?\d+\s*\Z")
_FLOAT = re.compile(
    rb"\s*[-+]?(\d+(\.\d*)?([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|inf(inity)?|nan)\s*\Z",
    re.IGNORECASE,
)


@op(
    "DecodeCSV(records: string, record_defaults: [OUT_TYPE] >= 1; field_delim: string = ',',"
    " use_quote_delim: bool = True, na_value: string = '', select_cols: list(int) = [])"
    " -> output: [OUT_TYPE]",
    devices=("CPU",),
    differentiable=False,
)
def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> Any:
    """Return the columns of CSV lines as a list of tensors, each shaped as `records`.

    A column's default gives its dtype, and its value where a field is empty or `na_value`; an
    empty default makes the field required.
    """
    if select_cols is not None:
        chosen = list(select_cols)
        if any(a >= b for a, b in itertools.pairwise(chosen)):
            raise ValueError("select_cols is not strictly increasing.")
        if chosen and chosen[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(chosen) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return decode_csv.bind(
        records,
        list(record_defaults),
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=tuple(select_cols or ()),
        name=name,
    )


@decode_csv.shape
def decode_csv_shape(records: Static, record_defaults: list[Static], **_: object) -> list[Dims]:
    return [records.shape] * len(record_defaults)


def _bytes(value: str) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _fields(line: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """Return the fields of one record."""
    if not line:
        return []
    if not quotes:
        return line.split(delimiter)
    if not re.search(rb'["\r\n]', line):
        return line.split(delimiter)
    fields = []
    place = 0
    while place <= len(line):
        if line[place : place + 1] == b'"':
            field, place = _quoted(line, place + 1, delimiter)
        else:
            end = line.find(delimiter, place)
            end = len(line) if end < 0 else end
            field = line[place:end]
            if re.search(rb'["\r\n]', field):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
            place = end
        fields.append(field)
        place += 1  # past the delimiter
    return fields


def _quoted(line: bytes, place: int, delimiter: bytes) -> tuple[bytes, int]:
    pieces = []
    while True:
        end = line.find(b'"', place)
        if end < 0:
            raise invalid("Quoted field has to end with quote followed by delim or end")
        pieces.append(line[place:end])
        following = line[end + 1 : end + 2]
        if following == b'"':
            pieces.append(b'"')
            place = end + 2
            continue
        if following and following != delimiter:
            raise invalid("Quote inside a string has to be escaped by another quote")
        return b"".join(pieces), end + 1


def _parsed(field: bytes, dtype: DType) -> Any:
    """Return a field as a number, or None if it is none."""
    if dtype.is_integer:
        if not _INTEGER.match(field):
            return None
        number = int(field)
        return number if dtype.min <= number <= dtype.max else None
    return float(field) if _FLOAT.match(field) else None


@decode_csv.kernel
def decode_csv_kernel(
    records: np.ndarray[Any, Any],
    record_defaults: list[Content],
    *,
    field_delim: str,
    use_quote_delim: bool,
    na_value: str,
    select_cols: Sequence[Any],
) -> Any:
    types = _checked_types(record_defaults)
    delimiter = _bytes(field_delim)
    if len(delimiter) != 1:
        raise invalid("field_delim should be only 1 char")
    if native.code is not None and delimiter.isascii():
        form = (field_delim, use_quote_delim, _bytes(na_value))
        made = _native_columns(records, record_defaults, types, form, select_cols)
        if made is not None:
            return made
    missing = (b"", _bytes(na_value))
    columns: list[list[Any]] = [[] for _ in types]
    defaults = [
        to_numpy(d).reshape(-1)[0] if np.prod(shape_of(d), dtype=int) else None
        for d in record_defaults
    ]
    for number, line in enumerate(records.reshape(-1)):
        fields = _fields(line, delimiter, use_quote_delim)
        if select_cols:
            fields = [fields[i] for i in select_cols if i < len(fields)]
        if len(fields) != len(types):
            raise invalid(f"Expect {len(types)} fields but have {len(fields)} in record {number}")
        for index, field in enumerate(fields):
            if field in missing:
                value = defaults[index]
                if value is None:
                    raise invalid(f"Field {index} is required but missing in record {number}!")
            elif types[index] is dtypes.string:
                value = field
            else:
                value = _parsed(field, types[index])
                if value is None:
                    shown = field.decode("utf-8", "replace")
                    raise invalid(
                        f"Field {index} in record {number} is not a valid "
                        f"{c_name(types[index])}: {shown}"
                    )
            columns[index].append(value)
    return [_column(c, t, records.shape) for c, t in zip(columns, types, strict=True)]


_KINDS = {
    dtypes.float32: "f",
    dtypes.float64: "d",
    dtypes.int32: "i",
    dtypes.int64: "q",
    dtypes.string: "s",
}


def _native_columns(
    records: np.ndarray[Any, Any],
    defaults: list[Content],
    types: list[DType],
    form: tuple[Any, bool, bytes],
    chosen: Sequence[Any],
) -> list[Any] | None:
    """Return the columns of plain lines; None if a line is not, or wrong."""
    arrays, fallbacks = [], []
    for default, dtype in zip(defaults, types, strict=True):
        array = np.empty(records.shape, dtype.as_numpy_dtype)
        given = to_numpy(default).reshape(-1)
        fallback = given[0] if given.size else None
        if dtype is not dtypes.string and fallback is not None:
            array.fill(fallback)
        arrays.append(array)
        fallbacks.append(fallback)
    delimiter, quotes, missing = form
    is_complete = native.code.csv_columns(
        np.asarray(records, order="C"),
        delimiter if isinstance(delimiter, str) else delimiter.decode(),
        quotes,
        missing,
        "".join(_KINDS[dtype] for dtype in types),
        tuple(arrays),
        tuple(fallbacks),
        np.array(chosen, np.int64) if len(chosen) else None,
    )
    if not is_complete:
        return None
    return [each if each.dtype == object else torch.from_numpy(each) for each in arrays]


def _checked_types(defaults: list[Any]) -> list[Any]:
    types = [dtype_of(each) for each in defaults]
    for index, (default, dtype) in enumerate(zip(defaults, types, strict=True)):
        if dtype not in _TYPES:
            raise invalid(
                f"Value for attr 'OUT_TYPE' of {c_name(dtype)} is not in the list of allowed "
                "values: float, double, int32, int64, string"
            )
        shape = shape_of(default)
        count = int(np.prod(shape, dtype=np.int64))
        if count > 1:
            raise invalid(f"There should only be 1 default per field but field {index} has {count}")
        if len(shape) > 1:
            raise invalid(
                f"Each record default should be at most rank 1: field {index} has {len(shape)}"
            )
    return types


def _column(values: list[Any], dtype: DType, shape: tuple[int, ...]) -> Any:
    array = np.empty(len(values), dtype=dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        array[:] = values
    return from_numpy(array.reshape(shape))
