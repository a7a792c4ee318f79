"""Shapes that cannot be are refused while a graph is written, in TensorFlow's words."""

import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def given(*dims):
    return tf.placeholder(tf.float32, dims)


REFUSED = {
    "reshape, -1 of 5 in 2": (
        lambda: tf.reshape(given(5), [2, -1]),
        "Dimension size must be evenly divisible by 2 but is 5",
    ),
    "reshape, -1 first": (
        lambda: tf.reshape(given(2, 3), [-1, 4]),
        "Dimension size must be evenly divisible by 4 but is 6",
    ),
    "reshape, -1 of a size known later": (
        lambda: tf.reshape(given(5), [tf.placeholder(tf.int32, []), 3]),
        "Dimension size must be evenly divisible by 3 but is 5",
    ),
    "reshape of a size known later": (
        lambda: tf.reshape(given(None, 3), [2, 4]),
        "Dimension size must be evenly divisible by 3 but is 8",
    ),
    "reshape to nothing": (
        lambda: tf.reshape(given(5), [0, -1]),
        r"Cannot reshape a tensor with 5 elements to shape \[0,\?\] \(0 elements\)",
    ),
    "reshape to -2": (
        lambda: tf.reshape(given(4), [-2, 2]),
        "Invalid value in tensor used for shape: -2",
    ),
    "split": (
        lambda: tf.split(given(5, 2), 2),
        "Dimension size must be evenly divisible by 2 but is 5",
    ),
    "split, nothing left": (
        lambda: tf.split(given(5), [7, -1]),
        "Split size at index 1 must be >= 0. Got: -2",
    ),
    "split, -1 twice": (
        lambda: tf.split(given(5), [-1, -1]),
        "size_splits can only have one -1",
    ),
    "split, negative": (
        lambda: tf.split(given(5), [-2, 7]),
        "Split size at index 0 must be >= 0. Got: -2",
    ),
    "space to batch": (
        lambda: tf.space_to_batch_nd(given(1, 5, 4, 1), [2, 2], [[0, 0], [0, 0]]),
        "Dimension size must be evenly divisible by 2 but is 5",
    ),
    "space to batch, negative": (
        lambda: tf.space_to_batch_nd(given(1, 5, 4, 1), [2, 2], [[-1, 0], [0, 0]]),
        "paddings cannot be negative",
    ),
    "space to batch, no block": (
        lambda: tf.space_to_batch_nd(given(1, 5, 4, 1), [0, 2], [[1, 0], [0, 0]]),
        "block_shape must be positive",
    ),
    "space to batch, rank": (
        lambda: tf.space_to_batch_nd(given(1, 5), [2, 2], [[1, 0], [0, 0]]),
        "Shape must be at least rank 3 but is rank 2",
    ),
    "batch to space": (
        lambda: tf.batch_to_space_nd(given(6, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]),
        "Dimension size must be evenly divisible by 2 but is 3",
    ),
    "batch to space, cropped away": (
        lambda: tf.batch_to_space_nd(given(8, 2, 2, 1), [2, 2], [[3, 2], [0, 0]]),
        "Negative dimension size caused by subtracting 2 from 1",
    ),
    "batch to space, negative": (
        lambda: tf.batch_to_space_nd(given(8, 2, 2, 1), [2, 2], [[-1, 0], [0, 0]]),
        "crops cannot be negative",
    ),
    "depth to space": (
        lambda: tf.depth_to_space(given(1, 2, 2, 5), 2),
        "Dimension size must be evenly divisible by 4 but is 5",
    ),
    "space to depth": (
        lambda: tf.space_to_depth(given(1, 3, 2, 1), 2),
        "Dimension size must be evenly divisible by 2 but is 3",
    ),
    "slice behind the end": (
        lambda: tf.slice(given(5), [6], [-1]),
        "Negative dimension size caused by subtracting 6 from 5",
    ),
    "slice of -2": (
        lambda: tf.slice(given(5), [3], [-2]),
        "Invalid value in tensor used for shape: -2",
    ),
    "pad": (lambda: tf.pad(given(5), [[-1, 0]]), "Paddings must be non-negative"),
    "fill": (lambda: tf.fill([-1], 1.0), "Fill dimensions must be >= 0"),
    "one_hot": (
        lambda: tf.one_hot(tf.placeholder(tf.int32, [2]), -1),
        "Dimension size, given by scalar input 1, must be non-negative but is -1",
    ),
    "convolution of too little": (
        lambda: tf.nn.conv2d(given(1, 2, 2, 3), given(3, 3, 3, 4), 1, "VALID"),
        "Negative dimension size caused by subtracting 3 from 2",
    ),
    "groups of a convolution": (
        lambda: tf.nn.conv2d(given(1, 5, 5, 4), given(3, 3, 2, 5), 1, "SAME"),
        r"Depth of output \(5\) is not a multiple of the number of groups \(2\)",
    ),
    "pooling of too little": (
        lambda: tf.nn.max_pool2d(given(1, 2, 2, 3), 3, 1, "VALID"),
        "Negative dimension size caused by subtracting 3 from 2",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_shape_that_cannot_be_is_refused(name):
    build, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        build()


FOUND = {
    "reshape": (lambda: tf.reshape(given(2, 3), [-1, 2]), [3, 2]),
    "reshape of nothing": (lambda: tf.reshape(given(0, 3), [3, -1]), [3, 0]),
    "reshape, nothing either way": (lambda: tf.reshape(given(0, 3), [0, -1]), [0, None]),
    "reshape, a size known later": (lambda: tf.reshape(given(None, 6), [4, -1]), [4, None]),
    "split": (lambda: tf.split(given(5, 2), [2, -1])[1], [3, 2]),
    "split, a size known later": (lambda: tf.split(given(None, 2), [2, -1])[1], [None, 2]),
    "batch to space": (
        lambda: tf.batch_to_space_nd(given(8, 2, 2, 1), [2, 2], [[0, 1], [0, 0]]),
        [2, 3, 4, 1],
    ),
    "tile, not as often as never": (lambda: tf.tile(given(2, 3), [2, -1]), [4, None]),
    "resize": (lambda: tf.image.resize_bilinear(given(1, 2, 2, 1), [-1, 2]), [1, None, 2, 1]),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_shape_is_worked_out(name):
    build, wanted = FOUND[name]
    assert build().shape.as_list() == wanted


@pytest.mark.parametrize(
    ("indices", "updates", "words"),
    [
        ([2, 1], [3, 3], r"Dimensions \[0,1\) of indices\[shape=\[2,1\]\] = \[2\] must match"),
        ([2, 1], [2, 4], r"Dimensions \[1,2\) of input\[shape=\[4,3\]\] = \[3\] must match"),
    ],
)
@pytest.mark.parametrize("is_resource", [False, True])
def test_slices_that_do_not_fit_are_refused_in_graphs(
    indices: list, updates: list, words: str, is_resource: bool
) -> None:
    with tf.Graph().as_default():
        variable = tf.Variable(tf.zeros([4, 3]), use_resource=is_resource)
        places, slices = tf.placeholder(tf.int32, indices), tf.placeholder(tf.float32, updates)
        for attempt in (
            lambda: tf.scatter_nd_update(variable, places, slices),
            lambda: tf.scatter_nd(places, slices, [4, 3]),
            lambda: tf.tensor_scatter_nd_add(tf.zeros([4, 3]), places, slices),
        ):
            with pytest.raises(ValueError, match=words):
                attempt()


@pytest.mark.parametrize("is_resource", [False, True])
def test_rows_that_do_not_fit_are_refused_in_graphs(is_resource: bool) -> None:
    with tf.Graph().as_default():
        variable = tf.Variable(tf.zeros([4, 3]), use_resource=is_resource)
        two = tf.placeholder(tf.int32, [2])
        for updates, words in (
            ([3, 3], "Dimension 0 in both shapes must be equal, but are 3 and 2"),
            ([3], "Shapes must be equal rank, but are 1 and 2"),
        ):
            with pytest.raises(ValueError, match=words):
                tf.scatter_add(variable, two, tf.placeholder(tf.float32, updates))
        assert tf.scatter_add(variable, two, tf.placeholder(tf.float32, [])).shape == (4, 3)
