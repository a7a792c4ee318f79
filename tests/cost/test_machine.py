"""Machines as costs need them."""

import pytest

from placewise.cost.machine import MachineSpec
from placewise.devices.facts import GIB


def test_devices_are_numbered_by_bus_id():
    machine = MachineSpec.parse("V100@09:00.0,K40c@05:00.0")
    assert [model.aliases[0] for model in machine.models] == ["K40c", "V100"]
    assert machine.devices == ("CPU:0", "GPU:0", "GPU:1")


def test_the_host_is_what_is_said():
    machine = MachineSpec.parse("2xV100,host:64GiB/32cores")
    assert (machine.processor.cores, machine.processor.memory_bytes) == (32, 64 * GIB)


def test_a_host_without_description_grows_with_the_cards():
    assert MachineSpec.parse("V100").processor.cores < MachineSpec.parse("8xV100").processor.cores


def test_memory_of_a_card_is_what_is_said():
    assert MachineSpec.parse("V100:2GiB").memory_bytes == (2 * GIB,)


def test_two_gpus_of_one_board_are_slower_together():
    alone, together = MachineSpec.parse("K80").models[0], MachineSpec.parse("2xK80").models[0]
    assert together.fp32 < alone.fp32
    assert MachineSpec.parse("2xV100").models[0] == MachineSpec.parse("V100").models[0]


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"has no GPU:1: CPU:0, GPU:0"):
        MachineSpec.parse("V100").model("GPU:1")


def test_full_device_names_are_understood():
    machine = MachineSpec.parse("2xV100")
    assert machine.model("/job:localhost/replica:0/task:0/device:GPU:1") is machine.models[1]
    assert machine.model("/device:CPU:0") is machine.processor
