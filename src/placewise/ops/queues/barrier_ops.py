"""The ops of barriers: TensorFlow has them for graphs, on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.shapes import Static
from placewise.ops.declare import Bind, define
from placewise.ops.queues.barrier import Barrier
from placewise.ops.values import Content, Handle


def _declared(signature: str, doc: str, **options: Any) -> Bind:
    return define(
        signature,
        refs=("handle",),
        stateful=True,
        devices=("CPU",),
        differentiable=False,
        doc=doc,
        **options,
    )


barrier = _declared(
    "Barrier(; component_types: list(type) >= 1, shapes: list(shape) = [], capacity: int = -1,"
    " container: string = '', shared_name: string = '') -> handle: string",
    "Make a barrier: elements whose components come one by one.",
)
barrier.shape(lambda **_: (2,))


@barrier.kernel
def barrier_kernel(
    *,
    component_types: list[Any],
    shapes: list[Any],
    capacity: int,
    container: str,
    shared_name: str,
) -> Handle:
    handle = Handle("Barrier", shared_name, None)
    handle.value = Barrier(component_types, shapes)
    handle.value.handle = handle
    return handle


insert_many = _declared(
    "BarrierInsertMany(handle: string, keys: string, values: T; component_index: int)",
    "Give the elements of some keys one of their components.",
)


@insert_many.kernel
def insert_many_kernel(
    handle: Handle, keys: np.ndarray[Any, Any], values: Content, *, component_index: int
) -> None:
    handle.value.insert_many(component_index, keys, values)


take_many = _declared(
    "BarrierTakeMany(handle: string, num_elements: int32; component_types: list(type) >= 1,"
    " allow_small_batch: bool = False, wait_for_incomplete: bool = False, timeout_ms: int = -1)"
    " -> indices: int64, keys: string, values: [component_types]",
    "Take the oldest complete elements, once there are enough.",
    host=("num_elements",),
)


@take_many.shape
def take_many_shape(
    handle: Static, num_elements: Static, *, component_types: list[Any], **_: object
) -> list[Any]:
    return [(None,), (None,), [None] * len(component_types)]


@take_many.kernel
def take_many_kernel(
    handle: Handle,
    num_elements: np.ndarray[Any, Any],
    *,
    allow_small_batch: bool,
    wait_for_incomplete: bool,
    **_: object,
) -> Any:
    return handle.value.take_many(int(num_elements), allow_small_batch, wait_for_incomplete)


close = _declared(
    "BarrierClose(handle: string; cancel_pending_enqueues: bool = False)",
    "Let no new keys come to a barrier.",
)


@close.kernel
def close_kernel(handle: Handle, *, cancel_pending_enqueues: bool) -> None:
    handle.value.close(cancel_pending_enqueues)


ready_size = _declared(
    "BarrierReadySize(handle: string) -> size: int32", "How many elements are complete."
)
ready_size.shape(lambda handle: ())
ready_size.kernel(lambda handle: torch.tensor(handle.value.ready_size, dtype=torch.int32))

incomplete_size = _declared(
    "BarrierIncompleteSize(handle: string) -> size: int32", "How many elements lack a component."
)
incomplete_size.shape(lambda handle: ())
incomplete_size.kernel(lambda handle: torch.tensor(handle.value.incomplete_size, dtype=torch.int32))
