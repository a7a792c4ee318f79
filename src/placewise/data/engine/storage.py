"""Datasets that keep elements: in memory, or in files that are read again."""

from __future__ import annotations

import glob
import os
import secrets
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from placewise import messages
from placewise.core.errors import NotFoundError, invalid
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
            if os.path.exists(draft):
                os.remove(draft)

    def _from_file(self) -> Iterator[Element]:
        for contents in records.read(self._path, "", len(self.structure.parts)):
            yield self.structure.element(contents)


def metadata_path(path: str) -> str:
    """Return where a saved dataset says what it is."""
    return os.path.join(path, "snapshot.metadata")


def write_saved(path: str, source: Source, compression: str, shard: Callable[..., Any]) -> None:
    """Write a dataset's elements below a folder, as TensorFlow's `save` does.

    `shard` is a function from flat contents to the number of the file an element goes to.
    """
    run = str(secrets.randbits(63))
    with paths.told(path):
        os.makedirs(os.path.join(path, run), exist_ok=True)
    writers: dict[int, TFRecordWriter] = {}
    count = 0
    try:
        for element in source.read():
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
    finally:
        for writer in writers.values():
            writer.close()
    _write_metadata(path, run, count, source.structure)


def _write_metadata(path: str, run: str, count: int, structure: Structure) -> None:
    record = messages.SnapshotMetadataRecord(
        run_id=run,
        creation_timestamp=int(time.time() * 1e6),
        version=2,
        num_elements=count,
        finalized=True,
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
    " compression: string = '', reader_func: func, inner: func",
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
        inner: Any,
    ) -> None:
        super().__init__(structure)
        self._path = paths.local_path(_texts(path)[0])
        self._compression, self._captured = compression, captured
        self._reader, self._inner = reader_func, inner

    def iterate(self) -> Iterator[Element]:
        """Return the elements, by turns from each file or as the reader function arranges."""
        metadata = read_metadata(self._path)
        pattern = os.path.join(glob.escape(self._path), metadata.run_id, "*.shard", "*.snapshot")
        shards: list[Source] = [
            _Shard(self.structure, name, self._compression) for name in sorted(glob.glob(pattern))
        ]
        if self._reader is None:
            return by_turns(shards)
        return _read_by(self._reader, self._captured, self._inner, shards)

    def count(self) -> int:
        """Return what the metadata says."""
        return int(read_metadata(self._path).num_elements)


def by_turns(sources: list[Source]) -> Iterator[Element]:
    """Return one element of each in turn, until all have ended."""
    reading = [each.iterate() for each in sources]
    while reading:
        for each in list(reading):
            for element in each:
                yield element
                break
            else:
                reading.remove(each)


def _read_by(
    function: Any, captured: list[Any], inner: Any, shards: list[Source]
) -> Iterator[Element]:
    given = Variant(Window(inner, [(Variant(shard),) for shard in shards]))
    made: Source = function.run([given], captured)[0].value
    return made.iterate()


@dataset_op(
    "SnapshotDatasetV2(input_dataset: variant, path: string,"
    " shard_func_other_args: [Targuments]; compression: string = '', shard_func: func",
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
        captured: list[Any],
        *,
        compression: str,
        shard_func: Any,
    ) -> None:
        super().__init__(structure, source)
        self._path = paths.local_path(_texts(path)[0])
        self._compression = compression
        self._shard = shard_of(shard_func, captured, structure)

    def iterate(self) -> Iterator[Element]:
        """Write all elements if none of this pipeline are there; then return those of the files."""
        folder = os.path.join(self._path, str(fingerprint(self.source)))
        if not os.path.exists(metadata_path(folder)):
            write_saved(folder, self.source, self._compression, self._shard)
        metadata = read_metadata(folder)
        pattern = os.path.join(glob.escape(folder), metadata.run_id, "*.shard", "*.snapshot")
        return by_turns(
            [_Shard(self.structure, name, self._compression) for name in sorted(glob.glob(pattern))]
        )


def shard_of(function: StructuredFunction | None, captured: list[Any], structure: Structure) -> Any:
    """Return the function from contents to a shard's number; all in one without a function."""
    if function is None:
        return lambda contents: 0
    del structure

    def number(contents: list[Any]) -> int:
        found = function.run(contents, captured)[0]
        if not isinstance(found, torch.Tensor) or found.ndim:
            raise invalid("`shard_func` must return a scalar int64.")
        return int(found)

    return number
