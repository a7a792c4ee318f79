"""`tensorflow.python.ops.control_flow_util`: what libraries ask about control flow."""

from __future__ import annotations

from typing import Any

from placewise.graph.cond import smart_cond as smart_cond

ENABLE_CONTROL_FLOW_V2 = True


def EnableControlFlowV2(graph: Any) -> bool:  # noqa: N802 - TensorFlow's name
    """Return whether branches and loops of a graph are functions: everywhere here."""
    return True


def GraphOrParentsInXlaContext(graph: Any) -> bool:  # noqa: N802 - TensorFlow's name
    """Return False: ops are never built for one compiler's context here."""
    return False


def GetContainingWhileContext(ctxt: Any, stop_ctxt: Any = None) -> None:  # noqa: N802 - TensorFlow's name
    """Return None: the body of a loop is a graph of its own, without a context."""
