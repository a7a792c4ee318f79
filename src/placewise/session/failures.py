"""What went wrong in a plan, told in TensorFlow's words with the node that failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.errors import (
    OpError,
    ResourceExhaustedError,
    exception_type_from_error_code,
)
from placewise.memory.exhausted import let_go
from placewise.ops.state.resource import content_of
from placewise.ops.values import TORCH, to_numpy
from placewise.planning.plan import Host, Read, ref_of
from placewise.planning.source import FILE, Program, Value


def failed_step(problem: BaseException, program: Program) -> Any:
    """Return the step whose line raised, or None."""
    return _failed(problem, program)[0]


def _failed(problem: BaseException, program: Program) -> tuple[Any, Any]:
    """Return the step whose line raised, and the plan's frame."""
    found, frame = None, None
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            found, frame = program.steps.get(trace.tb_lineno), trace.tb_frame
        trace = trace.tb_next
    return found, frame


def telling(call: Callable[..., Any], program: Program) -> Callable[[list[Any]], Any]:
    """Return a function of a list of contents that calls a program; an error names its node."""

    def run(contents: list[Any]) -> Any:
        try:
            return call(*contents)
        except OpError as problem:
            raise explained(problem, program) from None
        except Exception as problem:
            raise explained(problem, program) from problem

    return run


def explained(problem: Exception, program: Program) -> Exception:
    """Return the error to raise: its class, its message and the node's line of the program."""
    from placewise.eager.dispatch import explained as explained_kernel

    step, frame = _failed(problem, program)
    if step is None or step.op is None:
        return problem
    op = getattr(problem, "in_operation", step.op)
    made = [_result(tensor) for tensor in op.outputs]
    results = [one for one in made if one is not None]
    given = getattr(problem, "in_contents", None) or _given(step, frame, program)
    told = explained_kernel(problem, op.declaration, given, op.attrs, None, step.device, results)
    if not isinstance(told, OpError):
        return told
    message = told.message.split(" [Op:")[0]
    if op.type == "Placeholder":
        message = message.replace("placeholder tensor with", f"placeholder tensor '{op.name}' with")
    where = f" (defined at {op.origin})" if op.origin else ""
    kind = exception_type_from_error_code(told.error_code)
    message += f"\n\t [[node {op.name}{where} ]]"
    if not isinstance(told, ResourceExhaustedError):
        return kind(op.node_def, op, message)
    let_go(problem)
    _, _, details = told.message.partition("\n")
    error = kind(op.node_def, op, f"{message}\n{details}" if details else message)
    error.shortage = getattr(told, "shortage", None)  # type: ignore[attr-defined]
    return error


def _given(step: Any, frame: Any, program: Program) -> list[Any]:
    """Return what a step was given, as far as it is still at hand; empty if it is not."""
    try:
        if step.combined:
            return []
        return [_content(item, frame, program.names) for item in step.inputs]
    except Exception:
        return []


def _content(item: Any, frame: Any, names: dict[Value, str]) -> Any:
    if type(item) is list:
        return [_content(one, frame, names) for one in item]
    ref = ref_of(item)
    held = (frame.f_globals if ref.step == -2 else frame.f_locals)[names[ref]]
    if type(item) is Host:
        return to_numpy(held)
    return content_of(held) if type(item) is Read else held


def _result(tensor: Any) -> Any:
    """Return shape and torch dtype of a result, if all of it is known before anything runs."""
    dims, dtype = tensor._dims, TORCH.get(tensor.dtype.base_dtype)
    return None if dims is None or None in dims or dtype is None else (dims, dtype)
