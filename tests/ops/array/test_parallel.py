"""`ParallelConcat`: rows that are put side by side."""

import pytest

import placewise as tf


def concat(shape, values):
    return tf.raw_ops.ParallelConcat(values=values, shape=shape)


@pytest.mark.parametrize(
    ("shape", "values", "message"),
    [
        ([], [[1.0]], "value should be at least rank 1"),
        ([1], [1.0], r"value and update shape doesn't match: \[1\] vs. \[\]"),
        ([2, 2], [[[1.0]], [[2.0]]], r"value and update shape doesn't match \[2,2\] vs. \[1,1\]"),
        ([2, 1], [[[1.0], [2.0]]], r"update shape doesn't match: \[2,1\]"),
        ([0], [[1.0]], "0th dimension of value = 0 must be greater than loc_ = 0"),
        ([None, 1], [[[1.0]]], r"Shape \[\?,1\] is not fully defined"),
    ],
)
def test_rows_that_do_not_fit_are_refused(shape, values, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        concat(shape, values)


@pytest.mark.parametrize(
    ("shape", "values", "message"),
    [
        ([], [[1.0]], "Out of range dim_index 0 for shape with 0 dimensions"),
        ([1], [1.0], "must be greater than 0, but input 0 had rank 0"),
        ([2, 2], [[[1.0]], [[2.0]]], "Dimension 1 in both shapes must be equal, but are 1 and 2"),
        ([2, 1], [[[1.0], [2.0]]], "Size of first dimension must be 1"),
        ([None, 1], [[[1.0]]], "shape attr must be fully defined"),
    ],
)
def test_a_graph_refuses_them_while_it_is_built(shape, values, message):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        concat(shape, values)


def test_the_result_has_the_shape_that_was_asked_for():
    assert concat([2, 1], [[[1.0]], [[2.0]]]).numpy().tolist() == [[1.0], [2.0]]
    assert concat([2, 1], [[[1.0]]]).shape == [2, 1]
