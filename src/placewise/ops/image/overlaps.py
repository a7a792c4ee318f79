"""Greedy suppression of overlapping boxes: what all the suppression ops run.

`suppressed` works box by box on the host, `kept_on_device` on all pairs of boxes at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native

Array = np.ndarray[Any, Any]


def ordered(boxes: Array) -> Array:
    """Return boxes as float32 [top, left, bottom, right], whichever corners were given."""
    boxes = boxes.astype(np.float32)
    return np.concatenate(
        [np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])], -1
    )


def overlap(box: Array, others: Array) -> Array:
    """Return the intersection over union of one ordered box and others; 0 for empty boxes."""
    size = np.maximum(
        np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), np.float32(0)
    )
    shared = size[:, 0] * size[:, 1]
    own = (box[2] - box[0]) * (box[3] - box[1])
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    with np.errstate(all="ignore"):
        found = shared / (own + areas - shared)
    return np.where((areas <= 0) | (own <= 0), np.float32(0), found)


def of_boxes(boxes: Array) -> Callable[[int, Array], Array]:
    """Return the function that says how much a box overlaps with others, all by index."""
    sorted_corners = ordered(boxes)
    return lambda index, others: overlap(sorted_corners[index], sorted_corners[others])


def kept_in_c(boxes: Array, scores: Array, limit: int, threshold: float, least: float) -> Array:
    """Return the boxes that `suppressed` keeps, found by the native module."""
    order = _by_score(scores, least)
    kept = np.empty(min(limit, len(order)), np.int32)
    corners = np.ascontiguousarray(boxes, np.float32)
    scratch = np.empty((len(kept), 4), np.float32)
    count = native.code.suppress(corners, order, scratch, kept, threshold)
    return kept[:count]


def _by_score(scores: Array, least: float) -> Array:
    """Return the boxes whose score is above `least`, the best first."""
    candidates = np.flatnonzero(scores > least)
    wide = scores[candidates].astype(np.promote_types(scores.dtype, np.float32))
    return candidates[np.argsort(-wide, kind="stable")]


def suppressed(
    scores: Array, limit: int, threshold: float, least: float, similar: Callable[..., Any]
) -> tuple[Array, Array]:
    """Return the boxes to keep, best first, and their scores.

    A box goes when it overlaps more than `threshold` with a better one that stays.
    """
    order = _by_score(scores, least)
    kept: list[int] = []
    most = np.float32(threshold)
    while order.size and len(kept) < limit:
        best = int(order[0])
        kept.append(best)
        order = order[1:]
        order = order[~(similar(best, order) > most)]
    indices = np.asarray(kept, np.int32)
    return indices, scores[indices]


# Boxes compared with all others in one step: what a step needs grows with their number.
_PAIRED_AT_ONCE = 512


def _overlapping(boxes: Any, threshold: float) -> Any:
    """Return which boxes [row] overlap more than `threshold` with which later ones [column]."""
    boxes = boxes.float()
    low, high = (end(boxes[:, :2], boxes[:, 2:]) for end in (torch.minimum, torch.maximum))
    areas = (high - low).prod(1)
    is_full = areas > 0
    found = []
    for begin in range(0, len(boxes), _PAIRED_AT_ONCE):
        rows = slice(begin, begin + _PAIRED_AT_ONCE)
        size = torch.minimum(high[rows, None], high) - torch.maximum(low[rows, None], low)
        shared = size.clamp_(min=0).prod(2)
        too_much = shared / (areas[rows, None] + areas - shared) > threshold
        found.append(too_much & is_full[rows, None] & is_full)
    return torch.cat(found).triu(1) if found else is_full.reshape(0, 0)


def kept_on_device(boxes: Any, scores: Any, limit: int, threshold: float, least: float) -> Any:
    """Return the boxes to keep, best first, as int32 where the boxes are."""
    order = torch.sort(scores, descending=True, stable=True)[1]
    candidates = scores[order] > least
    overlapping = _overlapping(boxes[order], float(np.float32(threshold)))
    # A box stays if no better one that stays overlaps. After n rounds this is true of the best n;
    # usually a few rounds are enough, which only a look can tell. So can the number of boxes.
    kept, before = candidates, None
    while before is None or not torch.equal(kept, before):
        before = kept
        kept = candidates & ~(overlapping & before[:, None]).any(0)
    return order[kept][:limit].int()


def softened(
    scores: Array, limit: int, sigma: float, least: float, similar: Callable[..., Any]
) -> tuple[Array, Array]:
    """Return the boxes to keep and their scores, where overlap lowers a score bit by bit."""
    scale = np.float32(-0.5) / np.float32(sigma)
    kept: list[int] = []
    kept_scores: list[Any] = []
    # Each candidate: score, index, how many of the kept boxes it was compared with already.
    heap = [(-float(scores[i]), int(i), 0) for i in np.flatnonzero(scores > least)]
    heapq.heapify(heap)
    kind = scores.dtype.type
    while heap and len(kept) < limit:
        negative, index, seen = heapq.heappop(heap)
        original = score = kind(-negative)
        others = np.asarray(kept[seen:][::-1], np.int64)
        if others.size:
            for weight in np.exp(scale * np.square(similar(index, others))):
                score = kind(score * kind(weight))
                if score <= least:
                    break
        if score == original:
            kept.append(index)
            kept_scores.append(score)
        elif score > least:
            heapq.heappush(heap, (-float(score), index, len(kept)))
    return np.asarray(kept, np.int32), np.asarray(kept_scores, scores.dtype)
