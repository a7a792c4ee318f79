"""Beam search over labellings of one sequence: the likeliest prefixes, step by step."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class _Tree:
    """Prefixes as a tree: each node has a parent, a label, and children by label."""

    def __init__(self) -> None:
        self.parent = [-1]
        self.label = [-1]
        self.child: dict[tuple[int, int], int] = {}

    def grown(self, node: int, label: int) -> int:
        """Return the node for `label` after `node`."""
        key = (node, label)
        found = self.child.get(key)
        if found is None:
            found = self.child[key] = len(self.parent)
            self.parent.append(node)
            self.label.append(label)
        return found

    def labels(self, node: int, merge_repeated: bool) -> list[int]:
        """Return the labels from the root to `node`."""
        found: list[int] = []
        last = -1
        while node:
            if not (merge_repeated and self.label[node] == last):
                found.append(self.label[node])
            last = self.label[node]
            node = self.parent[node]
        return found[::-1]


def beam_search(
    logs: Array, width: int, top: int, merge_repeated: bool
) -> list[tuple[list[int], float]]:
    """Return the `top` likeliest labellings of log-probabilities [time, class], likeliest first.

    The last class is the blank. Of each prefix the chances of ending in a blank and in a label are
    kept apart, so that a label after a blank is a new one and a label after itself is not.
    """
    tree = _Tree()
    leaves = np.zeros(1, np.int64)
    blank, label, total = np.zeros(1), np.full(1, -np.inf), np.zeros(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        for step in logs.astype(np.float64):
            leaves, blank, label, total = _advanced(tree, leaves, blank, label, total, step, width)
    order = np.argsort(-total, kind="stable")[:top]
    return [(tree.labels(int(leaves[at]), merge_repeated), float(total[at])) for at in order]


def _advanced(
    tree: _Tree, leaves: Array, blank: Array, label: Array, total: Array, step: Array, width: int
) -> tuple[Array, Array, Array, Array]:
    """Return the beam after one more step."""
    order = np.argsort(-total, kind="stable")
    leaves, blank, label, total = leaves[order], blank[order], label[order], total[order]
    where = {int(leaf): at for at, leaf in enumerate(leaves)}
    own = np.asarray([tree.label[leaf] for leaf in leaves])
    above = np.asarray([where.get(tree.parent[leaf], -1) for leaf in leaves])
    above_label = np.asarray([tree.label[tree.parent[leaf]] if leaf else -2 for leaf in leaves])
    # The same prefix: its label again, or its parent followed by its label.
    arrived = np.where(own == above_label, blank[above], total[above])
    arrived = np.where(above >= 0, arrived, -np.inf)
    spoken = np.where(own >= 0, step[own], -np.inf)
    stay_label = np.logaddexp(label, arrived) + spoken
    stay_blank = total + step[-1]
    stay_total = np.logaddexp(stay_blank, stay_label)
    # Every longer prefix.
    classes = np.arange(len(step) - 1)
    before = np.where(classes == own[:, None], blank[:, None], total[:, None])
    children = {(int(above[at]), int(own[at])): at for at in range(len(leaves)) if above[at] >= 0}
    old, grown = _selected(stay_total, before + step[:-1], total, children, width)
    nodes = [tree.grown(int(leaves[parent]), each) for _, parent, each in grown]
    chances = np.asarray([chance for chance, _, _ in grown])
    return (
        np.concatenate([leaves[old], np.asarray(nodes, np.int64)]),
        np.concatenate([stay_blank[old], np.full(len(nodes), -np.inf)]),
        np.concatenate([stay_label[old], chances]),
        np.concatenate([stay_total[old], chances]),
    )


def _selected(
    stay: Array, longer: Array, total: Array, children: dict[tuple[int, int], int], width: int
) -> tuple[list[int], list[tuple[float, int, int]]]:
    """Return which prefixes stay in the beam, and (chance, prefix, label) of those that are new.

    Not simply the best of all: TensorFlow looks at the prefixes one by one, likeliest first, and a
    prefix that has left the beam before its turn is not made longer if its parent had its turn.
    """
    # The least likely comes first; of equal ones the one that came last.
    beam = [(chance, -at, at, -1) for at, chance in enumerate(stay.tolist())]
    heapq.heapify(beam)
    number = len(beam)
    left: set[int] = set()
    silent: set[int] = set()
    labels_of: dict[int, list[int]] = {}
    for parent, label in children:
        labels_of.setdefault(parent, []).append(label)
    for parent, chance_before in enumerate(total.tolist()):
        least = beam[0][0] if len(beam) >= width else -np.inf
        if chance_before <= least:
            break  # nor can those that follow: longer prefixes are less likely
        if parent in silent:
            continue
        promising = np.flatnonzero(longer[parent] > least).tolist()
        for label in sorted({*promising, *labels_of.get(parent, ())}):
            child = children.get((parent, label))
            if child is not None:
                if child in left:
                    silent.add(child)
                continue
            chance = float(longer[parent, label])
            entry = (chance, -number, parent, label)
            if len(beam) < width:
                heapq.heappush(beam, entry)
            elif chance > beam[0][0]:
                _, _, at, is_longer = heapq.heapreplace(beam, entry)
                if is_longer < 0:
                    left.add(at)
            number += 1
    entries = sorted(beam, key=lambda entry: -entry[1])
    old = [at for _, _, at, label in entries if label < 0]
    return old, [(chance, parent, label) for chance, _, parent, label in entries if label >= 0]
