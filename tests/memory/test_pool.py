"""The pool: best fit with coalescing, compared with a plain model and by invariants."""

import logging
import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
)

from placewise.memory.pool import Block, Pool, rounded
from tests.memory.model import PlainPool

MIB = 1 << 20
# The ordinary run does 200,000 random operations; PLACEWISE_THOROUGH=1 does the full million.
OPERATIONS = 1_000_000  # half of them with growth, half without: two seconds


def check(pool):
    """Hold a pool to everything that must be true of it."""
    used = mapped = 0
    free = []
    for region in pool.regions:
        address, before_free = region.address, False
        for block in region.blocks():
            assert block.address == address, "a gap or an overlap"
            assert block.size > 0 and block.size % 256 == 0
            assert block.previous.next is block and block.next.previous is block
            address += block.size
            if block.holder is None:
                assert not before_free, "free neighbours that were not joined"
                free.append((block.size, block.address))
            else:
                used += block.size
            before_free = block.holder is None
        assert address == region.address + region.size, "lost bytes"
        mapped += region.size
    assert pool.bytes_in_use == used
    assert pool.mapped_bytes == mapped <= pool.limit_bytes
    assert pool.peak_bytes >= used
    assert [(b.size, b.address) for b in pool._blocks] == sorted(free)
    assert pool._sizes[:-1] == [b.size for b in pool._blocks]


def chunks(pool):
    return [(b.address, b.size, b.holder is not None) for b in pool.blocks()]


sizes = st.one_of(
    st.integers(1, 4096), st.integers(1, 1 << 16), st.sampled_from([256, 512, 1024, MIB, 3 * MIB])
)


class AgainstThePlainModel(RuleBasedStateMachine):
    """Whatever happens, blocks lie where TensorFlow's bins would put them."""

    held = Bundle("held")

    @initialize(limit=st.integers(1, 40 * MIB), grows=st.booleans())
    def start(self, limit, grows):
        self.pool, self.model = Pool(limit, grows), PlainPool(limit, grows)
        self.count = self.peak = self.largest = 0
        self.quiet = logging.getLogger("tensorflow")
        self.quiet.disabled = True

    def teardown(self):
        if not hasattr(self, "pool"):
            return
        for block in [b for b in self.pool.blocks() if b.holder is not None]:
            self.pool.free(block)
        check(self.pool)
        assert all(region.is_free() for region in self.pool.regions), "not joined to one piece"
        self.quiet.disabled = False

    @rule(target=held, nbytes=sizes)
    def allocate(self, nbytes):
        block = self.pool.allocate(nbytes)
        assert (None if block is None else block.address) == self.model.allocate(nbytes)
        if block is not None:
            assert block.size >= nbytes
            self.count += 1
            self.peak = max(self.peak, self.pool.bytes_in_use)
            self.largest = max(self.largest, block.size)
        return block

    @rule(block=consumes(held))
    def free(self, block):
        if block is not None:
            self.model.free(block.address)
            self.pool.free(block)

    @rule(block=consumes(held), nbytes=sizes, target=held)
    def again(self, block, nbytes):
        """What is told at once, an end and then a request, is as if it were told one by one."""
        if block is None:
            return None
        self.model.free(block.address)
        taken = Block()
        taken.holder, taken.nbytes = None, nbytes
        self.pool.apply((block, taken))
        address = self.model.allocate(nbytes)
        if address is None:
            assert taken.holder == "nowhere"
            return None
        assert taken.address == address and taken.size >= nbytes
        self.count += 1
        self.peak = max(self.peak, self.pool.bytes_in_use)
        self.largest = max(self.largest, taken.size)
        return taken

    @precondition(lambda self: hasattr(self, "pool"))
    @rule()
    def rebuild(self):
        self.pool.rebuild()

    @invariant()
    def is_as_the_model(self):
        if hasattr(self, "pool"):
            check(self.pool)
            assert chunks(self.pool) == self.model.chunks()
            assert self.pool.mapped_bytes == self.model.mapped

    @invariant()
    def statistics_add_up(self):
        if hasattr(self, "pool"):
            found = (self.pool.count, self.pool.peak_bytes, self.pool.largest_bytes)
            assert found == (self.count, self.peak, self.largest)


AgainstThePlainModel.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None
)
TestAgainstThePlainModel = AgainstThePlainModel.TestCase


@pytest.mark.parametrize("grows", [False, True])
def test_many_random_operations(grows, caplog):
    caplog.set_level(logging.ERROR, "tensorflow")
    choose = random.Random(7)
    pool, held = Pool(256 * MIB, grows), []
    numbers = [int(2 ** choose.uniform(0, 23)) for _ in range(4096)]
    for step in range(OPERATIONS // 2):
        if held and (len(held) > 400 or choose.random() < 0.48):
            place = choose.randrange(len(held))
            held[place], last = held[-1], held[place]
            held.pop()
            pool.free(last)
        elif (block := pool.allocate(numbers[step & 4095])) is not None:
            held.append(block)
        if step % 20_000 == 0:
            check(pool)
            assert pool.bytes_in_use == sum(block.size for block in held)
    for block in held:
        pool.free(block)
    check(pool)
    assert pool.bytes_in_use == 0 and all(region.is_free() for region in pool.regions)


def test_sizes_are_rounded_to_256():
    assert [rounded(n) for n in (1, 256, 257)] == [256, 256, 512]
    assert Pool(MIB).allocate(1).size == 256


def test_without_growth_all_is_mapped_at_the_first_request():
    pool = Pool(10 * MIB + 100)
    assert pool.mapped_bytes == 0
    pool.allocate(1)
    assert pool.mapped_bytes == 10 * MIB
    assert len(pool.regions) == 1


def test_growth_starts_at_2_mib_and_doubles():
    pool = Pool(100 * MIB, grows=True)
    mapped = []
    while pool.allocate(MIB) is not None:
        if not mapped or mapped[-1] != pool.mapped_bytes:
            mapped.append(pool.mapped_bytes)
    assert [m >> 20 for m in mapped] == [2, 6, 14, 30, 62, 100]


def test_a_large_request_enlarges_the_region():
    pool = Pool(100 * MIB, grows=True)
    assert pool.allocate(5 * MIB).size == 8 * MIB, "too little would stay: not split"
    assert pool.mapped_bytes == 8 * MIB
    # It was enlarged for the request, so the next region is as large, not larger.
    pool.allocate(8 * MIB)
    assert pool.mapped_bytes == 16 * MIB


def test_a_block_is_split_only_when_at_least_as_much_stays():
    pool = Pool(MIB)
    whole = pool.allocate(MIB - 300 * 1024)
    assert whole.size == MIB
    assert pool.bytes_in_use == MIB, "what is handed out counts, not what was asked for"


def test_a_rest_of_128_mib_is_always_split_off():
    pool = Pool(512 * MIB)
    assert pool.allocate(300 * MIB).size == 300 * MIB
    assert pool.largest_free_bytes == 212 * MIB


def test_free_regions_are_given_back_to_make_room(caplog):
    pool = Pool(16 * MIB, grows=True)
    for block in [pool.allocate(2 * MIB) for _ in range(3)]:
        pool.free(block)
    assert pool.mapped_bytes == 6 * MIB
    assert pool.allocate(12 * MIB) is not None
    assert "Garbage collection: deallocate free memory regions" in caplog.text
    assert pool.allocate(12 * MIB) is None


def test_a_request_that_cannot_fit_changes_nothing():
    pool = Pool(8 * MIB)
    first = pool.allocate(5 * MIB)
    before = chunks(pool), pool.bytes_in_use, pool.count
    assert pool.allocate(4 * MIB) is None
    assert pool.allocate(1 << 60) is None
    assert (chunks(pool), pool.bytes_in_use, pool.count) == before
    pool.free(first)
    assert pool.allocate(8 * MIB) is not None


def test_fragmentation_is_real():
    pool = Pool(8 * MIB)
    held = [pool.allocate(MIB) for _ in range(8)]
    for block in held[::2]:
        pool.free(block)
    assert pool.free_bytes == 4 * MIB
    assert pool.largest_free_bytes == MIB
    assert pool.allocate(2 * MIB) is None


def test_the_peak_starts_anew():
    pool = Pool(8 * MIB)
    kept, gone = pool.allocate(MIB), pool.allocate(2 * MIB)
    pool.free(gone)
    assert pool.peak_bytes == 3 * MIB
    pool.reset_peak()
    assert (pool.peak_bytes, pool.largest_bytes, pool.count) == (kept.size, 0, 0)


def test_an_interrupted_pool_is_made_whole_from_its_chains():
    pool = Pool(8 * MIB)
    held = [pool.allocate(MIB) for _ in range(4)]
    held[1].holder = None  # given back, but not joined and not listed
    del pool._sizes[0]
    pool.rebuild()
    check(pool)
    assert pool.bytes_in_use == 3 * MIB
