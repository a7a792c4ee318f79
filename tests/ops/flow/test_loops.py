"""Loops: while_loop, map_fn, scan, foldl, foldr, and TensorArray."""

import collections

import numpy as np
import pytest

import placewise as tf


def test_while_loop_keeps_the_structure_of_its_variables():
    i, state = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, {"a": s["a"] * 2}), (0, {"a": tf.constant(1.0)})
    )
    assert int(i) == 3 and float(state["a"]) == 8.0


def test_while_loop_stops_at_maximum_iterations():
    (i,) = tf.while_loop(lambda i: i < 100, lambda i: [i + 1], [0], maximum_iterations=7)
    assert int(i) == 7


def test_while_loop_refuses_another_structure():
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.while_loop(lambda i: i < 5, lambda i: [i, i], [tf.constant(0)])


def test_while_loop_may_change_shapes():
    (x,) = tf.while_loop(
        lambda x: tf.size(x) < 4,
        lambda x: [tf.concat([x, x], 0)],
        [tf.constant([1])],
        shape_invariants=[tf.TensorShape([None])],
    )
    assert x.shape == (4,)


def test_a_gradient_flows_through_a_loop():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, tf.constant(1.0)))
    assert float(tape.gradient(y, x)) == 12.0


def test_map_fn_of_several_inputs_and_outputs():
    a, b = tf.map_fn(
        lambda row: (row[0] + row[1], tf.cast(row[0], tf.int32)),
        (tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0])),
        fn_output_signature=(tf.float32, tf.int32),
    )
    assert a.numpy().tolist() == [11.0, 22.0] and b.numpy().tolist() == [1, 2]


def test_map_fn_checks_dtypes_and_shapes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="TensorArray dtype is int32"):
        tf.map_fn(lambda x: 1.0, tf.constant([1, 2]))
    with pytest.raises(ValueError, match="Incompatible shape for value"):
        tf.map_fn(lambda n: tf.zeros([n]), tf.constant([1, 2]), fn_output_signature=tf.float32)
    with pytest.raises(ValueError, match="not scalars"):
        tf.map_fn(lambda x: x, tf.constant(1.0))


def test_map_fn_of_nothing_is_empty():
    assert tf.map_fn(lambda x: x, tf.zeros([0, 3])).shape == (0,)


def test_a_gradient_flows_through_map_fn():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.map_fn(lambda v: v * v, x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0, 6.0]


def test_scan_forwards_and_backwards():
    x = tf.constant([1, 2, 3])
    assert tf.scan(lambda a, v: a + v, x).numpy().tolist() == [1, 3, 6]
    assert tf.scan(lambda a, v: a + v, x, reverse=True).numpy().tolist() == [6, 5, 3]
    assert tf.scan(lambda a, v: a + v, x, initializer=10).numpy().tolist() == [11, 13, 16]


def test_scan_of_two_carried_values():
    first, second = tf.scan(
        lambda a, _: (a[1], a[0] + a[1]), tf.constant([1, 0, 0, 0]), initializer=(0, 1)
    )
    assert first.numpy().tolist() == [1, 1, 2, 3] and second.numpy().tolist() == [1, 2, 3, 5]


def test_folds():
    x = tf.constant([1, 2, 5])
    assert int(tf.foldl(lambda a, v: a - v, x, initializer=10)) == 2
    assert int(tf.foldr(lambda a, v: a * 10 + v, x)) == 521
    with pytest.raises(tf.errors.OutOfRangeError, match="Tried to read from index 0"):
        tf.foldl(lambda a, v: a + v, tf.zeros([0]))


def test_tensor_array_reads_once_unless_told_otherwise():
    array = tf.TensorArray(tf.float32, size=2).write(0, 1.0).write(1, 2.0)
    assert float(array.read(0)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        array.read(0)


def test_tensor_array_fills_with_zeros_what_was_not_written():
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True).write(2, [1, 2])
    np.testing.assert_array_equal(array.stack(), [[0, 0], [0, 0], [1, 2]])


def test_tensor_array_checks_its_bounds():
    array = tf.TensorArray(tf.float32, size=1)
    with pytest.raises(tf.errors.OutOfRangeError, match="array is not resizeable and size is: 1"):
        array.write(3, 1.0)
    with pytest.raises(tf.errors.OutOfRangeError, match="Tried to read from index 5"):
        array.read(5)


One = collections.namedtuple("One", "a")


@pytest.mark.parametrize(
    "body, wanted",
    [
        (lambda i: (i + 1,), tuple),
        (lambda i: [i + 1], list),
        (lambda i: One(i + 1), One),
        (lambda i: i + 1, None),
    ],
    ids=["a tuple", "a list", "a named tuple", "by itself"],
)
def test_one_variable_comes_back_as_the_body_of_tensorflow_1_gives_it(body, wanted):
    found = tf.compat.v1.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    if wanted is None:
        assert int(found) == 3
    else:
        assert type(found) is wanted
        assert int(found[0]) == 3


def test_a_graph_of_tensorflow_2_gives_the_structure_of_the_variables():
    @tf.function
    def counted():
        found = tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), [0, 1])
        assert type(found) is list
        return found

    assert [int(each) for each in counted()] == [3, 1]


def test_one_structure_in_a_graph_comes_back_in_its_list():
    with tf.Graph().as_default():
        pair = (tf.constant(0), tf.constant(1))
        found = tf.compat.v1.while_loop(lambda p: p[0] < 3, lambda p: [(p[0] + 1, p[1])], [pair])
    assert type(found) is list
    assert len(found) == 1
