"""tf.queue without a graph: what is asked for happens at once."""

from __future__ import annotations

import pytest

import placewise as tf


def test_elements_come_out_as_they_went_in() -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[], [2]])
    queue.enqueue([1.0, [1, 2]])
    queue.enqueue_many([[2.0, 3.0], [[3, 4], [5, 6]]])
    assert queue.size().numpy() == 3
    first, second = queue.dequeue()
    assert first.numpy() == 1.0
    assert second.numpy().tolist() == [1, 2]
    assert queue.dequeue_many(2)[0].numpy().tolist() == [2.0, 3.0]


def test_a_closed_queue_gives_nothing_more() -> None:
    queue = tf.queue.FIFOQueue(3, tf.int32)
    queue.close()
    assert queue.is_closed().numpy()
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        queue.dequeue()
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        queue.enqueue(1)


def test_batches_are_padded_and_ordered() -> None:
    padded = tf.queue.PaddingFIFOQueue(10, [tf.int32], [[None]])
    padded.enqueue([[1]])
    padded.enqueue([[1, 2]])
    assert padded.dequeue_many(2).numpy().tolist() == [[1, 0], [1, 2]]
    ordered = tf.queue.PriorityQueue(10, [tf.string], [()])
    ordered.enqueue([tf.constant(5, tf.int64), "late"])
    ordered.enqueue([tf.constant(2, tf.int64), "soon"])
    assert ordered.dequeue()[1].numpy() == b"soon"


def test_a_function_uses_a_queue_made_outside() -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32], names=["x"], shapes=[()])

    @tf.function
    def through() -> object:
        queue.enqueue({"x": 4.0})
        return queue.dequeue()

    assert through()["x"].numpy() == 4.0


def test_a_queue_is_chosen_from_a_list() -> None:
    queues = [tf.queue.FIFOQueue(3, [tf.int32], [()]) for _ in range(2)]
    queues[1].enqueue(7)
    assert tf.queue.QueueBase.from_list(1, queues).dequeue().numpy() == 7
    with pytest.raises(TypeError, match="A list of queues expected"):
        tf.queue.QueueBase.from_list(0, [1])


def test_a_queue_made_in_a_function_is_lifted_out_of_it():
    held = []

    @tf.function
    def use(x):
        if not held:
            held.append(tf.queue.FIFOQueue(10, [tf.int32], shapes=[()]))
        held[0].enqueue(x)
        held[0].enqueue(x + 3)
        return held[0].dequeue()

    assert int(use(tf.constant(2))) == 2
    assert int(held[0].dequeue()) == 5
