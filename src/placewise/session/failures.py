"""What went wrong in a plan, told in TensorFlow's words with the node that failed."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import OpError, exception_type_from_error_code
from placewise.planning.source import FILE, Program


def failed_step(problem: BaseException, program: Program) -> Any:
    """Return the step whose line raised, or None."""
    found = None
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            found = program.steps.get(trace.tb_lineno)
        trace = trace.tb_next
    return found


def explained(problem: Exception, program: Program) -> Exception:
    """Return the error to raise: its class, its message and the node's line of the program."""
    from placewise.eager.dispatch import explained as explained_kernel

    step = failed_step(problem, program)
    if step is None or step.op is None:
        return problem
    op = step.op
    told = explained_kernel(problem, op.declaration, [], op.attrs, None)
    if not isinstance(told, OpError):
        return told
    message = told.message.split(" [Op:")[0]
    if op.type == "Placeholder":
        message = message.replace("placeholder tensor with", f"placeholder tensor '{op.name}' with")
    where = f" (defined at {op.origin})" if op.origin else ""
    kind = exception_type_from_error_code(told.error_code)
    return kind(op.node_def, op, f"{message}\n\t [[node {op.name}{where} ]]")
