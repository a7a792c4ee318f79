"""Checkpoints and saved models: written and read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}
_FOLDER = tempfile.TemporaryDirectory()


def _path(name: str) -> str:
    return str(Path(_FOLDER.name, name))


def _weights(tf: Any) -> Any:
    return tf.train.Checkpoint(
        **{f"w{i}": tf.Variable(np.random.RandomState(i).rand(1024, 1024)) for i in range(4)}
    )


def save(tf: Any) -> Callable[[], object]:
    """Write a checkpoint of 32 MB."""
    checkpoint, path = _weights(tf), _path("save")
    return lambda: checkpoint.write(path)


def restore(tf: Any) -> Callable[[], object]:
    """Read a checkpoint of 32 MB."""
    checkpoint, path = _weights(tf), _path("restore")
    checkpoint.write(path)
    return lambda: checkpoint.read(path)


def load_variable(tf: Any) -> Callable[[], object]:
    """Read one variable of a checkpoint."""
    path = _path("variable")
    _weights(tf).write(path)
    return lambda: tf.train.load_variable(path, "w1/.ATTRIBUTES/VARIABLE_VALUE")


def list_variables(tf: Any) -> Callable[[], object]:
    """List the variables of a checkpoint."""
    path = _path("listed")
    _weights(tf).write(path)
    return lambda: tf.train.list_variables(path)


def scalars(tf: Any) -> Callable[[], object]:
    """Write a checkpoint of 500 small variables."""
    checkpoint = tf.train.Checkpoint(**{f"s{i}": tf.Variable(float(i)) for i in range(500)})
    return lambda: checkpoint.write(_path("scalars"))


def saver(tf: Any) -> Callable[[], object]:
    """Save three variables of 4 MB with constant initial values by a Saver of TensorFlow 1."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        for index in range(3):
            v1.get_variable(f"v{index}", [1024, 1024], initializer=v1.constant_initializer(0.5))
        session, writer = v1.Session(graph=graph), v1.train.Saver()
        session.run(v1.global_variables_initializer())
    path = _path("saver")

    def call() -> None:
        with graph.as_default():
            writer.save(session, path)

    return call


def _exported(tf: Any, name: str) -> str:
    module = tf.Module()
    module.w = [tf.Variable(np.random.RandomState(i).rand(128, 128)) for i in range(6)]

    @tf.function(input_signature=[tf.TensorSpec([None, 128], tf.float64)])
    def call(x: Any) -> Any:
        for weight in module.w:
            x = tf.nn.relu(tf.matmul(x, weight))
        return x

    module.call = call
    tf.saved_model.save(module, _path(name))
    return _path(name)


def load(tf: Any) -> Callable[[], object]:
    """Load a saved model again."""
    path = _exported(tf, "loaded")
    return lambda: tf.saved_model.load(path)


def call(tf: Any) -> Callable[[], object]:
    """Call the function of a saved model."""
    module = tf.saved_model.load(_exported(tf, "called"))
    data = tf.constant(np.random.rand(32, 128))
    return lambda: module.call(data)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "checkpoint of 32 MB, write": save,
    "checkpoint of 32 MB, read": restore,
    "load_variable": load_variable,
    "list_variables": list_variables,
    "checkpoint of 500 scalars, write": scalars,
    "Saver.save with constant initial values": saver,
    "saved_model.load, not the first": load,
    "saved model's function": call,
}
