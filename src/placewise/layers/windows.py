"""Sizes, strides and paddings of layers that slide over their inputs: checks and arithmetic."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import TensorLike


def tupled(value: Any, count: int, name: str) -> tuple[int, ...]:
    """Return a number for each dimension: the one given for all, or as many as there are."""
    if isinstance(value, int):
        return (value,) * count
    message = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    try:
        found = tuple(value)
    except TypeError:
        raise ValueError(message) from None
    if len(found) != count:
        raise ValueError(message)
    for each in found:
        try:
            int(each)
        except (ValueError, TypeError):
            raise ValueError(f"{message} including element {each} of type {type(each)}") from None
    return tuple(int(each) for each in found)


def checked_padding(value: str, allowed: tuple[str, ...] = ("valid", "same", "causal")) -> str:
    """Return the padding in lower case, or raise ValueError."""
    found = str(value).lower()
    if found not in allowed:
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", '
            f"only for `Conv1D). Received: {found}"
        )
    return found


def checked_format(value: str) -> str:
    """Return where the channels are, in lower case, or raise ValueError."""
    found = str(value or "channels_last").lower()
    if found not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {found}"
        )
    return found


def op_format(data_format: str, rank: int) -> str:
    """Return the ops' word for where the channels are, in `rank` dimensions of space."""
    space = ("W", "HW", "DHW")[rank - 1]
    return f"N{space}C" if data_format == "channels_last" else f"NC{space}"


def output_size(
    size: int | None, window: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """Return how many places a window takes along a dimension; None where it is unknown."""
    if size is None:
        return None
    covered = window + (window - 1) * (dilation - 1)
    count = size if padding in ("same", "causal") else size - covered + 1
    return (count + stride - 1) // stride


def spread_size(size: Any, window: int, padding: str, stride: int) -> Any:
    """Return the size that a transposed window makes of a dimension."""
    if size is None:
        return None
    size = size * stride
    if padding == "valid" and window > stride:
        size = size + (window - stride)
    return size


def joined(
    batch: TensorLike | None, space: list[Any], channels: Any, data_format: str
) -> list[Any]:
    """Return a shape put together in the order of the format."""
    last = data_format == "channels_last"
    return [batch, *space, channels] if last else [batch, channels, *space]
