"""Parallel maps: calls overlap, results keep their order, and no thread is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.data.engine import parallel
from placewise.data.engine.parallel import ParallelMap


def map_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("placewise map")]


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let there be two processors, and every call be worth a thread."""
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    monkeypatch.setattr(parallel, "_WORTHWHILE_SECONDS", -1.0)
    yield
    deadline = time.monotonic() + 20  # the threads of an iterator that was dropped end soon
    while map_threads() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert map_threads() == []


def test_calls_overlap_and_results_keep_their_order() -> None:
    meeting = threading.Barrier(2, timeout=30)

    def call(element: Any) -> Any:
        if element[0] >= 2:  # the first two show that a thread pays
            meeting.wait()  # a call alone would never go on
            time.sleep(0.01 * (element[0] % 2))
        return element

    results = ParallelMap(call, iter([(i,) for i in range(10)]), 2)
    assert [result[0] for result in results] == list(range(10))


def test_results_are_those_of_one_call_after_the_other() -> None:
    numbers = np.arange(60, dtype=np.float32).reshape(15, 2, 2)
    dataset = tf.data.Dataset.from_tensor_slices(numbers)

    def product(x: Any) -> Any:
        return tf.matmul(x, x) if tf.reduce_sum(x) > 30 else x

    expected = [x.numpy().tolist() for x in dataset.map(product)]
    for calls in (2, tf.data.AUTOTUNE, tf.constant(2)):
        parallel_map = dataset.map(product, num_parallel_calls=calls)
        assert [x.numpy().tolist() for x in parallel_map] == expected
        assert [x.numpy().tolist() for x in parallel_map.take(3)] == expected[:3]


def test_an_error_comes_in_its_turn_and_the_next_results_may_be_had() -> None:
    dataset = tf.data.Dataset.range(8).map(lambda i: 12 // (i - 4), num_parallel_calls=2)
    results, iterator = [], iter(dataset)
    while True:
        try:
            results.append(next(iterator).numpy())
        except tf.errors.InvalidArgumentError as error:
            results.append(type(error).__name__)
        except StopIteration:
            break
    assert results == [-3, -4, -6, -12, "InvalidArgumentError", 12, 6, 4]


def test_an_error_of_the_source_comes_behind_the_results_before_it() -> None:
    def source() -> Iterator[Any]:
        yield from ((i,) for i in range(5))
        raise tf.errors.DataLossError(None, None, "damaged")

    results = ParallelMap(lambda element: element, source(), 2)
    assert [next(results)[0] for _ in range(5)] == list(range(5))
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        next(results)
    with pytest.raises(StopIteration):
        next(results)


def test_an_iterator_that_is_dropped_ends_its_threads() -> None:
    iterator = iter(tf.data.Dataset.range(1000).map(lambda i: i + 1, num_parallel_calls=2))
    assert [next(iterator).numpy() for _ in range(4)] == [1, 2, 3, 4]
    assert map_threads()
    del iterator


def test_functions_with_state_keep_their_order() -> None:
    def drawn(calls: int | None) -> list[float]:
        tf.random.set_seed(5)
        dataset = tf.data.Dataset.range(20).map(
            lambda i: tf.random.uniform([], seed=3), num_parallel_calls=calls
        )
        return [float(x) for x in dataset]

    assert drawn(2) == drawn(None)


@pytest.mark.parametrize(("side_by_side", "expected"), [(0, 4), (1, 1), (3, 3), (9, 4)])
def test_not_more_calls_run_at_once_than_ops_may_run_side_by_side(
    side_by_side: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "cores", lambda: 4)
    monkeypatch.setattr(parallel, "get_inter_op_parallelism_threads", lambda: side_by_side)
    assert parallel.calls_at_once(8) == expected
    assert parallel.calls_at_once(tf.data.AUTOTUNE) == expected
    assert parallel.calls_at_once(1) == 1
