"""Checkpoints of TensorFlow's first format: tables whose values are slices of tensors.

One file, or several called `prefix-00000-of-00002`; what is where stands under the empty key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.errors import NotFoundError, invalid
from placewise.core.shapes import TensorShape, known_sizes
from placewise.ops.checkpoint import table
from placewise.ops.checkpoint.bundle_reader import damaged, missing_key, no_files
from placewise.ops.checkpoint.bundle_writer import numbered_files, write_durably
from placewise.ops.checkpoint.contents import dtype_of_array
from placewise.ops.checkpoint.slices import Slice, overlap, whole
from placewise.ops.io import paths
from placewise.ops.io.tensor_proto import make_ndarray

# Dtypes whose numbers share a field with others'.
_FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "int32": "int_val",
    "int16": "int_val",
    "int8": "int_val",
    "uint16": "int_val",
    "uint8": "int_val",
    "float16": "half_val",
    "bfloat16": "half_val",
}


class SliceTable:
    """A checkpoint of the first format: what it holds by name, and the values."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        files = [path for path in paths.matching(prefix) if os.path.isfile(path)]
        files = files or numbered_files(prefix)
        if not files:
            raise no_files(prefix)
        self._meta: dict[str, Any] = {}
        self._parts: dict[bytes, tuple[bytes, str]] = {}
        for path in files:
            self._open(path)

    def _open(self, path: str) -> None:
        data = paths.read(path)
        try:
            for key, value in table.entries_of(data):
                if key:
                    self._parts[key] = (value, path)
                    continue
                meta = messages.SavedTensorSlices.FromString(value).meta
                for tensor in meta.tensor:
                    known = self._meta.setdefault(tensor.name, tensor)
                    if known is not tensor:
                        known.slice.extend(tensor.slice)
        except table.DamagedTableError as problem:
            raise damaged(
                path,
                f"Unable to open table file {path}: Data loss: {problem}: perhaps your file is in "
                "a different file format and you need to use a different restore operator?",
            ) from None

    def close(self) -> None:
        """Do nothing: the files are read at once."""

    def __enter__(self) -> SliceTable:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def names(self) -> list[str]:
        """Return the names of all tensors."""
        return sorted(self._meta)

    def has(self, name: str) -> bool:
        """Return True if there is a tensor of that name."""
        return name in self._meta

    def _entry(self, name: str) -> Any:
        if name not in self._meta:
            raise missing_key(name)
        return self._meta[name]

    def dtype(self, name: str) -> Any:
        """Return the dtype of a tensor."""
        return as_dtype(self._entry(name).type)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return known_sizes(TensorShape(self._entry(name).shape)._dims) or ()

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """Return a tensor as a new array."""
        return self.read_part(name, whole(len(self.shape(name))))

    def read_part(self, name: str, part: Slice) -> np.ndarray[Any, Any]:
        """Return a part of a tensor as a new array."""
        entry = self._entry(name)
        full, dtype = self.shape(name), as_dtype(entry.type)
        kind = object if dtype is dtypes.string else dtype.as_numpy_dtype
        made = np.empty(part.shape_in(full), kind)
        filled = 0
        for message in entry.slice:
            stored = Slice.from_proto(message)
            meeting = overlap(part, stored, full)
            if meeting is None and made.size:
                continue
            value = self._slice(name, stored, stored.shape_in(full), dtype)
            if meeting is not None:
                made[meeting[0]] = value[meeting[1]]
                filled += made[meeting[0]].size
        if filled < made.size:
            raise NotFoundError(
                None, None, f"The checkpoint does not hold all of {name}: {part} is incomplete"
            )
        return made

    def _slice(self, name: str, stored: Slice, shape: tuple[int, ...], dtype: Any) -> Any:
        key = stored.key(name.encode())
        if key not in self._parts:
            raise damaged(self.prefix, f"The part {stored} of {name} has no entry")
        value, path = self._parts[key]
        try:
            message = messages.SavedTensorSlices.FromString(value).data.data
        except Exception as problem:  # protobuf's DecodeError has no public base
            raise damaged(path, f"Unable to parse {name}: {problem}") from None
        message.dtype = dtype.as_datatype_enum
        message.tensor_shape.CopyFrom(TensorShape(shape).as_proto())
        return make_ndarray(message)


class SliceTableWriter:
    """Collects tensors into a new checkpoint of the first format."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._meta = messages.SavedTensorSlices()
        self._meta.meta.versions.producer = 1
        self._known: dict[str, Any] = {}
        self._parts: dict[bytes, bytes] = {}

    def add(self, name: str, array: np.ndarray[Any, Any]) -> None:
        """Add a whole tensor."""
        self.add_slice(name, array.shape, whole(array.ndim), array)

    def add_slice(
        self, name: str, full: tuple[int, ...], part: Slice, array: np.ndarray[Any, Any]
    ) -> None:
        """Add a part of a tensor of shape `full`."""
        dtype = dtype_of_array(array)
        if dtype.name not in _FIELDS:
            raise invalid(f"the first checkpoint format cannot hold {dtype.name}: {name}")
        if part.shape_in(full) != array.shape:
            raise invalid(f"Incompatible tensor shape for the part {part} of {name}")
        key = part.key(name.encode())
        if key in self._parts:
            raise invalid(f"Overlapping slice: existing slice = {name}, new slice = {part}")
        entry = self._known.get(name)
        if entry is None:
            entry = self._known[name] = self._meta.meta.tensor.add(
                name=name, shape=TensorShape(full).as_proto(), type=dtype.as_datatype_enum
            )
        entry.slice.append(part.to_proto())
        saved = messages.SavedTensorSlices()
        saved.data.name = name
        saved.data.slice.CopyFrom(part.to_proto())
        _fill(getattr(saved.data.data, _FIELDS[dtype.name]), dtype, array.reshape(-1))
        self._parts[key] = saved.SerializeToString()

    def finish(self) -> None:
        """Let the checkpoint exist."""
        folder = os.path.dirname(self.path)
        if folder:
            with paths.told(folder):
                os.makedirs(folder, exist_ok=True)

        def everything() -> Iterator[tuple[bytes, bytes]]:
            yield b"", self._meta.SerializeToString()
            yield from ((key, self._parts[key]) for key in sorted(self._parts))

        write_durably(self.path, table.written(everything()))

    def abandon(self) -> None:
        """Do nothing: nothing is on the disk before `finish`."""


def _fill(field: Any, dtype: Any, values: np.ndarray[Any, Any]) -> None:
    if dtype in (dtypes.float16, dtypes.bfloat16):
        values = values.view(np.uint16)
    elif dtype.is_complex:
        values = values.view(values.real.dtype)
    field.extend(values.tolist())
