"""Tests of `ops/array`: stacking, splitting, padding, repeating, reordering, blocks."""

import numpy as np
import pytest

import placewise as tf

X = np.arange(6, dtype="float32").reshape(2, 3)
TEXT = np.array([["a", "b", "c"], ["d", "e", "f"]])


def gradient(function, *arrays):
    tensors = [tf.constant(array) for array in arrays]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
        loss = tf.reduce_sum(y * tf.reshape(tf.range(0.0, float(tf.size(y))), tf.shape(y)))
    return [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, tensors)]


def test_concat_gives_each_input_its_part_of_the_gradient():
    first, second = gradient(lambda a, b: tf.concat([a, b], 1), X, X[:, :1])
    np.testing.assert_array_equal(first, [[0, 1, 2], [4, 5, 6]])
    np.testing.assert_array_equal(second, [[3], [7]])


def test_stack_gives_each_input_its_part_of_the_gradient():
    first, second = gradient(lambda a, b: tf.stack([a, b], 1), X[0], X[1])
    np.testing.assert_array_equal(first, [0, 2, 4])
    np.testing.assert_array_equal(second, [1, 3, 5])


def test_parts_that_are_not_used_get_no_gradient():
    (found,) = gradient(lambda a: tf.split(a, [1, 2], 1)[1], X)
    np.testing.assert_array_equal(found, [[0, 0, 1], [0, 2, 3]])
    (found,) = gradient(lambda a: tf.unstack(a)[1], X)
    np.testing.assert_array_equal(found, [[0, 0, 0], [0, 1, 2]])


def test_concat_of_an_empty_vector_is_no_loophole():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Ranks of all input tensors should"):
        tf.concat([X, np.zeros(0, "float32")], 0)


def test_nested_lists_of_tensors_are_packed():
    made = tf.convert_to_tensor([[tf.constant(1.0), 2], [3, tf.constant(4.0)]])
    np.testing.assert_array_equal(made, [[1, 2], [3, 4]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute Pack"):
        tf.convert_to_tensor([tf.constant(1), tf.constant(1.5)])


@pytest.mark.parametrize(
    ("mode", "numpy_mode"), [("REFLECT", "reflect"), ("SYMMETRIC", "symmetric")]
)
def test_mirrored_margins_are_those_of_numpy(mode, numpy_mode):
    margins = [[1, 1], [2, 1]]
    np.testing.assert_array_equal(tf.pad(X, margins, mode), np.pad(X, margins, numpy_mode))
    np.testing.assert_array_equal(
        tf.pad(TEXT, margins, mode).numpy().astype(str), np.pad(TEXT, margins, numpy_mode)
    )


def test_strings_take_part_in_everything():
    text = tf.constant(TEXT)
    for function, expected in [
        (lambda t: tf.transpose(t), TEXT.T),
        (lambda t: tf.tile(t, [2, 1]), np.tile(TEXT, (2, 1))),
        (lambda t: tf.roll(t, 1, 1), np.roll(TEXT, 1, 1)),
        (lambda t: tf.reverse(t, [1]), TEXT[:, ::-1]),
        (lambda t: tf.repeat(t, [1, 0, 2], axis=1), np.repeat(TEXT, [1, 0, 2], 1)),
        (lambda t: tf.gather(t, [1, 1]), TEXT[[1, 1]]),
        (lambda t: tf.boolean_mask(t, [True, False]), TEXT[:1]),
        (lambda t: tf.where([[True], [False]], t, "z"), [["a", "b", "c"], ["z"] * 3]),
        (lambda t: tf.reshape(t, [-1])[::2], TEXT.reshape(-1)[::2]),
    ]:
        np.testing.assert_array_equal(function(text).numpy().astype(str), expected)


def test_repeat_takes_one_count_or_one_each():
    np.testing.assert_array_equal(tf.repeat(X, 2), np.repeat(X, 2))
    np.testing.assert_array_equal(tf.repeat(X, [2, 1], axis=0), np.repeat(X, [2, 1], 0))
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        tf.repeat(X, [1, 2, 3], axis=0)


def test_blocks_go_to_the_batch_and_back():
    image = np.arange(24.0).reshape(1, 4, 6, 1)
    there = tf.space_to_batch(image, [2, 3], [[0, 0], [0, 0]])
    assert there.shape == [6, 2, 2, 1]
    np.testing.assert_array_equal(tf.batch_to_space(there, [2, 3], [[0, 0], [0, 0]]), image)


def test_broadcast_is_a_view():
    x = tf.constant(X)
    assert tf.broadcast_to(x, [5, 2, 3])._value.data_ptr() == x._value.data_ptr()


@pytest.mark.parametrize("axis", [[[1], [2]], [0], [[0]]])
def test_concat_of_one_tensor_still_wants_a_scalar_axis(axis):
    with pytest.raises(ValueError, match="must have rank 0"):
        tf.concat(0, axis)


def test_concat_of_one_tensor_refuses_a_float_axis():
    with pytest.raises(TypeError, match=r"Cannot convert 3\.5 to EagerTensor of dtype int32"):
        tf.concat([1], 3.5)


def test_concat_of_one_tensor_takes_a_tensor_as_axis():
    assert tf.concat([[1, 2]], tf.constant(0, tf.int64)).numpy().tolist() == [1, 2]


def test_a_scalar_reversed_is_itself_whatever_the_axes():
    assert tf.reverse(tf.constant(3), [5]).numpy() == 3


def test_lists_that_differ_in_length_are_refused_by_name():
    message = "'data' to 'dynamic_stitch' Op with length 1 must match length 2 of argument 'indi"
    with pytest.raises(ValueError, match=message):
        tf.dynamic_stitch([[0], [1]], [[1.0]])
