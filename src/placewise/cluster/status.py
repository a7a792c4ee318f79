"""Errors as Status messages, and back: class, text and the task they came from."""

from __future__ import annotations

import builtins
from typing import Any

from placewise.cluster.wire import message
from placewise.core import errors
from placewise.core.errors import OpError, exception_type_from_error_code

_PLAIN = (
    "ValueError",
    "TypeError",
    "KeyError",
    "RuntimeError",
    "IndexError",
    "NotImplementedError",
)


def to_status(problem: BaseException) -> Any:
    """Return an error as a Status."""
    if isinstance(problem, OpError):
        return message("Status")(
            code=problem.error_code or errors.UNKNOWN,
            message=problem.message,
            task=getattr(problem, "task", ""),
        )
    kind = type(problem).__name__
    text = str(problem) if kind in _PLAIN else f"{kind}: {problem}"
    return message("Status")(
        code=errors.UNKNOWN if kind in _PLAIN else errors.INTERNAL,
        message=text,
        kind=kind if kind in _PLAIN else "",
    )


def to_error(status: Any) -> Exception:
    """Return the error that a Status stands for."""
    if status.kind in _PLAIN:
        kind: type[Exception] = getattr(builtins, status.kind)
        return kind(status.message)
    code = status.code if 0 < status.code <= errors.UNAUTHENTICATED else errors.UNKNOWN
    problem: Exception = exception_type_from_error_code(code)(None, None, status.message)
    if status.task:
        problem.task = status.task  # type: ignore[attr-defined]  # who failed, for the master
    return problem


def located(problem: OpError, graph: Any) -> OpError:
    """Return an error of another task with the operation of a graph that failed, and its line."""
    before, mark, rest = problem.message.partition("[[node ")
    name, space, after = rest.partition(" ")
    operation = graph.operation_named(name) if mark else None
    if operation is None or problem.op is not None:
        return problem
    where = f"(defined at {operation.origin}) " if operation.origin else ""
    if after.startswith("(defined at"):
        where = ""
    text = f"{before}{mark}{name}{space}{where}{after}"
    kind = exception_type_from_error_code(problem.error_code)
    return kind(operation.node_def, operation, text)


def check(reply: Any) -> Any:
    """Return a reply; raises the error that it carries."""
    if reply.HasField("status") and reply.status.code:
        raise to_error(reply.status)
    return reply
