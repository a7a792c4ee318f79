"""What a training step would need and take on one machine, as plain data.

Made by `estimate` from a dry run; printed by `report`, by `placewise plan` and as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HolderForecast:
    """Memory that one variable, or one line of the program, holds at the peak."""

    nbytes: int
    what: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    line: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class DeviceForecast:
    """The memory and the load of one GPU in a step."""

    device: str
    model: str
    limit_bytes: int
    peak_bytes: int
    variables_bytes: int
    slots_bytes: int
    activations_bytes: int
    workspace_bytes: int  # what libraries may take beside, an estimate; not in the peak
    utilisation: float
    crossing_op: str = ""  # the first op that finds no memory
    crossing_line: str = ""
    holders: tuple[HolderForecast, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether the peak is within the limit."""
        return self.peak_bytes <= self.limit_bytes


@dataclass(frozen=True, slots=True)
class CopyForecast:
    """All copies of a step from one device to another."""

    source: str
    target: str
    count: int
    nbytes: int
    seconds: float
    unasked_bytes: int  # of ops that read what another device made


@dataclass(frozen=True, slots=True)
class FallbackForecast:
    """Ops of one type that run on the CPU though the machine has GPUs."""

    op: str
    count: int
    reason: str
    line: str
    seconds: float
    copied_bytes: int
    copied_seconds: float


@dataclass(frozen=True, slots=True)
class SpanForecast:
    """When one op or copy of the step runs. Seconds count from the beginning of the step.

    `place` is a device ("GPU:0", "CPU:0"), a link from one to another ("CPU:0>GPU:0"), or the ring
    of an all-reduce ("GPU:0 ring"). `kind` is the class of op that the cost model knows ("matmul",
    "conv", "elementwise", …), for copies what they are for ("copy", "feed", "fetch", "all_reduce").
    """

    place: str
    start_seconds: float
    end_seconds: float
    op: str  # type, e.g. "MatMul"; of a copy the op that reads it
    kind: str
    name: str = ""  # in the graph; empty in eager mode
    line: str = ""  # of the program
    bound: str = ""  # what its duration is made of: "compute", "memory bandwidth", …
    nbytes: int = 0  # that a copy moves
    requested: str = ""  # the device that the program asked for
    reason: str = ""  # why it runs where it runs
    fell_back: bool = False  # it does not run where it was asked to
    inputs: tuple[int, ...] = ()  # the places among the spans of those whose results it reads


@dataclass(frozen=True, slots=True)
class ScalingForecast:
    """The same step on another number of cards, each with the batch that one card has."""

    cards: int
    step_seconds: float
    samples_per_second: float | None
    efficiency: float  # of one card's speed times the number of cards
    fits: bool = True


@dataclass(frozen=True, slots=True)
class Forecast:
    """A training step on one machine. Durations are in seconds."""

    machine: str
    devices: tuple[DeviceForecast, ...]
    step_seconds: float
    bound: str
    bound_seconds: dict[str, float]
    batch: int | None
    samples_per_second: float | None
    largest_batch: int | None
    cpu_seconds: float  # of the same step on the machine's CPU alone
    link_busy: dict[str, float]
    copies: tuple[CopyForecast, ...] = ()
    fallbacks: tuple[FallbackForecast, ...] = ()
    scaling: tuple[ScalingForecast, ...] = ()
    scaling_source: str = ""  # how the rows of `scaling` came about
    steps: int = 0  # training steps that were seen; 0 if there was none
    trainable_bytes: int = 0  # on the GPU that has most
    ended: str = "steps"
    notes: tuple[str, ...] = ()
    proposal: str = ""  # what would be faster on this machine
    placement: tuple[str, ...] = ()  # reasons of automatic placement, one a line
    spans: tuple[SpanForecast, ...] = ()  # the timeline of the step, in order of their start

    @property
    def fits(self) -> bool:
        """Whether every GPU has enough memory."""
        return all(device.fits for device in self.devices)

    @property
    def verdict(self) -> str:
        """Whether it fits; "barely" if the workspace of libraries may be too much."""
        if not self.fits:
            return "does not fit"
        if any(d.peak_bytes + d.workspace_bytes > d.limit_bytes for d in self.devices):
            return "fits barely"
        return "fits"

    @property
    def uses_several_gpus(self) -> bool:
        """Whether more than one GPU is busy in a step."""
        return bool(self.steps) and sum(device.utilisation > 0 for device in self.devices) > 1

    @property
    def speedup(self) -> float:
        """How many times faster than the machine's CPU alone."""
        return self.cpu_seconds / self.step_seconds if self.step_seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, with the verdict."""
        # Thousands of spans: `asdict` would copy each of their fields deeply.
        data = asdict(replace(self, spans=()))
        names = [field.name for field in fields(SpanForecast)]
        data["spans"] = [{name: getattr(span, name) for name in names} for span in self.spans]
        return {"verdict": self.verdict, "fits": self.fits, **data}


def from_json(kind: type[T], data: Mapping[str, Any]) -> T:
    """Return a dataclass of this file from what `to_json` made of it."""
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    return kind(**{name: _built(hints[name], data[name]) for name in hints if name in data})


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    """Return the type of each field of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _built(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(hint) is UnionType:
        hint = next(one for one in get_args(hint) if one is not type(None))
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return tuple(_built(item, one) for one in value)
    if isinstance(hint, type) and is_dataclass(hint):
        return from_json(hint, value)
    return value
