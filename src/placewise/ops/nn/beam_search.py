"""Beam search over labellings of one sequence: the likeliest prefixes, step by step."""

from __future__ import annotations

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
    # Every longer prefix that is not in the beam yet.
    classes = np.arange(len(step) - 1)
    before = np.where(classes == own[:, None], blank[:, None], total[:, None])
    fresh = before + step[:-1]
    for leaf, at in where.items():
        if leaf and tree.parent[leaf] in where:
            fresh[where[tree.parent[leaf]], tree.label[leaf]] = -np.inf
        del at
    scores = np.concatenate([stay_total, fresh.reshape(-1)])
    kept = np.argsort(-scores, kind="stable")[:width]
    kept = kept[(scores[kept] > -np.inf) | (kept < len(leaves))]
    old, new = kept[kept < len(leaves)], kept[kept >= len(leaves)] - len(leaves)
    parents, labels = np.divmod(new, max(len(classes), 1))
    grown = [
        tree.grown(int(leaves[parent]), int(each))
        for parent, each in zip(parents, labels, strict=True)
    ]
    chances = fresh.reshape(-1)[new]
    return (
        np.concatenate([leaves[old], np.asarray(grown, np.int64)]),
        np.concatenate([stay_blank[old], np.full(len(new), -np.inf)]),
        np.concatenate([stay_label[old], chances]),
        np.concatenate([stay_total[old], chances]),
    )
