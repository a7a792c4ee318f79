"""What a part of a graph receives from other parts, and sends to them, while it runs.

A graph that runs on several tasks is cut into parts, one per task. In a part, a tensor of another
task is received by a step of its own, and a tensor that another task reads is sent by one. Steps
run in the order of the whole graph, in every part. So the first operation that has not run yet, of
all parts, never waits for a later one: parts that wait for each other cannot stop each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placewise.core import dtypes
from placewise.core.errors import DeadlineExceededError
from placewise.core.scope import current
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops.declare import Op, parse
from placewise.ops.work import view_work

START = -1  # key of `Exchange.after` for what is done before the first operation


def _declared(signature: str) -> Op:
    # Not in the registry: no program calls these, and no GraphDef has them.
    name, inputs, attrs, outputs = parse(signature)
    op = Op(name, tuple(inputs), tuple(outputs), tuple(attrs), {}, stateful=True, work=view_work)
    op.devices, op.shape_rule = ("CPU",), None
    return op


SEND = _declared("_Send(tensor: T)")
SIGNAL = _declared("_Signal()")
RECEIVE = _declared("_Recv(; tensor_type: type) -> tensor: tensor_type")


def check_wanted() -> None:
    """Raise if the step that this thread runs was cancelled, or has lasted too long.

    Loops of parts ask before each iteration: the session may be on another machine, and an endless
    loop would hold a thread of the task for ever.
    """
    cancellation, deadline = current.cancellation, current.deadline
    if cancellation is not None:
        cancellation.check()
    if deadline is not None and time.monotonic() > deadline:
        raise DeadlineExceededError(None, None, "The step lasted longer than it may")


@dataclass
class Exchange:
    """The operations of one part, and sends and receives by the operation they stand next to.

    `before` has what to receive before an operation: (receive, the tensor it stands for; None for a
    signal). `after` has what to send after an operation, or at the START.
    """

    operations: list[Operation]  # of the part, in the order of the whole graph
    before: dict[int, list[tuple[Operation, GraphTensor | None]]] = field(default_factory=dict)
    after: dict[int, list[Operation]] = field(default_factory=dict)
    received: list[GraphTensor] = field(default_factory=list)
    is_simple: bool = False  # every operation stays a step of its own
    roots: list[Any] = field(default_factory=list)  # tensors and operations whose results are sent

    def send(self, after: int, source: Any, kernel: Callable[..., Any], device: Any) -> None:
        """Send a tensor, or that an operation has run, after the operation with a number."""
        self.roots.append(source)
        is_tensor = isinstance(source, GraphTensor)
        op = source.op if isinstance(source, GraphTensor) else source
        spread = (source,) if is_tensor else ()
        made = _operation(op, SEND if is_tensor else SIGNAL, "_send", spread, [])
        self._add(made, kernel, device)
        self.after.setdefault(after, []).append(made)

    def receive(
        self,
        before: int,
        source: GraphTensor | None,
        name: str,
        kernel: Callable[..., Any],
        device: Any,
    ) -> None:
        """Receive a tensor, or a signal, before the operation with a number."""
        dtype = dtypes.bool if source is None else source.dtype.base_dtype
        like = _Named(name) if source is None else source.op
        outputs = [(dtype, () if source is None else source._dims)]
        made = _operation(like, RECEIVE, "_recv", (), outputs)
        made.attrs = {}
        self._add(made, kernel, device)
        self.before.setdefault(before, []).append((made, source))
        if source is not None:
            self.received.append(source)

    def _add(self, op: Operation, kernel: Callable[..., Any], device: Any) -> None:
        op.exchange = (kernel, device)  # type: ignore[attr-defined]  # operations have a __dict__


@dataclass
class _Named:
    name: str
    origin: Any = None
    graph: Any = None


def _operation(like: Any, declaration: Op, suffix: str, spread: Any, outputs: Any) -> Operation:
    return Operation(
        like.graph,
        -1,
        f"{like.name}/{suffix}",
        declaration,
        spread,
        {},
        "",
        (),
        (),
        like.origin,
        None,
        outputs,
    )
