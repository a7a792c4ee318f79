"""`jit_compile=True`, `global_jit_level`: the Python of a plan is given to torch's compiler.

Variables become further inputs and outputs. Random numbers are drawn before the compiled code runs,
so that they are the same as without a compiler. A function stays uncompiled, with one warning that
says why, if it does what the compiler cannot see: Python looks at values, there are strings, state
other than variables, or memory that is counted.
"""

from __future__ import annotations

import copy
import dataclasses
import logging
import threading
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.activity import phase
from placewise.core.log import is_first
from placewise.ops.random.streams import Stream
from placewise.ops.values import Handle, to_numpy
from placewise.planning.emission.source import compile_plan
from placewise.planning.emission.writer import draws_numbers
from placewise.planning.plan import CONSTANT, Host, Plan, Ref, Step
from placewise.planning.torch_graphs import Compiled, NotCompiled, can_compile_for, machine_code

_lock = threading.RLock()
_SHAPES = 64  # combinations of shapes that one plan is compiled for


def compile_with(
    name: str, plan: Plan, program: Any, handles: dict[Any, Any], stream_of: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function that stands for a plan's program, and compiles it for each new shape.

    A program that is one call of the native module is machine code as it is.
    """
    try:
        _check(plan)
        if program.is_native:
            as_it_is: Callable[..., Any] = program.call
            return as_it_is
        return _Jit(name, plan, program.call, handles, stream_of)
    except NotCompiled as reason:
        _say(name, str(reason))
        call: Callable[..., Any] = program.call
        return call


def _check(plan: Any) -> None:
    """Raise NotCompiled if a plan does what a compiler cannot see."""
    if any(tensor.dtype is dtypes.resource for tensor in plan.feeds):
        raise NotCompiled("a variable is an argument")
    for step in plan.every:
        if step.device.account is not None:
            what = "simulated GPU" if step.device.simulated else "part of a divided GPU"
            raise NotCompiled(f"it runs on a {what}, whose memory is counted step by step")
        if step.device.has_own_memory and not can_compile_for(step.device.torch_device):
            raise NotCompiled(f"torch's compiler does not know '{step.device.torch_device}'")
        op = step.op
        if op is None or _is_draw(step):
            continue
        if op.declaration.stateful and not op.blocks and not op.declaration.traceable:
            raise NotCompiled(f"{op.type} ('{op.name}') acts on more than variables")
        for tensor in (*op.inputs, *op.outputs):
            if tensor.dtype.base_dtype in (dtypes.string, dtypes.variant):
                kind = tensor.dtype.base_dtype.name
                raise NotCompiled(f"{op.type} ('{op.name}') works on {kind}")


def _is_draw(step: Step) -> bool:
    return step.kernel is not None and draws_numbers(step.kernel)


class _Draw:
    """A step that draws random numbers of a known shape: done before the rest."""

    def __init__(self, step: Any, plan: Any, stream: Any) -> None:
        # The shape must be a constant and the step outside of loops: then it is drawn once per
        # call, before the compiled code, and the stream goes on as in the plan itself.
        inputs = [item.ref if type(item) is Host else item for item in step.inputs]
        if step not in plan.steps or not all(
            type(item) is Ref and item.step == CONSTANT for item in inputs
        ):
            raise NotCompiled(f"how much {step.op.type} ('{step.op.name}') draws is not known")
        self._inputs = [
            to_numpy(plan.constants[ref]) if type(item) is Host else plan.constants[ref]
            for item, ref in zip(step.inputs, inputs, strict=True)
        ]
        self._step, self._stream = step, stream
        self.drawn: Any = None

    def __call__(self) -> Any:
        return self._step.kernel(*self._inputs, **self._step.attrs, stream=self._stream)

    def example(self) -> Any:
        """Return numbers like those that will be drawn; the stream stays where it is."""
        return self._step.kernel(*self._inputs, **self._step.attrs, stream=Stream(1, 1))

    def stand_in(self) -> Any:
        """Return the step with a kernel that returns what was drawn."""
        return dataclasses.replace(
            self._step, kernel=lambda *_, **__: self.drawn, attrs={}, inputs=[]
        )


class _Jit:
    """A plan, compiled for each combination of shapes it meets."""

    def __init__(
        self, name: str, plan: Any, call: Callable[..., Any], handles: Any, stream_of: Any
    ) -> None:
        self.name, self.call = name, call
        self._draws = [
            _Draw(step, plan, stream_of(step.op)) for step in plan.every if _is_draw(step)
        ]
        held = {ref: value for ref, value in plan.constants.items() if isinstance(value, Handle)}
        held.update(handles)
        self.variables = list({id(handle): handle for handle in held.values()}.values())
        self._traced, self._stand_ins = _beside(plan, held, self.variables, self._draws)
        self._compiled: dict[Any, Compiled | None] = {}

    def __call__(self, *inputs: Any) -> Any:
        # Shapes are constants of the compiled code, so there is one for each combination of them.
        contents = [handle.value for handle in self.variables]
        key = (
            *[(content.shape, content.dtype) for content in inputs],
            *[None if content is None else content.shape for content in contents],
        )
        try:
            compiled = self._compiled[key]
        except KeyError:
            compiled = self._compile(key, list(inputs), contents)
        if compiled is None:
            return self.call(*inputs)
        results = compiled.run(*inputs, *[draw() for draw in self._draws], *contents)
        for place, value in zip(compiled.changed, results[compiled.count :], strict=True):
            self.variables[place].value = value
        return tuple(results[: compiled.count])

    @phase("compiling")
    def _compile(
        self, key: tuple[Any, ...], inputs: list[Any], contents: list[Any]
    ) -> Compiled | None:
        with _lock:
            if key in self._compiled:
                return self._compiled[key]
            compiled: Compiled | None = None
            try:
                if len(self._compiled) >= _SHAPES:
                    raise NotCompiled(f"it was compiled for {_SHAPES} shapes already")
                for stand_in, value in zip(self._stand_ins, contents, strict=True):
                    stand_in.value = value
                examples = [draw.example() for draw in self._draws]
                with phase("compiling", self.name):
                    compiled = machine_code(self._run, [*inputs, *examples], self._stand_ins)
            except Exception as problem:
                _say(self.name, _reason(problem))
            finally:
                for stand_in in self._stand_ins:
                    stand_in.value = None
            # None as well: a compilation that failed for these shapes is not tried again.
            if len(self._compiled) < _SHAPES:
                self._compiled[key] = compiled
            return compiled

    def _run(self, *values: Any) -> Any:
        """Run the plan on stand-ins: the last values are what was drawn."""
        first = len(values) - len(self._draws)
        for draw, value in zip(self._draws, values[first:], strict=True):
            draw.drawn = value
        return self._traced(*values[:first])


def _beside(
    plan: Plan, held: dict[Ref, Handle], variables: list[Handle], draws: list[_Draw]
) -> tuple[Callable[..., Any], list[Handle]]:
    """Return a plan's Python on copies of its variables: tracing assigns to them.

    Other threads may use the real ones meanwhile.
    """
    stand_ins = [copy.copy(handle) for handle in variables]
    by_id = {id(one): other for one, other in zip(variables, stand_ins, strict=True)}
    mapped = {ref: by_id[id(handle)] for ref, handle in held.items()}
    replaced = {id(draw._step): draw.stand_in() for draw in draws}
    steps = [replaced.get(id(step), step) for step in plan.steps]
    every = [replaced.get(id(step), step) for step in plan.every]
    other = dataclasses.replace(
        plan, constants={**plan.constants, **mapped}, steps=steps, every=every
    )
    handles = {ref: mapped[ref] for ref in plan.handles}
    return compile_plan(other, handles, None, scripts=False).call, stand_ins


def _reason(problem: Exception) -> str:
    text = str(problem).strip().split("\n")[0]
    if isinstance(problem, NotCompiled):
        return text
    return f"the compiler stopped at {type(problem).__name__}: {text[:200]}"


def _say(name: str, reason: str) -> None:
    if is_first("uncompiled", name, reason):
        logging.getLogger("tensorflow").warning(
            "jit_compile: %s runs uncompiled, because %s.", name, reason
        )
