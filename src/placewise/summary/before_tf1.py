"""Summaries under the names they had before TensorFlow 1.0: the tag is given, not made."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import TensorLike
from placewise.ops.summaries import ops
from placewise.summary.file_writer import FileWriter
from placewise.summary.tf1 import _RED, _collected, merge, merge_all


def scalar_summary(
    tags: str, values: TensorLike, collections: Any = None, name: str | None = None
) -> Any:
    """Return a summary with a number per tag."""
    return _collected(ops.scalar_summary(tags, values, name=name), collections)


def histogram_summary(
    tag: str, values: TensorLike, collections: Any = None, name: str | None = None
) -> Any:
    """Return a summary of how values are spread."""
    return _collected(ops.histogram_summary(tag, values, name=name), collections)


def image_summary(
    tag: Any,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return a summary of pictures."""
    made = ops.image_summary(tag, tensor, max_images=max_images, bad_color=_RED, name=name)
    return _collected(made, collections)


def audio_summary(
    tag: Any,
    tensor: TensorLike,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return a summary of sounds."""
    made = ops.audio_summary_v2(tag, tensor, sample_rate, max_outputs=max_outputs, name=name)
    return _collected(made, collections)


merge_summary = merge
SummaryWriter = FileWriter


def merge_all_summaries(key: str = "summaries") -> Any:
    """Return all summaries of a collection as one, or None if there are none."""
    return merge_all(key)
