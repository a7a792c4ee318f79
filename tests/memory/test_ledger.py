"""The ledger: each content counts once, for as long as it or a view of it lives."""

import gc
import random
import threading
import weakref

import numpy as np
import pytest
import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.devices.inventory import inventory, simulate
from placewise.memory.allocation import Allocation, Made
from placewise.memory.ledgers import copied_content, ledger_of
from placewise.memory.pool import rounded
from placewise.ops.array.contents import seen_as
from tests.memory.test_pool import check

MIB = 1 << 20


@pytest.fixture
def ledger():
    simulate("K40c:64MiB")
    found = ledger_of(inventory().default)
    yield found
    check(found.settle())


def in_use(ledger):
    return ledger.settle().bytes_in_use


def made(ledger, *shape):
    value = torch.ones(*shape)
    ledger.account(value, "Ones")
    return value


def test_a_tensor_counts_until_it_ends(ledger):
    value = made(ledger, 10)
    assert in_use(ledger) == 256
    del value
    assert in_use(ledger) == 0


@pytest.mark.parametrize(
    "alias",
    [
        lambda x: x[1:],
        lambda x: x.t(),
        lambda x: x.reshape(-1),
        lambda x: x.t()[3:].unflatten(1, (8, 8)),
        lambda x: seen_as(x, torch.int64),
        lambda x: seen_as(seen_as(x, torch.int64)[3:], torch.uint8).t(),
        lambda x: x.expand(3, 64, 64),
        lambda x: x.unbind()[3],
        lambda x: torch.utils.dlpack.to_dlpack(x),
        lambda x: lambda: x,
    ],
)
def test_an_alias_keeps_the_block_and_is_not_counted_again(ledger, alias):
    base = made(ledger, 64, 64)
    other = alias(base)
    if isinstance(other, torch.Tensor):
        ledger.account(other, "View")
    assert in_use(ledger) == 64 * 64 * 4
    del base
    gc.collect()
    assert in_use(ledger) == 64 * 64 * 4
    del other
    assert in_use(ledger) == 0


def test_a_view_of_a_base_nobody_counted_counts_the_whole_of_it(ledger):
    view = torch.ones(1024, 1024)[3]
    ledger.account(view, "Slice")
    assert in_use(ledger) == 4 * MIB
    other = view[5:]
    del view
    assert in_use(ledger) == 4 * MIB
    del other
    assert in_use(ledger) == 0


def test_a_kernel_that_returns_its_input_counts_once(ledger):
    value = made(ledger, 100)
    for result in (value.contiguous(), value.to(torch.float32), value.reshape(100)):
        ledger.account(result, "Identity")
    assert ledger.settle().count == 1


def test_a_result_kept_by_autograd_alone_counts(ledger):
    leaf = torch.ones(100, requires_grad=True)
    squared = leaf * leaf
    ledger.account(squared, "Mul")
    result = squared * squared
    del squared
    assert in_use(ledger) == 512
    del result
    assert in_use(ledger) == 0


def test_a_cycle_ends_with_the_collector(ledger):
    ring = [made(ledger, 100)]
    ring.append(ring)
    del ring
    gc.collect()
    assert in_use(ledger) == 0


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(5, dtype=torch.int32),
        torch.ones(0),
        np.array([b"text"], dtype=object),
        object(),
        None,
    ],
)
def test_what_stays_on_the_host_is_not_counted(ledger, value):
    ledger.account(value, "Const")
    assert (in_use(ledger), ledger.pool.count) == (0, 0)


def test_what_does_not_fit_raises_and_leaves_all_as_it_was(ledger):
    kept = made(ledger, 1024, 1024)
    before = in_use(ledger)
    for _ in range(10_000):
        value = torch.empty(64, MIB, device="meta")
        storage = weakref.ref(value)
        with pytest.raises(ResourceExhaustedError, match=r"^OOM when allocating tensor with"):
            ledger.account(value, "Zeros")
        assert ledger.pool.bytes_in_use == before
        del value
        assert storage() is None, "the error must not keep the value"
    assert in_use(ledger) == before == kept.nbytes
    again = made(ledger, 1024, 1024)
    assert in_use(ledger) == 2 * before
    del again


def test_a_program_may_free_something_and_go_on(ledger):
    held = []
    with pytest.raises(ResourceExhaustedError):
        while True:
            held.append(made(ledger, MIB))
    full = len(held)
    del held[:2]
    held.append(made(ledger, MIB))
    assert len(held) == full - 1


def test_the_pool_chooses_the_block_that_just_ended(ledger):
    first, second = made(ledger, 100), made(ledger, 100)
    address = ledger.allocation_of(first).address
    del first
    third = made(ledger, 100)
    assert ledger.allocation_of(third).address == address
    assert ledger.settle().count == 3
    del second


@pytest.mark.parametrize("sizes", [(100,), (1, 64, 65, 1000, 4096), (1, 1000, 70_000)])
def test_figures_do_not_depend_on_when_the_pool_is_told(sizes):
    simulate("2xK40c:1GiB")
    waiting, told = (ledger_of(device) for device in inventory().of_kind("GPU"))
    choose = random.Random(3)
    held = []
    used = peak = largest = 0  # as asked for; where blocks of several sizes lie, some are larger
    for step in range(5000):
        if held and choose.random() < 0.5:
            del held[choose.randrange(len(held))]
        size = choose.choice(sizes)
        pair = torch.empty(size), torch.empty(size)
        waiting.account(pair[0], "a", torch.float32, True)
        told.account(pair[1], "a")
        told.settle()
        used = sum(rounded(one.nbytes) for one, _ in held)
        peak, largest = max(peak, used + rounded(4 * size)), max(largest, rounded(4 * size))
        if choose.random() < 0.7:
            held.append(pair)
        del pair
        if step % 100 == 99:
            used = sum(rounded(one.nbytes) for one, _ in held)
            pool = waiting.settle()
            assert pool.count == told.settle().count
            assert used <= pool.bytes_in_use and peak <= pool.peak_bytes
            assert largest <= pool.largest_bytes
            if len(sizes) == 1:
                assert (used, peak, largest) == (
                    pool.bytes_in_use,
                    pool.peak_bytes,
                    pool.largest_bytes,
                )
        if step % 1000 == 999:
            waiting.reset_peak()
            told.reset_peak()
            peak, largest = used, 0
    held.clear()
    assert in_use(waiting) == in_use(told) == 0


def test_lines_are_kept_for_large_tensors_only(ledger):
    small, large = made(ledger, 10), made(ledger, MIB)
    assert ledger.allocation_of(small).origin is None
    origin = ledger.allocation_of(large).origin
    assert origin.file == __file__
    found = ledger.allocation_of(large)
    assert type(found.what) is Made and found.what.shape == (MIB,)
    assert (found.op_name, found.nbytes, found.size) == ("Ones", 4 * MIB, 4 * MIB)
    assert ledger.allocation_of(small).op_name == "Ones"


def test_a_content_may_count_on_two_devices():
    simulate("2xK40c:64MiB")
    one, other = (ledger_of(device) for device in inventory().of_kind("GPU"))
    value = torch.ones(10)
    one.account(value, "a")
    other.account(value, "b")
    assert in_use(one) == in_use(other) == 256
    del value
    assert in_use(one) == in_use(other) == 0


def test_require_raises_before_anything_is_made(ledger):
    ledger.require((1024,), torch.float32)
    with pytest.raises(ResourceExhaustedError, match=r"shape\[1099511627776,1000\] and type half"):
        ledger.require((1 << 40, 1000), torch.float16)


def test_threads_share_a_pool(ledger):
    failures = []

    def work(seed):
        choose, held = random.Random(seed), []
        try:
            for _ in range(3000):
                if held and choose.random() < 0.5:
                    held.pop(choose.randrange(len(held)))
                held.append(made(ledger, choose.choice([1, 100, 1000])))
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert in_use(ledger) == 0
    assert ledger.pool.count == 12_000


def test_what_comes_and_goes_between_two_looks_counts_in_order(ledger):
    first = made(ledger, 100)
    for size in (1000, 1000, 3000, 1000):
        made(ledger, size)
    second = made(ledger, 100)
    pool = ledger.settle()
    assert (pool.count, pool.largest_bytes, pool.peak_bytes) == (6, 12032, 512 + 12032)
    assert ledger.allocation_of(second).address == ledger.allocation_of(first).address + 512


def test_what_is_small_and_soon_gone_never_reaches_the_pool(ledger):
    made(ledger, 1000)
    before = ledger.settle().blocks()
    for _ in range(1000):
        made(ledger, 100)
    assert ledger.pending.pool.blocks() == before
    assert ledger.settle().count == 1001


class Meddling:
    """A pool in whose work something happens, once."""

    def __init__(self, ledger, happens):
        self.real, self.ledger, self.happens = ledger.pending.pool, ledger, happens
        ledger.pending.pool = self

    def __getattr__(self, name):
        return getattr(self.real, name)

    def __setattr__(self, name, value):
        own = name in ("real", "ledger", "happens")
        object.__setattr__(self if own else self.real, name, value)

    def apply(self, changes):
        pieces = list(changes)
        if not pieces:
            return self.real.apply(pieces)
        self.ledger.pending.pool = self.real
        return self.happens(self.real, pieces)


def test_a_finalizer_that_runs_an_op_does_no_harm(ledger):
    kept = []

    class Late:
        def __del__(self):
            made(ledger, 50)
            kept.append(made(ledger, 60))
            kept.append(made(ledger, MIB))

    def happens(pool, pieces):
        Late()
        pool.apply(pieces)

    value = made(ledger, 100)
    ledger.settle()
    Meddling(ledger, happens)
    other = made(ledger, 100)
    assert in_use(ledger) == 2 * 512 + 256 + 4 * MIB, "what happens inside is told after it"
    assert ledger.pool.count == 5
    del value, other
    kept.clear()
    assert in_use(ledger) == 0


@pytest.mark.parametrize("done", range(4))
def test_an_interrupt_in_the_midst_leaves_a_whole_pool(ledger, done):
    kept = [made(ledger, 100), made(ledger, 100)]
    ledger.settle()
    del kept[1]

    def happens(pool, pieces):
        pool.apply(pieces[:done])
        pool._sizes.clear()
        raise KeyboardInterrupt

    others = [made(ledger, 90), made(ledger, 90), made(ledger, 90)]
    Meddling(ledger, happens)
    with pytest.raises(KeyboardInterrupt):
        ledger.settle()
    assert in_use(ledger) == 512 + 3 * 512
    others.append(made(ledger, 1000))
    assert in_use(ledger) == 512 + 3 * 512 + 4096
    del kept, others
    assert in_use(ledger) == 0


def test_a_block_whose_end_was_lost_is_found_before_giving_up(ledger):
    value = made(ledger, 8 * MIB)
    del value
    assert len(ledger.pending.ended) == 1
    ledger.pending.ended.clear()  # as an interrupt at the wrong moment would
    again = made(ledger, 9 * MIB)
    assert isinstance(ledger.pool.blocks()[0], Allocation)
    del again


def test_what_ends_while_the_pool_is_told_is_taken_back(ledger):
    """The end of a content that has just got its place finds the place, not the waiting."""
    held = [made(ledger, 100) for _ in range(10)]

    def happens(pool, pieces):
        held.clear()
        pool.apply(pieces)

    Meddling(ledger, happens)
    ledger.settle()
    assert in_use(ledger) == 0
    assert not ledger.pending.waiting


@pytest.mark.parametrize("shape", [(10, 20), (1000, 1000)])
def test_a_copy_of_what_lies_in_another_order_counts(shape):
    simulate("2xK40c:64MiB")
    source, target = inventory().of_kind("GPU")
    value = torch.ones(shape).t().clone()  # its own memory, by columns
    moved = copied_content(value, source, target)
    assert in_use(ledger_of(target)) == rounded(value.nbytes)
    assert moved.equal(value) and moved.is_contiguous()
    del moved
    assert in_use(ledger_of(target)) == 0


def test_whether_a_content_counts_is_told_without_telling_the_pool(ledger):
    made(ledger, 1000)
    ledger.settle()
    young, other = made(ledger, 100), torch.ones(100)
    assert ledger.counts(young) and ledger.counts(young[3:])
    assert not ledger.counts(other)
    assert len(ledger.pending.waiting) == 1
    ledger.settle()
    assert ledger.counts(young)
