"""Growth: nodes of a graph, variables, devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}


def building(tf: Any, count: int) -> Callable[[], object]:
    """Build a graph of some nodes, and run it once."""
    v1 = tf.compat.v1

    def build() -> Any:
        with v1.Graph().as_default():
            x = v1.placeholder(tf.float32, [4])
            y = x
            for _ in range(count):
                y = y + 1.0
            with v1.Session() as session:
                return session.run(y, {x: [1.0, 2.0, 3.0, 4.0]})

    return build


def tracing(tf: Any, count: int) -> Callable[[], object]:
    """Trace a function of some nodes, and call it."""
    x = tf.ones([4])

    def body(x: Any) -> Any:
        for _ in range(count):
            x = x + 1.0
        return x

    return lambda: tf.function(body)(x)


def variables(tf: Any, count: int) -> Callable[[], object]:
    """Make variables and assign to each."""

    def make() -> None:
        for variable in [tf.Variable(tf.zeros([10])) for _ in range(count)]:
            variable.assign_add(tf.ones([10]))

    return make


def tape(tf: Any, count: int) -> Callable[[], object]:
    """Take the gradient of a chain with a tape."""

    def call() -> Any:
        x = tf.ones([10])
        with tf.GradientTape() as recording:
            recording.watch(x)
            y = x
            for _ in range(count):
                y = y * 1.0001
        return recording.gradient(y, x)

    return call


def devices(tf: Any, count: int) -> Callable[[], object]:
    """Run 64 operations, each in a scope of one of many logical devices."""
    cpus = tf.config.list_physical_devices("CPU")
    parts = [tf.config.LogicalDeviceConfiguration() for _ in range(count)]
    tf.config.set_logical_device_configuration(cpus[0], parts)
    names = [device.name for device in tf.config.list_logical_devices("CPU")]
    tensors = []
    for place in range(64):
        with tf.device(names[place % count]):
            tensors.append(tf.ones([4]))

    def call() -> None:
        for place in range(64):
            with tf.device(names[place % count]):
                tensors[place] + 1.0

    return call


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "build and run 1,000 nodes": lambda tf: building(tf, 1000),
    "trace and call 1,000 nodes": lambda tf: tracing(tf, 1000),
    "1,000 variables": lambda tf: variables(tf, 1000),
    "tape of 1,000 ops": lambda tf: tape(tf, 1000),
    "64 ops in scopes, 1 device": lambda tf: devices(tf, 1),
    "64 ops in scopes, 8 devices": lambda tf: devices(tf, 8),
    "64 ops in scopes, 64 devices": lambda tf: devices(tf, 64),
    "64 ops in scopes, 1,024 devices": lambda tf: devices(tf, 1024),
}
# Logical devices are set once, before the first operation.
ALONE = frozenset(row for row in ROWS if "scopes" in row)
