"""What `record()` collects: an entry per op that ran, and every transfer between memories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple

from placewise.core.html import to_table
from placewise.core.sizes import size_text

_TITLES = ("op", "device", "copied in", "why", "at")
_SHOWN = 200  # rows in a notebook


@dataclass(frozen=True)
class Copy:
    """Bytes that went from one device to another.

    `kind` says why: "copy", an op reads what another device made; "feed" and "constant", a value of
    the program goes to a device; "fetch", the program asks for a value; "host", an op reads a size,
    an axis or a condition on the host. Only a "copy" is made unasked.
    """

    input: int  # which input of the op it is made for
    source: str
    target: str
    bytes: int
    kind: str = "copy"
    op: str = ""  # the op it is made for: its name in a graph, its type in eager mode
    tensor: str = ""  # what is copied, by its name in a graph


@dataclass(frozen=True)
class Entry:
    """One executed op; of several ops done in one call, the last, and the others in `fused`."""

    op: str
    name: str
    requested: str
    device: str
    reason: str
    line: str
    copies: tuple[Copy, ...] = ()
    fused: tuple[str, ...] = ()  # "MatMul (dense/MatMul)"
    fell_back: bool = False  # it runs elsewhere than asked


class Executed(NamedTuple):
    """The contents that an op read and made, while they are there; a log keeps none of them."""

    op: Any  # its declaration
    inputs: tuple[Any, ...]  # contents, handles, arrays, or lists of them
    outputs: tuple[Any, ...]
    attrs: dict[str, Any]
    step: Any = None  # of a plan, whose kernel may do other operations as well
    since: int = 0  # when it began, by `time.perf_counter_ns`
    facts: Any = None  # of the plan: what is known of its steps before they run


@dataclass
class Log:
    """The ops that ran while `record()` was open, in order, and the transfers that were made."""

    entries: list[Entry] = field(default_factory=list)
    transfers: list[Copy] = field(default_factory=list)
    # A program that is recorded from outside must not be warned of more than without that.
    is_quiet: ClassVar[bool] = False

    def ran(self, entry: Entry, executed: Executed) -> None:
        """Take down an op that ran."""
        del executed
        self.entries.append(entry)

    def moved(self, copy: Copy, content: Any) -> None:
        """Take down a transfer; `content` is what goes, None if that is not at hand."""
        del content
        self.transfers.append(copy)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def copies(self) -> list[Copy]:
        """Return every copy between devices that was made unasked; `transfers` has all others."""
        return [transfer for transfer in self.transfers if transfer.kind == "copy"]

    def to_json(self) -> str:
        """Return ops and transfers as JSON."""
        as_json = {
            "ops": [asdict(entry) for entry in self.entries],
            "transfers": [asdict(transfer) for transfer in self.transfers],
        }
        return json.dumps(as_json, indent=2)

    def table(self) -> str:
        """Return the entries as aligned text: op, device, bytes copied in, reason, line."""
        rows = [_TITLES, *map(_cells, self.entries)]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    def _repr_html_(self) -> str:
        copied = sum(copy.bytes for copy in self.copies())
        said = f"ops: {len(self)}; transfers: {len(self.transfers)}; unasked: {size_text(copied)}"
        if len(self) > _SHOWN:
            said += f"; the first {_SHOWN} are shown, table() has all"
        return to_table(_TITLES, map(_cells, self.entries[:_SHOWN]), said)


def _cells(entry: Entry) -> tuple[str, ...]:
    copied = str(sum(copy.bytes for copy in entry.copies) or "-")
    return _called(entry), short(entry.device), copied, entry.reason, entry.line


def short(name: str) -> str:
    """Return the last part of a device's name: "GPU:0"."""
    return name.rpartition("/device:")[2]


def _called(entry: Entry) -> str:
    return " + ".join([*(text.partition(" ")[0] for text in entry.fused), entry.op])
