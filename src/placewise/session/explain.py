"""`placewise.explain`: why a tensor is where it is, or an operation will run where it will."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import era
from placewise.devices.inventory import inventory, places_automatically, settings
from placewise.eager import observe
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.planning.automatic.placement import (
    Circumstances,
    Request,
    free_bytes_of,
    place_automatically,
)


def explain(what: Any) -> str:
    """Return the device of a tensor or operation and the reasons for it.

    `what` is a tensor, or a tensor or operation of a graph, which is placed as a session would
    place it. Small eager operations keep no decision: the answer is then what holds for them
    where `explain` is called. Raises TypeError for anything else.

    >>> import placewise as tf
    >>> with tf.Graph().as_default(), tf.device("/cpu:0"):
    ...     x = tf.constant([1.0]) + 1.0
    >>> tf.explain(x)
    '/job:localhost/replica:0/task:0/device:CPU:0: requested /device:CPU:0'
    """
    op = what.op if isinstance(what, GraphTensor) else what
    if not isinstance(op, Operation):
        return observe.explain(what)
    request = Request(
        op.graph.get_operations(),
        inventory().devices,
        bool(settings().soft_placement),
        is_tf1=era.is_tf1,
    )
    if places_automatically():
        free_bytes = free_bytes_of(request.devices)
        placed = place_automatically(request, Circumstances(free_bytes=free_bytes))
    else:
        placed = request.place()
    return placed.decisions[op].text()
