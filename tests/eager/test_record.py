"""What a record tells of eager ops besides themselves: what goes to devices and comes from them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.core.scope import watch
from placewise.memory.transfer import move


@pytest.fixture(autouse=True)
def two_gpus():
    with tf.simulate("2xV100"):
        yield


def _told(log):
    return [(each.kind, each.source[-5:], each.target[-5:], each.bytes) for each in log.transfers]


@pytest.mark.parametrize(
    "read",
    [
        lambda tensor: tensor.numpy(),
        np.asarray,
        np.array,
        repr,
        str,
    ],
)
def test_reading_a_tensor_of_a_gpu_is_a_fetch(read):
    tensor = tf.constant([1.0, 2.0])
    with tf.record() as log:
        read(tensor)
    assert _told(log) == [("fetch", "GPU:0", "CPU:0", 8)]


def test_a_number_of_a_gpu_is_fetched_by_float_and_bool():
    tensor = tf.constant(1.0)
    with tf.record() as log:
        assert float(tensor) == 1
        assert tensor
    assert _told(log) == [("fetch", "GPU:0", "CPU:0", 4)] * 2


def test_the_array_of_a_variable_is_a_fetch():
    variable = tf.Variable([1.0, 2.0])
    with tf.record() as log:
        variable.numpy()
    assert _told(log) == [("fetch", "GPU:0", "CPU:0", 8)]


def test_what_is_on_the_host_is_not_fetched():
    with tf.device("/cpu:0"):
        on_cpu = tf.constant([1.0, 2.0])
    kept = [on_cpu, tf.constant([1, 2]), tf.constant(["a"])]
    with tf.record() as log:
        for tensor in kept:
            tensor.numpy()
    assert log.transfers == []


def test_a_value_of_the_program_on_a_gpu_is_a_feed():
    with tf.record() as log:
        tf.constant([1.0, 2.0])
        tf.constant([1, 2])  # int32 stays in host memory
        tf.constant(["a"])
    assert _told(log) == [("feed", "CPU:0", "GPU:0", 8)]


def test_a_variable_begins_with_what_is_fed():
    with tf.record() as log:
        tf.Variable(np.zeros([3, 2], np.float32))
    assert _told(log) == [("feed", "CPU:0", "GPU:0", 24)]


def test_a_size_on_a_gpu_is_read_by_the_host():
    tensor = tf.ones([4])
    size = tf.constant([2, 2], tf.int64)
    with tf.record() as log:
        tf.reshape(tensor, size)
    assert _told(log) == [("host", "GPU:0", "CPU:0", 16)]


def test_what_was_asked_for_is_no_copy():
    with tf.record() as log, tf.copies("forbid"):
        (tf.constant([1.0]) + 1.0).numpy()
    assert log.copies() == []
    assert {each.kind for each in log.transfers} == {"feed", "fetch"}


def test_a_copy_for_an_op_is_told_with_the_op():
    tensor = tf.constant([1.0, 2.0])
    with tf.record() as log, tf.device("/gpu:1"):
        tf.negative(tensor)
    (copy,) = log.copies()
    assert (copy.op, copy.kind, copy.bytes) == ("Neg", "copy", 8)
    assert log.entries[0].copies == (copy,)


def test_a_forbidden_copy_is_not_told_of_the_next_op():
    tensor = tf.constant([1.0, 2.0])
    with tf.record() as log:
        with (
            tf.copies("forbid"),
            tf.device("/gpu:1"),
            pytest.raises(tf.errors.InvalidArgumentError),
        ):
            tf.negative(tensor)
        tf.negative(tensor)
    assert log.entries[0].copies == ()


def test_records_may_be_nested():
    tensor = tf.constant([1.0])
    with tf.record() as outer:
        with tf.record() as inner:
            tensor.numpy()
        tf.negative(tensor)
    assert [len(outer), len(inner)] == [1, 0]
    assert outer.transfers == inner.transfers
    assert watch.moved is None


def test_tensors_that_really_move_are_told_with_their_bytes():
    with tf.record() as log:
        move(torch.zeros(3), "meta")
    (transfer,) = log.transfers
    assert (transfer.target, transfer.bytes) == ("meta", 12)


def test_ops_and_transfers_are_there_as_json():
    with tf.record() as log:
        tf.negative(tf.constant([1.0])).numpy()
    assert '"ops"' in log.to_json()
    assert '"kind": "fetch"' in log.to_json()
