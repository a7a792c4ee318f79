"""Placements that the search begins with: one card, cards filled in order, balanced, few copies."""

from __future__ import annotations

from collections.abc import Callable

from placewise.placement.automatic.filling import Filling, Shapes
from placewise.placement.automatic.problem import Problem

_MOST_BLOCKS = 240  # that cuts are searched between


def on_one(shapes: Shapes, device: int) -> list[int]:
    """Return everything that has a choice on one device."""
    fixed = shapes.clusters.fixed
    return [
        device if (home := fixed[cluster]) is None else home for cluster in shapes.clusters.of_task
    ]


def filled(shapes: Shapes, is_enough: Callable[[int, float, int], bool] | None = None) -> Filling:
    """Return cards filled in the order of the step: the next one once a cluster does not fit.

    `is_enough(cards begun, seconds, bytes)` of the current card may call for the next one before.
    """
    filling = Filling(shapes)
    choices = shapes.problem.choices
    seconds, nbytes, position = 0.0, 0, 0
    for cluster in shapes.clusters.movable():
        if is_enough is not None and is_enough(position, seconds, nbytes):
            seconds, nbytes, position = 0.0, 0, min(position + 1, len(choices) - 1)
        while position < len(choices) and filling.excess(cluster, choices[position]) > 0:
            position, seconds, nbytes = position + 1, 0.0, 0
        if position == len(choices):
            filling.force(cluster)
            position -= 1
            continue
        device = choices[position]
        filling.put(cluster, device)
        seconds += _seconds(shapes, cluster, device)
        nbytes += shapes.resident[cluster] + int(shapes.own[cluster].max())
    return filling


def balanced(shapes: Shapes, cards: int, by_bytes: bool) -> Filling:
    """Return the first cards filled in order, each with about the same seconds, or bytes."""
    device = shapes.problem.choices[0]
    movable = shapes.clusters.movable()
    if by_bytes:
        total = sum(shapes.resident[c] + int(shapes.own[c].max()) for c in movable)
        return filled(
            shapes, lambda position, _, size: position < cards - 1 and size >= total / cards
        )
    duration = sum(_seconds(shapes, cluster, device) for cluster in movable)
    return filled(
        shapes, lambda position, seconds, _: position < cards - 1 and seconds >= duration / cards
    )


def _seconds(shapes: Shapes, cluster: int, device: int) -> float:
    durations = shapes.problem.seconds
    return sum(durations[task][device] for task in shapes.clusters.tasks[cluster])


def cut(shapes: Shapes) -> list[int] | None:
    """Return cards filled in order and cut where the copies are cheapest; None: none fits.

    Over blocks of clusters in order: `best[cards][end]` is the least that the copies cost when the
    first `cards` cards hold the blocks before `end`.
    """
    problem = shapes.problem
    movable = shapes.clusters.movable()
    if not movable or len(problem.choices) < 2:
        return None
    size = -(-len(movable) // _MOST_BLOCKS)
    blocks = [movable[first : first + size] for first in range(0, len(movable), size)]
    crossing = _crossing_seconds(shapes, blocks)
    farthest = [_farthest(shapes, blocks, begin) for begin in range(len(blocks))]
    count = len(blocks)
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    finished: list[tuple[float, tuple[int, ...]]] = []
    for _ in problem.choices:
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        for begin, (cost, cuts) in best.items():
            for end in range(begin + 1, farthest[begin] + 1):
                total = cost + crossing[end]
                if end not in following or (total, cuts) < following[end]:
                    following[end] = (total, (*cuts, end))
        if count in following:
            finished.append(following.pop(count))
        best = following
    if not finished:
        return None
    cuts = min(finished)[1]
    device_of = list(shapes.clusters.fixed)
    begin = 0
    for device, end in zip(problem.choices, cuts, strict=False):
        for block in blocks[begin:end]:
            for cluster in block:
                device_of[cluster] = device
        begin = end
    return [device_of[cluster] or 0 for cluster in shapes.clusters.of_task]


def _crossing_seconds(shapes: Shapes, blocks: list[list[int]]) -> list[float]:
    """Return, for each end of a block, how long the copies over it take."""
    problem = shapes.problem
    link = problem.links[problem.choices[0]][problem.choices[1]]
    block_of = {cluster: number for number, block in enumerate(blocks) for cluster in block}
    change = [0.0] * (len(blocks) + 2)
    for cluster, number in block_of.items():
        for other, _, _, size in shapes.outgoing[cluster]:
            target = block_of.get(other, number)
            if target != number:
                duration = link.seconds(size)
                change[min(number, target) + 1] += duration
                change[max(number, target) + 1] -= duration
    total, crossing = 0.0, []
    for number in range(len(blocks) + 1):
        total += change[number]
        crossing.append(total)
    crossing[-1] = 0.0
    return crossing


def _farthest(shapes: Shapes, blocks: list[list[int]], begin: int) -> int:
    """Return the end of the longest run of blocks from `begin` on that fits on a card."""
    filling = Filling(shapes)
    # The smallest card stands for all: which one a run gets is not known here.
    device = min(shapes.problem.choices, key=lambda number: (shapes.problem.limit(number), number))
    for end in range(begin, len(blocks)):
        for cluster in blocks[end]:
            if filling.excess(cluster, device) > 0:
                return end
            filling.put(cluster, device)
    return len(blocks)


def beside_fixed(shapes: Shapes) -> list[int]:
    """Return each cluster on the card that has most of what it reads, or reads what it makes.

    For runs whose variables are on their cards already: a product goes to its weights, a gradient
    to the variable that it updates. Clusters that share nothing follow the one before them.
    """
    problem, clusters = shapes.problem, shapes.clusters
    device_of = list(clusters.fixed)
    makes: dict[int, list[int]] = {}
    for tensor, maker in enumerate(problem.tensor_maker):
        makes.setdefault(maker, []).append(tensor)
    last = problem.choices[0]
    for cluster in clusters.movable():
        shared = dict.fromkeys(problem.choices, 0)
        for task in clusters.tasks[cluster]:
            pairs = [(tensor, problem.tensor_maker[tensor]) for tensor in problem.reads[task]]
            for tensor in makes.get(task, ()):
                pairs += [(tensor, reader) for reader in problem.readers[tensor]]
            for tensor, other in pairs:
                device = device_of[clusters.of_task[other]]
                if device in shared:
                    shared[device] += problem.tensor_bytes[tensor]
        if any(shared.values()):
            last = max(shared, key=lambda device: (shared[device], -device))
        device_of[cluster] = last
    return [device_of[cluster] or 0 for cluster in clusters.of_task]


def starts_in_order(problem: Problem, shapes: Shapes) -> list[tuple[str, list[int]]]:
    """Return the starts that keep the order of the step, by name."""
    cards = len(problem.choices)
    starts = [("filled in order", filled(shapes).placed())]
    cheapest = cut(shapes)
    if cheapest is not None:
        starts.append(("cut where copies are cheapest", cheapest))
    for count in range(2, cards + 1):
        starts.append((f"{count} cards, equal work", balanced(shapes, count, False).placed()))
        starts.append((f"{count} cards, equal memory", balanced(shapes, count, True).placed()))
    return starts
