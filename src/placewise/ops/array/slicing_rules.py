"""What a strided slice selects: begin, end, strides and five masks, worked out for a shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from placewise.core.errors import invalid


class Masks(NamedTuple):
    """The five bit masks of a strided slice; bit i speaks of the i-th entry of begin and end."""

    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0


class Selection(NamedTuple):
    """A strided slice of a known shape: an index that torch and NumPy take, axes to flip after."""

    index: tuple[Any, ...]  # type: ignore[assignment]  # hides tuple.index, which nobody calls
    flips: tuple[int, ...]
    shape: tuple[Any, ...]


class _Entry(NamedTuple):
    """One dimension of the input or one new axis, in order."""

    dim: int  # -1: a new axis
    begin: Any
    end: Any
    stride: int
    begin_masked: bool
    end_masked: bool
    shrink: bool


_WHOLE = (0, 0, 1, True, True, False)


def entries(rank: int, begin: Any, end: Any, strides: Any, masks: Masks) -> list[_Entry]:
    """Return what each dimension of the input is asked for, ellipsis and new axes worked out."""
    count = len(strides)
    ellipsis = masks.ellipsis_mask & ((1 << count) - 1)
    if ellipsis & (ellipsis - 1):
        raise invalid("Multiple ellipses in slice spec not allowed")
    at = ellipsis.bit_length() - 1 if ellipsis else count
    new = [bool(masks.new_axis_mask >> i & 1) and i != at for i in range(count)]
    taken = sum(1 for i in range(count) if i != at and not new[i])
    found: list[_Entry] = []
    dim = 0
    for i in range(count):
        if i == at:
            for _ in range(rank - taken):
                found.append(_Entry(dim, *_WHOLE))
                dim += 1
        elif new[i]:
            found.append(_Entry(-1, *_WHOLE))
        else:
            if not rank:
                raise invalid("Attempting to slice scalar input.")
            if dim >= rank:
                raise invalid(
                    f"Index out of range using input dim {dim}; input has only {rank} dims"
                )
            found.append(
                _Entry(
                    dim,
                    begin[i],
                    end[i],
                    strides[i],
                    bool(masks.begin_mask >> i & 1),
                    bool(masks.end_mask >> i & 1),
                    bool(masks.shrink_axis_mask >> i & 1),
                )
            )
            dim += 1
    while dim < rank:
        found.append(_Entry(dim, *_WHOLE))
        dim += 1
    return found


def _bounds(entry: _Entry, size: int) -> tuple[int, int, int]:
    """Return begin and number of elements of a range, and its stride."""
    stride = entry.stride
    low, high = (0, size) if stride > 0 else (-1, size - 1)

    def clamped(x: int) -> int:
        x = size + x if x < 0 else x
        return min(max(x, low), high)

    begin = (low if stride > 0 else high) if entry.begin_masked else clamped(entry.begin)
    end = (high if stride > 0 else low) if entry.end_masked else clamped(entry.end)
    length = end - begin
    if length == 0 or (length < 0) != (stride < 0):
        return 0, 0, 1
    return begin, -(-length // stride), stride


def select(shape: Any, begin: Any, end: Any, strides: Any, masks: Masks) -> Selection:
    """Return what a strided slice takes of a tensor of `shape`."""
    index: list[Any] = []
    flips: list[int] = []
    result: list[int] = []
    for entry in entries(len(shape), begin, end, strides, masks):
        if entry.dim < 0:
            index.append(None)
            result.append(1)
            continue
        size = shape[entry.dim]
        if entry.stride == 0:
            raise invalid(f"strides[{entry.dim}] must be non-zero")
        if entry.shrink:
            index.append(_single(entry, size))
            continue
        first, count, stride = _bounds(entry, size)
        if stride < 0:  # torch has no negative strides: take them forwards, then turn around
            flips.append(len(result))
            first, stride = first + (count - 1) * stride, -stride
        index.append(slice(first, first + (count - 1) * stride + 1 if count else first, stride))
        result.append(count)
    return Selection((*index, Ellipsis), tuple(flips), tuple(result))


def _single(entry: _Entry, size: int) -> int:
    if entry.stride <= 0:
        raise invalid("only stride 1 allowed on non-range indexing.")
    begin: int = entry.begin  # the masks do not speak of a single index
    place = size + begin if begin < 0 else begin
    if not 0 <= place < size:
        raise invalid(f"slice index {begin} of dimension {entry.dim} out of bounds.")
    return place


def static_shape(shape: Any, begin: Any, end: Any, strides: Any, masks: Masks) -> Any:
    """Return the shape of a strided slice as far as it is known: bounds or sizes may be None."""
    result: list[int | None] = []
    for entry in entries(len(shape), begin, end, strides, masks):
        if entry.dim < 0:
            result.append(1)
            continue
        if entry.shrink:
            known = shape[entry.dim]
            if entry.begin is not None and known is not None:
                _single(entry, known)
            continue
        if entry.stride == 0:
            raise invalid(f"strides[{entry.dim}] must be non-zero")
        result.append(_static_size(entry, shape[entry.dim]))
    return tuple(result)


def _static_size(entry: _Entry, size: int | None) -> int | None:
    if entry.stride is None:
        return None
    if entry.begin_masked and entry.end_masked and entry.stride in (1, -1):
        return size
    begin_known = entry.begin_masked or entry.begin is not None
    if size is not None and begin_known and (entry.end_masked or entry.end is not None):
        return _bounds(entry, size)[1]
    return None
