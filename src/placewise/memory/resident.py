"""Which tensors are in the memory of a card whose memory torch counts, and who made them.

Nothing is recorded while ops run; the tensors are searched for when a report needs them. The search
asks Python's garbage collector for all tensors, variables for their contents, eager tensors for
their ops, and a failed plan for the operation of each value.
"""

from __future__ import annotations

import gc
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

import torch

from placewise.core.runtime import State, runtime
from placewise.devices.origin import Origin, is_of_program, user_line
from placewise.memory.exhausted import Holder, type_name
from placewise.memory.variables import by_owner

Naming = Iterable[tuple[Any, Any]]  # contents, and what made each: an op, or its name


class Resident(NamedTuple):
    """A piece of a card's memory, what the program sees of it, and what is known of its maker."""

    address: int
    nbytes: int
    content: torch.Tensor
    what: str = ""
    origin: Origin | None = None  # the line that made it
    variable: str | None = None
    name: str | None = None  # the name and line by which the program holds it

    def holder(self) -> Holder:
        """Return the piece as a holder of memory, for errors and reports."""
        what = f"variable {self.variable}" if self.variable else self.what
        return Holder(
            self.nbytes,
            1,
            what,
            tuple(self.content.shape),
            type_name(self.content.dtype),
            str(self.origin) if self.origin else None,
            held_by=self.name,
        )


_listings: dict[type, Callable[[Any], Naming]] = {}


class ExtraListings(State, threading.local):
    """Functions that list contents which only a plan or a kernel of this thread knows."""

    functions: tuple[Callable[[], Naming], ...] = ()


_extra = runtime.state(ExtraListings)


def register_contents(kind: type, listing: Callable[[Any], Naming]) -> None:
    """Register how an object of a class lists its contents, and the op that made each."""
    _listings[kind] = listing


@contextmanager
def also_listing(listing: Callable[[], Naming]) -> Iterator[None]:
    """Add the contents that `listing` yields, those of a failed plan, to reports of a block."""
    before = _extra_listings()
    _extra.functions = (*before, listing)
    try:
        yield
    finally:
        _extra.functions = before


def _extra_listings() -> tuple[Callable[[], Naming], ...]:
    return _extra.functions


def in_kernel(failure: BaseException, op: str, inputs: Iterable[Any]) -> Naming:
    """Yield the tensors that a kernel had allocated when it failed, beside its inputs."""
    input_ids = {id(value) for value in inputs}
    trace = failure.__traceback__
    while trace is not None:
        for value in locals_of(trace.tb_frame).values():
            if isinstance(value, torch.Tensor) and id(value) not in input_ids:
                yield value, f"{op}, for itself,"
        trace = trace.tb_next


def locals_of(frame: FrameType) -> dict[str, Any]:
    """Return the local variables of a frame, without a copy of them being kept in the frame.

    Until Python 3.13 it keeps the copy that `f_locals` makes.
    """
    values = frame.f_locals
    copy = dict(values)
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(values) is dict:
        values.clear()
    return copy


class Recorded(ref):  # type: ignore[type-arg]  # of a torch.Tensor
    """The op and the line that made a content, noted while a program records."""

    __slots__ = ("origin", "what")

    what: Any
    origin: Origin | None


@dataclass(slots=True)
class RecordedContents(State):
    """The op and line of contents that live, by id."""

    by_id: dict[int, Recorded] = field(default_factory=dict)


# Lasting: an entry is removed when its content ends, which may be after the test that made it.
_recorded = runtime.state(RecordedContents, lasting=True)


def remember(content: torch.Tensor, what: Any) -> None:
    """Keep the line that is running for a content, as long as it lives."""
    number = id(content)
    noted = Recorded(content, lambda _: _recorded.by_id.pop(number, None))
    noted.what, noted.origin = what, user_line(1)
    _recorded.by_id[number] = noted


def residents(torch_device: str) -> list[Resident]:
    """Return the tensors in the memory of a card, largest first."""
    target = torch.device(torch_device)
    contents: dict[int, torch.Tensor] = {}
    registered: list[Any] = []
    for thing in gc.get_objects():
        kind = type(thing)
        if kind in _listings:
            registered.append(thing)
        # Other subclasses need not have memory.
        elif kind in (torch.Tensor, torch.nn.Parameter) and _is_on(thing, target):
            address = thing.untyped_storage().data_ptr()
            known = contents.get(address)
            # Several tensors may view the same bytes: keep the one that covers most of them.
            if known is None or known.nbytes < thing.nbytes:
                contents[address] = thing
    facts = _facts(registered, contents, target)
    residents = [_resident(address, content, facts) for address, content in contents.items()]
    return sorted(residents, key=lambda resident: (-resident.nbytes, resident.address))


def _is_on(value: torch.Tensor, target: torch.device) -> bool:
    """Return whether a value is a tensor with memory on a card."""
    return (
        isinstance(value, torch.Tensor)
        and value.device == target
        and value.layout is torch.strided
        and value.untyped_storage().nbytes() > 0
    )


class _Facts(NamedTuple):
    """What is known of the bytes at an address."""

    makers: dict[int, tuple[str, Origin | None]]
    names: dict[int, str]
    variables: dict[int, Any]


def _facts(
    registered: list[Any], contents: dict[int, torch.Tensor], target: torch.device
) -> _Facts:
    makers: dict[int, tuple[str, Origin | None]] = {}

    def take(naming: Naming) -> None:
        for content, maker in naming:
            if maker is not None and _is_on(content, target):
                named = str(getattr(maker, "name", maker)), getattr(maker, "origin", None)
                makers.setdefault(content.untyped_storage().data_ptr(), named)

    for address, content in contents.items():
        noted = _recorded.by_id.get(id(content))
        if noted is not None:
            makers[address] = str(getattr(noted.what, "name", noted.what)), noted.origin
    for thing in registered:
        take(_listings[type(thing)](thing))
    for name_contents in _extra_listings():
        take(name_contents())
    variables = {
        holding.content.untyped_storage().data_ptr(): holding
        for holding in by_owner().values()
        if _is_on(holding.content, target)
    }
    return _Facts(makers, _names(target), variables)


def _resident(address: int, content: torch.Tensor, facts: _Facts) -> Resident:
    nbytes = content.untyped_storage().nbytes()
    what, origin = facts.makers.get(address, ("", None))
    holding = facts.variables.get(address)
    if holding is not None:
        (variable, line, _), seen, _ = holding
        return Resident(address, nbytes, seen, what, line, variable)
    name = None if origin is not None else facts.names.get(address)
    return Resident(address, nbytes, content, what, origin, None, name)


def _names(target: torch.device) -> dict[int, str]:
    """Return address → the local variable of a running function that holds it, with its line."""
    names: dict[int, str] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_of_program(frame.f_code.co_filename):
            where = Origin(frame.f_code.co_filename, frame.f_lineno)
            for name, content in _held_by(frame):
                if _is_on(content, target):
                    address = content.untyped_storage().data_ptr()
                    names.setdefault(address, f"{name} at {where}")
        frame = frame.f_back
    return names


def _held_by(frame: FrameType) -> list[tuple[str, Any]]:
    """Return (local name, content) of the tensors in the local variables of a running function."""
    return [
        (name, content)
        for name, value in locals_of(frame).items()
        if type(value) in _listings
        for content, _ in _listings[type(value)](value)
    ]


def holders(torch_device: str, most: int | None = None) -> list[Holder]:
    """Return who holds the memory of a card, largest first, alike contents as one."""
    return gathered((one.holder() for one in residents(torch_device)), most)


def gathered(single: Iterable[Holder], most: int | None = None) -> list[Holder]:
    """Return holders with those that are alike as one, largest first."""
    sums: dict[Holder, list[int]] = {}
    for one in single:
        sums.setdefault(replace(one, nbytes=0), []).append(one.nbytes)
    holders = [replace(one, nbytes=sum(sizes), count=len(sizes)) for one, sizes in sums.items()]
    return sorted(holders, key=lambda one: -one.nbytes)[:most]
