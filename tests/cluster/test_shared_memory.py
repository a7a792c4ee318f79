"""Memory that processes of one host share: only what was meant is mapped."""

import os

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.cluster.shared_memory import Shared, is_within_reach, mapped


def test_what_is_shared_is_mapped_and_belongs_to_the_reader():
    tensor = torch.arange(5, dtype=torch.float32)
    shared = Shared([tensor, torch.tensor([True, False]), torch.zeros(0, 3)])
    first, second, third = mapped(shared.message)
    first[0] = 9
    again, *_ = mapped(shared.message)
    shared.close()
    np.testing.assert_array_equal(again, tensor)
    assert second.tolist() == [True, False]
    assert third.shape == (0, 3)
    assert first[0] == 9  # still there, although the sender has closed it


@pytest.mark.parametrize(
    "change",
    [
        lambda shared: setattr(shared, "nonce", b"0" * 16),
        lambda shared: setattr(shared, "nonce", b""),
        lambda shared: setattr(shared, "descriptor", 1),
        lambda shared: setattr(shared, "process", 1 << 40),
        lambda shared: setattr(shared.tensors[0], "following_bytes", 1 << 50),
        lambda shared: setattr(shared.tensors[0], "following_bytes", -8),
        lambda shared: setattr(shared.tensors[0], "dtype", 99),
        lambda shared: shared.tensors[0].shape.append(2),
    ],
)
def test_another_memory_than_the_one_that_was_meant_is_refused(change):
    shared = Shared([torch.ones(100)])
    change(shared.message)
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.InternalError)):
        mapped(shared.message)
    assert not is_within_reach(shared.message)
    shared.close()


def test_memory_that_its_owner_may_still_change_is_refused():
    shared = Shared([])
    other = os.memfd_create("placewise-tensors", os.MFD_ALLOW_SEALING)
    os.write(other, shared.message.nonce)
    shared.message.descriptor = other
    with pytest.raises(tf.errors.InvalidArgumentError, match="not sealed"):
        mapped(shared.message)
    os.close(other)
    shared.close()
