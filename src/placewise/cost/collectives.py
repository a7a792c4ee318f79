"""What it costs to bring gradients together: all-reduce among cards, or a parameter server."""

from __future__ import annotations

from collections.abc import Sequence

from placewise.cost.links import crosses_network, link_between, ring_bandwidth
from placewise.cost.machine import MachineSpec

# A ring over NVLink or PCIe keeps this much of a link busy; each step of it waits for a message.
_RING_SHARE = 0.8
_STEP_SECONDS = 6e-6
_START_SECONDS = 15e-6


def all_reduce_seconds(nbytes: int, devices: Sequence[str], machine: MachineSpec) -> float:
    """Return how long the sum over all devices of so many bytes takes to be on each of them.

    In a ring every device sends 2 (n - 1) / n of the bytes.
    """
    count = len(devices)
    if count < 2:
        return 0.0
    sent = 2 * (count - 1) / count * nbytes
    steps = 2 * (count - 1) * max(_STEP_SECONDS, _network_seconds(devices, machine))
    return _START_SECONDS + steps + sent / (ring_bandwidth(devices, machine) * _RING_SHARE)


def _network_seconds(devices: Sequence[str], machine: MachineSpec) -> float:
    """Return how long the slowest message between machines takes, if the devices are on several."""
    if not crosses_network(devices, machine):
        return 0.0
    return max(machine.machines[machine.task(device)].network.latency for device in devices)


def parameter_server_seconds(nbytes: int, devices: Sequence[str], machine: MachineSpec) -> float:
    """Return how long parameters take to each device and gradients back to the host, unoverlapped.

    Both directions of a bus work at once; cards that share an uplink take turns.
    """
    lanes: dict[str, float] = {}
    for device in devices:
        for source, target in (("CPU:0", device), (device, "CPU:0")):
            link = link_between(source, target, machine)
            for lane in link.lanes:
                lanes[lane] = lanes.get(lane, 0.0) + link.seconds(nbytes)
    return max(lanes.values(), default=0.0)
