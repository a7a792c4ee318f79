"""Calls of a function on several elements at once, in threads; results keep the elements' order.

Kernels of torch and the codecs let other threads run Python meanwhile. As for prefetching, threads
start only once calls have shown that they take longer than handing an element over. The elements
are read in the thread of the reader, one after the other, so that sources see no threads.
"""

from __future__ import annotations

import contextvars
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from placewise.data.engine.source import Element
from placewise.devices.configuration import get_inter_op_parallelism_threads

_WORTHWHILE_SECONDS = 0.0005
_IN_A_ROW = 2
_AUTOTUNE = -1


def cores() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def calls_at_once(parallel_calls: int) -> int:
    """Return how many calls run at once.

    Not more than there are processors, nor than `tf.config.threading` lets ops run side by side.
    """
    most = min(cores(), get_inter_op_parallelism_threads() or cores())
    return most if parallel_calls == _AUTOTUNE else min(parallel_calls, most)


class ParallelMap:
    """An iterator over the results of a function, called on `width` elements at once.

    After an error of one call the results of the next ones may be had, as of Python's `map`.
    """

    def __init__(
        self, call: Callable[[Element], Element], elements: Iterator[Element], width: int
    ) -> None:
        self._call, self._elements, self._width = call, elements, width
        self._slow = 0  # calls in a row that took long
        self._pool: ThreadPoolExecutor | None = None
        self._results: deque[Future[Element]] = deque()
        self._problem: BaseException | None = None  # what the source raised

    def __iter__(self) -> ParallelMap:
        return self

    def __next__(self) -> Element:
        if self._slow < _IN_A_ROW:
            return self._timed(next(self._elements))
        self._submit()
        if self._results:
            return self._results.popleft().result()
        problem, self._problem = self._problem, StopIteration()
        self._end()
        raise problem or StopIteration

    def _timed(self, element: Element) -> Element:
        """Call the function in this thread, and see whether it takes long."""
        begin = time.perf_counter()
        result = self._call(element)
        took = time.perf_counter() - begin
        self._slow = self._slow + 1 if took > _WORTHWHILE_SECONDS else 0
        return result

    def _submit(self) -> None:
        """Let the threads have as many elements as there is room for."""
        if self._pool is None and self._problem is None:
            self._pool = ThreadPoolExecutor(self._width, thread_name_prefix="placewise map")
        # Twice as many as threads: none waits while the reader uses a result.
        while self._problem is None and len(self._results) < 2 * self._width:
            try:
                element = next(self._elements)
            except BaseException as problem:  # comes out behind the results before it
                self._problem = problem
                return
            run = contextvars.copy_context().run
            self._results.append(self._pool.submit(run, self._call, element))  # type: ignore[union-attr]

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """End the threads, and what the elements come from."""
        self._end()
        self._results.clear()
        self._problem, self._slow = StopIteration(), _IN_A_ROW
        close: Any = getattr(self._elements, "close", None)
        if close is not None:
            close()

    def __del__(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
