"""A plan as straight-line Python that calls kernels, and that Python compiled."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.eager import observe
from placewise.memory.ledgers import brought, copied_content
from placewise.memory.resident import tell_of
from placewise.ops.fresh import WHOLE
from placewise.ops.reservation import LARGE_ELEMENTS, may_outgrow, reserve
from placewise.ops.residence import placed_constant
from placewise.ops.state.resource import content_of
from placewise.ops.values import HOST_KEPT, TORCH, to_numpy
from placewise.planning.lowering import blocks
from placewise.planning.plan import Host, Number, Plan, Ref
from placewise.planning.scalars import loops

Value = tuple[int, int]  # what a Ref is: the number of a step, and of its output


class Maker(NamedTuple):
    """Which operation made a content: what stays known of it as long as the content lives.

    The operation itself would keep its graph, and what that captured, alive as well.
    """

    name: str
    origin: Any


class Program(NamedTuple):
    """The compiled plan: a function of the fed contents, its text, and the step of each line."""

    call: Callable[..., Any]
    source: str
    steps: dict[int, Any]
    names: dict[Value, str]  # of values; another's, if that was gone by then
    feeds: Sequence[Any]  # the tensors that are fed
    constants: dict[str, Any]  # what it has on devices, by name


tell_of(Program, lambda program: ((value, "Const") for value in program.constants.values()))

FILE = "<placewise plan>"
_OUTER = "    "  # how far the lines of a plan that are in no loop or branch stand in
_LONG = 1000  # steps from which on names are used again: to read it helps less than it costs


def compiled(
    plan: Plan,
    handles: dict[Ref, Any],
    stream_of: Callable[[Any], Any] | None = None,
    traced: bool = False,
    facts: Any = None,
    like: Program | None = None,
) -> Program:
    """Return the Python of a plan; if `traced`, one that takes a trace first and tells it all.

    With `facts` it then takes the run of a record, and tells that of transfers and ops. `like` is
    another program of the plan, whose constants serve again.

    `handles` are the session's state for `plan.handles`, `stream_of` gives an operation that
    draws random numbers the stream it continues.
    """
    writer = _Writer(plan, handles, stream_of)
    writer.facts = facts
    if like is not None:
        writer.constants = like.constants
    source = writer.text(traced)
    space = writer.space
    exec(compile(source, FILE, "exec"), space)
    # Out of its own namespace: no cycle, so what the plan holds goes with its last user.
    call = space.pop("run")
    if writer.has_numbers:
        call = np.errstate(all="ignore")(call)
    return Program(call, source, writer.steps, writer.names, plan.feeds, writer.constants)


class _Writer:
    def __init__(self, plan: Plan, handles: dict[Ref, Any], stream_of: Any) -> None:
        self.plan = plan
        self.stream_of = stream_of
        self.space: dict[str, Any] = {"array": to_numpy, "copy": copied_content, "read": content_of}
        self.steps: dict[int, Any] = {}
        self.kernels: dict[int, tuple[str, bool]] = {}  # the name of each, and whether it draws
        self.handles = handles
        self.traced = False
        self.facts: Any = None
        self.constants: dict[str, Any] = {}
        self.has_numbers = False  # then overflow is as silent as in kernels
        self.names: dict[Value, str] = {}
        self.reuses_names = len(plan.every) > _LONG

    def text(self, traced: bool) -> str:
        """Return the source."""
        self.traced = traced
        parameters = [f"f{index}" for index in range(len(self.plan.feeds))]
        told = [*(["trace"] if traced else []), *(["record"] if self.facts else [])]
        lines = [f"def run({', '.join([*told, *parameters])}):"]
        self.block(self.plan.steps, lines, _OUTER)
        fetched = ", ".join(self._argument(each) for each in self.plan.fetches)
        lines.append(f"    return ({fetched}{',' if self.plan.fetches else ''})")
        return "\n".join(lines) + "\n"

    def block(self, steps: list[Any], lines: list[str], pad: str) -> None:
        """Write steps one after the other."""
        for step in steps:
            if hasattr(step, "parts"):
                blocks.write(self, step, lines, pad)
                frees = step.frees
            else:
                try:
                    frees = self._write(step, lines, pad)
                except ResourceExhaustedError as problem:  # a constant that it reads has no room
                    problem.in_operation = step.op  # type: ignore[attr-defined]
                    raise
            if frees:
                self.delete(frees, lines, pad)

    def _write(self, step: Any, lines: list[str], pad: str) -> Sequence[Ref]:
        """Write a step; return what is to be deleted after it."""
        # Of a loop's numbers nothing is told: there are too many, and each takes no time.
        is_told = self.traced and (step.expression is None or (step.op and pad == _OUTER))
        self.tell_moves(step.number, lines, pad)
        if is_told:
            lines.append(f"{pad}start = trace.clock()")
        is_counted = step.op is not None and step.device.account is not None
        if is_counted and step.expression is None:
            self._ask(step, lines, pad)
        frees: Sequence[Ref] = step.frees
        if self.reuses_names and frees and not is_counted and pad == _OUTER:
            frees = self._take_name(step, frees)
        lines.append(pad + self._line(step))
        self.steps[len(lines)] = step
        if is_counted:
            self._count(step, lines, pad)
        if is_told:
            made = [self._name((step.number, index)) for index in range(step.outputs)]
            lines.append(f"{pad}trace.ran({', '.join([str(step.number), 'start', *made])})")
        if self.facts is not None and step.number in self.facts.entries:
            lines.append(f"{pad}record.ran({step.number})")
        return frees

    def tell_moves(self, key: Any, lines: list[str], pad: str) -> None:
        """Write that a record hears of the values that a step, or a test, moves between devices."""
        items = self.facts.items(key) if self.facts is not None else ()
        if items:
            values = ", ".join(self._argument(item) for item in items)
            lines.append(f"{pad}record.moves({key!r}, {values})")

    def _take_name(self, step: Any, frees: Sequence[Ref]) -> Sequence[Ref]:
        """Let the result of a step take the name of a value that it is the last to read.

        Assigning lets go of that value just as deleting it would; the others are returned. Where
        memory is counted, it must live until the result is.
        """
        made = (step.number, 0)
        if step.outputs == 1 and not step.is_list and made not in frees:
            for index, ref in enumerate(frees):
                if ref.step >= 0:
                    self.names[made] = self._name(ref)
                    return (*frees[:index], *frees[index + 1 :])
        return frees

    def _ask(self, step: Any, lines: list[str], pad: str) -> None:
        """Write that room is asked for what may be much larger than what it is made of."""
        if step.combined is not None:
            step = step.combined.product
            if step is None:
                return
        op = step.op
        if not may_outgrow(op.declaration) or all(_is_small(output) for output in op.outputs):
            return
        self.space["ask"] = reserve
        self.space[f"declared{step.number}"] = op.declaration
        self.space[f"device{step.number}"] = step.device
        self.space[f"attrs{step.number}"] = step.attrs
        given = "".join(f"{self._argument(item)}, " for item in step.inputs)
        number = step.number
        lines.append(f"{pad}ask(declared{number}, ({given}), attrs{number}, device{number})")
        self.steps[len(lines)] = step

    def _count(self, step: Any, lines: list[str], pad: str) -> None:
        """Write that what a step made counts on its device, which may have no room for it."""
        hold = f"account{step.device.index}"
        self.space[hold] = step.device.account
        self.space[f"op{step.number}"] = Maker(step.op.name, step.op.origin)
        declared = step.op.declaration
        is_new = declared.name in WHOLE and step.kernel in declared.kernels.values()
        on_host = _host_results(step.op)
        for index, output in enumerate(step.op.outputs):
            kind = output.dtype.base_dtype
            if kind not in HOST_KEPT and not output.dtype._is_ref and not on_host[index]:
                made, dtype = self._name((step.number, index)), f"type_{kind.name}"
                self.space[dtype] = TORCH.get(kind)
                call = f"{hold}({made}, op{step.number}, {dtype}, {is_new})"
                lines.append(f"{pad}{made} = {call}")
                self.steps[len(lines)] = step

    def delete(self, refs: Sequence[Ref], lines: list[str], pad: str) -> None:
        """Write that values go."""
        names = [self._name(ref) for ref in refs if ref.step != -1]
        if names:
            lines.append(f"{pad}del {', '.join(names)}")

    def _name(self, ref: Value) -> str:
        found = self.names.get(ref)
        if found is None:
            step, output = ref
            if step == -2:
                found = self._constant(ref)
            elif step == -1:
                found = f"f{output}"
            else:
                several = self.plan.every[step].outputs != 1
                found = f"v{step}_{output}" if several else f"v{step}"
            self.names[ref] = found
        return found

    def _constant(self, ref: Any) -> str:
        name = f"c{ref[1]}"
        if name not in self.constants:
            self.constants[name] = self._placed(ref)
        self.space[name] = self.constants[name]
        return name

    def _placed(self, ref: Any) -> Any:
        """Return a constant, or the state that a handle names, on its device."""
        value = self.handles.get(ref, self.plan.constants[ref])
        device: Any = self.plan.where.get(ref)
        if device is not None and ref not in self.handles and ref not in self.plan.bound:
            observe.feeding(value, device, "constant")
        if device is not None and device.has_own_memory and ref not in self.handles:
            is_wanted = ref in self.plan.resident and isinstance(value, torch.Tensor)
            value = brought(value, device) if is_wanted else placed_constant(value, device)
        is_counted = device is not None and device.account is not None
        if is_counted and ref not in self.plan.bound:  # a function's own is counted already
            # The graph keeps its own: what is on the device goes with the session.
            is_graph_s = ref not in self.handles and not device.has_own_memory
            if is_graph_s and isinstance(value, torch.Tensor):
                value = value.clone()
            value = device.account(value, "Const")
        return value

    def _argument(self, item: Any) -> str:
        if type(item) is Ref:
            return self._name(item)
        if type(item) is list:
            return "[" + ", ".join(self._argument(one) for one in item) + "]"
        if type(item) is Host:
            ref = item.ref
            if ref.step == -2:
                name = f"h{ref.output}"
                self.space.setdefault(name, to_numpy(self.plan.constants[ref]))
                return name
            return f"array({self._name(ref)})"
        if type(item) is Number:
            name = self._number(item.ref)
            return f"asarray({name})" if item.as_array else name
        return f"read({self._name(item.ref)})"

    def _copied(self, item: Any) -> str:
        """Return the name of the operation whose result is copied: it holds the memory."""
        if type(item) is not Ref or item.step == -2:
            return "_Send"
        made = self.plan.feeds[item.output] if item.step == -1 else self.plan.every[item.step]
        return "_Send" if made.op is None else str(made.op.name)

    def _number(self, ref: Ref) -> str:
        if ref.step != -2:
            return self._name(ref)
        name = f"n{ref.output}"
        self.space.setdefault(name, to_numpy(self.plan.constants[ref])[()])
        return name

    def _line(self, step: Any) -> str:
        if step.expression is not None:
            if not self.has_numbers:
                self.space.update(loops.NAMES)
                self.has_numbers = True
            told = step.expression.format(*map(self._argument, step.inputs))
            if step.kernel is not None:
                told = told.replace("KERNEL", self._kernel(step)[0])
            return f"{self._name((step.number, 0))} = {told}"
        if step.op is None:
            for name, device in (("source", step.source), ("target", step.device)):
                self.space[f"{name}{step.number}"] = device
            moved = self._argument(step.inputs[0])
            number, what = step.number, self._copied(step.inputs[0])
            made = self._name((number, 0))
            if step.kernel is not None:
                self.space[f"fetch{number}"] = step.kernel
                return f"{made} = fetch{number}({moved})"
            return f"{made} = copy({moved}, source{number}, target{number}, {what!r})"
        arguments = list(map(self._argument, step.inputs))
        if step.attrs:
            arguments += [
                f"{name}={self._literal(name, value, step)}" for name, value in step.attrs.items()
            ]
        kernel, draws = self._kernel(step)
        if draws and self.stream_of is not None:
            self.space[f"stream{step.number}"] = self.stream_of(step.op)
            arguments.append(f"stream=stream{step.number}")
        call = f"{kernel}({', '.join(arguments)})"
        if not step.outputs:
            return call
        if not step.is_list:
            return f"{self._name((step.number, 0))} = {call}"
        names = [self._name((step.number, index)) for index in range(step.outputs)]
        return (
            f"[{', '.join(names)}] = flat({call})"
            if self._is_nested(step)
            else (f"{', '.join(names)}{',' if len(names) == 1 else ''} = {call}")
        )

    def _is_nested(self, step: Any) -> bool:
        outputs = step.op.declaration.outputs
        nested = len(outputs) > 1 and any(arg.is_list for arg in outputs)
        if nested:
            self.space["flat"] = _flat
        return nested

    def _kernel(self, step: Any) -> tuple[str, bool]:
        """Return the name of a step's kernel, and whether it draws random numbers."""
        found = self.kernels.get(id(step.kernel))
        if found is None:
            shown = step.combined.name if step.combined else step.op.type
            name = shown if shown not in self.space else f"{shown}_{len(self.kernels)}"
            found = self.kernels[id(step.kernel)] = name, _draws(step.kernel)
            self.space[name] = step.kernel
        return found

    def _literal(self, name: str, value: Any, step: Any) -> str:
        is_plain = value is None or type(value) in (bool, int, float, str)
        if is_plain and (type(value) is not float or abs(value) < float("inf")):
            return repr(value)
        held = f"{name}_of_{step.number}"  # an attribute may have any name, also that of a feed
        self.space[held] = value
        return held


def _host_results(op: Any) -> list[bool]:
    """Return, for each result of an operation, whether a GPU's kernel has it in host memory."""
    declared = op.declaration
    given = op.inputs[0].dtype.base_dtype if op.inputs else None
    known = [declared.is_on_host(output, given) for output in declared.outputs]
    if len(known) == len(op.outputs):
        return known
    return [bool(known) and all(known)] * len(op.outputs)  # lists among them


def _is_small(tensor: Any) -> bool:
    """Return whether a result is known to be small before anything runs."""
    dims = tensor._dims
    return dims is not None and None not in dims and math.prod(dims) <= LARGE_ELEMENTS


def _draws(kernel: Any) -> bool:
    """Return True if a kernel draws random numbers from a stream."""
    # Looked up every time: a cache would keep kernels that are made for one step, and its graph.
    kernel = inspect.unwrap(kernel)
    code = getattr(kernel, "__code__", None)
    if code is None:
        return hasattr(kernel, "func") and _draws(kernel.func)
    return "stream" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _flat(result: Any) -> list[Any]:
    return [one for item in result for one in (item if isinstance(item, list) else [item])]
