"""`tf.device`: the device requested for the ops of a block."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import Scope, current
from placewise.devices import inventory as devices
from placewise.devices.names import merge_eager
from placewise.memory.ledgers import attach


class device:  # noqa: N801 - TensorFlow's own name
    """Ask that the ops of a `with` block run on a device.

    `device_name`: a name such as '/gpu:0' or 'CPU:0', a `tf.DeviceSpec`, or None for no device at
        all. Parts that are left out come from the scope outside.

    A device that does not exist raises InvalidArgumentError when an op runs, unless soft placement
    is on; an op without a kernel there runs on the CPU with a warning. In a `tf.function` the
    request becomes part of the graph. Raises ValueError for a name that cannot be parsed.

    >>> import placewise as tf
    >>> with tf.device("/cpu:0"):
    ...     x = tf.constant([1.0])
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    __slots__ = ("_before", "_entered", "_name")

    def __init__(self, device_name: Any) -> None:
        if callable(device_name) and current.interpreter.graph is None:
            raise RuntimeError("tf.device does not support functions.")
        self._name = device_name
        self._before: list[tuple[str, Any, tuple[str, ...]]] = []
        self._entered: list[Any] = []
        if device_name is not None and not callable(device_name):
            merge_eager("", device_name)  # a name that is not one fails here, not at the block

    def __enter__(self) -> None:
        graph = current.interpreter.graph
        if graph is not None:
            scope = graph.device(self._name)
            scope.__enter__()
            self._entered.append(scope)
            return
        # Started first: a simulated cluster says which task's devices partial names mean.
        present = devices.inventory()
        before = current.request
        request = "" if self._name is None else merge_eager(before, self._name)
        requests = (*current.requests, request)
        self._before.append((before, current.fast, current.requests))
        self._entered.append(requests)
        current.request = request
        current.requests = requests
        if current.interpreter is Scope.eager:
            attach(present.devices)
            found = present.find(request) if request else present.default
            # The fast path runs kernels here.
            current.fast = None if found is not None and found.remote is not None else found

    def __exit__(self, *exception: object) -> None:
        entered = self._entered.pop()
        if not isinstance(entered, tuple):
            entered.__exit__(*exception)
            return
        if current.requests is not entered and not any(exception):
            raise RuntimeError(
                "Exiting device scope without proper scope nesting"
                "\n  leave tf.device blocks in the reverse of the order they were entered in"
            )
        current.request, current.fast, current.requests = self._before.pop()
