"""Datasets that read files: records, lines, pieces of fixed length, tables, databases."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.errors import (
    DataLossError,
    InvalidArgumentError,
    OpError,
    UnknownError,
    invalid,
)
from placewise.data.engine.components import boxed
from placewise.data.engine.source import Element, Failure, Source, dataset_op, unbound
from placewise.ops.io import paths
from placewise.ops.io.csv import decode_csv_kernel
from placewise.ops.io.records import read_records
from placewise.ops.strings.contents import strings
from placewise.ops.values import TORCH


def _texts(value: TensorLike) -> list[bytes]:
    flat = value.ravel().tolist() if isinstance(value, np.ndarray) else [value]
    return [each if isinstance(each, bytes) else str(each).encode() for each in flat]


def _kind(value: bytes) -> str:
    kind = _texts(value)[0].decode()
    if kind not in ("", "ZLIB", "GZIP"):
        raise invalid(f"Unsupported compression_type: {kind}.")
    return kind


def opened(path: str, kind: str) -> Any:
    """Return a file, decompressed as it is read."""
    with paths.told(path):
        if kind == "GZIP":
            return gzip.open(path, "rb")
        file = open(path, "rb")  # noqa: SIM115
    if kind == "ZLIB":
        with file:
            try:
                return io.BytesIO(zlib.decompress(file.read()))
            except zlib.error as failure:
                raise DataLossError(
                    None, None, f"inflate() failed with error -3: {failure}"
                ) from None
    return file


class _Files(Source):
    """A dataset that reads one file after the other."""

    def __init__(self, structure: Any, filenames: Any, compression: Any) -> None:
        super().__init__(structure)
        self._names = _texts(filenames)
        self._compression = _kind(compression)

    def _read(self, path: str) -> Iterator[Any]:
        raise NotImplementedError

    def iterate(self) -> Iterator[Element]:
        """Return the records of all files."""
        for name in self._names:
            try:
                for record in self._read(paths.local_path(name)):
                    yield (boxed(record),)
            except DataLossError as problem:  # whoever ignores that goes on with the next file
                yield Failure.of(problem)


_CHUNK_ROWS = 256  # grows up to that, so that a short look at a file stays cheap


def _taken(rows: Iterator[bytes], count: int) -> tuple[list[bytes], Exception | None]:
    """Return the next rows, and what is wrong with the file behind them."""
    taken: list[bytes] = []
    try:
        taken.extend(islice(rows, count))
    except (OpError, OSError) as problem:
        return taken, problem
    return taken, None


_FILES = "filenames: string, compression_type: string, buffer_size: int64"
_HOST = ("filenames", "compression_type", "buffer_size")


@dataset_op(f"TFRecordDataset({_FILES}", host=_HOST)
class Records(_Files):
    """The records of TFRecord files."""

    def __init__(self, structure: Any, names: Any, compression: Any, size: Any) -> None:
        super().__init__(structure, names, compression)

    def _read(self, path: str) -> Iterator[Any]:
        return read_records(path, self._compression)


@dataset_op(f"TextLineDataset({_FILES}", host=_HOST)
class Lines(_Files):
    """The lines of text files, without their ends."""

    def __init__(self, structure: Any, names: Any, compression: Any, size: Any) -> None:
        super().__init__(structure, names, compression)

    def _read(self, path: str) -> Iterator[Any]:
        with opened(path, self._compression) as file:
            for line in file:
                text = line.removesuffix(b"\n")
                yield text.replace(b"\r", b"") if b"\r" in text else text


@dataset_op(
    "FixedLengthRecordDatasetV2(filenames: string, header_bytes: int64, record_bytes: int64,"
    " footer_bytes: int64, buffer_size: int64, compression_type: string",
    host=(
        "filenames",
        "header_bytes",
        "record_bytes",
        "footer_bytes",
        "buffer_size",
        "compression_type",
    ),
)
class FixedLength(_Files):
    """Pieces of files that are all of one length."""

    def __init__(
        self,
        structure: Any,
        names: Any,
        header: int,
        record: int,
        footer: int,
        size: Any,
        compression: Any,
    ) -> None:
        super().__init__(structure, names, compression)
        if header < 0:
            raise invalid("header_bytes must be >= 0")
        if record <= 0:
            raise invalid("record_bytes must be > 0")
        if footer < 0:
            raise invalid("footer_bytes must be >= 0")
        self._header, self._record, self._footer = header, record, footer

    def _read(self, path: str) -> Iterator[Any]:
        with opened(path, self._compression) as file:
            data = file.read()
        body = len(data) - self._header - self._footer
        if body < 0 or body % self._record:
            raise invalid(
                f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), "
                f'input file "{path}" has body length {body} bytes, which is not an exact multiple '
                f"of the record length ({self._record} bytes)."
                if body >= 0
                else f"Header length ({self._header}) and footer length ({self._footer}) exceed "
                f"the length of {path} ({len(data)})."
            )
        for place in range(self._header, self._header + body, self._record):
            yield data[place : place + self._record]


@dataset_op(
    "CSVDatasetV2(filenames: string, compression_type: string, buffer_size: int64, header: bool,"
    " field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64,"
    " record_defaults: [Toutput_types], exclude_cols: int64",
    host=(
        "filenames",
        "compression_type",
        "buffer_size",
        "header",
        "field_delim",
        "use_quote_delim",
        "na_value",
        "select_cols",
        "exclude_cols",
    ),
)
class Csv(_Files):
    """The rows of CSV files, each column a scalar."""

    def __init__(
        self,
        structure: Any,
        names: Any,
        compression: Any,
        size: Any,
        header: bool,
        delim: Any,
        quotes: bool,
        missing: Any,
        chosen: Any,
        defaults: list[Any],
        excluded: Any,
    ) -> None:
        super().__init__(structure, names, compression)
        self._header, self._quotes = header, quotes
        self._delim, self._missing = _texts(delim)[0].decode(), _texts(missing)[0].decode()
        self._chosen = [int(each) for each in np.ravel(chosen)]
        self._excluded = {int(each) for each in np.ravel(excluded)}
        self._defaults = [
            each if isinstance(each, (torch.Tensor, np.ndarray)) else np.array(each, dtype=object)
            for each in defaults
        ]

    def _rows(self, path: str) -> Iterator[bytes]:
        with opened(path, self._compression) as file:
            held, is_open = b"", False
            skip = self._header
            for line in file:
                held += line
                if self._quotes and (is_open or line.count(b'"') % 2):
                    is_open = self._ends_inside(line, is_open)
                    if is_open:
                        continue  # the line goes on inside a quoted field
                for row in self._split(held.rstrip(b"\r\n")):
                    if skip:
                        skip = False
                    else:
                        # No text at all is one empty field where there is one column.
                        yield row or (b'""' if self._has_one_column else row)
                held = b""
            if skip:
                raise invalid(f"Can't read header of file {path}")
            if held:
                raise invalid("Reached end of file without closing quoted field in record")

    @property
    def _has_one_column(self) -> bool:
        return self._quotes and len(self._defaults) == 1 and self._chosen in ([], [0])

    def _ends_inside(self, text: bytes, is_inside: bool) -> bool:
        """Return whether a text ends inside of a quoted field, which begins with its quote."""
        if is_inside and b'"' not in text:
            return True
        ends = self._delim.encode() + b"\r\n"
        before = ends[:1]
        for place in range(len(text)):
            letter = text[place : place + 1]
            if letter == b'"' and (is_inside or before in ends):
                is_inside = not is_inside
            # The second quote of a pair opens the field again.
            before = ends[:1] if letter == b'"' and not is_inside else letter
        return is_inside

    def _split(self, line: bytes) -> Iterator[bytes]:
        """Return the rows of a line: a carriage return ends one too, outside of quotes."""
        if b"\r" not in line:
            yield line
            return
        held = b""
        for piece in line.split(b"\r"):
            held += piece
            if self._quotes and held.count(b'"') % 2:
                held += b"\r"
            else:
                yield held
                held = b""
        if held:
            yield held

    def iterate(self) -> Iterator[Element]:
        """Return the rows of all files, with failures where one cannot be read."""
        for name in self._names:
            rows = self._rows(paths.local_path(name))
            size = 1 if not self._excluded else 0
            while size:
                some, problem = _taken(rows, size)
                yield from self._decoded(some)
                if problem is not None:
                    raise problem
                size = min(_CHUNK_ROWS, size * 4) if some else 0
            for row in rows:
                width = len(row.split(self._delim.encode()))
                chosen = [k for k in range(width) if k not in self._excluded]
                yield self._one(row, chosen)

    def _one(self, row: bytes, chosen: list[int]) -> Element:
        try:
            return tuple(self._columns(boxed(row), chosen))
        except InvalidArgumentError as problem:
            return Failure.of(problem)

    def _columns(self, rows: Any, chosen: list[int]) -> Any:
        return decode_csv_kernel(
            rows,
            self._defaults,
            field_delim=self._delim,
            use_quote_delim=self._quotes,
            na_value=self._missing,
            select_cols=chosen,
        )

    def _decoded(self, rows: list[bytes]) -> Iterator[Element]:
        """Return some rows, decoded at once; one by one if any is wrong."""
        try:
            columns = self._columns(strings(rows, (len(rows),)), self._chosen)
        except InvalidArgumentError:
            for row in rows:
                yield self._one(row, self._chosen)
            return
        yield from zip(*[unbound(column) for column in columns], strict=True)


@dataset_op(
    "SqlDataset(driver_name: string, data_source_name: string, query: string",
    host=("driver_name", "data_source_name", "query"),
)
class Sql(Source):
    """The rows that a query of a database gives."""

    def __init__(self, structure: Any, driver: Any, place: Any, query: Any) -> None:
        super().__init__(structure)
        if (name := _texts(driver)[0].decode()) != "sqlite":
            raise invalid(
                "tensorflow::sql::DriverManager: The database type, "
                f"{name}, is not supported by SqlDataset. The set of supported databases is: "
                "{'sqlite'}."
            )
        self._place, self._query = _texts(place)[0].decode(), _texts(query)[0].decode()

    def iterate(self) -> Iterator[Element]:
        """Return the rows."""
        import sqlite3  # noqa: PLC0415 - few programs need it

        with paths.told(self._place):
            connection = sqlite3.connect(self._place, check_same_thread=False)
        try:
            try:
                rows = connection.execute(self._query)
            except sqlite3.Error as failure:
                raise UnknownError(None, None, f"{failure}: {self._query}") from None
            width = len(rows.description or ())
            if width != len(self.structure.leaves):
                raise invalid(
                    f"The number of columns in query ({width}) must match the number of elements "
                    f"in output_types ({len(self.structure.leaves)})."
                )
            for row in rows:
                yield tuple(
                    _column(value, spec.dtype)
                    for value, spec in zip(row, self.structure.leaves, strict=True)
                )
        finally:
            connection.close()


def _column(value: Any, dtype: DType) -> Any:
    if dtype.name == "string":
        text = b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
        return boxed(text)
    if isinstance(value, (str, bytes)):
        value = _number_in(value, dtype.is_floating)
    return torch.tensor(value or 0, dtype=TORCH[dtype])


def _number_in(value: str | bytes, is_floating: bool) -> float:
    """Return the number that a text begins with, as SQLite reads it; 0 if there is none."""
    text = value.decode(errors="replace") if isinstance(value, bytes) else value
    found = _NUMBER.match(text)
    if found is None:
        return 0
    return float(found[0]) if is_floating else int(found[1])


_NUMBER = re.compile(r"\s*([+-]?\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?")
