"""Why each cluster is where it is, in words."""

from __future__ import annotations

from placewise.placement.automatic.filling import Filling, Shapes
from placewise.placement.automatic.memory import peaks
from placewise.placement.automatic.starts import on_one

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_text(nbytes: int) -> str:
    """Return a number of bytes as a person reads it.

    >>> size_text(1288490189), size_text(700)
    ('1.2 GiB', '700 bytes')
    """
    for unit, name in _UNITS:
        if nbytes >= unit:
            return f"{nbytes / unit:.1f} {name}"
    return f"{nbytes} bytes"


def seconds_text(seconds: float) -> str:
    """Return a duration as a person reads it.

    >>> seconds_text(0.0031), seconds_text(4.2e-05), seconds_text(2.5)
    ('3.1 ms', '42 us', '2.5 s')
    """
    if seconds >= 1:
        return f"{seconds:.3g} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} us"


def reasons(shapes: Shapes, placed: list[int], seconds: float, alone: float | None) -> list[str]:
    """Return the reason for each task; empty where there was no choice.

    `alone` is the duration of the step on the first card, None if it does not fit there.
    """
    problem, clusters = shapes.problem, shapes.clusters
    if not problem.choices:
        return [""] * problem.count
    first = problem.choices[0]
    name = problem.devices[first].name
    alone_bytes = peaks(problem, on_one(shapes, first))[first] - problem.limit(first)
    filling = Filling(shapes)
    for cluster in clusters.movable():
        filling.put(cluster, placed[clusters.tasks[cluster][0]])
    is_alone = alone is not None and all(
        placed[clusters.tasks[cluster][0]] == first for cluster in clusters.movable()
    )
    step = f"a step takes about {seconds_text(seconds)}"
    texts: list[str] = []
    for cluster, tasks in enumerate(clusters.tasks):
        device = placed[tasks[0]]
        if clusters.fixed[cluster] is not None:
            texts.append("")
            continue
        here = problem.devices[device].name
        if device == first:
            if is_alone:
                why = f"everything fits on {name}, and more cards would not be quicker"
            else:
                why = f"placed automatically; {step}"
        else:
            excess = filling.excess(cluster, first)
            if excess > 0:
                why = f"{name} would exceed its limit by {size_text(excess)}"
            elif alone is None:
                why = f"{name} alone would exceed its limit by {size_text(alone_bytes)}"
            else:
                why = f"{step}, on {name} alone {seconds_text(alone)}"
            copies = _copy_seconds(shapes, filling, cluster, device)
            if copies:
                why += f"; costs {seconds_text(copies)} of copies"
        texts.append(f"{here}: {why}")
    return [texts[cluster] for cluster in clusters.of_task]


def _copy_seconds(shapes: Shapes, filling: Filling, cluster: int, device: int) -> float:
    """Return how long the copies take that a cluster reads from other cards, or is read by."""
    links, total = shapes.problem.links, 0.0
    for other, _, _, size in shapes.incoming[cluster]:
        home = filling.device_of[other]
        if home is not None and home != device:
            total += links[home][device].seconds(size)
    for other, _, _, size in shapes.outgoing[cluster]:
        home = filling.device_of[other]
        if home is not None and home != device:
            total += links[device][home].seconds(size)
    return total
