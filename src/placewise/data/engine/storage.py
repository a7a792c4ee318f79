"""Datasets that keep elements: in memory, or in files that are read again."""

from __future__ import annotations

import fcntl
import glob
import os
import secrets
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

import torch

from placewise import messages
from placewise.core.errors import AlreadyExistsError, NotFoundError, invalid
from placewise.data import lazy
from placewise.data.engine import records
from placewise.data.engine.batches import Window
from placewise.data.engine.files import _texts
from placewise.data.engine.fingerprint import fingerprint
from placewise.data.engine.source import Element, Failure, Source, Unary, dataset_op
from placewise.messages.decoding import parsed_message
from placewise.ops.io import paths
from placewise.ops.io.records import TFRecordWriter
from placewise.ops.values import Variant

if TYPE_CHECKING:
    from placewise.data.structure import Structure
    from placewise.functions.dataset_function import StructuredFunction


# The thread of a `prefetch` whose iterator was dropped lets go of the lock a moment later.
_LOCK_SECONDS = 0.5


@dataset_op(
    "CacheDatasetV2(input_dataset: variant, filename: string", host=("filename",), stateful=True
)
class Cache(Unary):
    """The elements, made only once: kept in memory, or in a file of that name."""

    def __init__(self, structure: Any, source: Source, filename: Any) -> None:
        super().__init__(structure, source)
        name = _texts(filename)[0]
        self._path = paths.local_path(name) + ".cache" if name else ""
        self._kept: list[Element] | None = None

    def iterate(self) -> Iterator[Element]:
        """Return the elements; once all were made, those that were kept."""
        if self._path:
            return self._from_file() if os.path.exists(self._path) else self._to_file()
        return iter(self._kept) if self._kept is not None else self._to_memory()

    def _to_memory(self) -> Iterator[Element]:
        kept: list[Element] = []
        count = self.source.count()
        is_whole = True
        for element in self.source.iterate():
            is_whole &= element.__class__ is not Failure
            kept.append(element)
            if is_whole and len(kept) == count:  # whoever takes this one may not ask for more
                self._kept = kept
            yield element
        if is_whole:
            self._kept = kept

    def _to_file(self) -> Iterator[Element]:
        lock = self._take_lock()
        draft = f"{self._path}.{secrets.token_hex(4)}.tempstate"
        writer = TFRecordWriter(draft)
        try:
            is_whole = True
            for element in self.source.iterate():
                if element.__class__ is Failure:
                    is_whole = False
                else:
                    records.write(writer, self.structure.contents(element))
                yield element
            writer.close()
            if is_whole:
                os.replace(draft, self._path)
        finally:
            writer.close()
            for leftover in (draft, lock.name):
                if os.path.exists(leftover):
                    os.remove(leftover)
            lock.close()

    def _take_lock(self) -> TextIO:
        """Return a locked file that says this cache is being written.

        Two iterators that write one cache would each do the work that the cache is to save. The
        system drops the lock of a process that dies, so that a restarted program can go on.
        """
        name = f"{self._path}.lockfile"
        with paths.told(self._path):
            lock = open(name, "w")  # noqa: SIM115 - `_to_file` closes it after the last element
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except BlockingIOError:
                if time.monotonic() < deadline:
                    time.sleep(0.01)
                    continue
                lock.close()
                raise AlreadyExistsError(
                    None,
                    None,
                    "There appears to be a concurrent caching iterator running - cache lockfile "
                    f"already exists ('{name}').\n  read one iterator to its end before another "
                    "begins, or give each cache a file of its own",
                ) from None

    def _from_file(self) -> Iterator[Element]:
        for contents in records.read(self._path, "", len(self.structure.parts)):
            yield self.structure.element(contents)


def metadata_path(path: str) -> str:
    """Return where a saved dataset says what it is."""
    return os.path.join(path, "snapshot.metadata")


def write_saved(path: str, source: Source, compression: str, shard: Callable[..., Any]) -> None:
    """Write a dataset's elements below a folder, as TensorFlow's `save` does."""
    for element in written(path, source, compression, shard):
        if element.__class__ is Failure:
            raise element.error


def written(
    path: str,
    source: Source,
    compression: str,
    shard: Callable[..., Any],
    is_snapshot: bool = False,
) -> Iterator[Element]:
    """Yield the elements of a source, each written below a folder before it is handed on.

    `shard` is a function from flat contents to the number of the file an element goes to. Only the
    end of the source makes the files a saved dataset: whoever stops before, or gets a failure,
    leaves a folder that nothing reads.
    """
    run = str(secrets.randbits(63))
    with paths.told(path):
        os.makedirs(os.path.join(path, run), exist_ok=True)
    if is_snapshot:  # says which pipeline the folder is of, before there is an end
        _write_metadata(path, run, 0, source.structure, finalized=False)
    writers: dict[int, TFRecordWriter] = {}
    count = 0
    is_whole = True
    try:
        for element in source.iterate():
            if element.__class__ is Failure:
                is_whole = False
            else:
                contents = source.structure.contents(element)
                number = shard(contents)
                if number not in writers:
                    folder = os.path.join(path, run, f"{number:08d}.shard")
                    os.makedirs(folder, exist_ok=True)
                    writers[number] = TFRecordWriter(
                        os.path.join(folder, "00000000.snapshot"), compression or None
                    )
                records.write(writers[number], contents)
                count += 1
            yield element
    finally:
        for writer in writers.values():
            writer.close()
    if is_whole:
        _write_metadata(path, run, count, source.structure)


def _write_metadata(
    path: str, run: str, count: int, structure: Structure, finalized: bool = True
) -> None:
    record = messages.SnapshotMetadataRecord(
        run_id=run,
        creation_timestamp=int(time.time() * 1e6),
        version=2,
        num_elements=count,
        finalized=finalized,
        dtype=[part.dtype.as_datatype_enum for part in structure.parts],
    )
    draft = metadata_path(path) + ".tmp"
    with paths.told(path), open(draft, "wb") as file:
        file.write(record.SerializeToString())
    os.replace(draft, metadata_path(path))


def read_metadata(path: str) -> Any:
    """Return what a saved dataset says of itself."""
    try:
        data = paths.read(metadata_path(path))
    except NotFoundError:
        raise NotFoundError(
            None, None, f"Could not find metadata file [{metadata_path(path)}]"
        ) from None
    return parsed_message(messages.SnapshotMetadataRecord, data, metadata_path(path))


class _Shard(Source):
    """The elements of one file of a saved dataset."""

    def __init__(self, structure: Any, path: str, compression: str) -> None:
        super().__init__(structure)
        self._path, self._compression = path, compression

    def iterate(self) -> Iterator[Element]:
        """Return the elements."""
        for contents in records.read(self._path, self._compression, len(self.structure.parts)):
            yield self.structure.element(contents)


@dataset_op(
    "LoadDataset(path: string, reader_func_other_args: [Targuments];"
    " compression: string = '', reader_func: func",
    host=("path",),
)
class Load(Source):
    """The elements of a saved dataset."""

    def __init__(
        self,
        structure: Any,
        path: Any,
        captured: list[Any],
        *,
        compression: str,
        reader_func: Any,
    ) -> None:
        super().__init__(structure)
        self._path = paths.local_path(_texts(path)[0])
        self._compression, self._captured = compression, captured
        self._reader = reader_func

    def iterate(self) -> Iterator[Element]:
        """Return the elements as the reader function arranges those of the files."""
        return read_saved(
            self._path, self._compression, self.structure, self._reader, self._captured
        )

    def count(self) -> int:
        """Return what the metadata says."""
        return int(read_metadata(self._path).num_elements)


def read_saved(
    path: str, compression: str, structure: Structure, function: Any, captured: list[Any]
) -> Iterator[Element]:
    """Return the elements below a folder, as a reader function arranges those of the shards."""
    metadata = read_metadata(path)
    pattern = os.path.join(glob.escape(path), metadata.run_id, "*.shard", "*.snapshot")
    shards = [_Shard(structure, name, compression) for name in sorted(glob.glob(pattern))]
    inner = type(structure)(lazy.DatasetSpec(structure.spec))
    given = Variant(Window(inner, [(Variant(shard),) for shard in shards]))
    made: Source = function.run([given], captured)[0].value
    return made.iterate()


@dataset_op(
    "SnapshotDatasetV2(input_dataset: variant, path: string,"
    " reader_func_other_args: [Treader_func_args], shard_func_other_args: [Tshard_func_args];"
    " compression: string = '', reader_func: func, shard_func: func",
    host=("path",),
    stateful=True,
)
class Snapshot(Unary):
    """The elements, written below a folder the first time and read from there later."""

    def __init__(
        self,
        structure: Any,
        source: Source,
        path: Any,
        reader_captured: list[Any],
        shard_captured: list[Any],
        *,
        compression: str,
        reader_func: Any,
        shard_func: Any,
    ) -> None:
        super().__init__(structure, source)
        self._path = paths.local_path(_texts(path)[0])
        self._compression = compression
        self._reader, self._captured = reader_func, reader_captured
        self._shard = shard_of(shard_func, shard_captured)

    def iterate(self) -> Iterator[Element]:
        """Return the elements of this pipeline's files; write them on the way where there are none.

        They are handed on while they are written, as the source may have no end.
        """
        folder = os.path.join(self._path, str(fingerprint(self.source)))
        if not os.path.exists(metadata_path(folder)) or not read_metadata(folder).finalized:
            return written(folder, self.source, self._compression, self._shard, is_snapshot=True)
        return read_saved(folder, self._compression, self.structure, self._reader, self._captured)


@dataset_op(
    "SaveDatasetV2(input_dataset: variant, path: string,"
    " shard_func_other_args: [Tshard_func_args]; compression: string = '', shard_func: func",
    host=("path",),
    stateful=True,
)
class Save(Unary):
    """The elements, written below a folder while they are read."""

    def __init__(
        self,
        structure: Any,
        source: Source,
        path: Any,
        captured: list[Any],
        *,
        compression: str,
        shard_func: Any,
    ) -> None:
        super().__init__(structure, source)
        self._path = paths.local_path(_texts(path)[0])
        self._compression = compression
        self._shard = shard_of(shard_func, captured)

    def iterate(self) -> Iterator[Element]:
        """Return the elements, each after it was written."""
        return written(self._path, self.source, self._compression, self._shard)


def shard_of(function: StructuredFunction | None, captured: list[Any]) -> Any:
    """Return the function from contents to a shard's number; all in one without a function."""
    if function is None:
        return lambda contents: 0

    def number(contents: list[Any]) -> int:
        found = function.run(contents, captured)[0]
        if not isinstance(found, torch.Tensor) or found.ndim:
            raise invalid("`shard_func` must return a scalar int64.")
        return int(found)

    return number
