"""Tables read from text files: one line a key, columns by a delimiter, or line numbers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.dtypes import DType
from placewise.core.errors import NotFoundError, invalid

if TYPE_CHECKING:
    from placewise.ops.lookup.tables import Table


WHOLE_LINE = -2
LINE_NUMBER = -1


def read_table(
    path: str,
    table: Table,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: str,
    offset: int,
) -> tuple[Any, Any]:
    """Return the keys and values that the lines of a file hold."""
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as problem:
        raise NotFoundError(None, None, f"{path}; {os.strerror(problem.errno or 2)}") from None
    if lines and not lines[-1]:
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    if vocab_size > 0:
        if len(lines) < vocab_size:
            raise invalid(
                f"Invalid vocab_size in {path}: expected {vocab_size} but got {len(lines)}"
            )
        lines = lines[:vocab_size]
    glue = delimiter.encode() if isinstance(delimiter, str) else delimiter
    keys = _column(path, lines, key_index, table.key_dtype, glue, offset)
    return keys, _column(path, lines, value_index, table.value_dtype, glue, offset)


def _column(
    path: str, lines: list[bytes], index: int, dtype: DType, glue: bytes, offset: int
) -> Any:
    if index == LINE_NUMBER:
        return np.arange(len(lines), dtype=np.int64) + offset
    if index == WHOLE_LINE:
        fields = list(lines)
    else:
        fields = []
        for number, line in enumerate(lines):
            parts = line.split(glue)
            if len(parts) <= index:
                raise invalid(
                    f"Invalid number of columns in {path} line {number} ({line.decode()}) : "
                    f"expected at least {index + 1} got {len(parts)}"
                )
            fields.append(parts[index])
    if dtype.name == "string":
        return np.array([*fields, None], dtype=object)[:-1]
    return np.asarray([_number(*pair, dtype) for pair in enumerate(fields)], dtype.as_numpy_dtype)


def _number(line: int, field: bytes, dtype: Any) -> Any:
    try:
        return int(field) if dtype.is_integer else float(field)
    except ValueError:
        raise invalid(
            f"Field {field.decode()} in line {line} is not a valid {dtype.name}."
        ) from None
