"""slim.prefetch_queue: batches made ready ahead of their use."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.graph.queues import FIFOQueue, PaddingFIFOQueue
from placewise.summary import tf1 as v1
from placewise.training.queue_runner import QueueRunner, add_queue_runner


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return a queue that threads keep filled with these tensors."""
    if isinstance(tensors, dict):
        names, values = list(tensors), [tensors[key] for key in tensors]
    else:
        names, values = None, list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    with tf.name_scope(name or "prefetch_queue"):
        values = [tf.convert_to_tensor(each) for each in values]
        kinds = [tensor.dtype for tensor in values]
        shapes: list[Any] | None = [tensor.shape for tensor in values]
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        if not dynamic_pad and not all(tensor.shape.is_fully_defined() for tensor in values):
            shapes = None
        queue = kind(
            capacity=capacity, dtypes=kinds, shapes=shapes, names=names, shared_name=shared_name
        )
        given = dict(zip(names, values, strict=True)) if names else values
        add_queue_runner(QueueRunner(queue, [queue.enqueue(given)] * num_threads))
        v1.scalar(
            f"fraction_of_{capacity}_full", tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        )
        return queue
