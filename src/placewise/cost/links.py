"""How bytes get from one device to another: over which link, how fast, and what else shares it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from placewise.cost.machine import BOARDS_OF_TWO, MachineSpec
from placewise.devices.facts import Model

# A copy out of pinned memory reaches some four fifths of the bus (CUDA's bandwidthTest: 12 to 13
# of 15.75 GB/s of PCIe 3.0 x16).
_BUS_SHARE = 0.78
# Between cards without a link of their own: through the switch, where packets are smaller.
_PEER_SHARE = 0.65
# GeForce cards have no peer access over PCIe from Turing on: bytes go through the host's memory,
# where the two copies overlap in part.
_THROUGH_HOST_SHARE = 0.45
_BRIDGE_SHARE = 0.6  # from one processor's cards to another's
_NVLINK_SHARE = 0.85
_BUS_LATENCY = 10e-6  # issue, DMA setup and the event that tells of its end
_NVLINK_LATENCY = 8e-6
_WITHOUT_SWITCH = {"NVLink 1": 4, "NVLink 2": 6}  # how many links a card has
# Headers, and a sender that is not always ready, leave some nine tenths of an Ethernet to TCP.
_NETWORK_SHARE = 0.9
_HOST_BANDWIDTH = 10e9  # a copy within host memory by one thread
# More cards than that share uplinks in pairs, as a socket has lanes for two; so do both of a board.
_OWN_UPLINKS = 4
_NETWORKS = ("GbE", "InfiniBand")


class Link(NamedTuple):
    """One way between two devices. `lanes` are the streams and wires that a copy holds."""

    name: str  # "PCIe 3.0 x16", "NVLink 2", "memory"
    bandwidth: float  # bytes a second, one direction, as reached
    latency: float
    lanes: tuple[str, ...]

    def seconds(self, nbytes: int) -> float:
        """Return how long a copy takes if nothing else uses the link."""
        return self.latency + nbytes / self.bandwidth

    @property
    def bound(self) -> str:
        """What a step is said to be bound by if it waits for this link."""
        if self.name.startswith("PCIe"):
            return "copies over PCIe"
        if self.name.startswith("NVLink"):
            return "NVLink"
        if self.name.endswith(_NETWORKS) or self.name.startswith(_NETWORKS):
            return "network"
        return "host" if self.name in ("memory", "unified") else self.name


def link_between(source: str, target: str, machine: MachineSpec) -> Link:
    """Return the way from one device to another, by their short names: `CPU:0`, `GPU:1`."""
    if machine.task(source) != machine.task(target):
        return _network_link(source, target, machine)
    if source == target or (_is_host(source) and _is_host(target)):
        return Link("memory", _HOST_BANDWIDTH, 1e-6, (f"{source}>{target}",))
    if _is_host(source) or _is_host(target):
        device = target if _is_host(source) else source
        model = _card(machine, device)
        direction = "in" if _is_host(source) else "out"
        lanes: tuple[str, ...] = (f"{source}>{target}",)
        is_crowded = machine.beside(device) > _OWN_UPLINKS or model.name in BOARDS_OF_TWO
        if is_crowded and model.bus.startswith("PCIe"):
            lanes += (f"uplink {_index(device) // 2} {direction}",)
        bandwidth = (model.bus_bandwidth or machine.processor.bandwidth) * _BUS_SHARE
        return Link(model.bus, bandwidth, _BUS_LATENCY, lanes)
    first, second = _card(machine, source), _card(machine, target)
    lane = (f"{source}>{target}", f"{source} out", f"{target} in")
    if first.link and second.link and first.link_bandwidth and second.link_bandwidth:
        speed = _pair_bandwidth(min(first, second, key=_link_speed), machine.beside(source))
        return Link(first.link, speed * _NVLINK_SHARE, _NVLINK_LATENCY, lane)
    slower = first if first.bus_bandwidth <= second.bus_bandwidth else second
    share = _PEER_SHARE if _has_peers(first) and _has_peers(second) else _THROUGH_HOST_SHARE
    bandwidth = (slower.bus_bandwidth or machine.processor.bandwidth) * share
    return Link(slower.bus, bandwidth, _BUS_LATENCY, lane)


def _network_link(source: str, target: str, machine: MachineSpec) -> Link:
    """Return the way between machines: out of one card, over the network, into the other.

    All devices of a machine share its network card, one direction each.
    """
    ends = [(device, machine.machines[machine.task(device)]) for device in (source, target)]
    slower = min((task.network for _, task in ends), key=lambda network: network.bandwidth)
    buses = [
        link_between(f"CPU:{machine.task(device)}", device, machine)
        for device, _ in ends
        if not _is_host(device)
    ]
    bandwidth = min([slower.bandwidth * _NETWORK_SHARE, *(bus.bandwidth for bus in buses)])
    latency = slower.latency + sum(bus.latency for bus in buses)
    lanes = (f"{ends[0][1].name} out", f"{ends[1][1].name} in")
    return Link(slower.name, bandwidth, latency, lanes)


def crosses_network(devices: Sequence[str], machine: MachineSpec) -> bool:
    """Return whether devices are on more than one machine of a cluster."""
    return len({machine.task(device) for device in devices}) > 1


def ring_bandwidth(devices: Sequence[str], machine: MachineSpec) -> float:
    """Return what each device of a ring can send to the next, with all its links at once."""
    if crosses_network(devices, machine):
        # The ring passes each machine once: its network card carries what one card sends.
        pairs = zip(devices, [*devices[1:], devices[0]], strict=True)
        return min(link_between(source, target, machine).bandwidth for source, target in pairs)
    models = [_card(machine, device) for device in devices]
    if any(model.link == "NVLink 1" for model in models):
        # The libraries of its time made one ring, of one link, in the order of bus ids. Of eight
        # cards only each four are linked all to all: between the fours the ring takes the host's
        # bus.
        bus = min(model.bus_bandwidth for model in models) * _BRIDGE_SHARE
        one = min(_link_speed(model) for model in models) / 2 / _WITHOUT_SWITCH["NVLink 1"]
        return bus if len(devices) > 4 else one * _NVLINK_SHARE
    if all(model.link_bandwidth for model in models):
        return min(_link_speed(model) for model in models) / 2 * _NVLINK_SHARE
    pairs = zip(devices, [*devices[1:], devices[0]], strict=True)
    return min(link_between(source, target, machine).bandwidth for source, target in pairs)


def _has_peers(model: Model) -> bool:
    """Return whether a card reads another one's memory over the bus."""
    return "GeForce" not in model.name or (model.capability or (0, 0)) < (7, 5)


def _link_speed(model: Model) -> float:
    return model.link_bandwidth or 0.0


def _pair_bandwidth(model: Model, count: int) -> float:
    """Return what two cards alone have, one direction.

    The data sheet adds both directions of all links up. A switch gives any pair all of them. Before
    there were switches (NVLink 1 and 2), links went to several neighbours: to a pair of more than
    two cards go one or two of the four or six.
    """
    speed = _link_speed(model) / 2
    if count <= 2 or model.link not in _WITHOUT_SWITCH:
        return speed
    return speed * 1.5 / _WITHOUT_SWITCH[model.link]


def _is_host(device: str) -> bool:
    return device.startswith("CPU")


def _index(device: str) -> int:
    return int(device.rpartition(":")[2])


def _card(machine: MachineSpec, device: str) -> Model:
    model = machine.model(device)
    if not isinstance(model, Model):
        raise TypeError(f"{device} is no card")
    return model
