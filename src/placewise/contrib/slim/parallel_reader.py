"""slim.parallel_reader: files read by several readers into one queue."""

from __future__ import annotations

import glob as patterns
import os
from typing import Any

import placewise as tf
from placewise.graph.queues import FIFOQueue, QueueBase, RandomShuffleQueue
from placewise.summary import tf1 as v1
from placewise.training.input_producers import string_input_producer
from placewise.training.queue_runner import QueueRunner, add_queue_runner


class ParallelReader:
    """Reads with several readers; what they read comes out of one queue."""

    def __init__(
        self, reader_class: Any, common_queue: Any, num_readers: int = 4, reader_kwargs: Any = None
    ) -> None:
        if len(common_queue.dtypes) != 2:
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def common_queue(self) -> Any:
        """The queue of what was read."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Return the next key and value that any reader read."""
        feeds = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(
            QueueRunner(
                self._common_queue,
                feeds,
                queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
            )
        )
        return self._common_queue.dequeue(name=name)


def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Any = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: Any = None,
    scope: str | None = None,
) -> Any:
    """Return the next key and value of files, read in parallel."""
    files = get_data_files(data_sources)
    with tf.name_scope(scope or "parallel_read"):
        names = string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        kinds = dtypes or [tf.string, tf.string]
        if shuffle:
            common: QueueBase = RandomShuffleQueue(
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                dtypes=kinds,
                seed=seed,
                name="common_queue",
            )
        else:
            common = FIFOQueue(capacity=capacity, dtypes=kinds, name="common_queue")
        v1.scalar(
            f"fraction_of_{capacity}_full", tf.cast(common.size(), tf.float32) * (1.0 / capacity)
        )
        reader = ParallelReader(reader_class, common, num_readers, reader_kwargs)
        return reader.read(names)


def single_pass_read(
    data_sources: Any, reader_class: Any, reader_kwargs: Any = None, scope: str | None = None
) -> Any:
    """Return the next key and value of files, each file read once and in order."""
    files = get_data_files(data_sources)
    with tf.name_scope(scope or "single_pass_read"):
        names = string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(names)


def get_data_files(data_sources: Any) -> list[str]:
    """Return the files that names and patterns stand for."""
    if isinstance(data_sources, (list, tuple)):
        found = [file for source in data_sources for file in get_data_files(source)]
    elif any(sign in os.fspath(data_sources) for sign in "*?["):
        found = patterns.glob(os.fspath(data_sources))
    else:
        found = [os.fspath(data_sources)]
    if not found:
        raise ValueError(f"No data files found in {data_sources}")
    return found
