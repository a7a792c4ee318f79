"""Reading a checkpoint bundle: its index at once, tensors when asked for, checked as they come."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import DataLossError, NotFoundError, hint
from placewise.ops.checkpoint import table
from placewise.ops.checkpoint.bundle_writer import data_path, index_path
from placewise.ops.checkpoint.contents import strings_from
from placewise.ops.checkpoint.numbers import checksum, masked
from placewise.ops.checkpoint.slices import Slice, overlap, whole
from placewise.ops.io import paths


def damaged(path: str, said: str) -> DataLossError:
    """Return the error for a file that is not as it was written."""
    named = said if path in said else f"{said} (in {path})"
    return DataLossError(
        None,
        None,
        hint(named, "the file is damaged or was cut off: restore another checkpoint"),
    )


def no_files(prefix: str) -> NotFoundError:
    """Return the error for a checkpoint that does not exist."""
    return NotFoundError(
        None,
        None,
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
        f"{prefix}",
    )


def missing_key(name: str) -> NotFoundError:
    """Return the error for a tensor that the checkpoint does not hold."""
    return NotFoundError(None, None, f"Key {name} not found in checkpoint")


class Bundle:
    """A checkpoint that is there: what it holds by name, and the values."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._files: dict[int, Any] = {}
        path = index_path(prefix)
        try:
            data = paths.read(path)
        except NotFoundError:
            raise no_files(prefix) from None
        self.raw: dict[bytes, Any] = {}
        parse = messages.BundleEntryProto.FromString
        try:
            pairs = table.entries_of(data)
            key, value = next(pairs, (None, b""))
            if key != b"":
                raise table.DamagedTableError("no header entry")
            header = messages.BundleHeaderProto.FromString(value)
            for key, value in pairs:
                self.raw[key] = parse(value)
        except table.DamagedTableError as problem:
            raise damaged(path, f"Unable to open table file {path}: Data loss: {problem}") from None
        except Exception as problem:  # protobuf's DecodeError has no public base
            raise damaged(path, f"Unable to parse an entry of {path}: {problem}") from None
        self.shards: int = header.num_shards
        self._is_swapped = header.endianness != messages.BundleHeaderProto.LITTLE
        self._kept: tuple[str, Any] = ("", None)

    def close(self) -> None:
        """Close the data files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # What it holds.

    def names(self) -> list[str]:
        """Return the names of all tensors; of one saved in parts, the whole's."""
        return [key.decode(errors="replace") for key in self.raw if not key.startswith(b"\0")]

    def has(self, name: str) -> bool:
        """Return True if there is a tensor of that name."""
        return name.encode() in self.raw

    def _entry(self, name: str) -> Any:
        found = self.raw.get(name.encode())
        if found is None:
            raise missing_key(name)
        return found

    def dtype(self, name: str) -> Any:
        """Return the dtype of a tensor."""
        return as_dtype(self._entry(name).dtype)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        shape = self._entry(name).shape
        sizes = tuple([dim.size for dim in shape.dim])
        return () if shape.unknown_rank or -1 in sizes else sizes

    # Values.

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """Return a tensor as a new array."""
        entry = self._entry(name)
        if not entry.slices:
            return self._load(entry, name)
        return self._assembled(entry, name, whole(len(entry.shape.dim)))

    def read_part(self, name: str, part: Slice) -> np.ndarray[Any, Any]:
        """Return a part of a tensor as a new array."""
        entry = self._entry(name)
        if entry.slices:
            return self._assembled(entry, name, part)
        if self._kept[0] != name:  # the parts of one tensor are asked for one after the other
            self._kept = (name, self._load(entry, name))
        found = self._kept[1]
        return np.array(found[part.index_in(found.shape)], order="C")

    def _assembled(self, entry: Any, name: str, wanted: Slice) -> np.ndarray[Any, Any]:
        full = tuple(dim.size for dim in entry.shape.dim)
        made = np.empty(wanted.shape_in(full), _array_type(as_dtype(entry.dtype)))
        filled = 0
        for message in entry.slices:
            stored = Slice.from_proto(message)
            meeting = overlap(wanted, stored, full)
            if meeting is None:
                continue
            own = self.raw.get(stored.key(name.encode()))
            if own is None:
                raise damaged(index_path(self.prefix), f"The part {stored} of {name} has no entry")
            target = made[meeting[0]]
            target[...] = self._load(own, name)[meeting[1]]
            filled += target.size
        if filled < made.size:
            raise NotFoundError(
                None,
                None,
                f"The checkpoint does not hold all of {name}: the part {wanted} is incomplete",
            )
        return made

    def _load(self, entry: Any, name: str) -> np.ndarray[Any, Any]:
        dtype = as_dtype(entry.dtype)
        shape = tuple(dim.size for dim in entry.shape.dim)
        count = math.prod(shape)
        path = data_path(self.prefix, entry.shard_id, self.shards)
        file = self._file(entry.shard_id, path)
        held = os.fstat(file.fileno()).st_size
        if entry.offset + entry.size > held:
            raise damaged(
                path,
                f"{name} ends at byte {entry.offset + entry.size}, but the file has {held} bytes",
            )
        if dtype is dtypes.string:
            with paths.told(path):
                file.seek(entry.offset)
                data = file.read(entry.size)
            try:
                array, crc = strings_from(data, count)
            except ValueError as problem:
                raise damaged(path, f"Unable to read the strings of {name}: {problem}") from None
        else:
            kind = _array_type(dtype)
            if count * kind.itemsize != entry.size:
                raise damaged(
                    path,
                    f"Invalid size in bundle entry: key {name}; stored size {entry.size}; "
                    f"expected size {count * kind.itemsize}",
                )
            array = np.empty(count, kind)
            flat = array.view(np.uint8)
            with paths.told(path):
                file.seek(entry.offset)
                place = 0
                while place < flat.size:  # one call reads at most two gigabytes
                    place += file.readinto(flat[place:]) or flat.size
            crc = masked(checksum(flat))
            if self._is_swapped:
                array.byteswap(inplace=True)
        if crc != entry.crc32c:
            raise damaged(
                path,
                f"Checksum does not match: stored {entry.crc32c} vs. calculated on the restored "
                f"bytes {crc}",
            )
        return array.reshape(shape)

    def _file(self, shard: int, path: str) -> Any:
        found = self._files.get(shard)
        if found is None:
            with paths.told(path):
                found = self._files[shard] = open(path, "rb", buffering=0)  # noqa: SIM115 - kept
        return found


def _array_type(dtype: DType) -> np.dtype[Any]:
    if dtype is dtypes.string:
        return np.dtype(object)
    numpy_type: np.dtype[Any] = np.dtype(dtype.as_numpy_dtype)
    return numpy_type
