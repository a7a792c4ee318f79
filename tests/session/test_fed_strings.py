"""Strings that are fed: every byte arrives, zeros at the end too."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")

ENDED = b"a\x00"
LONGER = b"a\x00b\x00\x00"


@pytest.mark.parametrize(
    "value, wanted",
    [
        (ENDED, ENDED),
        ("a\x00", ENDED),
        (np.bytes_(ENDED), ENDED),
        (np.str_("a\x00"), ENDED),
        ([ENDED, LONGER], [ENDED, LONGER]),
        ((ENDED, "b\x00"), [ENDED, b"b\x00"]),
        ([[ENDED, LONGER], [b"", b"\x00"]], [[ENDED, LONGER], [b"", b"\x00"]]),
        ([np.bytes_(ENDED)], [ENDED]),
        (np.array([ENDED, LONGER], object), [ENDED, LONGER]),
        (np.array([["a\x00"]], object), [[ENDED]]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fed_string_keeps_its_zeros(value, wanted):
    given = tf.placeholder(tf.string)
    with tf.Session() as session:
        found = session.run(tf.identity(given), {given: value})
    assert np.asarray(found, object).tolist() == wanted


def test_strings_fed_to_a_queue_keep_their_zeros():
    given = tf.placeholder(tf.string, [None])
    queue = tf.FIFOQueue(2, tf.string, [[]])
    with tf.Session() as session:
        session.run(queue.enqueue_many(given), {given: [ENDED, LONGER]})
        assert [session.run(queue.dequeue()) for _ in range(2)] == [ENDED, LONGER]


def test_a_constant_repeated_to_a_shape_keeps_its_zeros():
    with tf.Session() as session:
        assert session.run(tf.constant(ENDED, shape=[2])).tolist() == [ENDED, ENDED]


def test_a_python_function_gets_a_string_as_bytes():
    length = tf.py_func(lambda text: np.int64(len(text)), [ENDED], tf.int64)
    with tf.Session() as session:
        assert session.run(length) == 2


def test_a_python_function_gets_a_number_as_numpys_scalar():
    kind = tf.py_func(lambda x: np.int64(isinstance(x, np.float32)), [1.0], tf.int64)
    with tf.Session() as session:
        assert session.run(kind) == 1
