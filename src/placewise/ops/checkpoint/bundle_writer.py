"""Writing a checkpoint bundle: data beside its final place, then the index that makes it one.

A kill at any moment leaves the checkpoint that was there whole: nothing the present index names is
touched before a new index, which names only new files, has taken its place.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from placewise import messages
from placewise.core.errors import AlreadyExistsError, NotFoundError, invalid
from placewise.core.shapes import TensorShape
from placewise.ops import lazy
from placewise.ops.checkpoint import table
from placewise.ops.checkpoint.contents import dtype_of_array, pieces_of
from placewise.ops.checkpoint.slices import Slice
from placewise.ops.io import paths
from placewise.ops.io.drafts import clear_stale, committing, open_draft, sync_folder

_NUMBERED = re.compile(r"-\d{5}-of-\d{5}")


def index_path(prefix: str) -> str:
    """Return the name of a checkpoint's index file."""
    return f"{prefix}.index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    """Return the name of one of a checkpoint's data files."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def numbered_files(start: str) -> list[str]:
    """Return the files called `start`-00000-of-00001 and so on; nothing in `start` is a pattern."""
    folder, base = os.path.split(start)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return sorted(
        os.path.join(folder, name)
        for name in names
        if name.startswith(base) and _NUMBERED.fullmatch(name[len(base) :])
    )


class BundleWriter:
    """Collects tensors into a new checkpoint; `finish` makes it exist, `abandon` forgets it."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._entries: dict[bytes, Any] = {}
        self._bytes = 0
        folder = os.path.dirname(prefix)
        if folder:
            with paths.told(folder):
                os.makedirs(folder, exist_ok=True)
        place = data_path(prefix, 0, 1)
        with paths.told(place):
            clear_stale(place)
            self._beside, self._file = open_draft(place)

    def add(self, name: str, array: np.ndarray[Any, Any]) -> None:
        """Add a whole tensor."""
        self._put(name.encode(), name, array, array.shape)

    def add_slice(
        self, name: str, full: tuple[int, ...], part: Slice, array: np.ndarray[Any, Any]
    ) -> None:
        """Add a part of a tensor of shape `full`."""
        if part.shape_in(full) != array.shape:
            raise invalid(
                f"The part {part} of {name}, of shape {list(full)}, has not the shape "
                f"{list(array.shape)} of the tensor to be saved"
            )
        key = name.encode()
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = messages.BundleEntryProto(
                dtype=dtype_of_array(array).as_datatype_enum, shape=_shape(full)
            )
        entry.slices.append(part.to_proto())
        self._put(part.key(key), name, array, array.shape)

    def _put(
        self, key: bytes, name: str, array: np.ndarray[Any, Any], shape: tuple[int, ...]
    ) -> None:
        if not key or key in self._entries:
            raise invalid(f"Adding duplicate key: {name}")
        pieces, size, crc = pieces_of(array)
        with paths.told(self._beside):
            for piece in pieces:
                self._file.write(piece)
        self._entries[key] = messages.BundleEntryProto(
            dtype=dtype_of_array(array).as_datatype_enum,
            shape=_shape(shape),
            offset=self._bytes,
            size=size,
            crc32c=crc,
        )
        self._bytes += size

    def finish(self) -> None:
        """Let the checkpoint exist."""
        try:
            with paths.told(self._beside):
                self._file.flush()
                os.fsync(self._file.fileno())
            commit(self.prefix, self._entries, [self._beside])
            self._file.close()  # and with it the lock that says whose the file is
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(OSError):  # a full disk shows again when the rest is written
            self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self._beside)


def _shape(dims: tuple[int, ...]) -> Any:
    return TensorShape(dims).as_proto()


def commit(prefix: str, entries: dict[bytes, Any], files: list[str]) -> None:
    """Put data files in their place, then the index that names them; old files go last.

    Entries tell by `shard_id` which of `files` they are in. Where a data file of the checkpoint
    that is replaced bears the name of a new one, an index in between names the new data by other
    names, so that at no moment an index is there without its data.
    """
    count = len(files)
    final = [data_path(prefix, shard, count) for shard in range(count)]
    with paths.told(prefix), committing(prefix):
        replaces = os.path.exists(index_path(prefix))
        if replaces and any(os.path.exists(path) for path in final):
            total = 2 * count
            while any(os.path.exists(data_path(prefix, s, total)) for s in range(count)):
                total += 1
            # On a file system without links it is done as TensorFlow does it: not quite at once.
            if _linked(files, [data_path(prefix, shard, total) for shard in range(count)]):
                _write_index(prefix, entries, total)
        for path, place in zip(files, final, strict=True):
            os.replace(path, place)
        _write_index(prefix, entries, count)
        if replaces:  # what the checkpoint before had, and what a killed program left
            for path in set(numbered_files(f"{prefix}.data")) - set(final):
                with contextlib.suppress(FileNotFoundError):  # another process cleans up, too
                    os.unlink(path)


def _linked(files: list[str], names: list[str]) -> bool:
    try:
        for path, name in zip(files, names, strict=True):
            os.link(path, name)
    except OSError:
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(name)
        return False
    return True


def _write_index(prefix: str, entries: dict[bytes, Any], shards: int) -> None:
    header = messages.BundleHeaderProto(num_shards=shards)
    header.version.producer = 1

    def everything() -> Iterator[tuple[bytes, bytes]]:
        yield b"", header.SerializeToString()
        for key in sorted(entries):
            yield key, entries[key].SerializeToString()

    write_durably(index_path(prefix), table.written(everything()))


def write_durably(path: str, data: bytes) -> None:
    """Put `data` into a file, all of it or nothing, and on the disk before it is there."""
    with paths.told(path):
        clear_stale(path)
        new, file = open_draft(path)
        try:
            with file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.replace(new, path)
            sync_folder(path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise


def merge(
    prefixes: list[str], destination: str, delete_old: bool, allow_missing: bool = False
) -> None:
    """Make one checkpoint of several by moving their data files."""
    entries: dict[bytes, Any] = {}
    files: list[str] = []
    merged: list[str] = []
    for prefix in prefixes:
        try:
            bundle = lazy.Bundle(prefix)
        except NotFoundError:
            if allow_missing:
                continue
            missing = f"allow_missing_files was set to false and {prefix} did not exist."
            raise invalid(missing) from None
        merged.append(prefix)
        for key, entry in bundle.raw.items():
            known = entries.get(key)
            if known is None:
                if not entry.slices:
                    entry.shard_id += len(files)
                entries[key] = entry
            elif entry.slices and known.slices:
                known.slices.extend(entry.slices)
            else:
                raise invalid(f"Existing entry for key {key.decode(errors='replace')!r}")
        files += [data_path(prefix, shard, bundle.shards) for shard in range(bundle.shards)]
    if not merged:
        raise invalid("At least one prefix checkpoint file must exist, but none existed.")
    folder = os.path.dirname(destination)
    if folder:
        with paths.told(folder):
            os.makedirs(folder, exist_ok=True)
    if os.path.isdir(destination + ".index"):
        raise AlreadyExistsError(None, None, f"{destination}.index is a folder")
    commit(destination, entries, files)
    for prefix in merged:
        if prefix == destination:
            continue
        with contextlib.suppress(OSError):
            os.unlink(index_path(prefix))
        if delete_old:
            with contextlib.suppress(OSError):  # not empty yet, or used by others
                os.rmdir(os.path.dirname(prefix))
