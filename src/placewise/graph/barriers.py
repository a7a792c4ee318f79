"""`data_flow_ops.Barrier`: elements of a graph whose components come one by one."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.ops.array.static import constant_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.queues import barrier_ops as ops


class Barrier:
    """A table from keys to elements; an element may be taken when all its components are there."""

    def __init__(
        self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier"
    ) -> None:
        listed = types if isinstance(types, (list, tuple)) else [types]
        self._types = [as_dtype(each) for each in listed]
        self._shapes = _checked_shapes(shapes, len(self._types))
        self._barrier_ref = ops.barrier(
            component_types=self._types,
            shapes=[] if shapes is None else [each._dims for each in self._shapes],
            shared_name=shared_name or "",
            name=name,
        )
        self._name = self._barrier_ref.op.name.rpartition("/")[2]

    @property
    def barrier_ref(self) -> Any:
        """The reference to the state."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the state."""
        name: str = self._name
        return name

    def insert_many(
        self, component_index: int, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Any:
        """Return an operation that gives the elements of some keys one of their components."""
        return ops.insert_many(
            self._barrier_ref,
            convert_to_tensor(keys),
            convert_to_tensor(values, self._types[component_index]),
            component_index=component_index,
            name=name or f"{self._name}_BarrierInsertMany",
        )

    def take_many(
        self,
        num_elements: TensorLike,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Return indices, keys and components of the oldest elements, once there are enough."""
        indices, keys, values = ops.take_many(
            self._barrier_ref,
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        count = None if allow_small_batch else constant_value(convert_to_tensor(num_elements))
        batch = TensorShape([None if count is None else int(count)])
        for tensor in (indices, keys):
            tensor.set_shape(batch)
        for tensor, shape in zip(values, self._shapes, strict=True):
            tensor.set_shape(batch.concatenate(shape))
        return indices, keys, values

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Return an operation after which no new keys come."""
        return ops.close(
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )

    def ready_size(self, name: str | None = None) -> Any:
        """Return how many elements are complete."""
        return ops.ready_size(self._barrier_ref, name=name or f"{self._name}_BarrierReadySize")

    def incomplete_size(self, name: str | None = None) -> Any:
        """Return how many elements lack a component."""
        name = name or f"{self._name}_BarrierIncompleteSize"
        return ops.incomplete_size(self._barrier_ref, name=name)


def _checked_shapes(shapes: Any, count: int) -> list[TensorShape]:
    if shapes is None:
        return [TensorShape(None)] * count
    made = [TensorShape(each) for each in shapes]
    if len(made) != count:
        raise ValueError(
            f"List of shapes has {len(made)} elements, but there are {count} component types."
        )
    for index, shape in enumerate(made):
        if 0 in (shape._dims or ()):
            raise ValueError(
                f"Empty tensors are not supported, but received shape '{shape}' at index {index}"
            )
    return made
