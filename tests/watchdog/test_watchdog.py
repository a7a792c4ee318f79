"""A program that stands still is told of, where and once; one that works is not."""

import queue
import threading
import time

import pytest

import placewise as tf
from placewise.core.activity import phase
from placewise.core.scope import watch
from placewise.watchdog import watchdog

LIMIT = 0.4


@pytest.fixture
def said(caplog):
    """What a watchdog of a short patience has said so far."""
    watchdog.start(LIMIT)
    return lambda: [record.getMessage() for record in caplog.records if "s" in record.msg]


def stand(seconds=1.0):
    time.sleep(seconds)


def go_on():
    tf.constant(1.0) + tf.constant(1.0)
    time.sleep(0.3)  # for the watchdog to see it


def test_standing_still_is_said_once_with_the_line_and_so_is_going_on(said):
    go_on()
    stand()
    go_on()
    first, second = said()
    assert "the program has stood still for 0 s at " in first
    assert "test_watchdog.py:" in first
    assert "in stand: time.sleep(seconds)" in first
    assert second.startswith("the program goes on after 1 s")


def test_other_threads_of_the_program_are_listed_with_what_they_wait_in(said):
    items = queue.Queue()
    thread = threading.Thread(target=lambda: items.get(), name="producer")
    thread.start()
    stand()
    items.put(1)
    thread.join()
    assert "thread producer is at " in "\n".join(said())
    assert "[Queue.get]" in "\n".join(said())


def test_an_op_of_a_function_is_named_with_its_line(said):
    @tf.function
    def slow(x):
        return tf.numpy_function(lambda value: stand() or value, [x], tf.float32)

    slow(tf.constant(1.0))
    text = "\n".join(said())
    assert "in stand: time.sleep(seconds)" in text
    assert ", in op PyFunc '" in text
    assert "on CPU:0 (defined at " in text


def test_an_empty_queue_of_a_session_is_named(said, graph_mode):
    waiting = tf.compat.v1.FIFOQueue(1, [tf.float32], name="samples")
    taken = waiting.dequeue(name="take")
    with tf.compat.v1.Session() as session:
        options = tf.compat.v1.RunOptions(timeout_in_ms=1200)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(taken, options=options)
    assert "in op QueueDequeueV2 'take' on CPU:0 (defined at " in "\n".join(said())


def test_the_replica_that_stands_still_is_named(said):
    with tf.simulate("2xV100"):
        strategy = tf.distribute.MirroredStrategy()

        def step():
            context = tf.distribute.get_replica_context()
            if context.replica_id_in_sync_group == 1:
                stand()
            return tf.constant(1.0)

        strategy.run(step)
    assert "replica 1 (GPU:1) has stood still for " in "\n".join(said())
    assert "in stand: time.sleep(seconds)" in "\n".join(said())


def test_the_replica_whose_op_in_a_function_stands_still_is_named(said):
    with tf.simulate("2xV100"):
        strategy = tf.distribute.MirroredStrategy()

        def look(value):
            if value:
                stand()
            return value

        @tf.function
        def all_replicas():
            def step():
                context = tf.distribute.get_replica_context()
                with tf.device("CPU:0"):
                    number = tf.identity(context.replica_id_in_sync_group)
                    return tf.numpy_function(look, [number], tf.int32)

            return strategy.run(step)

        all_replicas()
    assert "replica 1 has stood still for " in "\n".join(said())
    assert "in op PyFunc 'replica_1/" in "\n".join(said())


def test_work_of_all_kinds_raises_no_alarm(said):
    @tf.function
    def double(x):
        return x * 2.0

    def repeat(work):
        end = time.monotonic() + 2 * LIMIT
        while time.monotonic() < end:
            work()

    x = tf.constant(1.0)
    repeat(lambda: x + 1.0)
    repeat(lambda: double(x))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.placeholder(tf.float32, [2])
        fetched = fed + 1.0
        repeat(lambda: session.run(fetched, {fed: [1.0, 2.0]}))
        repeat(lambda: tf.constant(1.0) + 1.0)  # building a graph
    repeat(lambda: sorted(str(number) for number in range(1000)))
    assert said() == []


def test_what_takes_long_for_a_known_reason_raises_no_alarm(said):
    for name in ("compiling", "saving", "restoring"):
        with phase(name):
            stand(2 * LIMIT)
    assert said() == []


def test_the_fast_paths_are_taken_between_two_looks(said):
    x = tf.constant(1.0)
    end = time.monotonic() + LIMIT
    on = total = 0
    while time.monotonic() < end:
        x + x
        total += 1
        on += watch.on
    assert on < total / 10


def test_nothing_watches_when_it_is_turned_off(monkeypatch):
    monkeypatch.setenv("PLACEWISE_WATCH_SECONDS", "0")
    with tf.simulate("2"):
        tf.distribute.MirroredStrategy().run(lambda: tf.constant(1.0))
    assert watchdog.watching.dog is None


def test_replicas_are_watched_by_default_for_the_time_that_is_set(monkeypatch):
    monkeypatch.setenv("PLACEWISE_WATCH_SECONDS", "7")
    with tf.simulate("2"):
        tf.distribute.MirroredStrategy().run(lambda: tf.constant(1.0))
    assert watchdog.watching.dog.seconds == 7


def test_a_time_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("PLACEWISE_WATCH_SECONDS", "soon")
    with pytest.raises(ValueError, match="PLACEWISE_WATCH_SECONDS is 'soon': write a number"):
        watchdog.start()
