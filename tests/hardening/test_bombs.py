"""Small arguments that ask for much: refused before anything is made; and odd shapes of others."""

import numpy as np
import pytest

import placewise as tf

raw = tf.raw_ops


def test_more_results_than_an_op_may_have_are_refused_in_graphs():
    with tf.Graph().as_default():
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"num_split.* of 2147483647 is more than"
        ):
            raw.Split(axis=0, value=tf.compat.v1.placeholder(tf.float32), num_split=2**31 - 1)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"OUTPUT_RAGGED_RANK.* is more than"
        ):
            raw.RaggedGather(
                params_nested_splits=[[0, 2]],
                params_dense_values=[1.0, 2.0],
                indices=[0],
                OUTPUT_RAGGED_RANK=2**63 - 1,
            )


def test_candidates_beyond_memory_are_refused():
    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
        tf.random.uniform_candidate_sampler([[1]], 1, 2**31 - 1, False, 5)


def test_differences_end_when_nothing_is_left():
    assert tf.experimental.numpy.diff(np.arange(4.0), n=2**40).shape == (0,)


def test_a_number_is_its_own_isotonic_regression():
    for decreasing in (True, False):
        made = tf.nn.isotonic_regression(np.float32(0.5), decreasing=decreasing)
        assert (made[0].numpy(), made[1].numpy()) == (0.5, 0)


def test_lengths_of_small_integers_have_no_range():
    with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
        tf.sequence_mask(np.ones([2], np.int8))


def test_boxes_without_coordinates_are_refused():
    with pytest.raises(ValueError, match="slice index -1 of dimension 0 out of bounds"):
        tf.image.non_max_suppression_padded(np.zeros(0, "f"), np.zeros(0, "f"), 3)


def test_a_window_that_is_a_number_is_refused_in_graphs():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="crop_window must be"):
        tf.image.decode_and_crop_jpeg(b"", tf.constant(1))
