"""Tests of `ops/array/indexing.py` and `slicing_rules.py`."""

import itertools

import numpy as np
import pytest

import placewise as tf
from placewise.ops.array.slicing_rules import Masks, static_shape

X = np.arange(24).reshape(2, 3, 4)
BOUNDS = [None, -5, -1, 0, 1, 3, 9]


@pytest.mark.parametrize("step", [None, 1, 2, -1, -3])
def test_every_slice_is_that_of_numpy(step):
    x = tf.constant(np.arange(4))
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        key = slice(start, stop, step)
        np.testing.assert_array_equal(x[key], np.arange(4)[key])


@pytest.mark.parametrize(
    "key",
    [
        1,
        -1,
        (1, 2),
        (1, 2, 3),
        (Ellipsis, 0),
        (0, Ellipsis, None),
        (None, 1, None, 2),
        (slice(None), None, slice(None, None, -1)),
        (Ellipsis,),
        (),
        [0, 1],
        (slice(5, None), slice(None, None, 2)),
        (slice(None, None, -1), 1, slice(3, 0, -2)),
    ],
)
def test_every_kind_of_index_is_that_of_numpy(key):
    for dtype in ("float32", "uint16", "object"):
        values = X.astype(str).astype(object) if dtype == "object" else X.astype(dtype)
        expected = values[tuple(key) if isinstance(key, list) else key]
        got = tf.constant(values)[key].numpy()
        if dtype == "object":
            expected = np.vectorize(lambda s: s.encode(), otypes=[object])(expected)
        np.testing.assert_array_equal(got, expected)


def test_scalar_tensors_are_indices():
    x = tf.constant(X)
    np.testing.assert_array_equal(x[tf.constant(1), tf.constant(0, tf.int64) :], X[1, 0:])
    np.testing.assert_array_equal(x[np.int64(1)], X[1])


def test_a_boolean_index_is_a_mask():
    x = tf.constant([1, 2, 3])
    np.testing.assert_array_equal(x[x > 1], [2, 3])
    np.testing.assert_array_equal(x[np.array([True, False, True])], [1, 3])


def test_a_slice_shares_memory_with_its_tensor():
    x = tf.constant(X)
    assert x[1]._value.data_ptr() == x._value[1].data_ptr()


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (5, tf.errors.InvalidArgumentError, r"slice index 5 of dimension 0 out of bounds\."),
        (-3, tf.errors.InvalidArgumentError, r"slice index -3 of dimension 0 out of bounds\."),
        ((0, 0, 0, 0), tf.errors.InvalidArgumentError, "Index out of range using input dim 3"),
        ((..., ...), tf.errors.InvalidArgumentError, "Multiple ellipses in slice spec"),
        (slice(None, None, 0), tf.errors.InvalidArgumentError, r"strides\[0\] must be non-zero"),
        (1.5, TypeError, "Only integers, slices"),
        ("a", TypeError, "Only integers, slices"),
        (np.array([0, 1]), TypeError, "Only integers, slices"),
        (True, ValueError, "mask cannot be scalar"),
    ],
)
def test_bad_indices_are_told_in_tensorflows_words(key, error, words):
    with pytest.raises(error, match=words):
        tf.constant(X)[key]


def test_a_scalar_cannot_be_indexed():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Attempting to slice scalar input"):
        tf.constant(5)[0]
    assert tf.constant(5)[None].shape == [1]


@pytest.mark.parametrize("key", [1, (slice(None), 0), (..., slice(None, None, -2)), (None, 0, 1)])
def test_the_gradient_goes_where_the_elements_came_from(key):
    x = tf.constant(X.astype("float32"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[key] * x[key])
    expected = np.zeros(X.shape, "float32")
    expected[key] = 2 * X[key]
    np.testing.assert_array_equal(tape.gradient(y, x), expected)


def test_assigned_slices_leave_what_was_read_before_alone():
    variable = tf.Variable(tf.zeros([2, 3]))
    old = variable.value()
    variable[:, ::-1].assign([1.0, 2, 3])
    assert variable.numpy().tolist() == [[3, 2, 1], [3, 2, 1]]
    assert not old.numpy().any()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast input shape"):
        variable[0].assign([0.0, 0.0])


def test_shapes_are_known_as_far_as_bounds_are():
    assert static_shape((None, 5), [0, 1], [0, 4], [1, 1], Masks(1, 1)) == (None, 3)
    assert static_shape((None, 5), [None], [None], [1], Masks(shrink_axis_mask=1)) == (5,)
    assert static_shape((4, 5), [None, 0], [None, 0], [1, 1], Masks(new_axis_mask=2)) == (
        None,
        1,
        5,
    )


def test_slice_checks_begin_and_size():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected size\[0\] in \[0, 2\]"):
        tf.slice([1, 2, 3], [1], [3])


@pytest.mark.parametrize("choice", [True, False])
def test_one_condition_chooses_a_whole_tensor(choice: bool) -> None:
    x, y = tf.reshape(tf.range(12), [3, 4]), tf.zeros([3, 4], tf.int32)
    for condition in (tf.constant(choice), tf.constant([choice])):
        chosen = tf.where(condition, x[:, ::2], y[:, ::2])
        np.testing.assert_array_equal(chosen, (x if choice else y)[:, ::2])
    assert tf.where(tf.constant([[[choice]]]), x, y).shape == [1, 3, 4]
    variable = tf.Variable([1, 2])
    kept = tf.where(choice, variable, variable)
    variable.assign([5, 6])
    assert kept.numpy().tolist() == [1, 2]
