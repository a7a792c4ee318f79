"""Real GPUs through a stand-in for torch.cuda."""

import pytest
import torch

from placewise.devices.budget import Budget
from placewise.devices.device import Device
from placewise.devices.handles import PhysicalDevice
from placewise.devices.machine import parse_machine
from placewise.memory import accelerator, ledgers
from placewise.memory.accelerator import Accelerator, prepare

GIB = 1 << 30


class Cuda:
    """Remembers what it is told, and counts one cached block."""

    def __init__(self):
        self.told = []
        self.stats = {"allocated_bytes.all.current": 0, "reserved_bytes.all.current": 0}

    def set_per_process_memory_fraction(self, fraction, index):
        self.told.append(("fraction", fraction, index))

    def memory_stats(self, index):
        return {f"{key}": value for key, value in self.stats.items()}

    def reset_peak_memory_stats(self, index):
        self.told.append(("reset", index))

    def empty_cache(self):
        self.stats["reserved_bytes.all.current"] = 0


def real(limit=4 * GIB, index=0, machine=None, **facts):
    return Device(
        "GPU",
        index,
        PhysicalDevice("/physical_device:GPU:0", "GPU"),
        torch_device="cuda:1",
        card=_card(),
        cuda_index=1,
        machine=machine,
        budget=budget(limit_bytes=limit, grows=False, **facts),
    )


def _card():
    from dataclasses import replace

    return replace(parse_machine("V100")[0], simulated=False)


def budget(**facts):
    plain = {
        "device": "GPU:0",
        "kind": "fraction",
        "limit_bytes": 4 * GIB,
        "grows": True,
        "total_bytes": 16 * GIB,
        "limit_set_by": "here",
    }
    return Budget(**{**plain, **facts})


def test_the_fraction_is_told_to_torch():
    cuda = Cuda()
    Accelerator(real(), budget(), cuda)
    assert cuda.told == [("fraction", 0.25, 1)]


def test_without_growth_memory_is_reserved_at_the_first_use(monkeypatch):
    asked = []

    def empty(size, **where):
        asked.append((size, where["device"]))
        if len(asked) == 1:
            raise RuntimeError("CUDA out of memory")

    monkeypatch.setattr(torch, "empty", empty)
    Accelerator(real(), budget(grows=False), Cuda())
    assert asked == [(4 * GIB, "cuda:1"), (4 * GIB * 9 // 10, "cuda:1")]


def test_figures_are_torch_s():
    cuda = Cuda()
    cuda.stats = {
        "allocated_bytes.all.current": 5,
        "allocated_bytes.all.peak": 7,
        "reserved_bytes.all.current": 20,
        "allocation.all.allocated": 3,
    }
    found = Accelerator(real(), budget(), cuda)
    assert (found.bytes_in_use, found.peak_bytes, found.mapped_bytes, found.count) == (5, 7, 20, 3)
    found.reset_peak()
    assert ("reset", 1) in cuda.told
    assert found.give_back() == 20


def test_torch_s_fraction_is_never_less_than_the_limit():
    for limit in (18 << 20, 1000003, 5 * GIB + 256):
        cuda = Cuda()
        Accelerator(real(), budget(limit_bytes=limit, total_bytes=12884901888), cuda)
        [(_, share, _)] = cuda.told
        assert limit <= int(share * 12884901888) <= limit + 1


def test_what_is_asked_for_to_reserve_does_not_fit_into_torch_s_cache(monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "empty", lambda size, **where: asked.append(size))
    cuda = Cuda()
    cuda.stats = {"allocated_bytes.all.current": GIB, "reserved_bytes.all.current": 3 * GIB}
    Accelerator(real(), budget(grows=False), cuda)
    assert asked == [3 * GIB]
    cuda.stats["reserved_bytes.all.current"] = 4 * GIB
    Accelerator(real(), budget(grows=False), cuda)
    assert len(asked) == 1, "all is reserved"


def test_the_largest_free_block_is_the_one_torch_tells_of():
    cuda = Cuda()
    cuda.stats = {"allocated_bytes.all.current": 2 * GIB, "reserved_bytes.all.current": 3 * GIB}
    blocks = [(GIB // 4, "inactive"), (GIB // 2, "inactive"), (2 * GIB, "active_allocated")]
    cuda.memory_snapshot = lambda: [
        {"device": 1, "blocks": [{"size": size, "state": state} for size, state in blocks]},
        {"device": 0, "blocks": [{"size": 3 * GIB, "state": "inactive"}]},
    ]
    found = Accelerator(real(), budget(), cuda)
    assert found.largest_free_bytes == GIB, "may still be taken from the card"
    cuda.stats["reserved_bytes.all.current"] = 4 * GIB
    assert found.largest_free_bytes == GIB // 2
    error = found.shortage((GIB // 4,), torch.float32, GIB)
    assert "fragmentation: 2.00GiB are free, but in pieces smaller than 1.00GiB" in str(error)


@pytest.mark.parametrize(
    ("said", "grows", "after", "answer"),
    [
        (None, True, "expandable_segments:True", True),
        ("max_split_size_mb:64", True, "max_split_size_mb:64,expandable_segments:True", True),
        ("expandable_segments:False", True, "expandable_segments:False", False),
        (None, False, None, False),
    ],
)
def test_growth_asks_for_expandable_segments(said, grows, after, answer):
    variables = {} if said is None else {"PYTORCH_CUDA_ALLOC_CONF": said}
    assert prepare(grows, variables) is answer
    assert variables.get("PYTORCH_CUDA_ALLOC_CONF") == after


def test_an_undivided_card_is_torch_s_alone_and_a_divided_one_has_a_ledger(monkeypatch):
    cuda = Cuda()
    monkeypatch.setattr(accelerator.torch, "get_device_module", lambda device: cuda)
    monkeypatch.setattr(Accelerator, "_reserve", lambda self, size: None)
    whole = real(4 * GIB)
    assert ledgers.ledger_of(whole) is None
    assert ledgers.statistics_of(whole).limit_bytes == 4 * GIB
    ledgers.release(whole)
    part = real(1000 * (1 << 20) + 256, kind="limit", is_part=True)
    assert ledgers.ledger_of(part) is not None
    assert ledgers.statistics_of(part).limit_bytes == 1000 * (1 << 20) + 256
    ledgers.release(part)


def test_a_real_gpu_is_prepared_before_torch_uses_it(monkeypatch):
    cuda, told = Cuda(), []
    monkeypatch.setattr(accelerator.torch, "get_device_module", lambda device: cuda)
    monkeypatch.setattr(ledgers, "prepare", told.append)
    monkeypatch.setattr(Accelerator, "_reserve", lambda self, size: told.append("reserved"))
    gpu = real(4 * GIB)
    ledgers.attach([gpu])
    assert told == [False, "reserved"], "at once, not at the first result"
    assert gpu.account is None, "torch counts"
    ledgers.release(gpu)


def test_torch_bounds_the_parts_of_a_card_together(monkeypatch):
    cuda, machine = Cuda(), object()
    monkeypatch.setattr(accelerator.torch, "get_device_module", lambda device: cuda)
    monkeypatch.setattr(Accelerator, "_reserve", lambda self, size: None)
    parts = [real(size * GIB, size - 1, machine, kind="limit", is_part=True) for size in (1, 2)]
    ledgers.attach(parts)
    assert [share for _, share, _ in cuda.told] == [1 / 16, 3 / 16]
    for part in parts:
        ledgers.release(part)


class Metal:
    """torch.mps as it is: no index, no table of statistics."""

    def __init__(self):
        self.share = None

    def set_per_process_memory_fraction(self, share):
        self.share = share

    def current_allocated_memory(self):
        return 11

    def driver_allocated_memory(self):
        return 22

    def empty_cache(self):
        pass


def test_the_gpu_of_an_apple_processor_tells_what_it_can():
    metal, gpu = Metal(), real()
    gpu.torch_device = "mps"
    found = Accelerator(gpu, budget(), metal)
    assert metal.share == 0.25
    assert (found.bytes_in_use, found.mapped_bytes, found.count) == (11, 22, 0)
    found.reset_peak()
    assert found.give_back() == 0


class Counts:
    """What torch.accelerator tells of a GPU whose own module tells nothing."""

    def __init__(self):
        self.told = []

    def current_accelerator(self):
        return torch.device("cuda")

    def memory_stats(self, index):
        return {"allocated_bytes.all.current": 7 + index, "reserved_bytes.all.current": 9}

    def reset_peak_memory_stats(self, index):
        self.told.append(("reset", index))

    def empty_cache(self):
        self.told.append(("empty",))


def test_a_module_without_functions_is_served_by_torch_accelerator(monkeypatch):
    counts = Counts()
    monkeypatch.setattr(torch, "accelerator", counts)
    counted = Accelerator(real(), budget(), object())
    assert (counted.bytes_in_use, counted.mapped_bytes, counted.count) == (8, 9, 0)
    counted.reset_peak()
    assert counted.give_back() == 0
    assert counts.told == [("reset", 1), ("empty",)]


def test_an_allocator_that_counts_nothing_counts_as_nothing(monkeypatch):
    class Silent(Counts):
        def memory_stats(self, index):
            raise RuntimeError("the allocator is not a DeviceAllocator")

    monkeypatch.setattr(torch, "accelerator", Silent())
    counted = Accelerator(real(), budget(), object())
    assert (counted.bytes_in_use, counted.peak_bytes, counted.give_back()) == (0, 0, 0)
