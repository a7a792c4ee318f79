"""Python functions as operations of a graph."""

import gc

import numpy as np
import pytest

from placewise.compat import v1 as tf
from placewise.core import errors

pytestmark = pytest.mark.usefixtures("graph_mode")


def run(fetch: object, **feeds: object) -> object:
    with tf.Session() as session:
        return session.run(fetch)


def test_arrays_go_in_and_come_out() -> None:
    total, text = tf.py_func(
        lambda x: (x.sum(keepdims=True), "yes"), [np.ones(3, np.float32)], [tf.float32, tf.string]
    )
    assert total.op.type == "PyFunc"
    assert total.shape.rank is None
    values = run([total, text])
    assert (values[0].tolist(), values[1]) == ([3.0], b"yes")


def test_names_and_kinds() -> None:
    x = tf.placeholder(tf.float32, [2])
    (pure,) = tf.py_func(lambda x: x, [x], [tf.float32], stateful=False)
    assert pure.op.type == "PyFuncStateless"
    assert tf.py_function(lambda x: x, [x], tf.float32).name == "EagerPyFunc:0"
    assert tf.numpy_function(lambda x: x, [x], tf.float32).name == "PyFunc:0"
    assert tf.py_func(lambda x: None, [x], []).type == "PyFunc"


def test_a_function_may_change_what_it_gets() -> None:
    x = tf.constant([1.0, 2.0])

    def change(array: np.ndarray) -> np.ndarray:
        array[0] = 9
        return array

    assert [each.tolist() for each in run([tf.py_func(change, [x], tf.float32), x])] == [
        [9, 2],
        [1, 2],
    ]


def test_the_graph_keeps_the_function_alive() -> None:
    result = tf.py_func((lambda n: lambda: np.float32(n))(7), [], tf.float32)
    gc.collect()
    assert run(result) == 7


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        (lambda x: 1 / 0, errors.UnknownError, "ZeroDivisionError: division by zero"),
        (lambda x: int("x"), errors.InvalidArgumentError, "ValueError: invalid literal"),
        (lambda x: x.astype("i4"), errors.InvalidArgumentError, "is int32, but expects float"),
        (lambda x: (x, x), errors.InvalidArgumentError, "returns 2 values, but expects to see 1"),
        (lambda x: next(iter(())), errors.OutOfRangeError, "StopIteration"),
    ],
)
def test_failures_are_told(function: object, kind: type[Exception], words: str) -> None:
    result = tf.py_func(function, [np.ones(2, np.float32)], [tf.float32])
    with pytest.raises(kind, match=words):
        run(result)


def test_functions_on_tensors_have_gradients() -> None:
    x = tf.constant([3.0, 4.0])
    squares = tf.py_function(lambda t: t * t, [x], tf.float32)
    assert run(squares).tolist() == [9, 16]
    assert run(tf.gradients(squares, x)[0]).tolist() == [6, 8]
