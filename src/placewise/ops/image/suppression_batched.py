"""Non-maximum suppression of whole batches: per class and combined, and padded to one size."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.families import bracketed
from placewise.ops.flow.host_calls import numpy_function
from placewise.ops.image.overlaps import of_boxes, suppressed
from placewise.ops.image.suppression import NO_LIMIT
from placewise.ops.values import to_numpy


class CombinedNonMaxSuppression(NamedTuple):
    """The boxes that stay over all classes, and how many of each image's are real."""

    nmsed_boxes: Any
    nmsed_scores: Any
    nmsed_classes: Any
    valid_detections: Any


_LIMITS = ("max_output_size_per_class", "max_total_size")
_THRESHOLDS = ("iou_threshold", "score_threshold")


@op(
    "CombinedNonMaxSuppression(boxes: float32, scores: float32, max_output_size_per_class: int32,"
    " max_total_size: int32, iou_threshold: float32, score_threshold: float32;"
    " pad_per_class: bool = False, clip_boxes: bool = True) -> nmsed_boxes: float32,"
    " nmsed_scores: float32, nmsed_classes: float32, valid_detections: int32",
    host=(*_LIMITS, *_THRESHOLDS),
    devices=("CPU",),
    differentiable=False,
)
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_LIMIT,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Return for each image the best boxes of all classes, each class suppressed on its own.

    `boxes` is `[batch, boxes, classes or 1, 4]`, `scores` is `[batch, boxes, classes]`; what is
    not used of the results is 0.
    """
    return CombinedNonMaxSuppression(
        *combined_non_max_suppression.bind(
            boxes,
            scores,
            max_output_size_per_class,
            max_total_size,
            iou_threshold,
            score_threshold,
            pad_per_class=pad_per_class,
            clip_boxes=clip_boxes,
            name=name,
        )
    )


def _total(most: int, per_class: int, classes: int, pad_per_class: bool) -> int:
    return min(most, per_class * classes) if pad_per_class else most


@combined_non_max_suppression.shape
def combined_non_max_suppression_shape(
    boxes: Static,
    scores: Static,
    per_class: Static,
    total: Static,
    *_: Static,
    pad_per_class: bool,
    clip_boxes: bool,
) -> list[Dims]:
    for static, rank in ((boxes, 4), (scores, 3)):
        if static.shape is not None and len(static.shape) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(static.shape)}")
    batch = None if boxes.shape is None else boxes.shape[0]
    classes = None if scores.shape is None else scores.shape[2]
    size = None
    if total.value is not None and not pad_per_class:
        size = int(total.value)
    elif total.value is not None and per_class.value is not None and classes is not None:
        size = _total(int(total.value), int(per_class.value), classes, True)
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


def _check(boxes: Any, scores: Any, numbers: Any) -> None:
    if boxes.dim() != 4:
        raise invalid(f"boxes must be 4-D{bracketed(boxes.shape)}")
    if scores.dim() != 3:
        raise invalid(f"scores must be 3-D{bracketed(scores.shape)}")
    if boxes.shape[0] != scores.shape[0] or boxes.shape[1] != scores.shape[1]:
        raise invalid("scores has incompatible shape")
    if boxes.shape[2] not in (1, scores.shape[2]):
        raise invalid("third dimension of boxes must be either 1 or num classes")
    if boxes.shape[3] != 4:
        raise invalid("boxes must have 4 columns")
    for value, name in zip(
        numbers, ("max_size_per_class", "max_total_size", *_THRESHOLDS), strict=True
    ):
        if value.ndim:
            raise invalid(f"{name} must be 0-D, got shape {bracketed(value.shape)}")
    per_class, total, threshold, _ = numbers
    if per_class <= 0:
        raise invalid("max_size_per_class must be positive")
    if total <= 0:
        raise invalid("max_total_size must be > 0")
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")


@combined_non_max_suppression.kernel
def combined_non_max_suppression_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *numbers: Any, pad_per_class: bool, clip_boxes: bool
) -> Any:
    _check(boxes, scores, numbers)
    per_class, most, threshold, least = (number.item() for number in numbers)
    batch, _, shared, _ = boxes.shape
    classes = scores.shape[2]
    size = _total(most, per_class, classes, pad_per_class)
    kept_boxes = np.zeros((batch, size, 4), np.float32)
    kept_scores = np.zeros((batch, size), np.float32)
    kept_classes = np.zeros((batch, size), np.float32)
    counts = np.zeros(batch, np.int32)
    all_boxes, all_scores = to_numpy(boxes), to_numpy(scores)
    for image in range(batch):
        found = []
        for each in range(classes):
            of_class = all_boxes[image, :, each if shared > 1 else 0]
            which, values = suppressed(
                all_scores[image, :, each], per_class, threshold, least, of_boxes(of_class)
            )
            found.append((of_class[which], values, np.full(len(which), each, np.float32)))
        if not found:
            continue
        parts = [np.concatenate(part) for part in zip(*found, strict=True)]
        best = np.argsort(-parts[1], kind="stable")[:size]
        counts[image] = len(best)
        kept_boxes[image, : len(best)] = parts[0][best]
        kept_scores[image, : len(best)] = parts[1][best]
        kept_classes[image, : len(best)] = parts[2][best]
    if clip_boxes:
        kept_boxes = np.clip(kept_boxes, 0, 1)
    results = (kept_boxes, kept_scores, kept_classes, counts)
    return tuple(torch.from_numpy(result) for result in results)


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_LIMIT,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> Any:
    """Return for each set of boxes the indices that stay, 0 where there are fewer, and how many.

    Without `pad_to_max_output_size` (one set only) just those that stay.
    """
    boxes, scores = convert_to_tensor(boxes), convert_to_tensor(scores)
    rank = boxes.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(
            f"slice index -1 of dimension 0 out of bounds. boxes must be [..., num_boxes, 4], got "
            f"shape {boxes.shape}"
        )
    if not pad_to_max_output_size and rank is not None and rank > 2:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched "
            "input"
        )

    def of_batches(
        boxes: np.ndarray[Any, Any],
        scores: np.ndarray[Any, Any],
        size: Any,
        threshold: Any,
        least: TensorLike,
    ) -> Any:
        return _padded(
            boxes,
            scores,
            int(size),
            np.float32(threshold),
            least,
            sorted_input,
            canonicalized_coordinates,
        )

    numbers = [
        convert_to_tensor(max_output_size, int32),
        convert_to_tensor(iou_threshold),
        convert_to_tensor(score_threshold),
    ]
    indices, valid = numpy_function(of_batches, [boxes, scores, *numbers], [int32, int32])
    if not isinstance(max_output_size, Tensor) and rank is not None:
        heads = boxes.shape.as_list()[:-2]
        indices.set_shape([*heads, max_output_size])
        valid.set_shape(heads)
    return (indices if pad_to_max_output_size else indices[:valid]), valid


def _padded(
    boxes: np.ndarray[Any, Any],
    scores: np.ndarray[Any, Any],
    size: int,
    threshold: TensorLike,
    least: TensorLike,
    is_sorted: bool,
    is_canonical: bool,
) -> tuple[Any, Any]:
    heads, count = boxes.shape[:-2], boxes.shape[-2]
    boxes = boxes.reshape(-1, count, 4).astype(np.float32)
    scores = scores.reshape(-1, count)
    if least != NO_LIMIT:
        boxes = boxes * (scores > least)[:, :, None]
        scores = scores * (scores > least)
    if not is_canonical and boxes.size:
        # The first box tells for all which corner comes first.
        for axis in (0, 1):
            if boxes[0, 0, axis] > boxes[0, 0, axis + 2]:
                boxes[:, :, [axis, axis + 2]] = boxes[:, :, [axis + 2, axis]]
    order = np.argsort(-scores, axis=1, kind="stable")
    if is_sorted:
        order = np.broadcast_to(np.arange(count), order.shape)
    indices = np.zeros((len(boxes), size), np.int32)
    valid = np.zeros(len(boxes), np.int32)
    for each, one in enumerate(boxes):
        kept = _kept(one[order[each]], size, threshold)
        valid[each] = len(kept)
        indices[each, : len(kept)] = order[each][kept]
    return indices.reshape(*heads, size), valid.reshape(heads)


def _kept(boxes: np.ndarray[Any, Any], size: int, threshold: TensorLike) -> list[int]:
    """Return which of the boxes, best first, stay; those without a positive corner are none."""
    left = np.flatnonzero((boxes > 0).any(1))
    kept: list[int] = []
    while left.size and len(kept) < size:
        best = int(left[0])
        kept.append(best)
        left = left[1:]
        left = left[_plain_overlap(boxes[best], boxes[left]) < threshold]
    return kept


def _plain_overlap(box: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> Any:
    shared = np.maximum(
        np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), 0
    ).prod(1)
    area = (box[2:] - box[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(1) - shared
    return shared / (area + np.float32(1e-8))
