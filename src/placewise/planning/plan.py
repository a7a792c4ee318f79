"""What a plan is: steps over named values, and the blocks that branches and loops hold.

A plan is data. The passes (`pipeline.py`) build it, `emission` writes it as Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FED = -1  # `Ref.step` of a fed value: `output` is its place among the feeds
CONSTANT = -2  # `Ref.step` of a constant or of state: `output` counts them


class Ref(NamedTuple):
    """A value of a plan: an output of a step, a fed value (FED), or a constant (CONSTANT)."""

    step: int
    output: int = 0


class Combined(NamedTuple):
    """What a step does whose kernel does more, or less, than its operation."""

    name: str
    # The MatMul that the kernel computes as well. Its result may be larger than the step's inputs,
    # so memory is reserved for it before the kernel runs.
    product: Any = None


@dataclass(slots=True, eq=False)
class Step:
    """One kernel call, or one value moved (`op` None) by `kernel` or by a plain copy."""

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
    expression: str | None = None  # Python to write instead of a call, with places for the inputs
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


@dataclass
class Part:
    """The steps of one block, and the values it ends with."""

    repeats: bool
    steps: list[Step] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    drops: list[Ref] = field(default_factory=list)  # own values to delete after the results are out
    uses: set[Ref] = field(default_factory=set)  # values from outside that the part reads
    scope: Any = None  # tables of the draft that hold inside the part only, while it is built

    def result_refs(self) -> list[Ref]:
        """Return the values the part ends with."""
        return [ref_of(item) for item in self.results]


@dataclass(eq=False)
class Choice(Step):
    """A branch: one of several parts is run; outputs `live` are what it ends with."""

    parts: list[Part] = field(default_factory=list)
    live: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Loop(Step):
    """The second part is run while the first ends with True.

    Outputs `live` hold the loop variables, those in `histories` the values of each iteration.
    """

    parts: list[Part] = field(default_factory=list)
    live: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)  # the loop variables that are computed
    histories: list[int] = field(default_factory=list)  # their values follow in the body's results
    count: int | None = None  # the output that holds the number of iterations
    limit: Any = None  # `maximum_iterations`


def ref_of(item: Any) -> Ref:
    """Return the value an argument is about."""
    ref: Ref = item if type(item) is Ref else item.ref
    return ref


def reads(step: Step) -> list[Ref]:
    """Return the values a step reads itself, one that is read twice twice."""
    refs: list[Ref] = []
    for item in step.inputs:
        if type(item) is Ref:
            refs.append(item)
        elif type(item) is list:
            refs.extend(map(ref_of, item))
        else:
            refs.append(item.ref)
    return refs


def outputs_of(step: Step) -> list[Ref]:
    """Return the values a step computes; of branches and loops, those that are asked for."""
    live = getattr(step, "live", None)
    return [Ref(step.number, k) for k in (range(step.outputs) if live is None else live)]


@dataclass
class Plan:
    """Everything that a call of a graph does, in order."""

    feeds: list[Any]
    fetches: list[Any]
    steps: list[Step]
    constants: dict[Ref, Any]
    constant_homes: dict[Ref, Any] = field(default_factory=dict)  # the device of each constant
    handles: dict[Ref, Any] = field(default_factory=dict)  # Ref → the Operation that makes state
    bound: set[Ref] = field(default_factory=set)  # constants that somebody else holds as well
    resident: set[Ref] = field(default_factory=set)  # constants to be in the device's own memory
    fetched_from: list[Any] = field(default_factory=list)  # where fetches are, if not the client
    every: list[Step] = field(default_factory=list)  # by number, with those inside of others
    homes: dict[Ref, Any] = field(default_factory=dict)  # the device of each value
    asked: dict[Ref, Any] = field(default_factory=dict)  # copies that an Identity asks for
    client: Any = None  # where feeds come from and fetches go
    is_part: bool = False  # of a graph on several tasks: its loops end when the step is cancelled

    def copies(self) -> list[Step]:
        """Return the steps that move data between devices."""
        return [step for step in self.every if step.source is not None]

    def lists_of_steps(self) -> list[list[Step]]:
        """Return the list of steps of the plan, and that of each part of a branch or loop."""
        nested = [part.steps for step in self.every for part in getattr(step, "parts", ())]
        return [self.steps, *nested]


def blaming(step: Step) -> Callable[..., Any]:
    """Return a function that calls a step's kernel; an error that it raises names the operation.

    A combined kernel falls back to the kernels of the steps it replaces. Without this, their errors
    would name the operation of the combined step.
    """
    kernel, attrs, op = step.kernel, step.attrs, step.op

    def call(*contents: Any) -> Any:
        try:
            return kernel(*contents, **attrs)
        except Exception as problem:
            if hasattr(problem, "in_operation"):
                raise  # a kernel inside this one knows better
            problem.in_operation = op  # type: ignore[attr-defined]
            problem.in_contents = list(contents)  # type: ignore[attr-defined]
            raise

    return call
