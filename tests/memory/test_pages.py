"""Copies into kept pages."""

import threading

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.core.errors import ResourceExhaustedError
from placewise.devices.inventory import inventory, simulate
from placewise.memory.ledgers import copied_content, ledger_of
from placewise.memory.pages import Pages

MIB = 1 << 20
COUNT = MIB // 4


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.bool, torch.complex64]
)
@pytest.mark.parametrize(
    "shape_of",
    [
        lambda x: x,
        lambda x: x.t(),
        lambda x: x.permute(1, 0),
        lambda x: x[::2],
        lambda x: x[:, 5:],
        lambda x: x.reshape(-1),
        lambda x: x[0].expand(1024, 1024),
    ],
)
def test_a_copy_equals_its_source_and_shares_nothing(dtype, shape_of):
    pages = Pages(MIB)
    value = shape_of((torch.rand(1024, 1024) > 0.5).to(dtype))
    for _ in range(3):
        copy = pages.copy(value)
        assert copy.shape == value.shape and copy.dtype == value.dtype
        assert torch.equal(copy, value)
        assert copy.untyped_storage().data_ptr() != value.untyped_storage().data_ptr()
        copy.zero_()
        del copy


def test_a_conjugated_value_is_copied_as_its_value():
    value = torch.full((COUNT,), 1 + 2j, dtype=torch.complex64).conj()
    assert Pages(MIB).copy(value)[0].item() == 1 - 2j


def test_the_order_of_a_transposed_value_is_kept():
    value = torch.rand(1024, 1024).t()
    assert Pages(MIB).copy(value).stride() == value.stride() == value.clone().stride()


def test_pages_are_used_again_only_when_nobody_uses_them():
    pages, value = Pages(MIB), torch.rand(COUNT * 4)
    first = pages.copy(value)
    address = first.data_ptr()
    part = first[10:20]
    del first
    second = pages.copy(value)
    assert second.data_ptr() != address
    array = part.numpy()
    del part
    third = pages.copy(value)
    assert address not in (second.data_ptr(), third.data_ptr())
    assert array[0] == value[10]
    del array
    assert pages.copy(value).data_ptr() == address


def test_what_is_kept_is_bounded():
    pages = Pages(MIB, most_bytes=8 * MIB)
    held = [pages.copy(torch.rand(MIB // 2)) for _ in range(10)]
    assert pages.kept_bytes == 8 * MIB
    held.append(pages.copy(torch.rand(4 * MIB)))
    assert pages.kept_bytes == 8 * MIB, "too large: a plain copy"
    assert len({one.data_ptr() for one in held}) == 11
    held.clear()
    assert pages.clear() == 8 * MIB
    assert pages.kept_bytes == 0


def test_threads_never_get_the_same_pages():
    pages, value, wrong = Pages(MIB), torch.zeros(COUNT), []

    def work(number):
        for _ in range(200):
            copy = pages.copy(value)
            copy += number
            if not bool((copy == number).all()):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong


def test_copies_between_devices_are_real_and_counted():
    simulate("2xK40c:64MiB")
    cpu, one, other = inventory().devices
    value = torch.rand(MIB)
    there = copied_content(value, cpu, one)
    back = copied_content(there, one, other)
    assert torch.equal(back, value)
    assert [ledger_of(d).settle().bytes_in_use for d in (one, other)] == [4 * MIB, 4 * MIB]
    home = copied_content(there, one, cpu)
    del there
    assert ledger_of(one).settle().bytes_in_use == 0
    assert torch.equal(home, value)


def test_a_copy_that_cannot_fit_is_not_made():
    simulate("K40c:20MiB")
    cpu, gpu = inventory().devices
    with pytest.raises(ResourceExhaustedError, match=r"^OOM when allocating tensor with shape\["):
        copied_content(torch.empty(8 * MIB), cpu, gpu)
    assert ledger_of(gpu).settle().bytes_in_use == 0


def test_text_and_int32_are_not_counted():
    simulate("K40c:20MiB")
    cpu, gpu = inventory().devices
    marker = object()
    assert copied_content(marker, cpu, gpu) is marker
    copied = copied_content(torch.ones(5, dtype=torch.int32), cpu, gpu)
    assert copied.tolist() == [1] * 5
    assert ledger_of(gpu).settle().bytes_in_use == 0


def test_an_array_for_the_program_does_not_hold_the_gpu():
    simulate("K40c:20MiB")
    gpu = inventory().default
    value = tf.constant(np.ones(MIB, np.float32))
    assert ledger_of(gpu).settle().bytes_in_use > 0
    array = value.numpy()
    del value
    assert ledger_of(gpu).settle().bytes_in_use == 0
    assert array.sum() == MIB
