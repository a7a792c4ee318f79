"""`placewise check --kernels`: whether a GPU of this machine computes what its CPU does.

A line for each sample that differs or fails and a summary, or JSON with all that a report needs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from placewise.check.facts import describe_device, describe_software
from placewise.check.outcome import Outcome, Verdict
from placewise.check.supervisor import NotStartedError, Supervisor
from placewise.cli.errors import UnusableError
from placewise.cli.settings import checked_machine
from placewise.cli.table import remarks
from placewise.core import environment
from placewise.core.activity import phase
from placewise.devices import inventory
from placewise.devices.device import Device
from placewise.devices.report import describe_machine

_ORDER: tuple[Verdict, ...] = ("fails", "differs", "skipped")


class NoGpuError(Exception):
    """There is no GPU to check; the message says why."""


def check_kernels(arguments: argparse.Namespace) -> int:
    """Check a GPU, print what was found, and return the exit status."""
    try:
        variables = _environment(arguments.simulate)
        gpu = find_gpu(arguments.device)
    except (NoGpuError, UnusableError) as error:
        print(f"placewise check: {error}", file=sys.stderr)
        return 2
    supervisor = Supervisor(gpu.index, variables)
    try:
        outcomes = list(_with_progress(supervisor))
    except NotStartedError as error:
        print(f"placewise check: no sample could be run: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if arguments.json:
        print(json.dumps(to_json(gpu, supervisor.facts, outcomes), indent=2))
    else:
        print("\n".join(to_lines(gpu, outcomes)))
    return int(any(outcome.verdict in ("fails", "differs") for outcome in outcomes))


def _environment(machine: str | None) -> dict[str, str]:
    """Return the variables of the process that runs the samples; take the machine for this one."""
    # The samples are small: the GPU may be in use, and stays so.
    variables = {"PLACEWISE_MEMORY": environment.read("PLACEWISE_MEMORY") or "growth"}
    if machine is not None:
        inventory.simulate(checked_machine(machine))
        variables["PLACEWISE_SIMULATE"] = machine
    return variables


def find_gpu(name: str) -> Device:
    """Return the GPU of a name such as `GPU:0`; raise NoGpuError in the words of `devices`."""
    try:
        gpus = [device for device in inventory.planned() if device.is_accelerator]
    except ValueError as error:
        raise UnusableError(f"PLACEWISE_SIMULATE: {error}") from None
    if not gpus:
        raise NoGpuError("\n".join(remarks(describe_machine())))
    wanted = "/device:" + name.rpartition("/")[2].removeprefix("device:").upper()
    for gpu in gpus:
        if gpu.local_name == wanted:
            return gpu
    here = ", ".join(gpu.local_name.removeprefix("/device:") for gpu in gpus)
    raise NoGpuError(f"--device {name}: there is no such GPU; here: {here}")


def _with_progress(supervisor: Supervisor) -> Iterator[Outcome]:
    """Yield the outcomes, and count them on a terminal."""
    with phase("checking", "kernels") as count:
        for outcome in supervisor.outcomes():
            count.done, count.total = count.done + 1, len(supervisor.cases)
            yield outcome


def to_lines(gpu: Device, outcomes: Iterable[Outcome]) -> list[str]:
    """Return a line for each sample that was not the same, then the summary."""
    outcomes = list(outcomes)
    lines = [
        f"{outcome.op} {outcome.sample}  {outcome.verdict}  {outcome.what}\n    {outcome.call}"
        for verdict in _ORDER
        for outcome in outcomes
        if outcome.verdict == verdict
    ]
    return [*lines, *_summary(gpu, outcomes)]


def _summary(gpu: Device, outcomes: list[Outcome]) -> list[str]:
    counts = Counter(outcome.verdict for outcome in outcomes)
    ops = len({outcome.op for outcome in outcomes})
    parts = [f"{counts['same']} same", f"{counts['differs']} differ", f"{counts['fails']} fail"]
    if counts["skipped"]:
        parts.append(f"{counts['skipped']} skipped")
    lines = [f"{len(outcomes)} samples of {ops} ops: {', '.join(parts)} on {_device_text(gpu)}"]
    elsewhere = [outcome for outcome in outcomes if outcome.device.startswith("CPU")]
    if elsewhere:
        number = len({outcome.op for outcome in elsewhere})
        lines.append(
            f"{len(elsewhere)} of them, of {number} ops, ran on the CPU: GPUs have no kernel for "
            "their types"
        )
    return lines


def _device_text(gpu: Device) -> str:
    model = gpu.card.name if gpu.card else gpu.local_name
    short = gpu.local_name.removeprefix("/device:")
    return f"{model} ({f'simulated {short}' if gpu.simulated else gpu.torch_device})"


def to_json(gpu: Device, torch: dict[str, Any], outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the same for a bug report: versions, driver and card, and what was not the same."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    return {
        "summary": _summary(gpu, outcomes)[0],
        "versions": describe_software(),
        "torch": torch,
        "device": describe_device(gpu),
        "counts": {"same": counts["same"], **{verdict: counts[verdict] for verdict in _ORDER}},
        "gradients_compared": sum(outcome.has_gradient for outcome in outcomes),
        "ran_on_the_cpu": sorted({o.op for o in outcomes if o.device.startswith("CPU")}),
        "samples": [
            {
                "op": outcome.op,
                "sample": outcome.sample,
                "call": outcome.call,
                "verdict": outcome.verdict,
                "what": outcome.what,
                "device": outcome.device or None,
            }
            for verdict in _ORDER
            for outcome in outcomes
            if outcome.verdict == verdict
        ],
    }
