"""How much of a card's memory a device may have."""

from dataclasses import replace

import pytest

from placewise.core.errors import InternalError, InvalidArgumentError
from placewise.devices.environment import Environment
from placewise.devices.facts import GIB, MIB
from placewise.devices.limits import grows, memory_limit_bytes, system_reserve_bytes
from placewise.devices.machine import parse_machine
from placewise.devices.options import Options


def limit(machine, options=Options(), environment=Environment(), **facts):  # noqa: B008
    return memory_limit_bytes(replace(parse_machine(machine)[0], **facts), options, environment)


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
    assert limit("K40c", free_bytes=10 * GIB) == 10 * GIB - 500 * MIB
    assert limit("K40c:2GiB") == 2 * GIB - 2 * MIB - 225 * MIB
    assert limit("K40c:100MiB", free_bytes=100 * MIB) == 100 * MIB


def test_a_fraction_is_of_total_memory():
    assert limit("K40c:2GiB", Options(memory_fraction=0.4), free_bytes=GIB) == int(2 * GIB * 0.4)
    with pytest.raises(InvalidArgumentError, match=r"must be between 0 and 1, got 1\.5"):
        limit("V100", Options(memory_fraction=1.5))
    with pytest.raises(InternalError, match="Unified memory on GPUs with compute capability lower"):
        limit("K40c", Options(memory_fraction=1.5))


def test_a_reserve_that_is_asked_for_overrides_the_fraction(caplog):
    asked = Environment(min_system_memory_mb="1024")
    assert limit("K40c", Options(memory_fraction=0.5), asked, free_bytes=4 * GIB) == 3 * GIB
    assert limit("K40c", Options(system_memory_mb=2048), asked, free_bytes=4 * GIB) == 2 * GIB
    assert limit("K40c:2GiB", Options(system_memory_mb=4096)) == 2 * GIB - 227 * MIB
    assert "The request is ignored." in caplog.text
    assert limit("K40c:2GiB", Options(), Environment(min_system_memory_mb="x")) > 0


def test_the_environment_overrides_growth(caplog):
    assert grows(True, Environment()) and not grows(False, Environment())
    assert grows(False, Environment(force_growth="true"))
    assert "Original config value was 0." in caplog.text
    assert not grows(True, Environment(force_growth="false"))
    assert grows(True, Environment(force_growth="TRUE"))
    assert 'could not be parsed: "TRUE"' in caplog.text
