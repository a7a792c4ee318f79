"""A graph of a function as Python that runs: planned once per place it is called from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from placewise.core.activity import phase
from placewise.core.gc_pause import gc_paused
from placewise.core.scope import current, watch
from placewise.devices.inventory import inventory, places_automatically, settings
from placewise.eager import observe
from placewise.graph.tensor import GraphTensor
from placewise.ops.random.streams import FunctionStream
from placewise.ops.values import EagerTensor, Handle, wrap
from placewise.placement.eager_rules import call_home
from placewise.placement.placer import Placement
from placewise.planning.automatic.placement import (
    Circumstances,
    Request,
    free_bytes_of,
    place_automatically,
)
from placewise.planning.emission.program import Program
from placewise.planning.emission.source import compile_plan
from placewise.planning.errors import prepared, with_node_errors
from placewise.planning.pipeline import build_plan
from placewise.session.recorded_plans import Variants
from placewise.session.state import State


class Runner:
    """A compiled plan of a function, for arguments on certain devices."""

    __slots__ = ("devices", "homes", "placement", "plan", "program", "run", "variants")

    def __init__(
        self,
        plan: Any,
        program: Program,
        call: Callable[..., Any],
        homes: tuple[Any, ...],
        placement: Any,
        variants: Variants,
    ) -> None:
        self.plan, self.program, self.homes = plan, program, homes
        self.run = with_node_errors(call, program)  # a function of a list of contents
        self.devices = tuple(plan.fetched_from)
        self.placement, self.variants = placement, variants

    def run_watched(self, contents: list[Any]) -> Any:
        """Run while somebody records, or guards against copies and fallbacks."""
        record = self.variants.begin(self.placement.decisions)
        if record is None:
            return self.run(contents)
        return self.variants.program(self.program, False, True)([record, *contents])

    @property
    def where(self) -> str:
        """The device that the call as a whole counts as made on."""
        devices = {step.device.name for step in self.plan.every if step.op is not None}
        return min(devices, key=lambda name: ("GPU" not in name, name), default="")


class Executor:
    """Runs fetches of a graph, given inputs; what is captured and never changes is built in."""

    def __init__(
        self,
        graph: Any,
        inputs: list[GraphTensor],
        outputs: list[GraphTensor],
        effects: list[Any],
        compile_with: Any = None,
        on_host: bool = False,
        returned: int = 0,
    ) -> None:
        self.graph, self.inputs, self.outputs = graph, inputs, outputs
        self.effects = effects
        self.on_host = on_host  # prefer the CPU, and bring results there
        self.returned = returned  # how many outputs a call brings to its own device
        self.compile_with = compile_with
        self._runners: dict[Any, Runner] = {}
        self._lock = threading.RLock()  # threads that call at once share one plan
        self._state = State(FunctionStream)

    def runners(self) -> list[Runner]:
        """Return the compiled plans there are."""
        return list(self._runners.values())

    def runner(self, homes: tuple[Any, ...]) -> Runner:
        """Return the compiled plan for arguments on the devices `homes`, under the scope's own."""
        return self._runners.get((homes, _scope(), inventory())) or self._planned(homes, ())

    @phase("planning")
    def _planned(self, homes: tuple[Any, ...], arguments: Sequence[EagerTensor]) -> Runner:
        with self._lock, gc_paused():
            ready = self._runners.get((homes, _scope(), inventory()))
            return ready or self._plan(homes, arguments)

    def _plan(self, homes: tuple[Any, ...], arguments: Sequence[EagerTensor]) -> Runner:
        devices = inventory()
        bound = [
            (inner, outer._value, _home(outer))
            for outer, inner in self.graph.captures
            if isinstance(outer, EagerTensor) and all(inner is not source for source in self.inputs)
        ]
        homes_of_inputs = {tensor.op: home for tensor, home in zip(self.inputs, homes, strict=True)}
        homes_of_inputs.update((inner.op, home) for inner, _, home in bound)
        default = None
        if self.on_host:
            default = devices.cpu
        elif current.request:
            soft = settings().soft_placement
            default = call_home(self.graph.name, current.request, devices, soft)
        request = Request(
            self.graph.get_operations(),
            tuple(devices.devices),
            settings().soft_placement,
            fixed=homes_of_inputs,
            default=default,
        )
        placed = self._placed(request, arguments)
        for op, decision in placed.decisions.items():
            if decision.fell_back:
                observe.fell_back(op.declaration, decision)
        plan = build_plan(
            [*self.outputs, *self.effects],
            self.inputs,
            placed.devices,
            devices.cpu,
            list(homes),
            bound,
            None if self.on_host else self._results(default or devices.default),
        )
        state = self._state
        handles = {ref: state.handle(op, placed.devices[op]) for ref, op in plan.handles.items()}
        program = prepared(lambda: compile_plan(plan, handles, state.stream))
        call = program.call
        if self.compile_with is not None:
            called = f"the function '{self.graph.name}'"
            call = self.compile_with(called, plan, program, handles, state.stream)
        variants = Variants(plan, handles, state.stream, False)
        runner = Runner(plan, program, call, homes, placed, variants)
        self._runners[homes, _scope(), devices] = runner
        return runner

    def _results(self, home: Any) -> list[Any]:
        """Return where each result goes: to the device of the call, else it stays."""
        others = len(self.outputs) + len(self.effects) - self.returned
        return [home] * self.returned + [None] * others

    def _placed(self, request: Request, arguments: Sequence[EagerTensor]) -> Placement:
        if self.on_host or not places_automatically():
            return request.place()
        shapes = {
            source: tuple(argument.shape)
            for source, argument in zip(self.inputs, arguments, strict=False)
            if not isinstance(argument._value, Handle)
        }
        # Arguments, and variables above all, are on their devices already.
        return place_automatically(
            request,
            Circumstances(
                shapes,
                results=self.outputs,
                counted=request.fixed,
                free_bytes=free_bytes_of(request.devices),
            ),
        )

    def run(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        """Run on tensors and return tensors."""
        homes = tuple([tensor._device for tensor in inputs])
        runner = self._runners.get((homes, _scope(), inventory()))
        if runner is None:
            runner = self._planned(homes, inputs)
        contents = [tensor._value for tensor in inputs]
        values = runner.run_watched(contents) if watch.on else runner.run(contents)
        return [wrap(v, d) for v, d in zip(values, runner.devices, strict=True)]


def _scope() -> Any:
    """Return what of the scope decides where a call runs: the request, and if it may give way."""
    return (current.request, settings().soft_placement) if current.request else None


def _home(tensor: EagerTensor) -> Any:
    content = tensor._value
    return content.device if isinstance(content, Handle) else tensor._device
