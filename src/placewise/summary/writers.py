"""The writers of tf.summary: they open an event file, and become the one summaries go to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.context import executing_eagerly, init_scope, inside_function
from placewise.ops.flow.order import group
from placewise.ops.summaries import writer_ops
from placewise.ops.values import EagerTensor
from placewise.summary.state import during, state


class SummaryWriter:
    """Where summaries go; made by `tf.summary.create_file_writer`."""

    def set_as_default(self, step: Any = None) -> None:
        """Send all summaries of this thread here from now on, for a step if one is given."""
        if step is not None:
            state.step = step
        state.writer = self

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Return a context in which summaries go here, for a step if one is given."""
        # A step that is set inside of the block stays, unless the block has one of its own.
        with during(writer=self, **({} if step is None else {"step": step})):
            yield self
            self._leave()

    def _leave(self) -> None:
        """Do what is due when a block that writes here ends."""

    def init(self) -> Any:
        """Open the file; in a graph, return the operation that does."""
        raise NotImplementedError

    def flush(self) -> Any:
        """Hand to the system what was written; in a graph, return the operation that does."""
        raise NotImplementedError

    def close(self) -> Any:
        """Flush and finish the file; in a graph, return the operation that does."""
        raise NotImplementedError


class FileWriter(SummaryWriter):
    """Writes to an event file of a folder."""

    def __init__(self, handle: Any, opening: Any) -> None:
        self._resource, self._opening = handle, opening
        self._closed = False

    @property
    def handle(self) -> Any:
        """The resource that ops write to; RuntimeError once it is closed."""
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")
        return self._resource

    def set_as_default(self, step: Any = None) -> None:
        """Send all summaries of this thread here from now on, for a step if one is given."""
        _ = self.handle
        super().set_as_default(step)

    @contextmanager
    def as_default(self, step: int | None = None) -> Iterator[SummaryWriter]:
        """Return a context in which summaries go here; the file is flushed at its end."""
        _ = self.handle
        with super().as_default(step):
            yield self

    def _leave(self) -> None:
        if self._closed:
            return
        # A graph of TensorFlow 1 runs what is fetched: there the program flushes.
        if executing_eagerly() or inside_function():
            self.flush()

    def init(self) -> Any:
        """Open the file; in a graph, return the operation that does."""
        _ = self.handle
        return self._opening

    def flush(self) -> Any:
        """Hand to the system what was written; in a graph, return the operation that does."""
        if self._closed and executing_eagerly():
            return None
        return writer_ops.flush_summary_writer(self._resource)

    def close(self) -> Any:
        """Flush and finish the file; in a graph, return the operation that does."""
        if executing_eagerly():
            if not self._closed:
                writer_ops.close_summary_writer(self._resource)
                self._closed = True
            return None
        return writer_ops.close_summary_writer(self._resource)


class NoopWriter(SummaryWriter):
    """A writer that writes nothing; what is inside its block goes where it went before."""

    def set_as_default(self, step: Any = None) -> None:
        """Do nothing."""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Return a context that changes nothing."""
        yield self

    def init(self) -> Any:
        """Do nothing."""
        return None if executing_eagerly() else group()

    flush = close = init


def create_file_writer(
    logdir: str | None,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """Return a writer of event files in a folder, which is made if it is missing.

    `logdir`: the folder.
    `max_queue`: how many events may wait, 10 by default.
    `flush_millis`: how long events wait at most, two minutes by default.
    `filename_suffix`: what file names end with.
    `experimental_trackable`: make a writer that can be an attribute of what is saved.
    `experimental_mesh`: accepted, without effect.

    `with writer.as_default():` makes it the one that `tf.summary.scalar` and its kin write to. In a
    graph, run `writer.init()` first.

    >>> import glob
    >>> with tf.summary.create_file_writer("logs").as_default() as writer:
    ...     _ = tf.summary.scalar("loss", 0.5, step=1)
    >>> writer.close()
    >>> len(glob.glob("logs/events.out.tfevents.*"))
    1
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if inside_function():
        with init_scope():
            _check_is_known(logdir, "inside an @tf.function")
            return _created(logdir, max_queue, flush_millis, filename_suffix, name)
    _check_is_known(logdir, "where ops run at once")
    return _created(logdir, max_queue, flush_millis, filename_suffix, name)


def _check_is_known(logdir: Any, where: str) -> None:
    """Raise ValueError if a file would have to be opened before its path is computed."""
    if isinstance(logdir, Tensor) and not isinstance(logdir, EagerTensor) and executing_eagerly():
        raise ValueError(
            f"Invalid graph Tensor argument 'logdir={logdir}' to create_file_writer() {where}: the "
            "file is opened at once, outside of the graph. Pass a string or an eager tensor."
        )


def _created(
    logdir: str, max_queue: Any, flush_millis: Any, filename_suffix: Any, name: str | None
) -> FileWriter:
    if isinstance(logdir, os.PathLike):
        logdir = os.fspath(logdir)
    handle = writer_ops.summary_writer(shared_name="", name=name)
    opening = writer_ops.create_summary_file_writer(
        handle,
        logdir,
        10 if max_queue is None else max_queue,
        120_000 if flush_millis is None else flush_millis,
        ".v2" if filename_suffix is None else filename_suffix,
    )
    if not executing_eagerly():
        get_default_graph().add_to_collection("_SUMMARY_WRITER_INIT_OP", opening)
    return FileWriter(handle, opening)


def create_noop_writer() -> SummaryWriter:
    """Return a writer that writes nothing, for code that wants some writer."""
    return NoopWriter()
