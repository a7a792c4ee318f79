"""How much of a card's memory a device may have."""

from dataclasses import replace

import pytest

from placewise.core.errors import InternalError, InvalidArgumentError
from placewise.devices.facts import GIB, MIB
from placewise.devices.limits import default_bytes, fraction_bytes, system_reserve_bytes
from placewise.devices.machine import parse_machine


def card(machine, **facts):
    return replace(parse_machine(machine)[0], **facts)


@pytest.mark.parametrize(
    ("free", "capability", "reserve"),
    [
        (2 * GIB - 1, (9, 0), 225),
        (2 * GIB, (3, 5), 500),
        (8 * GIB, (6, 1), 500),
        (8 * GIB, (7, 0), 1050),
        (8 * GIB, (8, 9), 1536),
        (8 * GIB, (9, 0), 1800),
        (8 * GIB, (12, 0), 1800),
        (8 * GIB, None, 500),
    ],
)
def test_the_reserve(free, capability, reserve):
    assert system_reserve_bytes(free, capability) == reserve * MIB


def test_the_default_is_free_memory_minus_the_reserve():
    assert default_bytes(card("K40c", free_bytes=10 * GIB)) == 10 * GIB - 500 * MIB
    assert default_bytes(card("K40c:2GiB")) == 2 * GIB - 2 * MIB - 225 * MIB
    assert default_bytes(card("K40c:100MiB", free_bytes=100 * MIB)) == 100 * MIB


def test_a_fraction_is_of_total_memory():
    assert fraction_bytes(card("K40c:2GiB", free_bytes=GIB), 0.4) == int(2 * GIB * 0.4)
    assert fraction_bytes(card("K40c:2GiB"), 1.0) == 2 * GIB
    with pytest.raises(InternalError, match="Unified memory on GPUs with compute capability lower"):
        fraction_bytes(card("K40c"), 1.5)


@pytest.mark.parametrize("fraction", [1.5, 1.0001, -0.5, float("nan"), float("inf")])
def test_what_is_no_part_of_a_card_is_refused_as_it_was_given(fraction):
    with pytest.raises(InvalidArgumentError) as caught:
        fraction_bytes(card("V100"), fraction)
    said = f"per_process_gpu_memory_fraction must be between 0 and 1, got {fraction!r}"
    assert caught.value.message.splitlines()[0].partition(":")[0] == said
