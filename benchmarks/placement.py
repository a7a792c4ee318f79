"""Automatic placement of fifty models that do not fit one card, and of 20,000 tasks on 8 cards.

Each model is trained for two steps on one large card, and with automatic placement on a simulated
machine of small cards. The table has: the peak on one card; the peak of each small card, measured
and predicted; the estimated step beside that of cards filled in order, both on the timeline of
`placewise.cost`; whether the losses are equal.

    python benchmarks/placement.py              # all models
    python benchmarks/placement.py 0 9 33       # some, by number
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import placewise.v1 as tf
from placewise.devices.inventory import place, simulate
from placewise.placement.automatic.assignment import assign
from placewise.placement.automatic.clustering import grouped, joined
from placewise.placement.automatic.filling import Shapes
from placewise.placement.automatic.memory import overflow, peaks
from placewise.placement.automatic.problem import Problem
from placewise.placement.automatic.starts import filled
from placewise.placement.automatic.tasks import DeviceLimit, Link, Task
from placewise.planning.automatic import placement as automatic
from placewise.planning.automatic.attempts import limits_of
from tests.placement.automatic.models import MACHINE, MODELS, ONE_CARD, Model, train

MIB = 1 << 20


class Filled(NamedTuple):
    """A step with the cards filled in order; None: the cards cannot serve that."""

    seconds: float | None


def filled_in_order(model: Model) -> Filled:
    """Return how long a step takes if the cards are filled in order, to the last byte.

    The quickest of two ways, by single groups and by layers. Of each the allocators must be able to
    serve all tensors, as of the automatic placement.
    """
    with simulate(MACHINE), tf.Graph().as_default():
        place("auto")
        model.build()
        with tf.Session() as session:
            return Filled(_filled_seconds(session))


def _filled_seconds(session: Any) -> float | None:
    devices = session._devices
    free = automatic.free_bytes_of(devices)
    request = automatic.Request(session.graph.get_operations(), devices, False)
    base = request.place(ask=True)
    fed = [op.outputs[0] for op in request.operations if op.type == "Placeholder"]
    graph = automatic._tasks(request, automatic.Circumstances(fed=fed, free_bytes=free), base)
    clock = automatic._Clock(request, graph, base, free)
    clock.spare_tensors = 0
    limits = limits_of(devices, free)
    problem = Problem(graph.tasks, limits, automatic.Costs(devices).link_between)
    durations = []
    for cluster in (grouped, joined):
        placed = filled(Shapes(problem, cluster(problem))).placed()
        if overflow(problem, peaks(problem, placed)):
            continue
        seconds = clock(tuple(limits[device].name for device in placed))
        if seconds is not None:
            durations.append(seconds)
    return min(durations, default=None)


def row(number: int, model: Model) -> tuple[str, bool, bool, bool]:
    """Return a line of the table; whether it is right, not slower than filled, and quicker."""
    one = train(model, ONE_CARD, "first")
    several = train(model, MACHINE, "auto")
    result, in_order = several.assignment, filled_in_order(model).seconds
    most = max(abs(a - b) / abs(a) for a, b in zip(one.losses, several.losses, strict=True))
    is_within = max(several.peak_bytes) <= several.limit_bytes < one.peak_bytes[0]
    is_right = result.fits and is_within and most < 1e-5
    is_not_slower = in_order is None or result.seconds <= in_order
    is_quicker = in_order is None or result.seconds < in_order
    cards = " ".join(
        f"{peak / MIB:4.1f}/{result.peak_bytes[f'GPU:{card}'] / MIB:4.1f}"
        for card, peak in enumerate(several.peak_bytes)
    )
    text = (
        f"{number:2} {model.name[:42]:42} {one.peak_bytes[0] / MIB:5.1f} | {cards} | "
        f"{_us(result.seconds)} {_us(in_order)} | {most:.0e} "
        f"{'' if is_right else 'WRONG'}{'' if is_not_slower else 'SLOWER'}"
    )
    return text, is_right, is_not_slower, is_quicker


def _us(seconds: float | None) -> str:
    return "   none" if seconds is None else f"{seconds * 1e6:7.0f}"


def large(nodes: int = 20_000, cards: int = 8) -> tuple[int, float, Any]:
    """Return the number of tasks, the seconds their assignment takes, and the assignment."""
    tasks = [Task("x", {"CPU": 0.0}, (MIB // 8,), device="CPU:0")]
    branches, depth = 8, nodes // 56
    forward, ends = [], []

    def add(name: str, inputs: Any, size: int, **facts: Any) -> int:
        seconds = 0.0 if "is_state" in facts else 1e-5
        tasks.append(Task(name, {"GPU": seconds}, (size,), inputs, **facts))
        return len(tasks) - 1

    for branch in range(branches):
        value = (0, 0)
        for layer in range(depth):
            name = f"{branch}_{layer}"
            facts = {"resident_bytes": 3 * MIB // 4, "group": name, "is_state": True}
            weights = add(f"w{name}", (), MIB // 4, **facts)
            product = add(f"m{name}", (value, (weights, 0)), MIB // 8)
            active = add(f"r{name}", ((product, 0),), MIB // 8)
            forward.append((branch, name, weights, value, product, active))
            value = (active, 0)
        ends.append(value)
    loss = add("loss", tuple(ends), MIB // 8)
    gradients = dict.fromkeys(range(branches), (loss, 0))
    for branch, name, weights, value, product, active in reversed(forward):
        inner = add(f"rg{name}", (gradients[branch], (active, 0)), MIB // 8, partner=active)
        update = add(f"dw{name}", ((inner, 0), value), MIB // 4, partner=product)
        outer = add(f"dx{name}", ((inner, 0), (weights, 0)), MIB // 8, partner=product)
        add(f"up{name}", ((update, 0),), 0, group=name)
        gradients[branch] = (outer, 0)
    devices = [DeviceLimit("CPU:0", "CPU", None, is_choice=False)]
    devices += [DeviceLimit(f"GPU:{card}", "GPU", 400 * MIB) for card in range(cards)]
    start = time.process_time()  # others may use the machine
    result = assign(tasks, devices, lambda *_: Link(1e-5, 1e10))
    return len(tasks), time.process_time() - start, result


def main() -> None:
    """Print the table and the figures."""
    logging.disable(logging.WARNING)
    numbers = [int(text) for text in sys.argv[1:]] or range(len(MODELS))
    print(f"{MACHINE}: MiB on one card | MiB by card, measured/predicted | step in us, and filled")
    print("in order | largest difference of a loss")
    rows = []
    for number in numbers:
        rows.append(row(number, MODELS[number]))
        print(rows[-1][0], flush=True)
    right, not_slower, quicker = (sum(one[n] for one in rows) for n in (1, 2, 3))
    print(
        f"{right} of {len(rows)} within the limits with equal losses; {not_slower} not slower than "
        f"filled in order, {quicker} quicker"
    )
    count, seconds, result = large()
    print(
        f"{count} tasks on 8 cards: {seconds:.1f} s, fits: {result.fits}, step "
        f"{_us(result.seconds)} us, filled in order {_us(result.filled_seconds)} us"
    )


if __name__ == "__main__":
    main()
