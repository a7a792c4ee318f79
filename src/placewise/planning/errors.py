"""Errors of plans in TensorFlow's words, with the node that failed and its line of the program.

A plan is one Python function. The line number in the traceback says which step failed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from placewise.core.activity import activity
from placewise.core.errors import (
    OpError,
    ResourceExhaustedError,
    exception_type_from_error_code,
)
from placewise.devices.origin import is_of_program
from placewise.eager.dispatch import explained as explained_kernel
from placewise.memory.exhausted import let_go
from placewise.memory.resident import also_listing, locals_of
from placewise.ops.reservation import content_dtype
from placewise.ops.state.resource import content_of
from placewise.ops.values import to_numpy
from placewise.planning.emission.program import FILE, Maker, Program, Value, host_constant_name
from placewise.planning.exchange import RECEIVE, SEND, SIGNAL
from placewise.planning.plan import CONSTANT, Host, Read, Ref, Step, ref_of

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


R = TypeVar("R")


def _failed(problem: BaseException, program: Program) -> tuple[Any, Any]:
    """Return the step whose line raised, and the plan's frame."""
    step, frame = None, None
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            step, frame = program.steps.get(trace.tb_lineno), trace.tb_frame
        trace = trace.tb_next
    return step, frame


def with_node_errors(call: Callable[..., Any], program: Program) -> Callable[[list[Any]], Any]:
    """Return a function of a list of contents that calls a program; an error names its node."""

    counted = int(program.is_training_step)

    def run(contents: list[Any]) -> Any:
        try:
            values = call(*contents)
        except OpError as problem:
            raise explained(problem, program) from None
        except Exception as problem:
            raise explained(problem, program) from problem
        activity.steps += counted
        return values

    return run


def explained(problem: Exception, program: Program) -> Exception:
    """Return the error to raise: its class, its message and the node's line of the program."""
    step, frame = _failed(problem, program)
    if step is None:
        return problem
    # A combined kernel says which of its operations failed (`plan.blaming`).
    op = getattr(problem, "in_operation", step.op) or _copied(step, program)
    if op is None or op.declaration in (SEND, SIGNAL, RECEIVE):
        return problem  # what another task said has its own node
    results = [result for tensor in op.outputs if (result := _result(tensor)) is not None]
    inputs = getattr(problem, "in_contents", None) or _inputs(step, frame, program)
    with also_listing(functools.partial(_computed, frame, program)):
        error = explained_kernel(
            problem, op.declaration, inputs, op.attrs, None, step.device, results
        )
    if isinstance(error, ResourceExhaustedError):
        # The frames keep the computed values alive: a retry inside `except` needs their memory.
        let_go(problem)
    return _with_node(error, op) if isinstance(error, OpError) else error


def let_go_of_values(problem: BaseException) -> None:
    """Drop the values and the plan from the traceback of an error that leaves a run.

    The program may keep the error for long, also after its session is closed.
    """
    seen: set[int] = set()
    waiting: list[BaseException | None] = [problem]
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        error.__dict__.pop("in_contents", None)
        waiting += [error.__cause__, error.__context__]
        error.__traceback__ = _without_values(error.__traceback__)


def _without_values(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback of the program's own frames and those that are still running.

    The others are cleared and left out: a frame refers to its function, and the function of a plan
    to all of the plan's constants.
    """
    kept: list[TracebackType] = []
    while trace is not None:
        if is_of_program(trace.tb_frame.f_code.co_filename):
            kept.append(trace)
        else:
            try:
                trace.tb_frame.clear()
            except RuntimeError:  # it is still running
                kept.append(trace)
        trace = trace.tb_next
    for entry, following in itertools.zip_longest(kept, kept[1:]):
        entry.tb_next = following
    return kept[0] if kept else None


def prepared(prepare: Callable[[], R]) -> R:
    """Return what `prepare` makes of a plan; if a constant has no room, the error names its reader.

    Constants on devices are counted when a plan is made, not when it runs.
    """
    try:
        return prepare()
    except ResourceExhaustedError as problem:
        op = getattr(problem, "in_operation", None)
        if op is None:
            raise
        let_go(problem)
        raise _with_node(problem, op) from None


def _with_node(problem: OpError, op: Operation) -> OpError:
    """Return an error as TensorFlow's sessions raise it: the node stands behind the first line."""
    first, _, details = problem.message.partition("\n")
    message, _, tail = problem.message.partition(" [Op:")
    advice = tail.partition("\n")[2]
    if op.type == "Placeholder":
        message = message.replace("placeholder tensor with", f"placeholder tensor '{op.name}' with")
    where = f" (defined at {op.origin})" if op.origin else ""
    kind = exception_type_from_error_code(problem.error_code)
    node = f"\n\t [[node {op.name}{where} ]]"
    if not isinstance(problem, ResourceExhaustedError):
        return kind(op.node_def, op, f"{message}{node}\n{advice}" if advice else message + node)
    message = first.split(" [Op:")[0] + node
    error = ResourceExhaustedError(op.node_def, op, f"{message}\n{details}" if details else message)
    error.shortage = problem.shortage
    return error


def _copied(step: Step, program: Program) -> Any:
    """Return the operation whose result a step copies to another device, None if none made it."""
    item = step.inputs[0]
    if step.op is not None or type(item) is not Ref:
        return None
    if item.step == -1:
        return program.feeds[item.output].op
    producers = (other.op for other in program.steps.values() if other.number == item.step)
    return next(producers, None)


def _computed(frame: Any, program: Program) -> list[tuple[Any, Any]]:
    """Return what a plan that failed has computed and still needs, with the operation of each."""
    makers = {f"f{index}": _maker(tensor.op) for index, tensor in enumerate(program.feeds)}
    for line, step in sorted(program.steps.items()):
        if line >= frame.f_lineno:
            break
        for index in range(step.outputs):
            name = program.names.get((step.number, index))
            if name is not None and step.op is not None:
                makers[name] = _maker(step.op)
    held = locals_of(frame)
    return [(held[name], maker) for name, maker in makers.items() if name in held]


def _maker(op: Any) -> Maker:
    return Maker(op.name, op.origin)


def _inputs(step: Any, frame: Any, program: Program) -> list[Any]:
    """Return the inputs of a step, as far as they are still at hand; empty if they are not."""
    try:
        if step.combined:
            return []  # its inputs are not those of its operation
        held = frame.f_globals | locals_of(frame)
        return [_content(item, held, program.names) for item in step.inputs]
    except Exception:
        return []


def _content(item: Any, values: dict[str, Any], names: dict[Value, str]) -> Any:
    if type(item) is list:
        return [_content(argument, values, names) for argument in item]
    ref = ref_of(item)
    if type(item) is Host and ref.step == CONSTANT:
        return values[host_constant_name(ref)]
    held = values[names[ref]]
    if type(item) is Host:
        return to_numpy(held)
    return content_of(held) if type(item) is Read else held


def _result(tensor: Any) -> Any:
    """Return shape and content's dtype of a result, if all is known before anything runs."""
    dims, dtype = tensor._dims, content_dtype(tensor.dtype.base_dtype)
    return None if dims is None or None in dims or dtype is None else (dims, dtype)
