"""Which steps make a run, and the script of a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from placewise import native
from placewise.core.dtypes import DType
from placewise.core.shapes import Dims
from placewise.ops.values import TORCH, to_numpy
from placewise.planning.plan import CONSTANT, FED, Host, Plan, Read, Ref, Step, outputs_of, reads
from placewise.planning.scripts.elementwise import Elementwise, Place
from placewise.planning.scripts.graphs import Graph
from placewise.planning.scripts.programs import Program
from placewise.planning.scripts.recording import NotScripted, Recorded, record

_FEWEST = 4  # steps of a program
_MOST_PASSED = 8  # steps between elementwise steps that are to stand together; they come after
# A call of a script costs as much as six lines of a plan, its steps half of a line each.
_SHORTEST = 10
# Beyond these kernels take so long that the Python between them does not count.
_MOST_ELEMENTS = 1 << 16
_SOME = 2  # a dimension that is not known, in examples
_BUILT_IN = (type(torch.add), type(torch.Tensor.add_))
# Reads of variables may come earlier than they stand, as no step of a run changes one.
_READS = ("ReadVariableOp",)


@dataclass
class Run:
    """Neighbouring steps that one call of a script does."""

    members: list[Step] = field(default_factory=list)  # all, in order
    first: list[Step] = field(default_factory=list)  # reads, which come before the script
    steps: list[Step] = field(default_factory=list)  # what the script does
    inputs: list[Any] = field(default_factory=list)  # Ref or Read
    constants: dict[Ref, torch.Tensor] = field(default_factory=dict)  # parts of the script
    outputs: list[Ref] = field(default_factory=list)
    frees: list[Ref] = field(default_factory=list)  # values that the script does not make
    call: Callable[..., Any] | None = None
    cost: float = 0  # of a program, in microseconds; see `_script_cost`
    is_program: bool = False  # the native module runs it


class Finder:
    """Finds the runs of a plan; remembers what kernels do."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._recorded: dict[Any, Recorded | None] = {}

    def runs(self, steps: list[Step]) -> tuple[list[Step], dict[int, Run]]:
        """Return the steps of a block and the runs among them, by the number of their first step.

        The steps are in another order if that lets elementwise steps stand together.
        """
        scripts = self._scripts(steps, frozenset())
        found: dict[int, Run] = {}
        if native.code is not None and len(steps) >= _FEWEST:
            ordered = self._ordered(list(steps))
            programs = self._programs(ordered)
            done = frozenset(step.number for run in programs for step in run.members)
            others = self._scripts(ordered, done)
            costs = sum(run.cost for run in programs) + sum(map(_script_cost, others))
            if programs and costs < sum(map(_script_cost, scripts)):
                steps, scripts = ordered, others
                found = {run.members[0].number: run for run in programs}
        for building in scripts:
            self._keep(building, found)
        return steps, found

    def _scripts(self, steps: list[Step], done: frozenset[int]) -> list[_Building]:
        """Return neighbouring steps that may be scripts, without those of programs."""
        buildings = [_Building(self)]
        for step in steps:
            if step.number in done or not buildings[-1].takes(step):
                buildings.append(_Building(self))
                if step.number not in done:
                    buildings[-1].takes(step)
        return [building for building in buildings if building.run.steps]

    def _ordered(self, steps: list[Step]) -> list[Step]:
        """Return the steps with elementwise ones beside each other where they may be."""
        ordered: list[Step] = []
        while steps:
            growing = _Growing(self)
            growing.grow(steps)
            if len(growing.program) < _FEWEST:
                ordered.append(steps.pop(0))
                continue
            growing.trim()
            ordered += [*growing.before, *growing.members]
            taken = {step.number for step in (*growing.before, *growing.members)}
            steps = [step for step in steps if step.number not in taken]
        return ordered

    def _programs(self, steps: list[Step]) -> list[Run]:
        """Return the programs among steps, in order."""
        growing = [_Assembly(self)]
        for step in steps:
            if not growing[-1].takes(step):
                growing.append(_Assembly(self))
                growing[-1].takes(step)
        runs = (self._programmed(assembly) for assembly in growing)
        return [run for run in runs if run is not None]

    def _programmed(self, assembly: _Assembly) -> Run | None:
        """Return the run of a program if it is worth one."""
        run, program = assembly.run, assembly.program
        if len(run.steps) < _FEWEST:
            return None
        freed = {ref for step in run.members for ref in step.frees}
        assembly.keep_views(freed)
        own = {ref for step in run.steps for ref in outputs_of(step)}
        run.outputs = [ref for step in run.steps for ref in outputs_of(step) if ref not in freed]
        run.frees = [ref for step in run.members for ref in step.frees if ref not in own]
        if not run.outputs:
            return None
        try:
            linked = program.linked(run.outputs)
            read = linked.reads()
            run.constants = {i: self._plan.constants[i] for i in read if self._is_fixed(i)}
            run.inputs = [item for item in read if item not in run.constants]
            call = linked.function(run.inputs, run.constants)
            run.call = self._compared(run, call, program.is_exact)
            run.is_program = True
            run.cost = program.cost(len(run.inputs), len(run.outputs))
        except Exception:  # the steps stay what they are
            return None
        return run

    def float_dims(self, item: Any) -> tuple[int, ...]:
        """Return the dimensions of a value of float32; NotScripted if it is none or has unknown."""
        dims, dtype = self._kind(item)
        if TORCH[dtype] is not torch.float32 or None in dims:
            raise NotScripted("it is no tensor of float32 of known shape")
        return tuple(dims)

    def recorded(self, step: Step) -> Recorded | None:
        """Return what the kernel of a step calls; None if it cannot be part of a script."""
        try:
            if not self._is_candidate(step):
                return None
            key = (id(step.kernel), str(step.attrs), *map(self._described, step.inputs))
            if key not in self._recorded:
                self._recorded[key] = None  # stays if the next line raises
                self._recorded[key] = self._record(step)
            return self._recorded[key]
        except Exception:  # whatever a kernel makes of examples: its step stays a line
            return None

    def arguments(self, step: Step, values: Callable[[Any], torch.Tensor]) -> list[Any]:
        """Return the arguments of a step's kernel, with what `values` returns for its tensors."""

        def content(item: Any) -> Any:
            if type(item) is list:
                return [content(part) for part in item]
            if type(item) is Host:
                return to_numpy(self._plan.constants[item.ref])
            return values(item)

        return [content(item) for item in step.inputs]

    def example(self, item: Any) -> torch.Tensor:
        """Return a tensor of ordinary numbers, of a value's dtype and shape."""
        dims, dtype = self._kind(item)
        dims = tuple(_SOME if dim is None else dim for dim in dims)
        if not TORCH[dtype].is_floating_point:
            return torch.ones(dims, dtype=TORCH[dtype])
        return torch.linspace(0.1, 0.9, math.prod(dims)).reshape(dims).to(TORCH[dtype])

    def _record(self, step: Step) -> Recorded:
        recorded = record(step.kernel, self.arguments(step, self.example), step.attrs)
        if len(recorded.results) != step.outputs:
            raise NotScripted("its results are others")
        return recorded

    def _described(self, item: Any) -> Any:
        if type(item) is Host:
            array = to_numpy(self._plan.constants[item.ref])
            return array.tobytes(), array.dtype, array.shape
        return tuple(map(self._kind, item)) if type(item) is list else self._kind(item)

    def _kind(self, item: Any) -> tuple[Any, DType]:
        """Return shape and dtype of a value; KeyError if it is large or no tensor of torch."""
        ref = item.ref if type(item) is Read else item
        if type(ref) is not Ref:
            raise KeyError(item)
        dims, dtype = self._declared(ref)
        if dims is None or dtype not in TORCH or math.prod(filter(None, dims)) > _MOST_ELEMENTS:
            raise KeyError(item)
        return dims, dtype

    def _declared(self, ref: Ref) -> tuple[Dims, DType]:
        plan = self._plan
        if ref.step == FED:
            tensor = plan.feeds[ref.output]
        elif ref.step != CONSTANT:
            tensor = plan.every[ref.step].op.outputs[ref.output]
        elif ref in plan.handles:
            tensor = plan.handles[ref].outputs[0]
        else:
            content = plan.constants[ref]
            return tuple(content.shape), _DTYPES[content.dtype]
        return tensor._dims, tensor.dtype.base_dtype

    def _is_candidate(self, step: Step) -> bool:
        op, device = step.op, step.device
        if type(step) is not Step or op is None or step.expression is not None or not step.outputs:
            return False
        if device.torch_device != "cpu" or device.account is not None or not device.is_host:
            return False
        if op.declaration.stateful or op.blocks or any(out.dtype._is_ref for out in op.outputs):
            return False
        kinds = [self._kind(item) for item in (*outputs_of(step), *_tensors(step))]
        # Of what a Python kernel makes of a shape, the numbers would be part of the script.
        function = getattr(step.kernel, "__wrapped__", step.kernel)  # what it is of small tensors
        is_of_any_shape = type(function) in _BUILT_IN and not step.attrs
        return is_of_any_shape or all(None not in dims for dims, _ in kinds)

    def _keep(self, building: _Building, found: dict[int, Run]) -> None:
        """Add a run that is worth a script."""
        run = building.run
        if len(run.steps) < _SHORTEST:
            return
        own = {ref for step in run.steps for ref in outputs_of(step)}
        freed = {ref for step in run.members for ref in step.frees}
        every = (item for step in run.steps for item in _tensors(step) if item not in own)
        read = list(dict.fromkeys(every))
        # Handing a value over takes a tenth of a microsecond, and some runs read hundreds.
        run.constants = {item: self._plan.constants[item] for item in read if self._is_fixed(item)}
        run.inputs = [item for item in read if item not in run.constants]
        run.outputs = [ref for step in run.steps for ref in outputs_of(step) if ref not in freed]
        run.frees = [ref for step in run.members for ref in step.frees if ref not in own]
        if not run.outputs:
            return
        try:
            run.call = self._compared(run, _script(run, building.recorded))
        except Exception:  # torch refuses the graph: the steps stay lines
            return
        found[run.members[0].number] = run

    def _is_fixed(self, item: Any) -> bool:
        """Return whether an input is a constant of the plan, which never changes."""
        is_constant = type(item) is Ref and item.step == CONSTANT and item not in self._plan.handles
        return is_constant and type(self._plan.constants[item]) is torch.Tensor

    def _compared(
        self, run: Run, call: Callable[..., Any], exactly: bool = True
    ) -> Callable[..., Any]:
        """Return a script that gives, to the bit, what the kernels of its steps give; or raise."""
        examples = {item: self.example(item) for item in run.inputs}
        results = call(*[tensor.clone() for tensor in examples.values()])
        values: dict[Any, Any] = {**examples, **run.constants}
        for step in (s for s in run.members if s in run.steps or self.recorded(s) is not None):
            result = step.kernel(*self.arguments(step, values.__getitem__), **step.attrs)
            values.update(zip(outputs_of(step), result if step.is_list else [result], strict=True))
        for ref, result in zip(
            run.outputs, results if len(run.outputs) > 1 else [results], strict=True
        ):
            expected = values[ref]
            if not torch.equal(result.isnan(), expected.isnan()):
                raise NotScripted("its results are others")
            result, expected = result.nan_to_num(), expected.nan_to_num()
            is_equal = torch.equal if exactly else _is_near
            if result.dtype is not expected.dtype or not is_equal(result, expected):
                raise NotScripted("its results are others")
        return call


def _script_cost(building: _Building) -> float:
    """Return about how many microseconds small steps take as a script, or as lines if they are few.

    What kernels compute is left out, as it is the same for programs, but for `sigmoid` and `tanh`:
    a microsecond less each. By measurements of recurrent networks of 32 units: between products of
    matrices, a program has to be worth the script that it cuts in two.
    """
    count = len(building.run.steps)
    return 6 + count if count >= _SHORTEST else 5 * count


def _is_near(result: torch.Tensor, expected: torch.Tensor) -> bool:
    return result.shape == expected.shape and torch.allclose(result, expected, 1e-4, 1e-6)


_DTYPES = {kind: dtype for dtype, kind in TORCH.items()}


class _Growing:
    """Elementwise steps that may stand together."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self.members: list[Step] = []
        self.program = Elementwise()
        self.before: list[Step] = []  # steps that come before though the others begin earlier
        self._steps: list[Step] = []  # members that are no look-ups
        self._views: set[int] = set()  # steps that compute nothing
        self._own: set[Any] = set()
        # What steps compute and read that come after though the others end later.
        self._later: set[Any] = set()
        self._still_read: set[Any] = set()

    def grow(self, steps: list[Step]) -> None:
        """Take as many of the steps as can stand together."""
        passed = 0
        for step in steps:
            if self._takes(step):
                continue
            if not self._steps or self._finder.recorded(step) is None:
                return
            passed += 1
            if passed > _MOST_PASSED:
                return
            self._pass(step)

    def trim(self) -> None:
        """Let views that no other member reads stay where they are."""
        while self.members[-1].number in self._views:
            self.members.pop()

    def _origin(self, item: Any) -> Place:
        return item, torch.empty(self._finder.float_dims(item), device="meta")

    def _takes(self, step: Step) -> bool:
        read = reads(step) if type(step) is Step else []
        if self._later.intersection(read) or self._still_read.intersection(step.frees):
            return False
        if self._steps and _is_read(step, self._own):
            self.members.append(step)
            return True
        recorded = self._finder.recorded(step)
        if recorded is None:
            return False
        count = len(self.program)
        outputs = outputs_of(step)
        if not self.program.takes(recorded, _tensors(step), outputs, self._origin):
            return False
        if len(self.program) == count and not any(c.operator is _CAT for c in recorded.calls):
            self._views.add(step.number)
        self.members.append(step)
        self._steps.append(step)
        self._own.update(outputs)
        return True

    def _pass(self, step: Step) -> None:
        """Let a step come before if the members are all views so far, else after them."""
        read = set(reads(step))
        own_reads = {ref for member in self.members for ref in reads(member)}
        is_apart = not self._own & read and not own_reads.intersection(step.frees)
        if is_apart and not len(self.program) and not self._later:
            lookups = [member for member in self.members if member not in self._steps]
            self.before += [*lookups, step]  # it may read what they find
            self.members = list(self._steps)
            return
        self._later.update(outputs_of(step))
        self._still_read |= read


class _Assembly:
    """A run of a program that grows."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self.run = Run()
        self.program = Program(finder.float_dims)
        self._own: set[Any] = set()

    def takes(self, step: Step) -> bool:
        """Add a step if it can be part of the program."""
        run = self.run
        if _is_read(step, self._own):
            run.first.append(step)
            run.members.append(step)
            return True
        recorded = self._finder.recorded(step)
        if recorded is None:
            return False
        outputs = outputs_of(step)
        if not self.program.takes(recorded, _tensors(step), outputs):
            return False
        run.members.append(step)
        run.steps.append(step)
        self._own.update(outputs)
        return True

    def keep_views(self, freed: set[Any]) -> None:
        """Let views of what comes from outside be lines if others read them: they cost less."""
        run, program = self.run, self.program
        views: set[Any] = set()
        for step in reversed(run.steps):
            outputs = outputs_of(step)
            is_kept = not freed.issuperset(outputs) or not views.isdisjoint(outputs)
            if is_kept and all(map(program.is_outside, outputs)):
                views.update(reads(step))
                run.first.append(step)
        kept = {step.number for step in run.first}
        run.steps = [step for step in run.steps if step.number not in kept]
        run.first = [step for step in run.members if step.number in kept]


_CAT = torch.ops.aten.cat.default


class _Building:
    """A run that grows."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self.run = Run()
        self.recorded: list[Recorded] = []
        self._own: set[Any] = set()
        self._tied: set[Any] = set()  # own values that share memory with one from before the run

    def takes(self, step: Step) -> bool:
        """Add a step if it can be part of the run."""
        if _is_read(step, self._own):
            self.run.first.append(step)
            self.run.members.append(step)
            return True
        recorded = self._finder.recorded(step)
        if recorded is None:
            return False
        items = _tensors(step)
        is_tied = [item not in self._own or item in self._tied for item in items]
        # The lines of a run are its fallback: they must find what was there before it.
        for call in recorded.calls:
            if call.operator.namespace != "aten":  # Python of ours: a line costs less
                return False
            if any(number < len(items) and is_tied[number] for number in call.writes):
                return False
        self.run.steps.append(step)
        self.run.members.append(step)
        self.recorded.append(recorded)
        for ref, aliases in zip(outputs_of(step), recorded.aliases, strict=True):
            self._own.add(ref)
            if any(is_tied[number] for number in aliases):
                self._tied.add(ref)
        return True


def _is_read(step: Step, own: set[Any]) -> bool:
    """Return whether a step only finds a value that was there before the run."""
    if type(step) is not Step or step.op is None:
        return False
    # Numbers of loops, and items of a loop's histories, are Python and change nothing.
    is_number = step.expression is not None and step.kernel is None
    is_lookup = is_number or step.op.type in _READS
    return is_lookup and not any(ref in own for ref in reads(step))


def _tensors(step: Step) -> list[Any]:
    """Return the tensors that a step reads, in order: Ref or Read."""
    items = [part for item in step.inputs for part in (item if type(item) is list else [item])]
    return [item for item in items if type(item) is not Host]


def _script(run: Run, recorded: list[Recorded]) -> Callable[..., Any]:
    graph = Graph(len(run.inputs))
    values: dict[Any, Any] = dict(zip(run.inputs, graph.inputs, strict=True))
    values.update({ref: graph.constant(tensor) for ref, tensor in run.constants.items()})
    for step, calls in zip(run.steps, recorded, strict=True):
        outputs = graph.add(calls, [values[item] for item in _tensors(step)])
        values.update(zip(outputs_of(step), outputs, strict=True))
    return graph.function([values[ref] for ref in run.outputs])
