"""What a plan is: steps over named values, and the Python they become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Ref(NamedTuple):
    """A value of a plan: an output of a step, a fed value, or a constant (`step` negative)."""

    step: int
    output: int = 0


class Combined(NamedTuple):
    """What a step does whose kernel does more, or less, than its operation."""

    name: str
    product: Any = None  # the step it does along, whose result may be larger than what it is given


@dataclass(slots=True, eq=False)
class Step:
    """One thing done: a kernel called, or a value moved (`op` None) by `kernel` or a plain copy."""

    number: int
    op: Any  # the graph's Operation, or None for a copy
    kernel: Any
    inputs: list[Any]  # Ref, or a list of Ref, or Host for what a kernel reads on the host
    attrs: dict[str, Any]
    device: Any
    outputs: int
    is_list: bool = False  # the kernel returns a list or tuple
    source: Any = None  # for a copy: the device it comes from
    frees: Sequence[Ref] = ()
    expression: str | None = None  # what is written instead of a call, with the inputs filled in
    combined: Combined | None = None  # if the kernel is not the operation's own, what it is
    fused: tuple[Any, ...] = ()  # further operations that its kernel does


class Host(NamedTuple):
    """A value that a kernel reads as a NumPy array."""

    ref: Ref


class Read(NamedTuple):
    """The content of a TensorFlow 1 variable, at the time it is used."""

    ref: Ref


class Number(NamedTuple):
    """A scalar of a loop, as a NumPy number; for kernels that read on the host, as an array."""

    ref: Ref
    as_array: bool = False


def ref_of(item: Any) -> Ref:
    """Return the value an argument is about."""
    found: Ref = item if type(item) is Ref else item.ref
    return found


def reads(step: Step) -> list[Ref]:
    """Return the values a step reads itself, one that is read twice twice."""
    found: list[Ref] = []
    for item in step.inputs:
        if type(item) is Ref:
            found.append(item)
        elif type(item) is list:
            found.extend(map(ref_of, item))
        else:
            found.append(item.ref)
    return found


@dataclass
class Plan:
    """Everything that a call of a graph does, in order."""

    feeds: list[Any]
    fetches: list[Any]
    steps: list[Step]
    constants: dict[Ref, Any]
    where: dict[Ref, Any] = field(default_factory=dict)  # the device of each constant
    handles: dict[Ref, Any] = field(default_factory=dict)  # Ref → the Operation that makes state
    aliases: dict[Any, Ref] = field(default_factory=dict)
    bound: set[Ref] = field(default_factory=set)  # constants that somebody else holds as well
    resident: set[Ref] = field(default_factory=set)  # constants to be in the device's own memory
    fetched_from: list[Any] = field(default_factory=list)  # where fetches are, if not the client
    every: list[Step] = field(default_factory=list)  # by number, with those inside of others
    homes: dict[Ref, Any] = field(default_factory=dict)  # the device of each value
    asked: dict[Ref, Any] = field(default_factory=dict)  # copies that an Identity asks for
    client: Any = None  # where feeds come from and fetches go

    def copies(self) -> list[Step]:
        """Return the steps that move data between devices."""
        return [step for step in self.every if step.source is not None]


def blaming(step: Step) -> Callable[..., Any]:
    """Return what a step calls; if that fails, the error names the step's operation."""
    kernel, attrs, op = step.kernel, step.attrs, step.op

    def call(*contents: Any) -> Any:
        try:
            return kernel(*contents, **attrs)
        except Exception as problem:
            problem.in_operation = op  # type: ignore[attr-defined]
            problem.in_contents = list(contents)  # type: ignore[attr-defined]
            raise

    return call
