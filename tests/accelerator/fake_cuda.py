"""CUDA cards on a machine without one: torch's fake tensors stand for what lies in their memory.

A fake tensor has a dtype, a shape and a device, and goes the ways that torch takes for CUDA, down
to the kernel. Tensors of the host are real. So mixing the two, mixing cards, or reading a value of
a card on the host shows as an error, as does an op that torch lacks on CUDA.
"""

import contextlib
import ctypes
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    FakeTensor,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from placewise.devices import accelerator, inventory
from placewise.devices.facts import Card, Found

CARDS = tuple(
    Card(
        name="Tesla V100-SXM2-16GB",
        vendor="nvidia",
        total_bytes=16 << 30,
        free_bytes=16 << 30,
        capability=(7, 0),
        multiprocessors=80,
        bus_id=f"0000:0{place}:00.0",
        uuid=f"GPU-{place}",
        speed=15e12,
        torch_type="cuda",
    )
    for place in range(4)
)


class _Memory(SimpleNamespace):
    """What torch.cuda tells of a card's memory: nothing is in it."""

    def memory_stats(self, index):
        return {}

    def empty_cache(self):
        pass


class HostIsReal(TorchDispatchMode):
    """Leaves what touches a card to the fake mode below it, and runs the rest as it is.

    Threads take turns: they share the fake mode, whose tensors mix with those of no other.
    """

    def __init__(self):
        super().__init__()
        self._turn = threading.RLock()

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(map(_is_of_a_card, tree_leaves((args, kwargs)))):
            with self._turn:
                return op(*args, **kwargs)
        with unset_fake_temporarily():
            return op(*args, **kwargs)


def _is_of_a_card(value):
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, FakeTensor)


class ReadError(DataDependentOutputException):
    """A value that lies on a card was read on the host."""


def _let_torch_guard_cuda():
    """Give torch a guard for CUDA devices: a CPU build has none, and asks for it on the way.

    The host's does nothing, which is right here; torch keeps both in one table.
    """
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    guards = (ctypes.c_void_p * 2).in_dll(library, "_ZN3c104impl26device_guard_impl_registryE")
    if not guards[1]:
        guards[1] = guards[0]


class Cards:
    """Four CUDA cards in force; `reads` are the shapes of what the host read from them."""

    def __init__(self):
        self.fake, self.host = FakeTensorMode(allow_non_fake_inputs=True), HostIsReal()
        self.reads, self.may_read = [], False

    @contextlib.contextmanager
    def in_this_thread(self):
        """Let this thread see the cards."""
        before = torch._C._only_lift_cpu_tensors()
        torch._C._set_only_lift_cpu_tensors(True)  # or torch.tensor would make one on the card
        try:
            with self.fake, self.host:
                yield self
        finally:
            torch._C._set_only_lift_cpu_tensors(before)

    def read(self, tensor):
        """Return zeros for what is on a card, if the test lets the host read it."""
        self.reads.append(tuple(tensor.shape))
        if not self.may_read:
            raise ReadError("numpy")
        kind = torch.empty(0, dtype=tensor.dtype, device="cpu").numpy().dtype
        return np.zeros(tuple(tensor.shape), kind)


@contextlib.contextmanager
def cuda_cards(monkeypatch):
    """Let placewise find four CUDA cards."""
    _let_torch_guard_cuda()
    cards = Cards()
    run = threading.Thread.run

    def run_with_cards(thread):
        with cards.in_this_thread():
            run(thread)

    monkeypatch.setattr(threading.Thread, "run", run_with_cards)
    monkeypatch.setattr(FakeTensor, "numpy", lambda tensor: cards.read(tensor), raising=False)
    monkeypatch.setattr(accelerator, "find", lambda environment: Found(CARDS))
    modules = torch.get_device_module
    monkeypatch.setattr(
        torch,
        "get_device_module",
        lambda device: _Memory() if torch.device(device).type == "cuda" else modules(device),
    )
    inventory.reset()
    with cards.in_this_thread():
        yield cards
    inventory.reset()
