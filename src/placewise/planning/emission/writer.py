"""The Python of a plan: one line per step, that calls its kernel."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.core.tensor import Tensor
from placewise.eager import observe
from placewise.memory.ledgers import brought, copied_content
from placewise.ops.reservation import LARGE_ELEMENTS, may_outgrow, reserve
from placewise.ops.residence import placed_constant
from placewise.ops.state.resource import content_of
from placewise.ops.values import HOST_KEPT, TORCH, to_numpy
from placewise.planning.emission import blocks, updates
from placewise.planning.emission.program import Maker, Value, host_constant_name
from placewise.planning.plan import CONSTANT, FED, Host, Number, Plan, Ref, ref_of
from placewise.planning.scalars import expressions
from placewise.planning.scripts.runs import Finder, Run

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


_OUTER = "    "  # the indentation of lines that are in no loop or branch
# Steps from which on names are used again. There, one line less per step is worth more than a text
# that reads well.
_LONG = 1000


class Writer:
    """Writes one plan. Afterwards it has the program's namespace, constants and line numbers."""

    def __init__(
        self,
        plan: Plan,
        handles: dict[Ref, Any],
        stream_of: Any,
        traced: bool,
        facts: Any,
        scripts: bool = True,
    ) -> None:
        self.plan = plan
        self.stream_of = stream_of
        self.space: dict[str, Any] = {"array": to_numpy, "copy": copied_content, "read": content_of}
        self.steps: dict[int, Any] = {}  # line → step, for errors
        self.kernels: dict[int, tuple[str, bool]] = {}  # the name of each, and whether it draws
        self.handles = handles
        self.traced, self.facts = traced, facts
        self.constants: dict[str, Any] = {}
        self.is_native = False  # it is one call of the native module, and what that reads
        self.has_numbers = False  # then overflow is as silent as in kernels
        self.names: dict[Value, str] = {}
        # A record gets what a step has read, under its own name, after the step.
        self.reuses_names = len(plan.every) > _LONG and facts is None
        # Traces and records hear of each step.
        self.finder = Finder(plan) if scripts and not traced and facts is None else None

    def text(self) -> str:
        """Return the source."""
        parameters = [f"f{index}" for index in range(len(self.plan.feeds))]
        observers = [*(["trace"] if self.traced else []), *(["record"] if self.facts else [])]
        lines = [f"def run({', '.join([*observers, *parameters])}):"]
        self.write_steps(self.plan.steps, lines, _OUTER)
        fetched = ", ".join(map(self.argument, self.plan.fetches))
        lines.append(f"    return ({fetched}{',' if self.plan.fetches else ''})")
        return "\n".join(lines) + "\n"

    def write_steps(self, steps: list[Any], lines: list[str], pad: str) -> None:
        """Write steps one after the other; a run of small ones as a script."""
        steps, runs = (steps, {}) if self.finder is None else self.finder.runs(steps)
        groups = {} if self.finder is None else updates.groups(steps)
        if pad == _OUTER and len(runs) == 1:
            (run,) = runs.values()
            self.is_native = run.is_program and len(run.members) == len(steps)
        left = 0  # steps of a run or group that are written already
        for step in steps:
            if left:
                left -= 1
                continue
            if step.number in runs:
                left = len(runs[step.number].members) - 1
                self._write_run(runs[step.number], lines, pad)
                continue
            if step.number in groups:
                left = len(groups[step.number]) - 1
                self._write_updates(groups[step.number], lines, pad)
                continue
            if hasattr(step, "parts"):
                frees = blocks.write(self, step, lines, pad)
            else:
                try:
                    frees = self._write(step, lines, pad)
                except ResourceExhaustedError as problem:  # a constant that it reads has no room
                    problem.in_operation = step.op  # type: ignore[attr-defined]
                    raise
            if frees:
                self.delete(frees, lines, pad)

    def _write_run(self, run: Run, lines: list[str], pad: str) -> None:
        """Write the call of a script, and below it the lines that it stands for.

        They run if it raises: they raise the error that names its operation, and the step goes on
        if they do not.
        """
        reuses_names, self.reuses_names = self.reuses_names, False
        for step in run.first:
            self._write(step, lines, pad)
        lines += [f"{pad}try:", ""]
        place = len(lines) - 1
        lines.append(f"{pad}except Exception:")
        for step in run.steps:
            own = [ref for ref in self._write(step, lines, pad + "    ") if ref not in run.frees]
            self.delete(own, lines, pad + "    ")
        self.reuses_names = reuses_names
        script = f"script{run.members[0].number}"
        self.space[script] = run.call
        results = ", ".join(map(self.name, run.outputs))
        inputs = ", ".join(map(self.argument, run.inputs))
        lines[place] = f"{pad}    {results} = {script}({inputs})"
        self.delete(run.frees, lines, pad)

    def _write_updates(self, steps: list[Any], lines: list[str], pad: str) -> None:
        """Write the call that updates several variables."""
        kind = steps[0].combined.name if steps[0].combined else steps[0].op.type
        name = f"{kind}{steps[0].number}"
        self.space[name] = updates.together(steps)
        calls = (", ".join(map(self.argument, step.inputs)) for step in steps)
        lines.append(f"{pad}{name}([{', '.join(f'({call})' for call in calls)}])")
        self.steps[len(lines)] = steps[0]
        self.delete([ref for step in steps for ref in step.frees], lines, pad)

    def _write(self, step: Any, lines: list[str], pad: str) -> Sequence[Ref]:
        """Write a step; return what is to be deleted after it."""
        # Of a loop's numbers nothing is reported: there are too many, and each takes no time.
        is_traced = self.traced and (step.expression is None or (step.op and pad == _OUTER))
        self.report_moves(step.number, lines, pad)
        is_recorded = self.facts is not None and step.number in self.facts.entries
        if is_recorded:
            lines.append(f"{pad}since = record.clock()")
        if is_traced:
            lines.append(f"{pad}start = trace.clock()")
        is_counted = step.op is not None and step.device.account is not None
        if is_counted and step.expression is None:
            self._reserve(step, lines, pad)
        frees: Sequence[Ref] = step.frees
        if self.reuses_names and frees and not is_counted and pad == _OUTER:
            frees = self._take_name(step, frees)
        is_number = step.expression is not None
        lines.append(pad + (self._number_line(step) if is_number else self._line(step)))
        self.steps[len(lines)] = step
        if is_counted:
            self._count(step, lines, pad)
        if is_traced:
            results = [self.name((step.number, index)) for index in range(step.outputs)]
            lines.append(f"{pad}trace.ran({', '.join([str(step.number), 'start', *results])})")
        if is_recorded:
            lines.append(f"{pad}record.ran({step.number}, since, {self._contents(step)})")
        return frees

    def _contents(self, step: Any) -> str:
        """Return the Python for what a step has read and made, as a record gets it."""
        read = "".join(f"{self._recorded(item)}, " for item in step.inputs)
        results = "".join(f"{self.name((step.number, index))}, " for index in range(step.outputs))
        return f"({read}), ({results})"

    def _recorded(self, item: Any) -> str:
        """Return the Python for an input of a step that fetches nothing to the host."""
        if type(item) is list:
            return "[" + ", ".join(map(self._recorded, item)) + "]"
        if type(item) is Number:
            return self._number(item.ref)
        is_host_constant = type(item) is Host and item.ref.step == CONSTANT
        return self.argument(item) if is_host_constant else self.name(ref_of(item))

    def report_moves(self, key: Any, lines: list[str], pad: str) -> None:
        """Write the call that records the values which a step, or a test, moves between devices."""
        items = self.facts.items(key) if self.facts is not None else ()
        if items:
            values = ", ".join(map(self.argument, items))
            lines.append(f"{pad}record.moves({key!r}, {values})")

    def _take_name(self, step: Any, frees: Sequence[Ref]) -> Sequence[Ref]:
        """Let the result of a step take the name of a value that it is the last to read.

        Assigning frees that value just as deleting it would; the others are returned. Not where
        memory is counted: there the old value must live until the new one is counted, as on a GPU.
        """
        result = (step.number, 0)
        if step.outputs == 1 and not step.is_list and result not in frees:
            for index, ref in enumerate(frees):
                if ref.step >= 0:
                    self.names[result] = self.name(ref)
                    return (*frees[:index], *frees[index + 1 :])
        return frees

    def delete(self, refs: Sequence[Ref], lines: list[str], pad: str) -> None:
        """Write that values are freed."""
        # The caller's list of arguments holds fed values anyway.
        names = [self.name(ref) for ref in refs if ref.step != FED]
        if names:
            lines.append(f"{pad}del {', '.join(names)}")

    # Memory that is counted.

    def _reserve(self, step: Any, lines: list[str], pad: str) -> None:
        """Write that memory is reserved for a result that may be much larger than its inputs.

        torch would fill the host's memory before a simulated GPU could say that it has no room.
        """
        if step.combined is not None:
            step = step.combined.product
            if step is None:
                return
        op = step.op
        if not may_outgrow(op.declaration) or all(_is_small(output) for output in op.outputs):
            return
        number = step.number
        self.space["ask"] = reserve
        self.space[f"declared{number}"] = op.declaration
        self.space[f"device{number}"] = step.device
        self.space[f"attrs{number}"] = step.attrs
        inputs = "".join(f"{self.argument(item)}, " for item in step.inputs)
        lines.append(f"{pad}ask(declared{number}, ({inputs}), attrs{number}, device{number})")
        self.steps[len(lines)] = step

    def _count(self, step: Any, lines: list[str], pad: str) -> None:
        """Write that the results of a step count on its device, which may have no room for them."""
        account = f"account{step.device.index}"
        self.space[account] = step.device.account
        self.space[f"op{step.number}"] = Maker(step.op.name, step.op.origin)
        declared = step.op.declaration
        is_new = declared.result == "whole" and step.kernel in declared.kernels.values()
        on_host = _host_results(step.op)
        for index, output in enumerate(step.op.outputs):
            kind = output.dtype.base_dtype
            if kind not in HOST_KEPT and not output.dtype._is_ref and not on_host[index]:
                result, dtype = self.name((step.number, index)), f"type_{kind.name}"
                self.space[dtype] = TORCH.get(kind)
                # Assigned: a view that is not contiguous comes back as a copy, as on a GPU.
                call = f"{account}({result}, op{step.number}, {dtype}, {is_new})"
                lines.append(f"{pad}{result} = {call}")
                self.steps[len(lines)] = step

    # Values.

    def name(self, ref: Value) -> str:
        """Return the name of a value in the program."""
        name = self.names.get(ref)
        if name is None:
            step, output = ref
            if step == CONSTANT:
                name = self._constant(ref)
            elif step == FED:
                name = f"f{output}"
            else:
                has_several = self.plan.every[step].outputs != 1
                name = f"v{step}_{output}" if has_several else f"v{step}"
            self.names[ref] = name
        return name

    def argument(self, item: Any) -> str:
        """Return the Python for an input of a step."""
        if type(item) is Ref:
            return self.name(item)
        if type(item) is list:
            return "[" + ", ".join(map(self.argument, item)) + "]"
        if type(item) is Host:
            ref = item.ref
            if ref.step == CONSTANT:
                name = host_constant_name(ref)
                self.space.setdefault(name, to_numpy(self.plan.constants[ref]))
                return name
            return f"array({self.name(ref)})"
        if type(item) is Number:
            name = self._number(item.ref)
            return f"asarray({name})" if item.as_array else name
        return f"read({self.name(item.ref)})"

    def _number(self, ref: Ref) -> str:
        if ref.step != CONSTANT:
            return self.name(ref)
        name = f"n{ref.output}"
        self.space.setdefault(name, to_numpy(self.plan.constants[ref])[()])
        return name

    def _constant(self, ref: Any) -> str:
        name = f"c{ref[1]}"
        if name not in self.constants:
            self.constants[name] = self._placed(ref)
        self.space[name] = self.constants[name]
        return name

    def _placed(self, ref: Any) -> Any:
        """Return a constant, or the state that a handle names, on its device."""
        value = self.handles.get(ref, self.plan.constants[ref])
        device: Any = self.plan.constant_homes.get(ref)
        if device is not None and ref not in self.handles and ref not in self.plan.bound:
            observe.feeding(value, device, "constant")
        if device is not None and device.has_own_memory and ref not in self.handles:
            is_wanted = ref in self.plan.resident and isinstance(value, torch.Tensor)
            value = brought(value, device) if is_wanted else placed_constant(value, device)
        is_counted = device is not None and device.account is not None
        if is_counted and ref not in self.plan.bound:  # a function's own is counted already
            # The graph keeps its own content for as long as it lives. What counts on the device
            # must be another one, which is freed with the session.
            is_of_graph = ref not in self.handles and not device.has_own_memory
            if is_of_graph and isinstance(value, torch.Tensor):
                value = value.clone()
            value = device.account(value, "Const")
        return value

    # Lines.

    def _line(self, step: Any) -> str:
        """Return the line that calls the kernel of a step."""
        if step.op is None:
            return self._copy_line(step)
        call = self._call(step)
        if not step.outputs:
            return call
        if not step.is_list:
            return f"{self.name((step.number, 0))} = {call}"
        names = [self.name((step.number, index)) for index in range(step.outputs)]
        if self._is_nested(step):
            return f"[{', '.join(names)}] = flat({call})"
        return f"{', '.join(names)}{',' if len(names) == 1 else ''} = {call}"

    def _number_line(self, step: Any) -> str:
        if not self.has_numbers:
            self.space.update(expressions.NAMES)
            self.has_numbers = True
        expression = step.expression.format(*map(self.argument, step.inputs))
        if step.kernel is not None:
            expression = expression.replace("KERNEL", self._kernel(step)[0])
        return f"{self.name((step.number, 0))} = {expression}"

    def _copy_line(self, step: Any) -> str:
        number, original = step.number, self.argument(step.inputs[0])
        for name, device in (("source", step.source), ("target", step.device)):
            self.space[f"{name}{number}"] = device
        copy = self.name((number, 0))
        if step.kernel is not None:
            self.space[f"fetch{number}"] = step.kernel
            return f"{copy} = fetch{number}({original})"
        maker = self._copied(step.inputs[0])
        return f"{copy} = copy({original}, source{number}, target{number}, {maker!r})"

    def _copied(self, item: Any) -> str:
        """Return the name of the operation whose result is copied: it holds the memory."""
        if type(item) is not Ref or item.step == CONSTANT:
            return "_Send"
        producer = self.plan.feeds[item.output] if item.step == FED else self.plan.every[item.step]
        return "_Send" if producer.op is None else str(producer.op.name)

    def _call(self, step: Any) -> str:
        arguments = list(map(self.argument, step.inputs))
        if step.attrs:
            arguments += [
                f"{name}={self._literal(name, value, step)}" for name, value in step.attrs.items()
            ]
        kernel, draws = self._kernel(step)
        if draws and self.stream_of is not None:
            self.space[f"stream{step.number}"] = self.stream_of(step.op)
            arguments.append(f"stream=stream{step.number}")
        return f"{kernel}({', '.join(arguments)})"

    def _is_nested(self, step: Any) -> bool:
        """Return True if a kernel returns lists among its results: the line assigns them flat."""
        outputs = step.op.declaration.outputs
        is_nested = len(outputs) > 1 and any(arg.is_list for arg in outputs)
        if is_nested:
            self.space["flat"] = _flat
        return is_nested

    def _kernel(self, step: Any) -> tuple[str, bool]:
        """Return the name of a step's kernel, and whether it draws random numbers."""
        known = self.kernels.get(id(step.kernel))
        if known is None:
            kind = step.combined.name if step.combined else step.op.type
            # Kernels for several devices, or made for one step, may be of one type.
            name = kind if kind not in self.space else f"{kind}_{len(self.kernels)}"
            known = self.kernels[id(step.kernel)] = name, draws_numbers(step.kernel)
            self.space[name] = step.kernel
        return known

    def _literal(self, name: str, value: Any, step: Any) -> str:
        is_plain = value is None or type(value) in (bool, int, float, str)
        # Infinity and NaN have no literal in Python.
        if is_plain and (type(value) is not float or abs(value) < float("inf")):
            return repr(value)
        held = f"{name}_of_{step.number}"  # an attribute may have any name, also that of a feed
        self.space[held] = value
        return held


def _host_results(op: Operation) -> list[bool]:
    """Return, for each result of an operation, whether a GPU's kernel has it in host memory."""
    declared = op.declaration
    dtype = op.inputs[0].dtype.base_dtype if op.inputs else None
    on_host = [declared.is_on_host(output, dtype) for output in declared.outputs]
    if len(on_host) == len(op.outputs):
        return on_host
    return [bool(on_host) and all(on_host)] * len(op.outputs)  # lists among them


def _is_small(tensor: Tensor) -> bool:
    """Return whether a result is known to be small before anything runs."""
    dims = tensor._dims
    return dims is not None and None not in dims and math.prod(dims) <= LARGE_ELEMENTS


def draws_numbers(kernel: Any) -> bool:
    """Return True if a kernel draws random numbers from a stream."""
    # Looked up every time: a cache would keep kernels that are made for one step, and its graph.
    kernel = inspect.unwrap(kernel)
    code = getattr(kernel, "__code__", None)
    if code is None:
        return hasattr(kernel, "func") and draws_numbers(kernel.func)
    return "stream" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _flat(result: tuple[Any, ...]) -> list[Any]:
    return [content for item in result for content in (item if isinstance(item, list) else [item])]
