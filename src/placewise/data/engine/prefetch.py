"""Prefetching: elements made ahead of time, in a thread of their own, when that pays.

Handing an element from thread to thread costs about as much as making a small one, so the thread
starts only once making two in a row took longer: the first one alone may be slow because all is
set up for it. The thread ends with the iterator that reads from it.
"""

from __future__ import annotations

import atexit
import contextvars
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from placewise.core.errors import invalid
from placewise.core.runtime import State, runtime
from placewise.data.engine.source import Element, Source, Unary, dataset_op

_WORTHWHILE_SECONDS = 0.0005
_IN_A_ROW = 2
_LONG_SECONDS = 0.02  # as long as that, once is enough
_AUTOTUNE = -1
_AUTOTUNED_SIZE = 2
# True while an iterator is made that prefetches before it is read.
WARM_START: contextvars.ContextVar[bool] = contextvars.ContextVar("WARM_START", default=False)


@dataset_op(
    "PrefetchDataset(input_dataset: variant, buffer_size: int64; slack_period: int = 0,"
    " legacy_autotune: bool = True, buffer_size_min: int = 0",
    host=("buffer_size",),
)
class Prefetch(Unary):
    """The same elements, made ahead."""

    is_transparent = True

    def __init__(
        self,
        structure: Any,
        source: Source,
        size: int,
        *,
        slack_period: int,
        legacy_autotune: bool,
        buffer_size_min: int,
    ) -> None:
        super().__init__(structure, source)
        if size < _AUTOTUNE:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        self._size = _AUTOTUNED_SIZE if size == _AUTOTUNE else size

    def iterate(self) -> Iterator[Element]:
        """Return the elements: made when asked for while that is quick, then ahead."""
        elements = self.source.iterate()
        if not self._size:
            return elements
        if WARM_START.get():
            return read_ahead(elements, self._size)
        return _iterate(elements, self._size)


def _iterate(elements: Iterator[Element], size: int) -> Iterator[Element]:
    clock = time.perf_counter
    slow = 0
    while slow < _IN_A_ROW:
        begin = clock()
        try:
            element = next(elements)
        except StopIteration:
            return
        took = clock() - begin
        slow = slow + 1 if took > _WORTHWHILE_SECONDS else 0
        yield element
        if took > _LONG_SECONDS:
            break
    yield from read_ahead(elements, size)


def read_ahead(elements: Iterator[Element], size: int) -> Iterator[Element]:
    """Return elements that a thread makes from now on, at most `size` ahead.

    The thread ends with the iterator.
    """
    shared = _Shared(size)
    thread = threading.Thread(
        target=contextvars.copy_context().run,
        args=(_produce, elements, shared),
        name="placewise prefetch",
        daemon=True,
    )
    del elements
    thread.start()
    made = _taken(shared, thread)
    next(made)  # from here on, dropping the iterator ends the thread
    return made


def _taken(shared: _Shared, thread: threading.Thread) -> Iterator[Element]:
    try:
        yield ()
        while True:
            kind, value = shared.take()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        shared.stop()
        if thread is not threading.current_thread():
            thread.join(timeout=0.2)


class _Shared:
    """What the thread and its reader share: a short queue and a wish to stop."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[tuple[str, Any]] = deque()
        self._changed = threading.Condition()
        self.stopped = False
        _prefetching.running.add(self)

    def put(self, item: tuple[str, Any]) -> bool:
        """Add an item once there is room; False if nobody wants any more."""
        with self._changed:
            while len(self._items) >= self._size and not self.stopped:
                self._changed.wait()
            self._items.append(item)
            self._changed.notify_all()
            return not self.stopped

    def take(self) -> tuple[str, Any]:
        """Return the next item once there is one."""
        with self._changed:
            while not self._items:
                if self.stopped:
                    return "end", None
                self._changed.wait()
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def stop(self) -> None:
        """Let nothing more be made."""
        with self._changed:
            self.stopped = True
            self._changed.notify_all()


@dataclass(slots=True)
class Prefetching(State):
    """What all threads that prefetch share with their readers."""

    running: weakref.WeakSet[_Shared] = field(default_factory=weakref.WeakSet)


_prefetching = runtime.state(Prefetching, lasting=True)


@atexit.register
def _stop_all() -> None:
    for shared in list(_prefetching.running):
        shared.stop()


def _produce(elements: Iterator[Element], shared: _Shared) -> None:
    try:
        for element in elements:
            if not shared.put(("element", element)):
                break
        else:
            shared.put(("end", None))
    except BaseException as problem:
        shared.put(("error", problem))
    finally:
        close = getattr(elements, "close", None)
        if close is not None:
            close()
