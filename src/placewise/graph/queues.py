"""Queues of a graph: `tf.FIFOQueue` and its like, whose elements a session's threads share."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from placewise.core import dtypes as types
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.names import name_scope
from placewise.core.scope import current, replaced
from placewise.core.shapes import TensorShape
from placewise.devices.inventory import inventory
from placewise.devices.names import merge_eager
from placewise.graph.recorder import constant_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import executing_eagerly, init_scope
from placewise.ops.queues import ops
from placewise.ops.random.streams import op_seeds
from placewise.ops.values import EagerTensor
from placewise.placement.rules import fitting, parsed


def _as_types(dtypes: Any) -> list[Any]:
    listed = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    try:
        return [as_dtype(item) for item in listed]
    except TypeError:
        raise TypeError(
            f"Expected DataType for argument 'component_types' not {dtypes!r}."
        ) from None


def _as_shapes(shapes: Any, dtypes: list[Any], unknown_allowed: bool = False) -> list[TensorShape]:
    if shapes is None:
        return []
    if not isinstance(shapes, (list, tuple)) or (
        not isinstance(shapes, TensorShape) and _is_one_shape(shapes, dtypes)
    ):
        shapes = [shapes]
    tensor_shapes = [TensorShape(shape) for shape in shapes]
    if len(tensor_shapes) != len(dtypes):
        raise ValueError("Queue shapes must have the same length as dtypes")
    return tensor_shapes


def _is_one_shape(shapes: Any, dtypes: list[Any]) -> bool:
    if not shapes:  # of a scalar, unless the queue has no components
        return bool(dtypes)
    return all(shape is None or isinstance(shape, int) for shape in shapes)


def _as_names(names: Any, dtypes: list[Any]) -> Any:
    if not isinstance(names, list | tuple):
        return [names] if names else None
    if names and len(names) != len(dtypes):
        raise ValueError("List of names must have the same length as the list of dtypes")
    return list(names) or None


class QueueBase:
    """What all queues share; made of an existing queue's tensor, too."""

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any) -> None:
        self._dtypes = list(dtypes)
        if shapes is not None:
            if len(shapes) != len(self._dtypes):
                raise ValueError("Queue shapes must have the same length as dtypes")
            self._shapes = [TensorShape(shape) for shape in shapes]
        else:
            self._shapes = [TensorShape(None) for _ in self._dtypes]
        self._names = _as_names(names, self._dtypes)
        self._queue_ref = queue_ref
        self._name = self.name.rpartition("/")[2] if queue_ref is not None else ""

    @staticmethod
    def from_list(index: Any, queues: Sequence[Any]) -> QueueBase:
        """Return the queue at position `index`, a tensor, of a list."""
        if not queues or not isinstance(queues, list):
            raise TypeError("A list of queues expected")
        if not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common(item) for item in zip(*(queue.shapes for queue in queues), strict=True)]
        which = convert_to_tensor(index)
        known = which.numpy() if isinstance(which, EagerTensor) else constant_value(which)
        if known is None:
            raise ValueError("the index of a list of queues must be known when the graph is made")
        return QueueBase(first.dtypes, shapes, first.names, queues[int(known)].queue_ref)

    @property
    def queue_ref(self) -> Any:
        """The tensor through which ops reach the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the queue."""
        if isinstance(self._queue_ref, EagerTensor):
            return "Empty"  # TensorFlow's word where there are no operations
        name: str = self._queue_ref.op.name
        return name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of an element's components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of an element's components."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of an element's components, or None."""
        return self._names

    def _components(self, vals: Any) -> list[Any]:
        """Return what is to be enqueued as tensors, one for each component."""
        if self._names:
            values: Any = self._named_components(vals)
        elif isinstance(vals, dict):
            raise ValueError("Queue must have names to enqueue a dictionary")
        else:
            values = vals if isinstance(vals, list | tuple) else [vals]
        return [
            convert_to_tensor(value, dtype, name=f"component_{index}")
            for index, (value, dtype) in enumerate(zip(values, self._dtypes, strict=False))
        ]

    def _named_components(self, vals: Any) -> list[Any]:
        if not isinstance(vals, dict):
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        if set(vals) != set(self._names):
            raise ValueError(
                "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                f"({sorted(vals)}), Queue: ({sorted(self._names)})"
            )
        return [vals[name] for name in self._names]

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Return an operation that adds one element, once there is room."""
        with name_scope(name or f"{self._name}_enqueue") as scope:
            components = self._components(vals)
            for value, shape in zip(components, self._shapes, strict=False):
                value.shape.assert_is_compatible_with(shape)
            return ops.enqueue(self._queue_ref, components, name=scope)

    def enqueue_many(self, vals: TensorLike, name: str | None = None) -> Any:
        """Return an operation that adds the slices of `vals` along the first dimension."""
        with name_scope(name or f"{self._name}_EnqueueMany") as scope:
            components = self._components(vals)
            count = components[0].shape.with_rank_at_least(1).dims
            first = count[0] if count is not None else None
            for value, shape in zip(components, self._shapes, strict=False):
                listed = value.shape.with_rank_at_least(1)
                if first is not None and listed.dims is not None:
                    first = _merged(first, listed.dims[0])
                listed[1:].assert_is_compatible_with(shape)
            return ops.enqueue_many(self._queue_ref, components, name=scope)

    def _returned(self, tensors: list[Any]) -> Any:
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name: str | None = None) -> Any:
        """Return an element, taken once there is one."""
        taken = ops.dequeue(
            self._queue_ref,
            component_types=list(self._dtypes),
            name=name or f"{self._name}_Dequeue",
        )
        for tensor, shape in zip(taken, self._shapes, strict=True):
            tensor.set_shape(shape)
        return self._returned(taken)

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Return `n` elements stacked, taken once there are so many."""
        taken = ops.dequeue_many(
            self._queue_ref,
            n,
            component_types=list(self._dtypes),
            name=name or f"{self._name}_DequeueMany",
        )
        if isinstance(taken[0], EagerTensor):
            return self._returned(taken)
        count = constant_value(taken[0].op.inputs[1])
        size = None if count is None else int(count)
        for tensor, shape in zip(taken, self._shapes, strict=True):
            tensor.set_shape(TensorShape([size]).concatenate(shape))
        return self._returned(taken)

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """Return `n` elements stacked, or what is left of a closed queue."""
        taken = ops.dequeue_up_to(
            self._queue_ref,
            n,
            component_types=list(self._dtypes),
            name=name or f"{self._name}_DequeueUpTo",
        )
        for tensor, shape in zip(taken, self._shapes, strict=True):
            tensor.set_shape(TensorShape([None]).concatenate(shape))
        return self._returned(taken)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Return an operation that closes the queue: what waits to be added may be, or is not."""
        return ops.close(
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Any:
        """Return a bool tensor: whether the queue is closed."""
        return ops.is_closed(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Any:
        """Return a tensor with the number of elements."""
        return ops.size(self._queue_ref, name=name or f"{self._name}_Size")


def _common(shapes: tuple[TensorShape, ...]) -> TensorShape:
    """Return the shape that all of `shapes` are of."""
    ranks = {shape.rank for shape in shapes}
    if len(ranks) != 1 or None in ranks:
        return TensorShape(None)
    sizes = [{*item} for item in zip(*(shape.as_list() for shape in shapes), strict=True)]
    return TensorShape([size.pop() if len(size) == 1 else None for size in sizes])


def _merged(first: Any, second: Any) -> Any:
    one, other = getattr(first, "value", first), getattr(second, "value", second)
    if one is not None and other is not None and one != other:
        raise ValueError(f"Dimensions {one} and {other} are not compatible")
    return one if other is None else other


def _on_cpu() -> AbstractContextManager[Any]:
    """Return a context in which ops are put on a CPU, of the task that is asked for."""
    if executing_eagerly():
        return replaced(request=_cpu_request(), requests=())
    graph_scope: AbstractContextManager[Any] = current.interpreter.graph.device("CPU")
    return graph_scope


def _cpu_request() -> str:
    """Return the request in force with a CPU in place of its kind of device."""
    if not current.request:
        return ""
    on_cpu = merge_eager(current.request, "CPU")
    for request, device in ((on_cpu, on_cpu), (current.request, inventory().cpu.name)):
        spec = parsed(request)
        if spec is not None and fitting(spec, inventory().devices):
            return device  # under GPU:1 there need not be a CPU:1
    return current.request


class FIFOQueue(QueueBase):
    """A queue: first in, first out."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        kinds = _as_types(dtypes)
        fixed, labels = _as_shapes(shapes, kinds), _as_names(names, kinds)
        with init_scope(), _on_cpu():
            handle = ops.fifo_queue(
                component_types=kinds,
                shapes=fixed,
                capacity=capacity,
                shared_name=shared_name or "",
                name=name,
            )
        super().__init__(kinds, fixed or None, labels, handle)


class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements out in random order."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        kinds = _as_types(dtypes)
        fixed, labels = _as_shapes(shapes, kinds), _as_names(names, kinds)
        handle = ops.random_shuffle_queue(
            component_types=kinds,
            shapes=fixed,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            shared_name=shared_name or "",
            name=name,
            **_seeds(seed, shared_name),
        )
        super().__init__(kinds, fixed or None, labels, handle)


def _seeds(seed: int | None, shared_name: str | None) -> dict[str, int]:
    result = op_seeds(seed)
    if result["seed"] == 0 and result["seed2"] == 0 and shared_name is not None:
        # Sessions that share a queue must not each draw the same numbers.

        result["seed2"] = zlib.crc32(shared_name.encode()) & 0x7FFFFFFF
    return result


class PaddingFIFOQueue(QueueBase):
    """A queue whose batches are padded with zeros where elements differ in size."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        kinds = _as_types(dtypes)
        if shapes is None or not isinstance(shapes, (list, tuple)):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        if len(kinds) != len(shapes):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(kinds)} dtypes and {len(shapes)} shapes."
            )
        fixed, labels = [TensorShape(shape) for shape in shapes], _as_names(names, kinds)
        with init_scope():
            handle = ops.padding_fifo_queue(
                component_types=kinds,
                shapes=fixed,
                capacity=capacity,
                shared_name=shared_name or "",
                name=name,
            )
        super().__init__(kinds, fixed, labels, handle)


class PriorityQueue(QueueBase):
    """A queue that gives out the element with the smallest first component, an int64."""

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        if shapes is None:
            raise TypeError(
                "Expected list for 'shapes' argument to 'priority_queue_v2' Op, not None."
            )
        kinds = _as_types(types)
        fixed, labels = _as_shapes(shapes, kinds), _as_names(names, kinds)
        handle = ops.priority_queue(
            component_types=kinds,
            shapes=fixed,
            capacity=capacity,
            shared_name=shared_name or "",
            name=name,
        )
        whole = [TensorShape(()), *fixed] if fixed or not kinds else None
        super().__init__([_INT64, *kinds], whole, labels, handle)


_INT64 = types.int64
for _kind in (QueueBase, FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue):
    _kind.__module__ = "tensorflow.python.ops.data_flow_ops"
