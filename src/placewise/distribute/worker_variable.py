"""`tf.Variable(…, per_worker_variable=True)`: a variable of which each worker has its own."""

from __future__ import annotations

import weakref
from typing import Any

from placewise.eager.device_scope import device
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state import resource
from placewise.ops.state.variable import Variable
from placewise.ops.values import EagerTensor, wrap
from placewise.remote.calls import Call
from placewise.remote.values import RemoteHandle


class PerWorkerVariable(Variable):
    """One variable under the same name on each worker; a step uses that of its worker.

    They begin with the same value, and nothing keeps them alike. This process sees the first.
    """

    def read_all(self) -> list[EagerTensor]:
        """Return the value that the variable has on each worker."""
        return [wrap(one.value, None) for one in self._copies]

    _copies: list[RemoteHandle]


def make_per_worker(workers: list[Any], options: dict[str, Any]) -> PerWorkerVariable:
    """Make a variable on each worker, a task; `options` are those of `tf.Variable`."""
    value = convert_to_tensor(options["initial_value"], options.get("dtype"))
    options = {**options, "initial_value": value, "trainable": False}
    with device(workers[0].devices[0].name):
        made: PerWorkerVariable = type.__call__(PerWorkerVariable, **options)
    handle = made.handle._value
    handle.is_pinned = False
    made._copies = [
        RemoteHandle(handle.op, handle.attrs, task.devices[0], is_pinned=False) for task in workers
    ]
    for task, copy in zip(workers[1:], made._copies[1:], strict=True):
        call = Call("")
        with call.graph.as_default():
            start = convert_to_tensor(value.numpy(), value.dtype)
            call.targets = [resource.assign_variable(call.state(copy), start)]
        task.run_once(call)
        weakref.finalize(handle, task._destroy, copy)
    return made
