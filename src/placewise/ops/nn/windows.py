"""Windows that slide over an image: their count, their padding and what may be wrong with them.

Shared by convolutions and pooling. Everything here works on plain integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from placewise.core.errors import invalid
from placewise.core.shapes import lessened

SAME_VALID = ("SAME", "VALID")
PADDINGS = ("SAME", "VALID", "EXPLICIT")
IMAGE_FORMATS = ("NHWC", "NCHW")
VOLUME_FORMATS = ("NDHWC", "NCDHW")


def is_channels_first(data_format: str) -> bool:
    """Return True for NCHW, NCDHW, NCW and the like."""
    return data_format.startswith("NC")


def spatial(values: Sequence[Any], channels_first: bool) -> tuple[Any, ...]:
    """Return the part of a list of one value per dimension that is for height, width, …"""
    return tuple(values[2:] if channels_first else values[1:-1])


class Window(NamedTuple):
    """How a window meets one dimension: how many places it has and what is added around."""

    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls
    before: int
    after: int


def window_of(
    size: int,
    window: int,
    stride: int,
    dilation: int,
    padding: str,
    explicit: tuple[int, int] = (0, 0),
) -> Window:
    """Return the places of a window along a dimension of `size` elements."""
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        count = -(-size // stride)
        needed = max((count - 1) * stride + reach - size, 0)
        return Window(count, needed // 2, needed - needed // 2)
    before, after = explicit if padding == "EXPLICIT" else (0, 0)
    count = int((size + before + after - reach + stride) / stride)
    if count < 0:
        raise invalid(
            f"Computed output size would be negative: {count} [input_size: {size}, "
            f"effective_filter_size: {reach}, stride: {stride}]"
        )
    return Window(count, before, after)


def pairs(explicit: Sequence[int], channels_first: bool) -> tuple[tuple[int, int], ...]:
    """Return a flat list of explicit paddings as pairs for height, width, …"""
    both = list(zip(explicit[::2], explicit[1::2], strict=True))
    return spatial(both, channels_first)


def check_explicit(padding: str, explicit: Sequence[int], rank: int, data_format: str) -> None:
    """Refuse explicit paddings that do not fit the kind of padding or the rank."""
    if padding != "EXPLICIT":
        if explicit:
            raise invalid(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return
    if len(explicit) != 2 * rank:
        raise invalid(
            f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(explicit)}"
        )
    if min(explicit) < 0:
        raise invalid("All elements of explicit_paddings must be nonnegative")
    channel = 1 if is_channels_first(data_format) else rank - 1
    if any(explicit[:2]) or any(explicit[2 * channel : 2 * channel + 2]):
        raise invalid("Nonzero explicit padding in the batch or depth dimensions is not supported")


def static_count(
    size: int | None,
    window: int | None,
    stride: int,
    dilation: int,
    padding: str,
    explicit: tuple[int, int] = (0, 0),
) -> int | None:
    """Return how many places a window has, or None while that is unknown; for shape rules."""
    if size is None or (window is None and padding != "SAME"):
        return None
    reach = 1 if window is None else (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    before, after = explicit if padding == "EXPLICIT" else (0, 0)
    left = lessened(size + before + after, reach)
    return None if left is None else left // stride + 1


def torch_padding(windows: Sequence[Window]) -> tuple[list[int], list[int] | None]:
    """Return the symmetric padding torch applies itself, and else what to add before.

    The second is in the order of `torch.nn.functional.pad`, or None when nothing is left to add.
    """
    if all(each.before == each.after for each in windows):
        return [each.before for each in windows], None
    added = [edge for each in reversed(windows) for edge in (each.before, each.after)]
    return [0] * len(windows), added


def per_dimension(value: Any, count: int, channels_first: bool, name: str) -> list[int]:
    """Return strides or dilations as one value per dimension of a batch of images.

    From one number, one per spatial dimension, or one per dimension; None means 1.
    """
    if value is None:
        return [1] * (count + 2)
    values = [int(each) for each in value] if isinstance(value, (list, tuple)) else _listed(value)
    if len(values) == 1:
        values = values * count
    if len(values) == count + 2:
        return values
    if len(values) != count:
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. "
            f"Received: {name}={value} of length {len(values)}"
        )
    return [1, 1, *values] if channels_first else [1, *values, 1]


def _listed(value: Any) -> list[int]:
    if isinstance(value, int):
        return [value]
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [int(each) for each in value] if isinstance(value, (list, tuple)) else [int(value)]
