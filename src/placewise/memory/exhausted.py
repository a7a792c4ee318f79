"""What an out-of-memory error says: asked, limit, in use, who holds it, and what to do.

Pure: a `Shortage` in, text out. The first line is TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from placewise.core.errors import ResourceExhaustedError

SHOWN = 5
_C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


@dataclass(frozen=True, slots=True)
class Holder:
    """Memory that one line of the program, or one kind of op, holds."""

    nbytes: int
    count: int
    what: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    origin: str | None = None

    def __str__(self) -> str:
        tensor = "" if self.shape is None else f" {shape_text(self.shape)} {self.dtype}"
        several = f" ({self.count} tensors)" if self.count > 1 else ""
        made = f", made at {self.origin}" if self.origin else ""
        return f"{size_text(self.nbytes)} {self.what or 'tensor'}{tensor}{several}{made}"


@dataclass(frozen=True, slots=True)
class Shortage:
    """A request that did not fit, and the state it met."""

    device: str
    allocator: str
    shape: tuple[int, ...]
    dtype: str
    asked_bytes: int
    limit_bytes: int
    in_use_bytes: int
    largest_free_bytes: int
    holders: tuple[Holder, ...]
    policy: str = ""

    @property
    def free_bytes(self) -> int:
        """What the limit leaves, in pieces or not."""
        return self.limit_bytes - self.in_use_bytes

    @property
    def is_fragmented(self) -> bool:
        """Whether there would be room, were it in one piece."""
        return self.largest_free_bytes < self.asked_bytes <= self.free_bytes


def out_of_memory(shortage: Shortage) -> ResourceExhaustedError:
    """Return the error for a request that did not fit; its `shortage` has the facts as data."""
    error = ResourceExhaustedError(None, None, describe(shortage))
    error.shortage = shortage  # type: ignore[attr-defined]  # for programs that look closer
    return error


def describe(shortage: Shortage) -> str:
    """Return the message of an out-of-memory error."""
    asked = size_text(shortage.asked_bytes)
    lines = [
        f"OOM when allocating tensor with shape{shape_text(shortage.shape)} and type "
        f"{shortage.dtype} on {shortage.device} by allocator {shortage.allocator}",
        f"  asked: {asked}; limit: {size_text(shortage.limit_bytes)}"
        + (f" ({shortage.policy})" if shortage.policy else "")
        + f"; in use: {size_text(shortage.in_use_bytes)}; largest free block: "
        f"{size_text(shortage.largest_free_bytes)}",
    ]
    if shortage.is_fragmented:
        lines.append(
            f"  fragmentation: {size_text(shortage.free_bytes)} are free, but in pieces smaller "
            f"than {asked}"
        )
    if shortage.holders:
        lines.append("  largest holders:")
        lines += [f"    {holder}" for holder in shortage.holders[:SHOWN]]
    lines.append(f"  try: {_advice(shortage)}")
    return "\n".join(lines)


def _advice(shortage: Shortage) -> str:
    if shortage.asked_bytes > shortage.limit_bytes:
        return (
            "this tensor alone is larger than the limit: a smaller batch or shape, or a larger "
            "limit or card"
        )
    if shortage.is_fragmented:
        return (
            "make the large tensors first, or drop (del) small ones that were made between them; "
            "placewise.memory.snapshot() lists all"
        )
    return (
        "a smaller batch; drop (del) tensors that are no longer needed; a larger limit or card; "
        "placewise.memory.snapshot() lists all holders"
    )


def type_name(dtype: Any) -> str:
    """Return the name TensorFlow's runtime has for a torch dtype."""
    name = str(dtype).removeprefix("torch.")
    return _C_NAMES.get(name, name)


def shape_text(shape: Iterable[int]) -> str:
    """Return a shape as TensorFlow's runtime prints it."""
    return "[" + ",".join(map(str, shape)) + "]"


def size_text(nbytes: int) -> str:
    """Return a number of bytes as TensorFlow's logs print it: 768B, 256.0KiB, 1.00MiB."""
    if nbytes < 1024:
        return f"{nbytes}B"
    value, unit, digits = nbytes / 1024, "KiB", 1
    for larger in ("MiB", "GiB", "TiB", "PiB", "EiB"):
        # Whole units decide: the next one is taken when there are 1024 of this.
        if int(value) < 1024:
            break
        value, unit, digits = int(value) / 1024, larger, 2
    return f"{value:.{digits}f}{unit}"
