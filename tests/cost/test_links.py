"""Links between devices."""

import pytest

from placewise.cost.collectives import all_reduce_seconds, parameter_server_seconds
from placewise.cost.links import link_between
from placewise.cost.machine import MachineSpec

# Machine, source, target, link, lowest and highest GB/s.
LINKS = [
    ("V100", "CPU:0", "GPU:0", "PCIe 3.0 x16", 10, 14),
    ("V100", "GPU:0", "CPU:0", "PCIe 3.0 x16", 10, 14),
    ("K20m", "CPU:0", "GPU:0", "PCIe 2.0 x16", 5, 7),
    ("H100", "CPU:0", "GPU:0", "PCIe 5.0 x16", 40, 60),
    ("2xV100", "GPU:0", "GPU:1", "NVLink 2", 100, 150),
    ("8xV100", "GPU:0", "GPU:1", "NVLink 2", 20, 50),
    ("8xA100", "GPU:0", "GPU:7", "NVLink 3", 200, 300),
    ("4xV100@pcie3", "GPU:0", "GPU:1", "PCIe 3.0 x16", 8, 13),
    ("2xT4", "GPU:0", "GPU:1", "PCIe 3.0 x16", 8, 13),
    ("A100@pcie3", "CPU:0", "GPU:0", "PCIe 3.0 x16", 10, 14),
    ("V100", "CPU:0", "CPU:0", "memory", 5, 50),
]


@pytest.mark.parametrize(("text", "source", "target", "name", "least", "most"), LINKS)
def test_link(text, source, target, name, least, most):
    link = link_between(source, target, MachineSpec.parse(text))
    assert link.name == name
    assert least * 1e9 < link.bandwidth < most * 1e9


# Machine, source, target, what waiting for it is called.
BOUNDS = [
    ("2xV100", "CPU:0", "GPU:0", "copies over PCIe"),
    ("2xV100", "GPU:0", "GPU:1", "NVLink"),
    ("2xMI300X", "GPU:0", "GPU:1", "Infinity Fabric"),
    ("M1Max", "CPU:0", "GPU:0", "host"),
    ("GH200", "CPU:0", "GPU:0", "NVLink"),
]


@pytest.mark.parametrize(("text", "source", "target", "bound"), BOUNDS)
def test_bound(text, source, target, bound):
    assert link_between(source, target, MachineSpec.parse(text)).bound == bound


def test_a_small_copy_takes_its_latency():
    link = link_between("CPU:0", "GPU:0", MachineSpec.parse("V100"))
    assert link.latency < link.seconds(4) < 2 * link.latency


def test_cards_share_uplinks_only_where_there_are_many():
    def shared(text):
        machine = MachineSpec.parse(text)
        lanes = [set(link_between("CPU:0", f"GPU:{i}", machine).lanes) for i in (0, 1)]
        return bool(lanes[0] & lanes[1])

    assert not shared("4xV100")
    assert shared("8xV100")
    assert shared("2xK80")  # two GPUs of one board


def devices(count):
    return [f"GPU:{index}" for index in range(count)]


def test_all_reduce_of_one_card_is_free():
    assert all_reduce_seconds(1 << 30, devices(1), MachineSpec.parse("V100")) == 0


def test_all_reduce_over_nvlink_is_faster_than_over_pcie():
    size = 100 << 20
    linked, bus = MachineSpec.parse("4xV100"), MachineSpec.parse("4xV100@pcie3")
    fast, slow = (all_reduce_seconds(size, devices(4), machine) for machine in (linked, bus))
    assert 4 * fast < slow
    # Each sends 2 (n - 1) / n of it over some ten gigabytes a second.
    assert 0.01 < slow < 0.04


def test_the_first_nvlink_does_not_join_more_than_four_cards():
    machine = MachineSpec.parse("8xP100-SXM2")
    four, eight = (all_reduce_seconds(100 << 20, devices(n), machine) for n in (4, 8))
    assert eight > 1.8 * four


def test_a_parameter_server_takes_longer_with_shared_uplinks():
    machine = MachineSpec.parse("8xV100")
    two = parameter_server_seconds(100 << 20, devices(2), machine)
    one = parameter_server_seconds(100 << 20, devices(1), machine)
    assert two == pytest.approx(2 * one)


def test_cards_for_games_without_peer_access_send_through_the_host():
    def speed(card: str) -> float:
        return link_between("GPU:0", "GPU:1", MachineSpec.parse(f"2x{card}@pcie3")).bandwidth

    assert speed("GTX1080Ti") == speed("QuadroRTX8000") > speed("RTX2080Ti")
