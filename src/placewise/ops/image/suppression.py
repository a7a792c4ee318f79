"""Non-maximum suppression: of boxes that overlap, only the best stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import float16, float32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.image.overlaps import kept_in_c, kept_on_device, of_boxes, softened, suppressed
from placewise.ops.values import from_numpy, to_numpy

_FLOATS = frozenset({float16, float32})
_INPUTS = (
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold,"
    " score_threshold: T_threshold"
)
_HOST = ("max_output_size", "iou_threshold", "score_threshold")
NO_LIMIT = float("-inf")


def _check_scalar(value: np.ndarray[Any, Any], name: str, tail: bool) -> None:
    if value.ndim:
        told = f"{name} must be 0-D, got shape {bracketed(value.shape)}"
        raise invalid(told + (f" (Shape must be rank 0 but is rank {value.ndim})" if tail else ""))


def _checked(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    max_output_size: np.ndarray[Any, Any],
    iou_threshold: np.ndarray[Any, Any],
    score_threshold: np.ndarray[Any, Any],
) -> tuple[Any, Any, int, float, float]:
    if boxes.dim() != 2:
        raise invalid(
            f"boxes must be 2-D{bracketed(boxes.shape)} (Shape must be rank 2 but is rank "
            f"{boxes.dim()})"
        )
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    if scores.dim() != 1:
        raise invalid(
            f"scores must be 1-D{bracketed(scores.shape)} (Shape must be rank 1 but is rank "
            f"{scores.dim()})"
        )
    if scores.shape[0] != boxes.shape[0]:
        raise invalid(
            "scores has incompatible shape (Dimensions must be equal, but are "
            f"{boxes.shape[0]} and {scores.shape[0]})"
        )
    for value, name in zip((max_output_size, iou_threshold, score_threshold), _HOST, strict=True):
        _check_scalar(value, name, True)
    if max_output_size < 0:
        raise invalid("output size must be non-negative")
    if not 0 <= iou_threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    return boxes, scores, int(max_output_size), float(iou_threshold), float(score_threshold)


def suppression_shape(boxes: Static, scores: Static, *_: Static, **__: object) -> Dims:
    for static, rank in ((boxes, 2), (scores, 1)):
        if static.shape is not None and len(static.shape) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(static.shape)}")
    return (None,)


def _padded_shape(max_output_size: Static, pads: bool) -> Dims:
    if pads and max_output_size.value is not None:
        return (int(max_output_size.value),)
    return (None,)


@op(
    f"NonMaxSuppressionV3({_INPUTS}) -> selected_indices: int32",
    host=_HOST,
    differentiable=False,
    T=_FLOATS,
    T_threshold=_FLOATS,
    default_types={"T": dtypes.float32},
)
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_LIMIT,
    name: str | None = None,
) -> Any:
    """Return the indices of the boxes that stay, best first.

    A box goes if its intersection with a better one, over their union, exceeds `iou_threshold`,
    or if its score is not above `score_threshold`.
    """
    return non_max_suppression.bind(
        boxes, scores, max_output_size, _float(iou_threshold), _float(score_threshold), name
    )


def _float(value: float) -> Any:
    return np.float32(value) if type(value) in (int, float) else value


non_max_suppression.shape(suppression_shape)


@non_max_suppression.kernel
def non_max_suppression_kernel(*values: Any) -> Any:
    return _kept(*_checked(*values))


def _kept(
    boxes: torch.Tensor, scores: torch.Tensor, limit: int, threshold: float, least: float
) -> Any:
    if not boxes.is_cpu:
        return kept_on_device(boxes, scores, limit, threshold, least)
    if native.code is not None:
        return torch.from_numpy(
            kept_in_c(to_numpy(boxes), to_numpy(scores), limit, threshold, least)
        )
    similar = of_boxes(to_numpy(boxes))
    return torch.from_numpy(suppressed(to_numpy(scores), limit, threshold, least, similar)[0])


non_max_suppression_v4 = define(
    f"NonMaxSuppressionV4({_INPUTS}; pad_to_max_output_size: bool = False)"
    " -> selected_indices: int32, valid_outputs: int32",
    host=_HOST,
    differentiable=False,
    T=_FLOATS,
    T_threshold=_FLOATS,
    doc="Return the indices of the boxes that stay, maybe filled up with 0, and how many they are.",
    default_types={"T": dtypes.float32},
)


@non_max_suppression_v4.shape
def non_max_suppression_v4_shape(
    boxes: Static,
    scores: Static,
    max_output_size: Static,
    *_: Static,
    pad_to_max_output_size: bool,
) -> list[Dims]:
    suppression_shape(boxes, scores)
    return [_padded_shape(max_output_size, pad_to_max_output_size), ()]


def _filled(values: Any, limit: int, pads: bool) -> Any:
    if isinstance(values, torch.Tensor):
        return torch.nn.functional.pad(values, (0, limit - len(values))) if pads else values
    return np.pad(values, (0, limit - len(values))) if pads else values


@non_max_suppression_v4.kernel
def non_max_suppression_v4_kernel(*values: Any, pad_to_max_output_size: bool) -> Any:
    given = _checked(*values)
    kept = _kept(*given)
    count = torch.full((), len(kept), dtype=torch.int32, device=kept.device)
    return _filled(kept, given[2], pad_to_max_output_size), count


@op(
    "NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: int32, iou_threshold: T,"
    " score_threshold: T, soft_nms_sigma: T; pad_to_max_output_size: bool = False)"
    " -> selected_indices: int32, selected_scores: T, valid_outputs: int32",
    host=(*_HOST, "soft_nms_sigma"),
    devices=("CPU",),
    differentiable=False,
    T=_FLOATS,
    default_types={"T": dtypes.float32},
)
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_LIMIT,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Return the indices of the boxes that stay and their scores.

    With a `soft_nms_sigma`, boxes that overlap are not dropped but lose score, by a bell curve of
    that width.
    """
    indices, kept_scores, _ = non_max_suppression_with_scores.bind(
        boxes,
        scores,
        max_output_size,
        _float(iou_threshold),
        _float(score_threshold),
        _float(soft_nms_sigma),
        name=name,
    )
    return indices, kept_scores


@non_max_suppression_with_scores.shape
def non_max_suppression_v5_shape(
    boxes: Static,
    scores: Static,
    max_output_size: Static,
    *_: Static,
    pad_to_max_output_size: bool,
) -> list[Dims]:
    suppression_shape(boxes, scores)
    padded = _padded_shape(max_output_size, pad_to_max_output_size)
    return [padded, padded, ()]


@non_max_suppression_with_scores.kernel
def non_max_suppression_v5_kernel(*values: Any, pad_to_max_output_size: bool) -> Any:
    *rest, sigma = values
    boxes, scores, limit, threshold, least = _checked(*rest)
    _check_scalar(sigma, "soft_nms_sigma", True)
    if sigma < 0:
        raise invalid("soft_nms_sigma_val must be >= 0")
    similar, scores = of_boxes(to_numpy(boxes)), to_numpy(scores)
    if sigma:
        kept, kept_scores = softened(scores, limit, float(sigma), least, similar)
    else:
        kept, kept_scores = suppressed(scores, limit, threshold, least, similar)
    pads = pad_to_max_output_size
    return (
        torch.from_numpy(_filled(kept, limit, pads)),
        from_numpy(_filled(kept_scores, limit, pads)),
        torch.tensor(len(kept), dtype=torch.int32),
    )


@op(
    "NonMaxSuppressionWithOverlaps(overlaps: float32, scores: float32, max_output_size: int32,"
    " overlap_threshold: float32, score_threshold: float32) -> selected_indices: int32",
    host=("max_output_size", "overlap_threshold", "score_threshold"),
    devices=("CPU",),
    differentiable=False,
)
def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = NO_LIMIT,
    name: str | None = None,
) -> Any:
    """Return the indices of the items that stay, given how much each two overlap."""
    return non_max_suppression_overlaps.bind(
        overlaps, scores, max_output_size, _float(overlap_threshold), _float(score_threshold), name
    )


non_max_suppression_overlaps.shape(suppression_shape)


@non_max_suppression_overlaps.kernel
def non_max_suppression_overlaps_kernel(
    overlaps: torch.Tensor,
    scores: torch.Tensor,
    max_output_size: np.ndarray[Any, Any],
    overlap_threshold: np.ndarray[Any, Any],
    score_threshold: np.ndarray[Any, Any],
) -> Any:
    if overlaps.dim() != 2:
        raise invalid(f"overlaps must be 2-D{bracketed(overlaps.shape)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square{bracketed(overlaps.shape)}")
    if scores.dim() != 1:
        raise invalid(f"scores must be 1-D{bracketed(scores.shape)}")
    if scores.shape[0] != overlaps.shape[0]:
        raise invalid("scores has incompatible shape")
    _check_scalar(max_output_size, "max_output_size", False)
    _check_scalar(overlap_threshold, "overlap_threshold", False)
    _check_scalar(score_threshold, "score_threshold", False)
    if max_output_size < 0:
        raise invalid("output size must be non-negative")
    table = to_numpy(overlaps)
    kept, _ = suppressed(
        to_numpy(scores),
        int(max_output_size),
        float(overlap_threshold),
        float(score_threshold),
        lambda index, others: table[others, index],
    )
    return torch.from_numpy(kept)
