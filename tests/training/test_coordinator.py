"""Coordinators: threads stop together, and the first error is told."""

import sys
import threading
from typing import Any

import pytest

from placewise.compat import v1 as tf


def failed(coordinator: Any, problem: Exception) -> None:
    try:
        raise problem
    except Exception as raised:
        coordinator.request_stop(raised)


def test_a_stop_is_seen_and_can_be_taken_back() -> None:
    coordinator = tf.train.Coordinator()
    assert not coordinator.should_stop()
    coordinator.request_stop()
    coordinator.join()
    assert (coordinator.should_stop(), coordinator.joined) == (True, True)
    coordinator.clear_stop()
    assert (coordinator.should_stop(), coordinator.joined) == (False, False)


def test_join_raises_what_a_thread_raised() -> None:
    coordinator = tf.train.Coordinator()

    def fail() -> None:
        with coordinator.stop_on_exception():
            raise ValueError("boom")

    thread = threading.Thread(target=fail)
    thread.start()
    with pytest.raises(ValueError, match="boom"):
        coordinator.join([thread])


def test_the_first_error_counts() -> None:
    coordinator = tf.train.Coordinator()
    failed(coordinator, ValueError("one"))
    failed(coordinator, ValueError("two"))
    with pytest.raises(ValueError, match="one"):
        coordinator.join()
    with pytest.raises(ValueError, match="one"):
        coordinator.raise_requested_exception()
    with pytest.raises(ValueError, match="late"):
        coordinator.request_stop(ValueError("late"))


def test_an_error_after_a_plain_stop_is_not_told() -> None:
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    failed(coordinator, ValueError("late"))
    coordinator.join()


def test_the_end_of_input_is_a_clean_stop() -> None:
    end = tf.errors.OutOfRangeError(None, None, "x")
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(end)
    coordinator.join()
    strict = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    failed(strict, end)
    with pytest.raises(tf.errors.OutOfRangeError):
        strict.join()


def test_exception_info_is_taken_too() -> None:
    coordinator = tf.train.Coordinator()
    try:
        raise KeyError("info")
    except KeyError:
        coordinator.request_stop(sys.exc_info())
    with pytest.raises(KeyError, match="info"):
        coordinator.join()


def test_a_thread_that_does_not_stop_is_told() -> None:
    go_on = threading.Event()
    slow = threading.Thread(target=go_on.wait, name="slow")
    slow.start()
    for ignore in (False, True):
        coordinator = tf.train.Coordinator()
        coordinator.register_thread(slow)
        coordinator.request_stop()
        if ignore:
            coordinator.join(stop_grace_period_secs=0.05, ignore_live_threads=True)
        else:
            with pytest.raises(RuntimeError, match="stopped with threads still running: slow"):
                coordinator.join(stop_grace_period_secs=0.05)
    go_on.set()
    slow.join()


def test_a_looper_calls_until_it_is_stopped() -> None:
    coordinator = tf.train.Coordinator()
    calls: list[int] = []

    def tick(number: int) -> None:
        calls.append(number)
        if len(calls) == 3:
            coordinator.request_stop()

    thread = tf.train.LooperThread.loop(coordinator, 0.001, tick, args=(7,))
    coordinator.join()
    assert calls == [7, 7, 7]
    assert thread.daemon


def test_a_looper_of_ones_own_is_told_when_it_starts_and_stops() -> None:
    coordinator = tf.train.Coordinator()
    seen: list[str] = []

    class Own(tf.train.LooperThread):
        def start_loop(self) -> None:
            seen.append("start")

        def run_loop(self) -> None:
            coordinator.request_stop()

        def stop_loop(self) -> None:
            seen.append("stop")

    Own(coordinator, None).start()
    coordinator.join()
    assert seen == ["start", "stop"]
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator: 3"):
        tf.train.LooperThread(3, 0.1)
