"""Parts of tensors, as partitioned variables save them: `4 3 0,2:-` is rows 0 and 1 of a 4 by 3."""

from __future__ import annotations

from typing import Any, NamedTuple

from placewise import messages
from placewise.core.errors import invalid
from placewise.ops.checkpoint.numbers import ordered_number, ordered_signed, ordered_string

WHOLE = -1  # the length of a dimension that is not cut


class Slice(NamedTuple):
    """A part of a tensor: for each dimension where it starts and how long it is."""

    starts: tuple[int, ...]
    lengths: tuple[int, ...]

    def __str__(self) -> str:
        pairs = zip(self.starts, self.lengths, strict=True)
        return ":".join("-" if size == WHOLE else f"{start},{size}" for start, size in pairs)

    def shape_in(self, full: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of this part of a tensor of shape `full`."""
        return tuple(f if n == WHOLE else n for f, n in zip(full, self.lengths, strict=True))

    def index_in(self, full: tuple[int, ...]) -> tuple[slice, ...]:
        """Return how Python cuts this part out of a tensor of shape `full`."""
        sizes = self.shape_in(full)
        return tuple(slice(s, s + n) for s, n in zip(self.starts, sizes, strict=True))

    def to_proto(self) -> Any:
        """Return the part as a TensorSliceProto message."""
        made = messages.TensorSliceProto()
        for start, size in zip(self.starts, self.lengths, strict=True):
            extent = made.extent.add()
            if size != WHOLE:
                if start:
                    extent.start = start
                extent.length = size
        return made

    @staticmethod
    def from_proto(message: Any) -> Slice:
        """Return the part that a TensorSliceProto message tells."""
        return Slice(
            tuple(extent.start for extent in message.extent),
            tuple(
                extent.length if extent.HasField("length") else WHOLE for extent in message.extent
            ),
        )

    def key(self, name: bytes) -> bytes:
        """Return the key under which a table keeps this part of the tensor called `name`."""
        made = ordered_number(0) + ordered_string(name) + ordered_number(len(self.starts))
        for start, size in zip(self.starts, self.lengths, strict=True):
            made += ordered_signed(start) + ordered_signed(size)
        return made


def whole(rank: int) -> Slice:
    """Return the part that is everything."""
    return Slice((0,) * rank, (WHOLE,) * rank)


def parse(text: str) -> tuple[tuple[int, ...], Slice]:
    """Return the full shape and the part that a specification such as `4 3 0,2:-` names."""
    *dims, part = text.split(" ")
    try:
        full = tuple(int(dim) for dim in dims)
    except ValueError:
        raise invalid(f"Can't parse dimension in shape_and_slice specification: {text!r}") from None
    starts, lengths = [], []
    for extent in part.split(":") if part else []:
        if extent == "-":
            starts.append(0)
            lengths.append(WHOLE)
            continue
        try:
            start, size = (int(number) for number in extent.split(","))
        except ValueError:
            raise invalid(
                f"Expected a pair of numbers or '-' but got '{extent}': string = {part}"
            ) from None
        if start < 0 or size <= 0:
            raise invalid(
                f"Expected non-negative start and positive length but got start = {start}, "
                f"length = {size}: string = {part}"
            )
        starts.append(start)
        lengths.append(size)
    made = Slice(tuple(starts), tuple(lengths))
    if len(full) != len(starts):
        raise invalid(
            f"Slice {part} has rank {len(starts)} but the shape of {text!r} has rank {len(full)}"
        )
    for dim, start, size in zip(full, starts, lengths, strict=True):
        if size != WHOLE and start + size > dim:
            raise invalid(f"Extent in {part} is out of bounds of shape {list(full)}")
    return full, made


def overlap(
    one: Slice, other: Slice, full: tuple[int, ...]
) -> tuple[tuple[slice, ...], tuple[slice, ...]] | None:
    """Return where two parts of a tensor meet: as cut out of each; None where they do not."""
    in_one, in_other = [], []
    for a, b in zip(one.index_in(full), other.index_in(full), strict=True):
        start, stop = max(a.start, b.start), min(a.stop, b.stop)
        if start >= stop:
            return None
        in_one.append(slice(start - a.start, stop - a.start))
        in_other.append(slice(start - b.start, stop - b.start))
    return tuple(in_one), tuple(in_other)
