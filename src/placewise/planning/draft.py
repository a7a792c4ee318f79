"""A plan under construction: the state that passes hand to each other.

A `Draft` maps tensors of the graph to values of the plan, and knows where the next step goes. It
decides nothing; the passes and `lowering` do.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops.values import from_numpy
from placewise.planning.exchange import Exchange
from placewise.planning.lowering.variable_reads import VariableReads
from placewise.planning.plan import CONSTANT, FED, Number, Part, Plan, Ref, Step
from placewise.planning.plan_index import PlanIndex

BoundTensor = tuple[GraphTensor, Any, Any]  # a tensor, its content, the device that is on


class Level(NamedTuple):
    """A list of steps that is being filled: that of the plan, or of a block inside it."""

    steps: list[Step]
    copies: MutableMapping[Any, Ref]
    repeats: bool  # the steps run once per iteration of a loop


class _Dtypes(dict[Ref, Any]):
    """The dtypes of values. Those of operations' results are looked up: quicker than to store."""

    def __init__(self, every: list[Step]) -> None:
        self.every = every

    def __missing__(self, ref: Ref) -> Any:
        return self.every[ref.step].op.outputs[ref.output].dtype


class Draft:
    """One plan that is being built."""

    # Slots: each operation that is lowered looks up a dozen of these.
    __slots__ = (
        "_constant_count",
        "_index",
        "_list_of",
        "_scalar_constants",
        "bound",
        "client",
        "copies",
        "dtypes",
        "exchange",
        "fed",
        "feed_homes",
        "feeds",
        "fetches",
        "history_depths",
        "history_homes",
        "homes",
        "known_values",
        "lazy",
        "levels",
        "lower",
        "number_refs",
        "numpy_tensors",
        "operations",
        "placement",
        "plan",
        "refs",
        "result_homes",
        "step_by_key",
        "steps",
        "used",
        "variable_reads",
    )

    def __init__(
        self,
        fetches: list[Any],
        feeds: list[GraphTensor],
        placement: Any,
        client: Any,
        feed_homes: list[Any] | None = None,
        bound: list[BoundTensor] | None = None,
        result_homes: list[Any] | None = None,
        exchange: Exchange | None = None,
    ) -> None:
        # What is asked for; see `pipeline.build_plan`.
        self.fetches, self.feeds = fetches, feeds
        self.placement, self.client = placement, client
        self.feed_homes, self.bound, self.result_homes = feed_homes, bound or [], result_homes
        self.fed = {id(tensor) for tensor in feeds}
        self.exchange = exchange  # with other parts of the graph, if this is one
        if exchange is not None:
            self.fed.update(map(id, exchange.received))
        # What passes before lowering find out.
        self.operations: list[Operation] = []  # those to run, in order
        self.used: set[int] | None = None  # ids of tensors that are read; None: all are
        self.numpy_tensors: set[int] = set()  # ids of tensors that are computed with NumPy
        # The plan, and the values that tensors of the graph are in it.
        self.plan = Plan([], [], [], {}, client=client)
        self.refs: dict[int, Ref] = {}  # id of a tensor → its value
        self.homes: dict[Ref, Any] = self.plan.homes
        self.dtypes = _Dtypes(self.plan.every)
        self.known_values: dict[Ref, Any] = {}  # constants whose NumPy value is known now
        self.lazy: set[int] = set()  # ids of tensors that share the memory of a TF1 variable
        self.variable_reads = VariableReads()
        # Scalars of loops, and the values that loops keep for their gradients.
        self.number_refs: dict[Ref, Number] = {}
        self.history_depths: dict[Ref, int] = {}  # 2: a list of numbers, 3: a list of those, …
        self.history_homes: dict[Ref, Any] = {}  # histories → the device of what they hold
        # Where steps go. Inside a block, these three are the block's own.
        self.steps = self.plan.steps
        self.step_by_key: MutableMapping[Any, int] = {}  # what makes steps the same → the first
        self.copies: MutableMapping[Any, Ref] = {}  # (value, device or how) → the copy
        self.levels = [Level(self.steps, self.copies, False)]  # the lists being filled, outer first
        self._list_of: dict[int, list[Step]] = {FED: self.steps}  # step number → its list
        self._constant_count = 0
        self._scalar_constants: dict[Any, Ref] = {}
        self._index: PlanIndex | None = None
        # Lowers one operation. Set by the lowering pass: blocks are lowered by the same function
        # that lowers the operation that owns them, and importing it there would be a circle.
        self.lower: Callable[[Operation], None]

    @property
    def results(self) -> list[Any]:
        """What must be computed: fetches, and what other parts of the graph read."""
        return self.fetches if self.exchange is None else [*self.fetches, *self.exchange.roots]

    @property
    def index(self) -> PlanIndex:
        """Who reads what; made by the first pass over steps that asks, kept up to date by them."""
        if self._index is None:
            self._index = PlanIndex(self.plan)
        return self._index

    # Tensors.

    def is_read(self, tensor: GraphTensor) -> bool:
        """Return True for a reference, and what merely passes on what one refers to.

        As in TensorFlow, where Identity shares the variable's memory: an op that reads it after an
        assignment sees the new value.
        """
        return tensor.dtype._is_ref or id(tensor) in self.lazy

    def is_wanted(self, tensor: GraphTensor) -> bool:
        """Return True if a tensor is read and not fed."""
        return id(tensor) not in self.refs and (self.used is None or id(tensor) in self.used)

    def define(self, tensor: GraphTensor, ref: Ref, device: Any) -> None:
        """Let the result of an operation be a value of the plan, on a device."""
        self.homes[ref] = device
        # A fed output of an operation that runs for another output keeps the fed value.
        self.refs.setdefault(id(tensor), ref)

    # Constants.

    def add_constant(self, content: Any, device: Any, dtype: Any) -> Ref:
        """Return a new constant of the plan."""
        self._constant_count += 1
        ref = Ref(CONSTANT, self._constant_count)
        self.plan.constants[ref] = content
        self.plan.constant_homes[ref] = device
        self.homes[ref], self.dtypes[ref] = device, dtype
        return ref

    def known_constant(self, value: Any, device: Any, dtype: Any) -> Ref:
        """Return a constant with a NumPy value known now; equal scalars are one constant."""
        key = None
        if not value.shape and value.dtype != object:
            key = (
                value.tobytes(),
                dtype,
                device,
            )  # by bytes: 0.0 differs from -0.0, and NaN equals itself
            if key in self._scalar_constants:
                return self._scalar_constants[key]
        ref = self.add_constant(from_numpy(value), device, dtype)
        self.known_values[ref] = value
        if key is not None:
            self._scalar_constants[key] = ref
        return ref

    # Steps.

    def next_number(self) -> int:
        """Return the number of the next step."""
        return len(self.plan.every)

    def add_step(self, step: Step) -> None:
        """Let a step with the next number follow those before it."""
        self.plan.every.append(step)
        self._list_of[step.number] = self.steps
        self.steps.append(step)

    def place_step(self, step: Step) -> None:
        """Let a step whose number is taken follow those before it."""
        self._list_of[step.number] = self.steps
        self.steps.append(step)

    def add_outside_loops(self, ref: Ref, step: Step) -> Ref:
        """Add a step that reads one value; if that is from outside of a loop, before the loop.

        A copy or conversion of such a value is the same in each iteration. Branches are not left:
        what a branch needs is moved only if the branch runs.
        """
        level = len(self.levels) - 1
        # None for constants and state. The content of a TF1 variable may differ in each iteration,
        # so its copy stays in the loop.
        home = self._list_of.get(ref.step)
        while home is not None and self.levels[level].repeats:
            if self.levels[level].steps is home:
                break
            level -= 1
        steps = self.levels[level].steps
        self.plan.every.append(step)
        self._list_of[step.number] = steps
        steps.append(step)
        result = Ref(step.number)
        self.homes[result], self.dtypes[result] = step.device, self.dtypes[ref]
        return result

    def remember_copy(self, key: Any, step: Step) -> None:
        """Let a step be found among the copies of the level that it was added to.

        Not of an inner level: what stands in a branch is not there when the branch does not run.
        """
        home = self._list_of[step.number]
        level = next(level for level in self.levels if level.steps is home)
        level.copies[key] = Ref(step.number)

    @contextmanager
    def inside(self, part: Part) -> Iterator[None]:
        """Add steps to a part: what it computes is known in it alone."""
        if part.scope is None:
            # Outer entries are seen inside, inner ones are not seen outside: a step of a branch may
            # not have run by the time another one would use its result.
            part.scope = (ChainMap({}, self.step_by_key), ChainMap({}, self.copies))
        before = self.steps, self.step_by_key, self.copies
        self.steps, (self.step_by_key, self.copies) = part.steps, part.scope
        self.levels.append(Level(part.steps, self.copies, part.repeats))
        try:
            yield
        finally:
            self.levels.pop()
            self.steps, self.step_by_key, self.copies = before
