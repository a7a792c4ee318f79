"""torch.accel: what torch.cuda has, for the test device."""

import contextlib
from dataclasses import dataclass

import test_accelerator_native as native
import torch
from torch.accelerator import memory_stats as _stats

from test_accelerator import cards
from test_accelerator.counting import Counted

counted = Counted
counters = native.counters
reset_counters = native.reset_counters
empty_cache = native.empty_cache
switch = native.switch
set_asynchronous_asserts = native.set_asynchronous_asserts
_is_in_bad_fork = native.is_forked
Stream, Event = torch.Stream, torch.Event


@dataclass(frozen=True)
class Properties:
    """What is known about a card."""

    name: str
    total_memory: int
    multi_processor_count: int
    uuid: str


@dataclass(frozen=True)
class PlacedProperties(Properties):
    """The same of a card whose place on the bus is known."""

    pci_domain_id: int
    pci_bus_id: int
    pci_device_id: int


def _index(device=None):
    if device is None:
        return native.current_card()
    if isinstance(device, int):
        return native.current_card() if device < 0 else device
    index = torch.device(device).index
    return native.current_card() if index is None else index


def _card(device=None):
    index = _index(device)
    if not 0 <= index < native.card_count():
        raise RuntimeError(f"accel error: invalid device ordinal {index}")
    return index


def is_available():
    """Return whether there is a card, and the device is switched on."""
    return native.is_switched_on() and native.card_count() > 0


def device_count():
    """Return the number of cards; 0 while the device is switched off."""
    return native.card_count() if native.is_switched_on() else 0


def current_device():
    """Return the card of this thread."""
    return native.current_card()


def set_device(device):
    """Make a card this thread's."""
    if _index(device) >= 0:
        native.set_current_card(_card(device))


@contextlib.contextmanager
def device(device):
    """Make a card this thread's inside the context."""
    before = native.current_card()
    set_device(device)
    try:
        yield
    finally:
        native.set_current_card(before)


def synchronize(device=None):
    """Wait for a card; raise if a kernel assert failed on it."""
    native.check_health(_card(device))


def get_device_properties(device=None):
    """Return the facts of a card."""
    index = _card(device)
    uuid = f"acce1e00-0000-4000-8000-{index:012d}"
    facts = (cards.name_of(index), native.total_bytes(), 16, uuid)
    place = cards.bus_of(index)
    return Properties(*facts) if place is None else PlacedProperties(*facts, *place)


def get_device_name(device=None):
    """Return the name of a card."""
    return get_device_properties(device).name


def memory_stats(device=None):
    """Return the figures of a card's memory, by torch.cuda's names."""
    return _stats(_card(device))


def memory_allocated(device=None):
    """Return the bytes that tensors hold."""
    return memory_stats(device)["allocated_bytes.all.current"]


def max_memory_allocated(device=None):
    """Return the most bytes that tensors held."""
    return memory_stats(device)["allocated_bytes.all.peak"]


def memory_reserved(device=None):
    """Return the bytes that were taken from the card and not given back."""
    return memory_stats(device)["reserved_bytes.all.current"]


def mem_get_info(device=None):
    """Return the free and all bytes of a card."""
    return torch.accelerator.get_memory_info(_card(device))


def reset_peak_memory_stats(device=None):
    """Let peaks start anew from what is in use."""
    torch.accelerator.reset_peak_memory_stats(_card(device))


def set_per_process_memory_fraction(fraction, device=None):
    """Let tensors have this part of a card at most."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    native.set_limit(_card(device), int(fraction * native.total_bytes()))


def set_memory_limit(limit_bytes, device=None):
    """Let tensors have this many bytes of a card at most; None lifts the limit."""
    total = native.total_bytes()
    native.set_limit(_card(device), total if limit_bytes is None else limit_bytes)


def set_total_memory(total_bytes):
    """Let each card have this many bytes, less than it was made with; None gives all back."""
    native.set_total(total_bytes or 0)


def reset_device(device=None):
    """Let a card work again after a kernel assert. A real one needs a new process."""
    native.reset_card(_card(device))


def manual_seed(seed):
    """Seed the current card's random numbers."""
    native.default_generator(native.current_card()).manual_seed(seed)


def manual_seed_all(seed):
    """Seed every card's random numbers."""
    for index in range(native.card_count()):
        native.default_generator(index).manual_seed(seed)


def initial_seed():
    """Return the seed of the current card."""
    return native.default_generator(native.current_card()).initial_seed()


def get_rng_state(device="accel"):
    """Return the state of a card's random numbers."""
    return native.default_generator(_card(device)).get_state()


def set_rng_state(state, device="accel"):
    """Set the state of a card's random numbers."""
    native.default_generator(_card(device)).set_state(state)


def is_initialized():
    """Return True: nothing has to be started."""
    return True


def init():
    """Do nothing: nothing has to be started."""


_lazy_init = init


def current_stream(device=None):
    """Return the stream of a card that this thread uses."""
    return torch.accelerator.current_stream(_card(device))


def is_bf16_supported():
    """Return True: what the host computes, the cards do."""
    return True


def get_amp_supported_dtype():
    """Return the dtypes that autocast may use."""
    return [torch.float16, torch.bfloat16]
