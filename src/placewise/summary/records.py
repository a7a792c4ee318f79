"""Summaries written: a tensor or a message for a step, if there is a writer and it is to be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.names import name_scope
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import (
    control_dependencies,
    executing_eagerly,
    get_current_name_scope,
)
from placewise.ops.flow.control import cond
from placewise.ops.math.cast import cast
from placewise.ops.summaries import writer_ops
from placewise.ops.values import EagerTensor
from placewise.summary.state import during, state
from placewise.summary.writers import FileWriter, SummaryWriter

_NO_STEP = hint(
    "No step set. Please specify one either through the `step` argument or through "
    "tf.summary.experimental.set_step()",
    "as in tf.summary.scalar(name, value, step=epoch)",
)

_NOT_IN_SCOPES = re.compile("[^-_/.A-Za-z0-9]")


def get_step() -> Any:
    """Return the step that summaries without one are written for, or None."""
    return state.step


def set_step(step: int) -> None:
    """Let summaries without a step of their own be of this one, in this thread."""
    state.step = step


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Write summaries in a block only if `condition` (a bool, a tensor, a function) holds."""
    with during(condition=condition):
        yield


def _should_record() -> Any:
    """Return whether a summary is written here: a bool, or a tensor if that is not known yet."""
    if state.writer is None:
        return False
    condition = state.condition() if callable(state.condition) else state.condition
    if condition is None:
        return True
    if isinstance(condition, EagerTensor):
        return bool(condition)
    return condition if isinstance(condition, Tensor) else bool(condition)


def should_record_summaries() -> Any:
    """Return whether a summary would be written here, as a tensor."""
    found = _should_record()
    return found if isinstance(found, Tensor) else convert_to_tensor(found)


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Open a name scope for a summary; yields its tag and the scope."""
    name = name or default_name
    graph = current.interpreter.graph
    around = get_current_name_scope() if graph is None else graph.get_name_scope()
    tag = f"{around}/{name}" if around else name
    with name_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield tag, scope


def _stepped(step: TensorLike | None) -> Any:
    found = state.step if step is None else step
    if found is None:
        raise ValueError(_NO_STEP)
    if isinstance(found, Tensor) or hasattr(type(found), "__tf_tensor__"):
        return cast(found, dtypes.int64)
    return convert_to_tensor(found, dtypes.int64)


def recorded(write_now: Callable[..., Any]) -> Any:
    """Run or record a write where one is due; return whether it was, as a tensor."""
    if not isinstance(state.writer, FileWriter):
        return convert_to_tensor(False)
    # Asked once a summary: a condition may be a function that counts.
    due = _should_record()
    if due is False:
        return convert_to_tensor(False)

    def written() -> Any:
        made = write_now()
        if executing_eagerly():
            return convert_to_tensor(True)
        with control_dependencies([made]):
            return identity(convert_to_tensor(True))  # who fetches it waits for the write

    found = written() if due is True else cond(due, written, lambda: convert_to_tensor(False))
    if not executing_eagerly():
        get_default_graph().add_to_collection("_SUMMARY_V2", found)
    return found


def write(
    tag: str,
    tensor: Any,
    step: TensorLike | None = None,
    metadata: Any = None,
    name: str | None = None,
) -> Any:
    """Write a tensor under a tag for a step; return a tensor that is True if it was written.

    `tensor` may be a function that makes it, called only if it is written. `metadata`, a
    SummaryMetadata message or its bytes, says which plugin shows it.
    """
    data = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata

    def write_now() -> Any:
        found, at = tensor() if callable(tensor) else tensor, _stepped(step)
        return writer_ops.write_summary(state.writer.handle, at, found, tag, data or b"", name=name)

    with name_scope(name or "write_summary"):
        return recorded(write_now)


def write_raw_pb(tensor: bytes, step: Any = None, name: str | None = None) -> Any:
    """Write serialized Summary messages for a step."""

    def write_now() -> Any:
        at = _stepped(step)
        return writer_ops.write_raw_proto_summary(state.writer.handle, at, tensor, name=name)

    with name_scope(name or "write_raw_pb"):
        return recorded(write_now)


def graph(graph_data: Any) -> Any:
    """Write a graph, or a GraphDef, with the device of each node; only eagerly."""
    if not executing_eagerly():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if not isinstance(state.writer, FileWriter):
        return convert_to_tensor(False)
    if hasattr(graph_data, "as_graph_def"):
        graph_data = _graph_def(graph_data)
    elif not hasattr(graph_data, "SerializeToString"):
        raise ValueError(
            "The argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    data = graph_data.SerializeToString()
    return recorded(lambda: writer_ops.write_graph_summary(state.writer.handle, 0, data))


def _graph_def(graph_data: Any) -> Any:
    return graph_data.as_graph_def(add_shapes=True)


def flush(writer: Any = None, name: str | None = None) -> Any:
    """Hand to the system what was written, to `writer` or to the default one."""
    found = state.writer if writer is None else writer
    if found is None:
        return None if executing_eagerly() else current.interpreter.group((), name)
    if isinstance(found, Tensor):
        return writer_ops.flush_summary_writer(found, name=name)
    if not isinstance(found, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {found!r}")
    return found.flush()
