"""What a scheduled step returns, and values that each worker has its own of."""

from __future__ import annotations

import threading
from typing import Any

from placewise.core import nest
from placewise.devices.inventory import inventory
from placewise.ops.values import EagerTensor, wrap


class RemoteValue:
    """What a scheduled step will have returned."""

    def fetch(self) -> Any:
        """Wait for the result and return it as NumPy values."""
        raise NotImplementedError("RemoteValue.fetch")

    def get(self) -> Any:
        """Wait for the result and return it as tensors of this process."""
        raise NotImplementedError("RemoteValue.get")


class RemoteValueImpl(RemoteValue):
    """A result that a worker sets, or the error in its place."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def set(self, value: Any) -> None:
        """Let the step have returned a value."""
        self._value = value
        self._done.set()

    def fail(self, error: BaseException) -> None:
        """Let the step have failed."""
        self._error = error
        self._done.set()

    def _wait(self) -> Any:
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def fetch(self) -> Any:
        """Wait for the result and return it as NumPy values."""
        return nest.map_structure(
            lambda part: part.numpy() if hasattr(part, "numpy") else part, self._wait()
        )

    def get(self) -> Any:
        """Wait for the result and return it as tensors of this process."""
        return nest.map_structure(_local, self._wait())

    def cancel(self, problem: BaseException) -> None:
        """Let nobody wait: the step will not run, or not to its end."""
        if not self._done.is_set():
            self.fail(problem)


def _local(part: Any) -> Any:
    return wrap(part._value, inventory().default) if isinstance(part, EagerTensor) else part


class PerWorkerValues:
    """One value for each worker; a step gets that of the worker it runs on."""

    def __init__(self, values: Any) -> None:
        self._values = tuple(values)

    def _of(self, worker: int) -> Any:
        return self._values[worker]


RemoteValue.__module__ = "tensorflow.python.distribute.coordinator.remote_value"
for _kind in (RemoteValueImpl, PerWorkerValues):
    _kind.__module__ = "tensorflow.python.distribute.coordinator.values"
