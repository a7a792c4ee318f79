"""Summaries of TensorFlow 1 in programs of TensorFlow 2: they go to the default writer.

Where ops run at once nobody collects summaries. With a writer and a step `tf.compat.v1.summary`
writes as `tf.summary` does, and returns an empty string that can be merged; else it warns and
returns the summary.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from placewise.core.names import name_scope
from placewise.graph.defaults import get_default_graph
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import executing_eagerly_outside_functions
from placewise.summary.state import state

_CANNOT = "Cannot activate TF2 compatibility support for TF1 summary ops: "
_NO_WRITER = _CANNOT + "default summary writer not found."
_NO_STEP = _CANNOT + (
    "global step not set. To set step for summary writer, use "
    "`tf.summary.SummaryWriter.as_default(step=_)`, `tf.summary.experimental.set_step()` or "
    "`tf.compat.v1.train.create_global_step()`."
)


def writer_step() -> Any:
    """Return the step under which a summary is written to the default writer; None if it is not."""
    if not executing_eagerly_outside_functions():
        return None
    if state.writer is None:
        warnings.warn(_NO_WRITER, stacklevel=3)
        return None
    if state.step is not None:
        return state.step
    counted = get_default_graph().get_collection("global_step")
    if len(counted) != 1:
        warnings.warn(_NO_STEP, stacklevel=3)
        return None
    return counted[0]


def written(write: Callable[[], Any]) -> Any:
    """Call what writes under a whole tag, which no scope prefixes; return an empty summary."""
    with name_scope(""):
        write()
    return convert_to_tensor(b"")
