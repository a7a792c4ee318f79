"""Queues: order, waiting, closing, and the words of their errors."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


@pytest.fixture
def session(graph_mode: None) -> Iterator[Any]:
    with tf.Session() as made:
        yield made


class Waiter(threading.Thread):
    """Runs something in a session, in a thread of its own, and keeps how it ended."""

    def __init__(self, session: Any, fetch: Any) -> None:
        super().__init__(daemon=True)
        self._session, self._fetch = session, fetch
        self.value: Any = None
        self.problem: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.value = self._session.run(self._fetch)
        except tf.errors.OpError as problem:
            self.problem = problem

    def ended(self) -> "Waiter":
        self.join(10)
        assert not self.is_alive()
        return self


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def waiting_in(session: Any, queue: Any, line: str) -> int:
    session.run(queue.size())
    state = next(h.value for h in session._handles.values() if h.name == queue.name)
    return len(getattr(state._waiting, line))


def test_elements_leave_in_the_order_they_came(session: Any) -> None:
    queue = tf.FIFOQueue(5, [tf.float32, tf.int32], shapes=[[], [2]])
    session.run(queue.enqueue([1.0, [1, 2]]))
    session.run(queue.enqueue_many([[2.0, 3.0], [[3, 4], [5, 6]]]))
    assert session.run(queue.size()) == 3
    first = session.run(queue.dequeue())
    assert (first[0], first[1].tolist()) == (1.0, [1, 2])
    many = session.run(queue.dequeue_many(2))
    assert (many[0].tolist(), many[1].tolist()) == ([2.0, 3.0], [[3, 4], [5, 6]])


def test_operations_and_shapes_are_named_as_in_tensorflow() -> None:
    queue = tf.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[], [2]], name="q")
    assert queue.enqueue([1.0, [1, 2]]).name == "q_enqueue"
    assert queue.enqueue_many([[1.0], [[1, 2]]]).name == "q_EnqueueMany"
    assert [each.name for each in queue.dequeue()] == ["q_Dequeue:0", "q_Dequeue:1"]
    assert [each.shape.as_list() for each in queue.dequeue_many(2)] == [[2], [2, 2]]
    assert [each.shape.as_list() for each in queue.dequeue_up_to(2)] == [[None], [None, 2]]
    assert (queue.size().name, queue.close().name) == ("q_Size:0", "q_Close")
    assert queue.is_closed().name == "q_Is_Closed:0"
    made = queue.queue_ref.op
    assert (made.type, queue.name, queue.dtypes) == ("FIFOQueueV2", "q", [tf.float32, tf.int32])


def test_named_components_travel_as_dictionaries(session: Any) -> None:
    queue = tf.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[], []], names=["a", "b"])
    session.run(queue.enqueue({"a": 1.0, "b": 2}))
    assert session.run(queue.dequeue()) == {"a": 1.0, "b": 2}
    with pytest.raises(ValueError, match="You must enqueue a dictionary in a Queue with names"):
        queue.enqueue([1.0, 2])
    with pytest.raises(ValueError, match=r"Dictionary: \(\['a'\]\), Queue: \(\['a', 'b'\]\)"):
        queue.enqueue({"a": 1.0})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.FIFOQueue(3, [tf.int32, tf.int32], shapes=[[]]), "same length as dtypes"),
        (lambda: tf.FIFOQueue(3, [tf.int32], names=["a", "b"]), "List of names must have"),
        (lambda: tf.PaddingFIFOQueue(3, [tf.int32], None), "When providing partial shapes"),
        (lambda: tf.PaddingFIFOQueue(3, [tf.int32], [[], []]), "received 1 dtypes and 2 shapes"),
        (lambda: tf.FIFOQueue(3, tf.int32).enqueue({"a": 1}), "Queue must have names"),
        (lambda: tf.FIFOQueue(3, tf.int32, [[2]]).enqueue([[1, 2, 3]]), "are incompatible"),
    ],
)
def test_what_does_not_fit_is_refused_when_the_graph_is_built(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_what_does_not_fit_is_refused_when_it_runs(session: Any) -> None:
    fed, count = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    queue, loose = tf.FIFOQueue(5, tf.float32, [[2]]), tf.FIFOQueue(5, tf.float32)
    error = tf.errors.InvalidArgumentError
    with pytest.raises(error, match=r"component 0. Expected \[2\], got \[3\]"):
        session.run(queue.enqueue(fed), {fed: [1, 2, 3]})
    with pytest.raises(error, match=r"component 0. Expected \[1,2\], got \[1,3\]"):
        session.run(queue.enqueue_many(fed), {fed: [[1, 2, 3]]})
    with pytest.raises(error, match="DequeueManyOp requested -1 < 0 elements"):
        session.run(queue.dequeue_many(count), {count: -1})
    with pytest.raises(error, match="FIFOQueue's DequeueMany and DequeueUpTo require the comp"):
        session.run(loose.dequeue_many(2))
    assert session.run(queue.dequeue_many(count), {count: 0}).shape == (0, 2)


def test_a_full_queue_is_waited_for(session: Any) -> None:
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    taken = queue.dequeue()
    filling = Waiter(session, queue.enqueue_many([[1.0, 2.0, 3.0]]))
    until(lambda: session.run(queue.size()) == 2)
    assert filling.is_alive()
    assert session.run(taken) == 1.0
    filling.ended()
    assert session.run(queue.dequeue_many(2)).tolist() == [2.0, 3.0]


def test_an_empty_queue_is_waited_for_while_other_runs_go_on(session: Any) -> None:
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    other = tf.constant(1.0) + 1
    waiting = Waiter(session, queue.dequeue())
    until(lambda: waiting_in(session, queue, "taking") == 1)
    assert session.run(other) == 2.0
    session.run(queue.enqueue(7.0))
    assert waiting.ended().value == 7.0


def test_closing_wakes_those_who_wait_for_elements(session: Any) -> None:
    queue = tf.FIFOQueue(2, tf.float32, [[]], name="fq")
    session.run(queue.enqueue(1.0))
    two = Waiter(session, queue.dequeue_many(2))
    until(lambda: waiting_in(session, queue, "taking") == 1)
    session.run(queue.close())
    assert isinstance(two.ended().problem, tf.errors.OutOfRangeError)
    assert "fq' is closed and has insufficient elements (requested 1, current" in str(two.problem)
    # What it had taken so far is back.
    assert session.run([queue.size(), queue.is_closed()]) == [1, True]
    assert session.run(queue.dequeue_up_to(2)).tolist() == [1.0]
    with pytest.raises(tf.errors.OutOfRangeError, match=r"\(requested 2, current size 0\)"):
        session.run(queue.dequeue_up_to(2))


def test_nothing_is_added_to_a_closed_queue(session: Any) -> None:
    queue = tf.FIFOQueue(2, tf.float32, [[]], name="fq")
    session.run(queue.close())
    with pytest.raises(tf.errors.CancelledError, match=r"FIFOQueue '_\d+_fq' is closed\."):
        session.run(queue.enqueue(1.0))
    with pytest.raises(tf.errors.CancelledError, match=r"Queue '_\d+_fq' is already closed\."):
        session.run(queue.close())


def test_closing_waits_for_those_who_came_before(session: Any) -> None:
    queue = tf.FIFOQueue(1, tf.float32, [[]])
    enqueue, taken = queue.enqueue(1.0), queue.dequeue()
    session.run(enqueue)
    bringing = Waiter(session, enqueue)
    until(lambda: waiting_in(session, queue, "bringing") == 1)
    closing = Waiter(session, queue.close())
    until(lambda: waiting_in(session, queue, "bringing") == 2)
    assert not session.run(queue.is_closed())
    session.run(taken)
    assert bringing.ended().problem is None
    assert closing.ended().problem is None
    assert session.run([queue.is_closed(), queue.size()]) == [True, 1]


def test_closing_may_cancel_those_who_wait_to_add(session: Any) -> None:
    queue = tf.FIFOQueue(1, tf.float32, [[]])
    enqueue = queue.enqueue(1.0)
    session.run(enqueue)
    bringing = Waiter(session, enqueue)
    until(lambda: waiting_in(session, queue, "bringing") == 1)
    session.run(queue.close(cancel_pending_enqueues=True))
    assert "Enqueue operation was cancelled" in str(bringing.ended().problem)
    assert session.run(queue.size()) == 1


def test_closing_the_session_cancels_who_waits() -> None:
    queue = tf.FIFOQueue(1, tf.float32, [[]])
    session = tf.Session()
    waiting = Waiter(session, queue.dequeue())
    until(lambda: waiting_in(session, queue, "taking") == 1)
    session.close()
    assert isinstance(waiting.ended().problem, tf.errors.CancelledError)
    assert "Dequeue operation was cancelled" in str(waiting.problem)


def test_each_session_has_queues_of_its_own(session: Any) -> None:
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    session.run(queue.enqueue(1.0))
    with tf.Session() as other:
        assert other.run(queue.size()) == 0
    assert session.run(queue.size()) == 1


def test_a_shared_name_shares_a_queue(session: Any) -> None:
    one, two = (tf.FIFOQueue(2, tf.float32, [[]], shared_name="s") for _ in range(2))
    session.run(one.enqueue(4.0))
    assert session.run(two.dequeue()) == 4.0


def test_a_fed_array_may_change_after_it_was_enqueued(session: Any) -> None:
    fed = tf.placeholder(tf.float32, [2])
    queue = tf.FIFOQueue(2, tf.float32, [[2]])
    array = np.ones(2, "f4")
    session.run(queue.enqueue(fed), {fed: array})
    array[:] = 5
    assert session.run(queue.dequeue()).tolist() == [1.0, 1.0]


def test_strings_are_kept_as_bytes(session: Any) -> None:
    queue = tf.FIFOQueue(5, tf.string, [[]])
    session.run(queue.enqueue_many([["a", "b", "c"]]))
    assert session.run(queue.dequeue()) == b"a"
    assert session.run(queue.dequeue_many(2)).tolist() == [b"b", b"c"]


def test_a_shuffled_queue_draws_the_numbers_of_tensorflow(session: Any) -> None:
    queue = tf.RandomShuffleQueue(20, 2, tf.int32, [[]], seed=3)
    session.run(queue.enqueue_many([list(range(10))]))
    assert session.run(queue.dequeue_many(4)).tolist() == [7, 1, 4, 5]
    assert session.run(queue.dequeue()) == 6
    waiting = Waiter(session, queue.dequeue_many(4))
    until(lambda: session.run(queue.size()) == 2)  # as many stay, while it is open
    session.run(queue.close())
    assert waiting.ended().value.tolist() == [8, 0, 9, 2]
    assert session.run(queue.dequeue_up_to(9)).tolist() == [3]


def test_what_stays_must_be_less_than_the_capacity(session: Any) -> None:
    queue = tf.RandomShuffleQueue(3, 5, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="5 must be < capacity 3"):
        session.run(queue.size())


def test_batches_are_padded(session: Any) -> None:
    count = tf.placeholder(tf.int32, [])
    queue = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], [[None], [None, 2]])
    enqueue = queue.enqueue([tf.range(count), tf.fill([count, 2], "a")])
    for size in (2, 0, 3):
        session.run(enqueue, {count: size})
    numbers, words = session.run(queue.dequeue_many(3))
    assert numbers.tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 2]]
    assert words[0].tolist() == [[b"a", b"a"], [b"a", b"a"], [b"", b""]]


def test_the_smallest_priority_leaves_first(session: Any) -> None:
    queue = tf.PriorityQueue(5, [tf.string], [()])
    session.run(queue.enqueue_many([[3, 1, 2], ["c", "a", "b"]]))
    priorities, words = session.run(queue.dequeue_many(2))
    assert (priorities.tolist(), words.tolist()) == ([1, 2], [b"a", b"b"])


def test_many_threads_lose_and_double_nothing(session: Any) -> None:
    queue = tf.FIFOQueue(3, tf.int32, [[]])
    number = tf.placeholder(tf.int32, [])
    enqueue, taken = queue.enqueue(number), queue.dequeue()
    found: list[int] = []

    def bring(first: int) -> None:
        for index in range(first, first + 50):
            session.run(enqueue, {number: index})

    def take() -> None:
        for _ in range(50):
            found.append(int(session.run(taken)))  # noqa: PERF401

    threads = [threading.Thread(target=bring, args=(k * 50,)) for k in range(4)]
    threads += [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(found) == list(range(200))


def test_a_fifo_queue_is_on_the_cpu_of_the_task_asked_for():
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:1"):
            queue = tf.queue.FIFOQueue(10, [tf.int32])
        assert queue.queue_ref.op.device == "/job:ps/task:1/device:CPU:*"
        with tf.device("/gpu:0"):
            queue = tf.queue.FIFOQueue(10, [tf.int32])
        assert queue.queue_ref.op.device == "/device:CPU:0"
