"""`tf.summary.FileWriter`: summaries, graphs and logs written to an event file by hand."""

from __future__ import annotations

import threading
import time
import warnings
import weakref
from typing import Any, ClassVar

from placewise import messages
from placewise.core.arguments import TensorLike
from placewise.core.errors import NotFoundError
from placewise.core.runtime import State, runtime
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.context import executing_eagerly
from placewise.ops.io import paths
from placewise.ops.io.records import tf_record_iterator
from placewise.ops.summaries.event_file import EventFile
from placewise.saving.meta_graph import export_meta_graph


class FileWriter:
    """Writes events to a file in a folder, for TensorBoard.

    `logdir`: the folder, which is made if it is missing.
    `graph`: a graph to write first.
    `max_queue`: how many events may wait.
    `flush_secs`: how long events wait at most before they are handed to the system.
    `graph_def`: the former way to name the graph, a GraphDef.
    `filename_suffix`: what file names end with.
    `session`: writers of one session and folder write into one file.

    `add_summary(encoded, step)` adds what a session returned for a summary. Close the writer, or
    use it in a `with` statement. Raises RuntimeError where ops run at once.

    >>> import glob
    >>> with tf.Graph().as_default(), tf.compat.v1.summary.FileWriter("logs") as writer:
    ...     writer.add_summary(tf.compat.v1.Summary(), global_step=1)
    >>> len(glob.glob("logs/events.out.tfevents.*"))
    1
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if _is_eager():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution. Use "
                "tf.contrib.summary instead."
            )
        self._logdir = paths.local_path(logdir)
        self._options = (filename_suffix or "", max_queue, float(flush_secs))
        self._session = session
        self._own_file: EventFile | None = None
        self._is_open = False
        self.reopen()
        self._tags: set[str] = set()
        self._shown: set[str] = set()
        if isinstance(graph, messages.GraphDef):  # the second argument of old programs
            graph, graph_def = None, graph
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            self.add_meta_graph(export_meta_graph(graph=graph, graph_def=graph_def))

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Return the folder it writes to."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Write an Event message."""
        if not self._is_open:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=2,
            )
            return
        self._file.write(event.SerializeToString())

    def _add(self, global_step: Any, **what: Any) -> None:
        event = messages.Event(wall_time=time.time(), **what)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: TensorLike | None = None) -> None:
        """Write a Summary, a message or its bytes, for a step.

        What says how a tag is shown is written only the first time the tag comes.
        """
        if isinstance(summary, bytes):
            summary = messages.Summary.FromString(summary)
        for value in summary.value:
            if not value.metadata.ByteSize() and not value.HasField("metadata"):
                continue
            if value.tag in self._shown:
                value.ClearField("metadata")
            else:
                self._shown.add(value.tag)
        self._add(global_step, summary=summary)

    def add_session_log(self, session_log: Any, global_step: TensorLike | None = None) -> None:
        """Write a SessionLog message for a step."""
        self._add(global_step, session_log=session_log)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph with shapes and requested devices, or a GraphDef message."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if hasattr(graph, "as_graph_def"):
            found = graph.as_graph_def(add_shapes=True)
        elif isinstance(graph, messages.GraphDef) or isinstance(graph_def, messages.GraphDef):
            found = graph if graph_def is None else graph_def
        else:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        self._add(global_step, graph_def=found.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a MetaGraphDef message for a step."""
        if not isinstance(meta_graph_def, messages.MetaGraphDef):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write what a traced run told, under a tag that was not used before."""
        if tag in self._tags:
            raise ValueError("The provided tag was already used for this event type")
        self._tags.add(tag)
        told = messages.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(global_step, tagged_run_metadata=told)

    def flush(self) -> None:
        """Hand to the system what was written."""
        if self._is_open:
            self._file.flush()

    def close(self) -> None:
        """Flush and finish the file, also for the other writers that share it."""
        if self._is_open:
            self._file.close()
            if self._session is not None:
                del _shared.of(self._session)[self._logdir]
            self._is_open = False

    def reopen(self) -> None:
        """Begin a new file if the last one was closed."""
        if self._is_open:
            return
        if self._session is None:
            self._own_file = EventFile(self._logdir, *self._options)
        elif self._logdir not in _shared.of(self._session):
            _shared.of(self._session)[self._logdir] = EventFile(self._logdir, *self._options)
        self._is_open = True

    @property
    def _file(self) -> EventFile:
        """The file it writes into; raises NotFoundError if another writer closed it."""
        if self._own_file is not None:
            return self._own_file
        shared = _shared.of(self._session).get(self._logdir)
        if shared is None:
            raise NotFoundError(
                None,
                None,
                f"The event file of {self._logdir!r} does not exist: another writer of the same "
                "session closed it.\n  call reopen of a writer to begin a new file",
            )
        return shared


class SharedFiles(State):
    """The event files that writers of one session share, by folder."""

    by_session: weakref.WeakKeyDictionary[Any, dict[str, EventFile]]

    def __init__(self) -> None:
        self.by_session = weakref.WeakKeyDictionary()

    def of(self, session: Any) -> dict[str, EventFile]:
        """Return the files of a session."""
        return self.by_session.setdefault(session, {})

    def dispose(self) -> None:
        """Close the files."""
        for files in self.by_session.values():
            for file in files.values():
                file.close()


_shared = runtime.state(SharedFiles)


class CachedWriters(State):
    """The writers that `FileWriterCache` shares, by folder."""

    by_folder: dict[str, FileWriter]

    def __init__(self) -> None:
        self.by_folder = {}

    def dispose(self) -> None:
        """Close the files."""
        for writer in self.by_folder.values():
            writer.close()


_cached = runtime.state(CachedWriters)


class FileWriterCache:
    """One writer per folder, shared by all who ask for it."""

    _lock: ClassVar[threading.RLock] = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Close and forget all writers."""
        with FileWriterCache._lock:
            _cached.dispose()
            _cached.by_folder.clear()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """Return the writer of a folder, made if there is none."""
        with FileWriterCache._lock:
            writer = _cached.by_folder.get(logdir)
            if writer is None:
                writer = FileWriter(logdir, graph=get_default_graph())
                _cached.by_folder[logdir] = writer
            return writer


def _is_eager() -> bool:
    return executing_eagerly()


def summary_iterator(path: str) -> Any:
    """Return an iterator over the Event messages of an event file, which may still grow."""
    return map(messages.Event.FromString, tf_record_iterator(path))
