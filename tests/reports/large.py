"""A made-up recording of a large graph: layers of scopes, on several devices."""

from __future__ import annotations

from placewise.eager.log import Copy
from placewise.profiler.recording import CopyRun, Group, Node, OpRun, Recording, Run, Sample
from placewise.reports.device_facts import DeviceFacts

_OPS = ("MatMul", "BiasAdd", "Relu", "Mul", "AddV2")


def device(index: int) -> str:
    """Return the full name of a GPU."""
    return f"/job:localhost/replica:0/task:0/device:GPU:{index}"


def large_recording(nodes: int, devices: int = 4, runs: int = 2) -> Recording:
    """Return a recording of so many ops, each of which ran `runs` times."""
    result = Recording(began=0, began_epoch_ns=0)
    result.groups.append(Group("session", "Session.run", "train.py:30", count=runs))
    for number in range(nodes):
        block, layer, op = number // 500, number % 500 // 5, number % 5
        node = Node(
            _OPS[op],
            f"tower_{block % devices}/block_{block}/layer_{layer}/{_OPS[op]}",
            device(block % devices),
            requested=f"/device:GPU:{block % devices}",
            reason=f"requested /device:GPU:{block % devices}",
            line=f"train.py:{10 + op}",
            inputs=("float32[32,64]",),
            outputs=("float32[32,64]",),
            sources={number - 1} if number else set(),
            count=runs,
            total_ns=runs * 9_000,
        )
        result.nodes.append(node)
    now = 1_000_000
    for run in range(runs):
        begun = now
        for number in range(nodes):
            result.ops.append(OpRun(number, now, now + 9_000, run, 0))
            now += 10_000
            if number % 500 == 499 and number + 1 < nodes:
                source, target = (device((number + k) // 500 % devices) for k in (0, 1))
                copy = Copy(0, source, target, 8192, "copy", "", f"{result.nodes[number].name}:0")
                result.copies.append(CopyRun(copy, now, now + 2_000, run, 0, len(result.ops) - 1))
        result.runs.append(Run(0, run + 1, begun, now, is_detailed=True))
        result.groups[0].total_ns += now - begun
        result.memory.setdefault(device(0), []).append(Sample(now, (run + 1) << 20))
    result.ended = now
    return result


def large_devices(devices: int = 4) -> list[DeviceFacts]:
    """Return the devices of that recording."""
    names = [("/job:localhost/replica:0/task:0/device:CPU:0", "CPU:0")]
    names += [(device(index), f"GPU:{index}") for index in range(devices)]
    return [DeviceFacts(name, label, model="Tesla V100") for name, label in names]
