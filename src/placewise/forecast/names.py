"""Short names of devices in traces: `GPU:1`; in a simulated cluster numbered through all tasks."""

from __future__ import annotations

import functools

from placewise.devices.cluster_machine import is_cluster, parse_cluster_machine
from placewise.devices.inventory import Inventory, discovery, inventory
from placewise.devices.machine import parse_machine
from placewise.eager.log import short as last_part


def short(name: str) -> str:
    """Return the name of a device as `cost.machine.MachineSpec` has it."""
    return _numbered(inventory()).get(name) or last_part(name)


@functools.lru_cache(maxsize=1)  # an inventory never changes
def _numbered(present: Inventory) -> dict[str, str]:
    text = discovery().machine
    if not is_cluster(text):
        return {}
    tasks = [task.name for task in parse_cluster_machine(text or "")]
    names = {
        device.name: f"CPU:{tasks.index(device.name.removesuffix(device.local_name))}"
        for device in present.of_kind("CPU")
        if device.index == 0
    }
    cards = sorted(
        present.of_kind("GPU"), key=lambda device: device.card.bus_id if device.card else ""
    )
    return names | {device.name: f"GPU:{index}" for index, device in enumerate(cards)}


def describe_tasks(text: str) -> tuple[str, ...]:
    """Return a note on the numbers of the devices of a cluster's tasks; none of one machine.

    >>> describe_tasks("ps=1x0, worker=1x(2xV100)")
    ('/job:ps/task:0 has CPU:0; /job:worker/task:0 has CPU:1, GPU:0 to GPU:1',)
    """
    lines, first = [], 0
    for number, task in enumerate(parse_cluster_machine(text) if is_cluster(text) else ()):
        count = len(parse_machine(task.machine))
        cards = (
            f", GPU:{first} to GPU:{first + count - 1}" if count > 1 else f", GPU:{first}" * count
        )
        lines.append(f"/job:{task.job}/task:{task.task} has CPU:{number}{cards}")
        first += count
    return ("; ".join(lines),) if lines else ()
