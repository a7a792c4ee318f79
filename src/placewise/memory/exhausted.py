"""What an out-of-memory error says: asked, limit, in use, who holds it, and what to do.

Pure: a `Shortage` in, text out. The first line is TensorFlow's.
"""

from __future__ import annotations

import functools
import math
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from placewise.core.errors import ResourceExhaustedError
from placewise.core.sizes import size_text as size_text

if TYPE_CHECKING:
    import torch

P = ParamSpec("P")
R = TypeVar("R")

SHOWN = 5
# In the words of torch, and of NumPy for text.
_REFUSALS = (
    "can't allocate memory",
    "out of memory",
    "Storage size calculation overflowed",
    "array is too big",
    "Maximum allowed dimension exceeded",
)
_C_NAMES = {"float32": "float", "float64": "double", "float16": "half", "object": "string"}
_CLOSE = 100  # sizes that differ by less than this part of themselves can have the same text


@dataclass(frozen=True, slots=True)
class Holder:
    """Memory that a variable, one line of the program, or one kind of op holds."""

    nbytes: int  # of its blocks
    count: int
    what: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    origin: str | None = None
    used_bytes: int | None = None  # of its blocks, what it asked for; None if that is all
    held_by: str | None = None  # a name in the program and the line that runs there

    def __str__(self) -> str:
        tensor = "" if self.shape is None else f" {shape_text(self.shape)} {self.dtype}"
        several = f" ({self.count} tensors)" if self.count > 1 else ""
        origin = f", made at {self.origin}" if self.origin else ""
        if self.held_by:
            origin += f", held by {self.held_by}"
        taken = size_text(self.nbytes)
        size = taken if self.used_bytes is None else size_text(self.used_bytes)
        blocks = "blocks" if self.count > 1 else "a block"
        inside = "" if size == taken else f" in {blocks} of {taken}"
        return f"{size} {self.what or 'tensor'}{tensor}{several}{inside}{origin}"


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
    op: str | None = None  # of eager execution
    host_bytes: int | None = None  # what the host has left, where that is why
    lost_bytes: int = 0  # of those in use, what blocks are larger than what they hold

    @property
    def free_bytes(self) -> int:
        """What the limit leaves, in pieces or not."""
        return self.limit_bytes - self.in_use_bytes

    @property
    def is_fragmented(self) -> bool:
        """Whether there would be room, were all that nobody uses in one piece."""
        return self.largest_free_bytes < self.asked_bytes <= self.free_bytes + self.lost_bytes


def out_of_memory(shortage: Shortage) -> ResourceExhaustedError:
    """Return the error for a request that did not fit; its `shortage` has the facts as data."""
    error = ResourceExhaustedError(None, None, describe(shortage))
    error.shortage = shortage  # for programs that look closer
    return error


def instead(
    error: ResourceExhaustedError, shape: tuple[int, ...], dtype: torch.dtype, op: str
) -> ResourceExhaustedError:
    """Return the error for a whole tensor, after a small part of it did not fit.

    If there is no room for the part, there is none for the whole.
    """
    shortage = error.shortage
    if shortage is None:
        return error
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes <= shortage.asked_bytes:
        return error
    return out_of_memory(replace(shortage, shape=shape, asked_bytes=nbytes, op=op))


def let_go(error: BaseException) -> None:
    """Empty the frames that an out-of-memory error has come through.

    A program that retries inside `except` still holds the error, and its traceback holds every
    value computed on the way. Those must not keep the memory that the retry needs.
    """
    traceback.clear_frames(error.__traceback__)
    error.__traceback__ = None
    error.__dict__.pop("in_contents", None)  # what a step of a plan was given


def lets_go(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to release what it has computed when it runs out of memory."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ResourceExhaustedError as error:
            let_go(error)
            raise error from None

    return call


def is_out_of_memory(text: str) -> bool:
    """Return whether an error of torch or NumPy says that there is no memory."""
    return any(words in text for words in _REFUSALS)


def described_as(message: str, op: str, name: str | None = None) -> str:
    """Return a message whose first line ends with the op that failed, as TensorFlow's does."""
    first, mark, rest = message.partition("\n")
    tail = f" [Op:{op}] name: "
    if "[Op:" not in message:
        first += tail
    return f"{first}{name if name and first.endswith(tail) else ''}{mark}{rest}"


def describe(shortage: Shortage) -> str:
    """Return the message of an out-of-memory error."""
    text = _size_texts(shortage)
    first = (
        f"OOM when allocating tensor with shape{shape_text(shortage.shape)} and type "
        f"{shortage.dtype} on {shortage.device} by allocator {shortage.allocator}"
    )
    lines = [
        described_as(first, shortage.op) if shortage.op else first,
        f"  asked: {text(shortage.asked_bytes)}; limit: {text(shortage.limit_bytes)}"
        + (f" ({shortage.policy})" if shortage.policy else "")
        + f"; in use: {text(shortage.in_use_bytes)}; largest free block: "
        f"{text(shortage.largest_free_bytes)}",
    ]
    if shortage.is_fragmented:
        lines.append(f"  fragmentation: {_fragmentation(shortage, text)}")
    if shortage.holders:
        lines.append("  largest holders:")
        lines += [f"    {holder}" for holder in shortage.holders[:SHOWN]]
    lines.append(f"  try: {_advice(shortage)}")
    return "\n".join(lines)


def _size_texts(shortage: Shortage) -> Callable[[int], str]:
    """Return what writes sizes: to the byte where others are so close that texts would mislead."""
    asked = shortage.asked_bytes
    others = (shortage.limit_bytes, shortage.largest_free_bytes, shortage.free_bytes)
    close = {size for size in others if 0 < abs(size - asked) * _CLOSE < asked}
    if close:
        close.add(asked)
    return lambda size: f"{size_text(size)} ({size} bytes)" if size in close else size_text(size)


def _fragmentation(shortage: Shortage, text: Callable[[int], str]) -> str:
    if shortage.asked_bytes <= shortage.free_bytes:
        free, asked = text(shortage.free_bytes), text(shortage.asked_bytes)
        return f"{free} are free, but in pieces smaller than {asked}"
    free = f"; {text(shortage.free_bytes)} are free" if shortage.free_bytes else ""
    return f"{text(shortage.lost_bytes)} are lost in blocks larger than what they hold{free}"


def _advice(shortage: Shortage) -> str:
    if shortage.asked_bytes > shortage.limit_bytes:
        return (
            "this tensor alone is larger than the limit: a smaller batch or shape, or a larger "
            "limit or card"
        )
    if shortage.host_bytes is not None:
        return (
            f"a simulated GPU computes in the memory of this machine, which has "
            f"{size_text(shortage.host_bytes)} left: a smaller batch or shape"
        )
    if shortage.is_fragmented and shortage.asked_bytes > shortage.free_bytes:
        return (
            "a smaller batch; a tensor that needs more than half of a free block gets all of it: "
            "make such tensors last; a larger limit or card; placewise.memory.snapshot() lists all"
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


def host_out_of_memory(
    device: str,
    shape: tuple[int, ...],
    dtype: str,
    asked_bytes: int,
    left_bytes: int | None,
    allocator: str = "cpu",
) -> ResourceExhaustedError:
    """Return the error for a tensor that torch found no memory for, where nobody counts."""
    left = "" if left_bytes is None else f"; this machine has {size_text(left_bytes)} left"
    return ResourceExhaustedError(
        None,
        None,
        f"OOM when allocating tensor with shape{shape_text(shape)} and type {dtype} on {device} by "
        f"allocator {allocator}\n  asked: {size_text(asked_bytes)}{left}\n"
        "  try: a smaller batch or shape",
    )


def type_name(dtype: Any) -> str:
    """Return the name TensorFlow's runtime has for a torch dtype."""
    name = str(dtype).removeprefix("torch.")
    return _C_NAMES.get(name, name)


def shape_text(shape: Iterable[int]) -> str:
    """Return a shape as TensorFlow's runtime prints it."""
    return "[" + ",".join(map(str, shape)) + "]"
