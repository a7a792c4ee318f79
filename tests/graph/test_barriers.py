"""Barriers: what TensorFlow 2.21 gave for the same calls."""

import threading

import numpy as np
import pytest

import placewise.v1 as tf
from placewise.graph.barriers import Barrier

FIRST = -(2**63)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def lists(values):
    several = isinstance(values, (list, tuple))
    return [lists(item) for item in values] if several else np.asarray(values).tolist()


def test_elements_are_taken_when_all_components_came():
    barrier = Barrier((tf.float32, tf.string), shapes=((), ()), name="B")
    first = barrier.insert_many(0, ["k1", "k2", "k3"], [1.0, 2.0, 3.0])
    second = barrier.insert_many(1, ["k2", "k1"], [b"b", b"a"])
    again = barrier.insert_many(0, ["k3"], [1.0])
    sizes = [barrier.ready_size(), barrier.incomplete_size()]
    taken = barrier.take_many(1)
    assert taken[0].shape == (1,) and taken[0].name == "B_BarrierTakeMany:0"
    with tf.Session() as session:
        session.run(first)
        assert session.run(sizes) == [0, 3]
        session.run(second)
        assert session.run(sizes) == [2, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="already has a value"):
            session.run(again)
        assert lists(session.run(taken)) == [[FIRST], [b"k2"], [[2.0], [b"b"]]]


def test_a_closed_barrier_completes_what_it_has():
    barrier = Barrier((tf.float32, tf.float32), shapes=((), ()))
    begun = barrier.insert_many(0, ["a"], [1.0])
    ended = barrier.insert_many(1, ["a"], [2.0])
    new, close = barrier.insert_many(0, ["b"], [1.0]), barrier.close()
    small = barrier.take_many(5, allow_small_batch=True)
    with tf.Session() as session:
        session.run(begun)
        session.run(close)
        for refused in (new, close):
            with pytest.raises(tf.errors.CancelledError):
                session.run(refused)
        session.run(ended)
        assert lists(session.run(small)) == [[FIRST], [b"a"], [[1.0], [2.0]]]
        with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
            session.run(small)


def test_cancelling_drops_what_is_incomplete():
    barrier = Barrier((tf.float32, tf.float32), shapes=((), ()))
    begun, ended = (barrier.insert_many(i, ["a"], [1.0]) for i in (0, 1))
    with tf.Session() as session:
        session.run(begun)
        session.run(barrier.close(cancel_pending_enqueues=True))
        assert session.run(barrier.incomplete_size()) == 0
        with pytest.raises(tf.errors.CancelledError):
            session.run(ended)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(barrier.take_many(1))


def test_taking_waits_for_an_element_and_no_longer_than_asked():
    barrier = Barrier((tf.float32,), shapes=((),))
    insert, take = barrier.insert_many(0, ["x"], [1.0]), barrier.take_many(1)
    found = []
    with tf.Session() as session:
        thread = threading.Thread(target=lambda: found.append(session.run(take)))
        thread.start()
        session.run(insert)
        thread.join(30)
        assert lists(found) == [[[FIRST], [b"x"], [[1.0]]]]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(take, options=tf.RunOptions(timeout_in_ms=20))


def test_empty_shapes_are_refused():
    with pytest.raises(ValueError, match="Empty tensors are not supported"):
        Barrier((tf.float32,), shapes=((0,),))
