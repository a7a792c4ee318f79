"""Who holds which memory, as data; memory given back; which options are in force."""

from __future__ import annotations

import gc
import json
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from placewise.core.html import to_table
from placewise.core.runtime import State, runtime
from placewise.core.scope import watch
from placewise.devices.budget import Budget
from placewise.devices.claims import budgets
from placewise.devices.inventory import planned
from placewise.devices.names import Spec, parse
from placewise.devices.runtime_names import matches, parse_runtime
from placewise.memory import ledgers, resident
from placewise.memory.accelerator import Accelerator
from placewise.memory.allocation import Allocation, Made
from placewise.memory.exhausted import Holder, size_text, type_name
from placewise.memory.ledger import Ledger
from placewise.memory.pages import pages
from placewise.memory.pending import LINE_BYTES
from placewise.memory.variables import Holding, by_owner


@dataclass(frozen=True, slots=True)
class Held:
    """One block that a tensor holds."""

    address: int
    nbytes: int
    block_bytes: int
    op: str
    shape: tuple[int, ...] | None
    dtype: str | None
    file: str | None
    line: int | None
    variable: str | None = None  # whose content it is; `file` and `line` are then the variable's


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """The memory of one device at one moment."""

    device: str
    limit_bytes: int
    mapped_bytes: int
    bytes_in_use: int
    peak_bytes: int
    allocations: int
    largest_allocation_bytes: int
    largest_free_bytes: int
    free_blocks: int
    held: tuple[Held, ...]
    holders: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The memory of all devices that are in use."""

    devices: tuple[DeviceMemory, ...]

    def to_json(self, **options: Any) -> str:
        """Return it as JSON text."""
        return json.dumps(asdict(self), **options)

    def __getitem__(self, name: str) -> DeviceMemory:
        """Return the memory of the device that a name such as 'GPU:0' or '/gpu:0' means."""
        wanted = _spec_of(name)
        for device in self.devices:
            full = parse_runtime(device.device)
            if wanted is not None and full is not None and matches(wanted, full):
                return device
        used = ", ".join(device.device.rpartition("device:")[2] for device in self.devices)
        raise KeyError(f"{name!r} names no GPU whose memory is in use (in use: {used or 'none'})")

    def __str__(self) -> str:
        lines = []
        for device in self.devices:
            lines.append(
                f"{device.device}: {size_text(device.bytes_in_use)} of "
                f"{size_text(device.limit_bytes)} in use, peak {size_text(device.peak_bytes)}, "
                f"largest free block {size_text(device.largest_free_bytes)}"
            )
            lines += [f"  {holder}" for holder in device.holders]
        return "\n".join(lines) or "no memory of a GPU is in use"

    def _repr_html_(self) -> str:
        titles = ("device", "in use", "of", "peak", "largest free block", "largest holders")
        rows = [
            (
                device.device.rpartition("device:")[2],
                size_text(device.bytes_in_use),
                size_text(device.limit_bytes),
                size_text(device.peak_bytes),
                size_text(device.largest_free_bytes),
                "\n".join(map(str, device.holders)),
            )
            for device in self.devices
        ]
        return to_table(titles, rows, "" if rows else str(self))


def _spec_of(name: Any) -> Spec | None:
    """Return which device a name means; None unless it names one."""
    try:
        spec = parse(name)
    except (TypeError, ValueError, AttributeError):
        return None
    return None if spec.kind is None or spec.index is None else spec


def snapshot() -> Snapshot:
    """Return who holds which memory on each GPU in use, largest first.

    The line of the program is known for tensors of 1 MiB and more, and for all that are made
    inside `record()`.
    """
    ledgers.release_abandoned()
    uses = [_of(ledger) for ledger in ledgers.opened()]
    uses += [_of_card(card) for card in ledgers.counted_by_torch()]
    return Snapshot(tuple(sorted(uses, key=lambda use: use.device)))


def _of(ledger: Ledger) -> DeviceMemory:
    pool = ledger.settle()
    variables = by_owner()
    held = sorted(
        (_held(allocation, variables.get(id(allocation()))) for allocation in ledger.allocations()),
        key=lambda one: (-one.block_bytes, one.address),
    )
    return DeviceMemory(
        device=ledger.device.name,
        limit_bytes=pool.limit_bytes,
        mapped_bytes=pool.mapped_bytes,
        bytes_in_use=pool.bytes_in_use,
        peak_bytes=pool.peak_bytes,
        allocations=pool.count,
        largest_allocation_bytes=pool.largest_bytes,
        largest_free_bytes=pool.largest_free_bytes,
        free_blocks=sum(block.holder is None for block in pool.blocks()),
        held=tuple(held),
        holders=tuple(ledger.holders()),
    )


def _of_card(card: Accelerator) -> DeviceMemory:
    """Return the memory of a card that torch counts: what is there is looked for now."""
    residents = resident.residents(card.device.torch_device)
    return DeviceMemory(
        device=card.device.name,
        limit_bytes=card.limit_bytes,
        mapped_bytes=card.mapped_bytes,
        bytes_in_use=card.bytes_in_use,
        peak_bytes=card.peak_bytes,
        allocations=card.count,
        largest_allocation_bytes=max((one.nbytes for one in residents), default=0),
        largest_free_bytes=card.largest_free_bytes,
        free_blocks=card.free_blocks,
        held=tuple(_resident(one) for one in residents),
        holders=tuple(resident.gathered(one.holder() for one in residents)),
    )


def _resident(one: resident.Resident) -> Held:
    return Held(
        address=one.address,
        nbytes=one.content.nbytes,
        block_bytes=one.nbytes,
        op=one.what,
        shape=tuple(one.content.shape),
        dtype=type_name(one.content.dtype),
        file=one.origin.file if one.origin else None,
        line=one.origin.line if one.origin else None,
        variable=one.variable,
    )


def _held(allocation: Allocation, holding: Holding | None) -> Held:
    content: Any = allocation.what if type(allocation.what) is Made else None
    variable, origin = None, allocation.origin
    if holding is not None:
        (variable, origin, _), content, _ = holding
    return Held(
        address=allocation.address,
        nbytes=allocation.nbytes,
        block_bytes=allocation.size,
        op=allocation.op_name,
        shape=tuple(content.shape) if content is not None else None,
        dtype=type_name(content.dtype) if content is not None else None,
        file=origin.file if origin else None,
        line=origin.line if origin else None,
        variable=variable,
    )


_recording = threading.Lock()


@dataclass(slots=True)
class Recordings(State):
    """The recordings that are going on."""

    under_way: list[Recording] = field(default_factory=list)


_recordings = runtime.state(Recordings)


def _remember(op: Any, inputs: Any, outputs: Any) -> None:
    """Keep the line of what an op made on a card that torch counts."""
    del inputs
    for output in outputs:
        content = output._value
        if isinstance(content, torch.Tensor) and not content.is_cpu:
            resident.remember(content, op)


class Recording:
    """While it lasts, the line of the program is kept for every allocation, small ones too."""

    def __enter__(self) -> Recording:
        with _recording:
            _recordings.under_way.append(self)
            ledgers.set_line_bytes(0)
            if _remember not in watch.after_op and any(
                device.has_own_memory for device in planned()
            ):
                watch.after_op.append(_remember)
                watch.refresh()
        return self

    def __exit__(self, *exception: object) -> None:
        with _recording:
            _recordings.under_way.remove(self)
            if not _recordings.under_way:
                ledgers.set_line_bytes(LINE_BYTES)
                if _remember in watch.after_op:
                    watch.after_op.remove(_remember)
                    watch.refresh()

    def snapshot(self) -> Snapshot:
        """Return who holds which memory now."""
        return snapshot()


def record() -> Recording:
    """Keep the line of the program for every allocation inside a `with` block.

    Costs some microseconds an op.
    """
    return Recording()


@dataclass(frozen=True, slots=True)
class Released:
    """What a release gave back: bytes mapped on GPUs, and kept on the host for copies."""

    before_bytes: int
    after_bytes: int
    host_before_bytes: int = 0
    host_after_bytes: int = 0

    def __str__(self) -> str:
        return f"mapped on GPUs: {size_text(self.before_bytes)}, now {size_text(self.after_bytes)}"


def release_memory() -> Released:
    """Give memory that nobody holds back, and return the bytes before and after.

    Pools in which nothing is held are closed: the next use opens them with the options then in
    force. Of growing pools the free regions are given back.
    """
    gc.collect()
    ledgers.release_abandoned()
    memories = ledgers.in_use()
    before = sum(map(ledgers.mapped_bytes, memories))
    held = ledgers.release_all([memory.device for memory in memories])
    kept = [memory for memory in memories if memory.device in held]
    for memory in kept:
        if memory.grows:
            memory.give_back()
    after = sum(map(ledgers.mapped_bytes, kept))
    host_before = pages.clear()
    return Released(before, after, host_before, pages.kept_bytes)


def options() -> list[Budget]:
    """Return, for each GPU, which of growth, fraction and limit is in force and who set it.

    GPUs of open sessions and, where those have none, of `tf.config`.
    """
    ledgers.release_abandoned()
    return budgets(planned())
