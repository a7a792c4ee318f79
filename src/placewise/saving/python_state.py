"""State of a program's own kind in object checkpoints, kept as one string."""

from __future__ import annotations

import abc
from typing import Any

from placewise.core.trackable import Trackable
from placewise.ops.convert import convert_to_tensor

PY_STATE = "py_state"


class PythonState(Trackable, abc.ABC):
    """An object whose state is a string: `serialize` returns it, `deserialize` takes it.

    `tf.train.Checkpoint` calls `serialize` on each save and `deserialize` on restore.

    >>> class Counter(tf.train.experimental.PythonState):
    ...     value = 0
    ...     def serialize(self):
    ...         return str(self.value)
    ...     def deserialize(self, text):
    ...         self.value = int(text)
    >>> tf.train.Checkpoint(counter=Counter()).counter.value
    0
    """

    @abc.abstractmethod
    def serialize(self) -> Any:
        """Return the state as text or bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value: Any) -> None:
        """Take over the state that `serialize` returned."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {PY_STATE: convert_to_tensor(self.serialize())}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.deserialize(restored_tensors[PY_STATE].numpy())


PythonState.__module__ = "tensorflow.python.trackable.python_state"
