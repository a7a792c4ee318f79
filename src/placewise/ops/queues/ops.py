"""The ops of queues: those that make one, and those that bring, take and ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core.shapes import Static
from placewise.ops.containers import check_container
from placewise.ops.declare import Bind, define
from placewise.ops.queues import kinds
from placewise.ops.queues.queue import Queue
from placewise.ops.values import Handle

_MADE = "container: string = '', shared_name: string = '') -> handle: resource"


def _handle_of(queue: Queue, container: str, shared_name: str) -> Handle:
    check_container(container)
    handle = Handle(queue.kind, shared_name, None)
    handle.value, queue.handle = queue, handle
    return handle


def _using(signature: str, doc: str, **options: Any) -> Bind:
    return define(
        signature, stateful=True, devices=("CPU",), differentiable=False, doc=doc, **options
    )


def _making(signature: str, doc: str, **options: Any) -> Bind:
    made = _using(f"{signature} {_MADE}", doc, **options)
    made.shape(lambda **_: ())
    return made


fifo_queue = _making(
    "FIFOQueueV2(; component_types: list(type) >= 1, shapes: list(shape) = [], capacity: int = -1,",
    "Make a queue: first in, first out.",
)


@fifo_queue.kernel
def fifo_queue_kernel(
    *,
    component_types: list[Any],
    shapes: list[Any],
    capacity: int,
    container: str,
    shared_name: str,
) -> Handle:
    return _handle_of(Queue(component_types, shapes, capacity), container, shared_name)


random_shuffle_queue = _making(
    "RandomShuffleQueueV2(; component_types: list(type) >= 1, shapes: list(shape) = [],"
    " capacity: int = -1, min_after_dequeue: int = 0, seed: int = 0, seed2: int = 0,",
    "Make a queue that gives its elements out in random order.",
)


@random_shuffle_queue.kernel
def random_shuffle_queue_kernel(
    *,
    component_types: list[Any],
    shapes: Sequence[Any],
    capacity: int,
    min_after_dequeue: int,
    seed: int,
    seed2: int,
    container: str,
    shared_name: str,
) -> Handle:
    made = kinds.RandomShuffleQueue(
        component_types, shapes, capacity, min_after_dequeue, seed, seed2
    )
    return _handle_of(made, container, shared_name)


padding_fifo_queue = _making(
    "PaddingFIFOQueueV2(; component_types: list(type) >= 1, shapes: list(shape) = [],"
    " capacity: int = -1,",
    "Make a queue whose batches are padded to one size.",
)


@padding_fifo_queue.kernel
def padding_fifo_queue_kernel(
    *,
    component_types: list[Any],
    shapes: list[Any],
    capacity: int,
    container: str,
    shared_name: str,
) -> Handle:
    return _handle_of(
        kinds.PaddingFIFOQueue(component_types, shapes, capacity), container, shared_name
    )


priority_queue = _making(
    "PriorityQueueV2(; component_types: list(type) = [], shapes: list(shape), capacity: int = -1,",
    "Make a queue that gives the element of the smallest first component out first.",
)


@priority_queue.kernel
def priority_queue_kernel(
    *,
    component_types: list[Any],
    shapes: list[Any],
    capacity: int,
    container: str,
    shared_name: str,
) -> Handle:
    return _handle_of(
        kinds.PriorityQueue(component_types, shapes, capacity), container, shared_name
    )


enqueue = _using(
    "QueueEnqueueV2(handle: resource, components: [Tcomponents] >= 1; timeout_ms: int = -1)",
    "Add an element to a queue, once there is room.",
)


@enqueue.kernel
def enqueue_kernel(handle: Handle, components: list[Any], *, timeout_ms: int) -> None:
    handle.value.enqueue(components)


enqueue_many = _using(
    "QueueEnqueueManyV2(handle: resource, components: [Tcomponents] >= 1; timeout_ms: int = -1)",
    "Add slices of the components to a queue, one after the other.",
)


@enqueue_many.kernel
def enqueue_many_kernel(handle: Handle, components: list[Any], *, timeout_ms: int) -> None:
    handle.value.enqueue_many(components)


dequeue = _using(
    "QueueDequeueV2(handle: resource; component_types: list(type) >= 1, timeout_ms: int = -1)"
    " -> components: [component_types]",
    "Take an element from a queue, once there is one.",
)


def _unknown_shapes(*_: Static, component_types: list[Any], timeout_ms: int) -> list[Any]:
    return [None] * len(component_types)


dequeue.shape(_unknown_shapes)


@dequeue.kernel
def dequeue_kernel(handle: Handle, *, component_types: list[Any], timeout_ms: int) -> list[Any]:
    found: list[Any] = handle.value.dequeue()
    return found


dequeue_many = _using(
    "QueueDequeueManyV2(handle: resource, n: int32; component_types: list(type) >= 1,"
    " timeout_ms: int = -1) -> components: [component_types]",
    "Take a batch of elements from a queue, once there are enough.",
    host=("n",),
)


dequeue_many.shape(_unknown_shapes)


@dequeue_many.kernel
def dequeue_many_kernel(
    handle: Handle, n: np.ndarray[Any, Any], *, component_types: list[Any], timeout_ms: int
) -> list[Any]:
    found: list[Any] = handle.value.dequeue_many(int(n))
    return found


dequeue_up_to = _using(
    "QueueDequeueUpToV2(handle: resource, n: int32; component_types: list(type) >= 1,"
    " timeout_ms: int = -1) -> components: [component_types]",
    "Take a batch of elements from a queue; a smaller one if it is closed.",
    host=("n",),
)


dequeue_up_to.shape(_unknown_shapes)


@dequeue_up_to.kernel
def dequeue_up_to_kernel(
    handle: Handle, n: np.ndarray[Any, Any], *, component_types: list[Any], timeout_ms: int
) -> list[Any]:
    found: list[Any] = handle.value.dequeue_many(int(n), up_to=True)
    return found


close = _using(
    "QueueCloseV2(handle: resource; cancel_pending_enqueues: bool = False)",
    "Let nothing more be added to a queue.",
)


@close.kernel
def close_kernel(handle: Handle, *, cancel_pending_enqueues: bool) -> None:
    handle.value.close(cancel_pending_enqueues)


is_closed = _using(
    "QueueIsClosedV2(handle: resource) -> is_closed: bool",
    "Is a queue closed?",
    host=("is_closed",),
    effects="reads",
)
is_closed.shape(lambda handle: ())


@is_closed.kernel
def is_closed_kernel(handle: Handle) -> Any:
    return torch.tensor(handle.value.is_closed)


size = _using(
    "QueueSizeV2(handle: resource) -> size: int32",
    "How many elements a queue holds.",
    host=("size",),
    effects="reads",
)
size.shape(lambda handle: ())


@size.kernel
def size_kernel(handle: Handle) -> Any:
    return torch.tensor(np.int32(handle.value.size))
