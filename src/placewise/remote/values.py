"""Values of eager programs that live on other tasks."""

from __future__ import annotations

import weakref
from typing import Any

from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.ops.values import EagerTensor, Handle


class RemoteTensor(EagerTensor):
    """A tensor on a device of another task. Its content is fetched when something here reads it."""

    __slots__ = ("_content", "_dims", "_remote_dtype", "key", "task")

    _content: Any
    _dims: tuple[int, ...]
    _remote_dtype: DType
    key: int
    task: Any

    @property
    def _value(self) -> Any:
        if self._content is None:
            self._content = self.task.fetch(self)
        return self._content

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._remote_dtype

    @property
    def shape(self) -> TensorShape:
        """The shape; known without a fetch."""
        return TensorShape._of(self._dims)

    @property
    def _shape_tuple(self) -> tuple[int, ...]:
        return self._dims

    @property
    def backing_device(self) -> str:
        """The full name of the device."""
        return self.device


def remote_tensor(task: Any, key: int, dtype: DType, dims: tuple[int, ...], device: Any) -> Any:
    """Return the tensor that a task keeps under a number; the task forgets it with the object."""
    tensor = RemoteTensor.__new__(RemoteTensor)
    tensor._device, tensor._made, tensor._mirrors = device, None, None
    tensor._content, tensor._dims, tensor._remote_dtype = None, tuple(dims), dtype
    tensor.key, tensor.task = key, task
    weakref.finalize(tensor, task.forget, key)
    return tensor


class RemoteHandle(Handle):
    """State on another task, by the op that makes it there and its shared name.

    `is_pinned`: it is on the device of the handle; else on whichever task uses it.
    """

    __slots__ = ("attrs", "is_pinned", "op", "shared_name")

    def __init__(self, op: Any, attrs: dict[str, Any], device: Any, is_pinned: bool = True) -> None:
        shape = attrs.get("shape")
        super().__init__(op.name, attrs["shared_name"], device, attrs.get("dtype"), shape)
        self.op, self.attrs, self.is_pinned = op, attrs, is_pinned
        self.shared_name: str = attrs["shared_name"]

    @property
    def value(self) -> Any:
        """The content of a variable as it is now, fetched; None if it has none."""
        return self.device.remote.read(self)

    @value.setter
    def value(self, value: Any) -> None:
        """Leave it: the state is on its task."""
