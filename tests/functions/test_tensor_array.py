"""TensorArrays in functions are values: written anew, read again, and differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import placewise as tf


def run(function: Any, *values: Any) -> Any:
    return [each.numpy().tolist() for each in tf.nest.flatten(tf.function(function)(*values))]


X = [1.0, 2.0, 3.0]


def test_a_place_may_be_written_and_read_again() -> None:
    def again(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 2).write(0, x[0]).write(0, x[1]).write(1, x[2])
        return array.stack(), array.read(0), array.read(0), array.size()

    assert run(again, tf.constant(X)) == [[2.0, 3.0], 2.0, 2.0, 2]


def test_an_older_array_does_not_see_what_came_later() -> None:
    def versions(x: Any) -> Any:
        first = tf.TensorArray(tf.float32, 2, element_shape=[]).write(0, x[0])
        second, third = first.write(1, x[1]), first.write(1, x[2])
        return first.stack(), second.stack(), third.stack()

    assert run(versions, tf.constant(X)) == [[1.0, 0.0], [1.0, 2.0], [1.0, 3.0]]


def test_an_array_grows_if_it_may() -> None:
    def grown(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i * i)
        return array.stack(), array.size()

    assert run(grown, tf.constant(4)) == [[0, 1, 4, 9], 4]


def test_gather_scatter_split_and_concat() -> None:
    def pieces(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], x)
        split = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
        return array.gather([0, 2]), split.read(1), split.concat()

    assert run(pieces, tf.constant(X)) == [[2.0, 1.0], [2.0, 3.0], X]


def test_places_that_are_not_there_are_errors() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Trying to modify element 3 in a"):
        run(lambda x: tf.TensorArray(tf.float32, 1).write(3, x[0]).stack(), tf.constant(X))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Trying to access element 5 in a"):
        run(lambda x: tf.TensorArray(tf.float32, 1).write(0, x[0]).read(5), tf.constant(X))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Trying to read an uninitialized"):
        run(lambda x: tf.TensorArray(tf.float32, 2).read(1), tf.constant(X))
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(3,\) but expected \(\)"):
        run(lambda x: tf.TensorArray(tf.float32, 2).write(0, x[0]).write(1, x), tf.constant(X))


def test_gradients_see_every_write_and_read() -> None:
    @tf.function
    def overwritten(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3).unstack(x)
        for i in tf.range(3):
            array = array.write(i, array.read(i) * 2.0)
            array = array.write(0, array.read(i) * array.read(0))
        return array.stack()

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = overwritten(x)
    np.testing.assert_allclose(y, [96.0, 4.0, 6.0])
    np.testing.assert_allclose(tape.gradient(y, x), [192.0, 50.0, 34.0])


def test_second_gradients() -> None:
    def twice(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                array = tf.TensorArray(tf.float32, 3)
                for i in tf.range(3):
                    array = array.write(i, x[i] ** 3)
                y = tf.reduce_sum(array.stack() * x)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    assert run(twice, tf.constant(X)) == [[4.0, 32.0, 108.0], [12.0, 48.0, 108.0]]


def test_gradients_of_rows_mapped_and_scanned() -> None:
    mapped = tf.function(lambda x: tf.map_fn(lambda v: v * v, x))
    scanned = tf.function(lambda x: tf.scan(lambda a, b: a * b, x))
    x = tf.constant(X)
    for function, wanted in ((mapped, [2.0, 4.0, 6.0]), (scanned, [9.0, 4.0, 2.0])):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        np.testing.assert_allclose(tape.gradient(y, x), wanted)


def test_arrays_are_tensorflows_ops_by_tensorflows_names() -> None:
    @tf.function
    def all_of_them(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 2).write(0, x).scatter([1], x[None])
        parts = tf.TensorArray(tf.float32, 1).unstack(array.stack()).split(array.concat(), [2, 2])
        return array.read(0), array.gather([1]), parts.concat()

    graph = all_of_them.get_concrete_function(tf.TensorSpec([2])).graph
    found = [op.name for op in graph.get_operations() if op.type.startswith("TensorList")]
    assert found == [
        "TensorArrayV2",
        "TensorArrayV2Write/TensorListSetItem",
        "TensorArrayScatter/TensorListScatterIntoExistingList",
        "TensorArrayV2_1",
        "TensorArrayV2Stack/TensorListStack",
        "TensorArrayUnstack/TensorListFromTensor",
        "TensorListConcatV2",
        "TensorArraySplit/TensorListSplit",
        "TensorArrayV2Read/TensorListGetItem",
        "TensorListGather",
        "TensorListConcatV2_1",
    ]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: tf.TensorArray(tf.float32, 2).stack(), "only contains uninitialized tensors"),
        (lambda x: tf.TensorArray(tf.float32, 2).unstack(x).stack(), "expected a list with 2 elem"),
        (
            lambda x: tf.TensorArray(tf.float32, 3).write(0, 1).write(1, tf.constant(1)).stack(),
            "op elements int32 but list elements float",
        ),
        (lambda x: tf.TensorArray(tf.float32, -2).stack(), "must be a non negative number"),
        (lambda x: tf.TensorArray(tf.float32, 3).unstack(x).concat(), "saw a scalar shape at"),
    ],
)
def test_errors_are_told_when_the_function_runs(function: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(function, tf.constant(X))


def test_a_tape_outside_follows_a_loop_over_small_values() -> None:
    @tf.function
    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y * x + y)), (0, x))

    def slopes(function: Any) -> Any:
        x = tf.constant([0.1, 0.2])
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(function(x)[1])
        return tape.gradient(loss, x).numpy()

    np.testing.assert_allclose(slopes(loop), slopes(loop.python_function), rtol=1e-5)


def test_an_array_that_is_read_and_written_in_a_loop_has_gradients() -> None:
    def powers(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 5, clear_after_read=False).write(0, x)
        for i in tf.range(1, 5):
            array = array.write(i, array.read(i - 1) * x)
        return array.stack()

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = powers(x)
        return tape.gradient(found, x)

    # x + x^2 + … + x^5
    assert run(slope, tf.constant(2.0)) == [1.0 + 4.0 + 12.0 + 32.0 + 80.0]


def test_items_of_several_lengths_are_written_where_shapes_are_not_inferred():
    @tf.function
    def joined():
        items = tf.TensorArray(tf.float32, 2, element_shape=[None], infer_shape=False)
        return items.write(0, tf.zeros([3])).write(1, tf.zeros([2])).concat()

    assert joined().shape == [5]
