"""Fifty training steps that do not fit one card of a small machine, made from a few families.

Each is built into the default graph. Sizes are chosen for cards of 32 MiB: variables with their
slots, gradients and activations need between one and four of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import placewise.v1 as tf

MACHINE = "4xV100:32MiB"
ONE_CARD = "V100"


class Model(NamedTuple):
    """A name, and what builds its graph: (loss, what updates it, feeds)."""

    name: str
    build: Callable[[], tuple[Any, Any, dict[Any, np.ndarray]]]


def _weights(name: str, *shape: int) -> Any:
    scale = (2.0 / int(np.prod(shape[:-1]))) ** 0.5
    return tf.get_variable(
        name, shape, initializer=tf.random_normal_initializer(stddev=scale, seed=len(name))
    )


def _dense(x: Any, units: int, name: str, activation: Any = tf.nn.relu) -> Any:
    with tf.variable_scope(name):
        bias = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        product = tf.matmul(x, _weights("w", int(x.shape[-1]), units)) + bias
        return product if activation is None else activation(product)


def _optimizer(kind: str) -> Any:
    return {
        "sgd": lambda: tf.train.GradientDescentOptimizer(0.01),
        "momentum": lambda: tf.train.MomentumOptimizer(0.01, 0.9),
        "adam": lambda: tf.train.AdamOptimizer(1e-3),
    }[kind]()


def _values(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype(np.float32)


def _step(output: Any, target: np.ndarray, feeds: dict, optimizer: str) -> tuple[Any, Any, dict]:
    y = tf.placeholder(tf.float32, target.shape)
    loss = tf.reduce_mean(tf.square(output - y))
    return loss, _optimizer(optimizer).minimize(loss), {**feeds, y: target}


def mlp(depth: int, width: int, batch: int, optimizer: str) -> Any:
    x = tf.placeholder(tf.float32, [batch, width])
    value = x
    for layer in range(depth):
        value = _dense(value, width, f"layer{layer}")
    return _step(
        _dense(value, 8, "out", None), _values(batch, 8), {x: _values(batch, width)}, optimizer
    )


def hourglass(widths: tuple[int, ...], batch: int, optimizer: str) -> Any:
    x = tf.placeholder(tf.float32, [batch, widths[0]])
    value = x
    for layer, width in enumerate(widths[1:]):
        value = _dense(value, width, f"layer{layer}")
    shape = (batch, widths[-1])
    return _step(value, _values(*shape), {x: _values(batch, widths[0])}, optimizer)


def conv(depth: int, channels: int, size: int, batch: int, optimizer: str) -> Any:
    x = tf.placeholder(tf.float32, [batch, size, size, 3])
    value = x
    for layer in range(depth):
        with tf.variable_scope(f"conv{layer}"):
            kernel = _weights("w", 3, 3, int(value.shape[-1]), channels)
            value = tf.nn.relu(tf.nn.conv2d(value, kernel, [1, 1, 1, 1], "SAME"))
            if layer % 3 == 2:
                value = tf.nn.max_pool(value, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
                channels *= 2
    output = _dense(tf.reduce_mean(value, [1, 2]), 8, "out", None)
    return _step(output, _values(batch, 8), {x: _values(batch, size, size, 3)}, optimizer)


def rnn(layers: int, units: int, steps: int, batch: int, optimizer: str) -> Any:
    x = tf.placeholder(tf.float32, [batch, steps, units])
    values = tf.unstack(x, axis=1)
    for layer in range(layers):
        with tf.variable_scope(f"rnn{layer}"):
            inner, outer = _weights("u", units, units), _weights("w", units, units)
            state = tf.zeros([batch, units])
            outputs = []
            for value in values:
                state = tf.tanh(tf.matmul(value, outer) + tf.matmul(state, inner))
                outputs.append(state)
            values = outputs
    output = _dense(values[-1], 8, "out", None)
    return _step(output, _values(batch, 8), {x: _values(batch, steps, units)}, optimizer)


def attention(blocks: int, width: int, length: int, batch: int, optimizer: str) -> Any:
    x = tf.placeholder(tf.float32, [batch, length, width])
    value = tf.reshape(x, [batch * length, width])
    for block in range(blocks):
        with tf.variable_scope(f"block{block}"):
            parts = [
                tf.reshape(_dense(value, width, name, None), [batch, length, width])
                for name in ("q", "k", "v")
            ]
            weights = tf.nn.softmax(tf.matmul(parts[0], parts[1], transpose_b=True) / width**0.5)
            mixed = tf.reshape(tf.matmul(weights, parts[2]), [batch * length, width])
            value = value + _dense(mixed, width, "mix", None)
            value = value + _dense(_dense(value, 2 * width, "up"), width, "down", None)
    output = _dense(value, 8, "out", None)
    return _step(output, _values(batch * length, 8), {x: _values(batch, length, width)}, optimizer)


def embedding(tables: int, rows: int, width: int, batch: int, optimizer: str) -> Any:
    ids = tf.placeholder(tf.int32, [batch, tables])
    parts = [
        tf.gather(_weights(f"table{number}", rows, width), ids[:, number])
        for number in range(tables)
    ]
    output = _dense(_dense(tf.concat(parts, 1), 64, "hidden"), 8, "out", None)
    numbers = np.random.RandomState(3).randint(0, rows, (batch, tables)).astype(np.int32)
    return _step(output, _values(batch, 8), {ids: numbers}, optimizer)


def branches(count: int, depth: int, width: int, batch: int, optimizer: str) -> Any:
    """Branches that are written layer by layer, side by side."""
    x = tf.placeholder(tf.float32, [batch, width])
    values = [x] * count
    for layer in range(depth):
        values = [
            _dense(value, width, f"branch{number}_{layer}") for number, value in enumerate(values)
        ]
    output = _dense(tf.concat(values, 1), 8, "out", None)
    return _step(output, _values(batch, 8), {x: _values(batch, width)}, optimizer)


def towers(count: int, depth: int, width: int, batch: int, optimizer: str) -> Any:
    """Towers that are written one after the other, each with variables of its own."""
    feeds, losses = {}, []
    for tower in range(count):
        x = tf.placeholder(tf.float32, [batch, width])
        value = x
        for layer in range(depth):
            value = _dense(value, width, f"tower{tower}_{layer}")
        losses.append(_dense(value, 8, f"out{tower}", None))
        feeds[x] = _values(batch, width)
    return _step(tf.add_n(losses), _values(batch, 8), feeds, optimizer)


def _family(function: Callable[..., Any], *rows: tuple[Any, ...]) -> list[Model]:
    return [
        Model(
            f"{function.__name__} {' '.join(map(str, row))}",
            lambda row=row: function(*row),
        )
        for row in rows
    ]


MODELS: list[Model] = [
    *_family(
        mlp,
        (10, 448, 16, "adam"),
        (12, 448, 64, "adam"),
        (20, 320, 32, "adam"),
        (30, 288, 16, "adam"),
        (14, 512, 16, "momentum"),
        (30, 384, 32, "momentum"),
        (32, 512, 32, "sgd"),
        (40, 288, 64, "momentum"),
        (8, 256, 4096, "sgd"),
    ),
    *_family(
        hourglass,
        ((1024, 512, 256, 64, 256, 512, 1024, 512, 64, 512, 1024), 64, "adam"),
        ((512, 1024, 128, 1024, 128, 1024, 128, 1024, 512, 512, 512, 64), 128, "adam"),
        ((768, 768, 32, 768, 768, 32, 768, 768, 32, 768, 768, 32), 256, "adam"),
        ((256, 2048, 16, 2048, 16, 2048, 256, 256, 256, 2048, 256), 64, "adam"),
        ((640, 640, 640, 40, 640, 640, 640, 40, 640, 640, 640), 512, "momentum"),
    ),
    *_family(
        conv,
        (9, 64, 16, 16, "adam"),
        (9, 56, 24, 16, "adam"),
        (6, 80, 32, 16, "momentum"),
        (12, 34, 16, 8, "adam"),
        (9, 72, 20, 12, "momentum"),
    ),
    *_family(
        rnn,
        (6, 448, 6, 8, "adam"),
        (8, 384, 8, 16, "adam"),
        (5, 512, 4, 16, "adam"),
        (10, 416, 6, 8, "momentum"),
        (4, 592, 12, 32, "momentum"),
    ),
    *_family(
        attention,
        (3, 320, 16, 4, "adam"),
        (4, 272, 24, 4, "adam"),
        (5, 240, 16, 4, "adam"),
        (4, 304, 64, 4, "momentum"),
        (3, 320, 128, 4, "momentum"),
    ),
    *_family(
        embedding,
        (12, 4000, 64, 32, "adam"),
        (20, 2000, 64, 64, "adam"),
        (16, 3000, 64, 32, "adam"),
        (24, 1500, 96, 64, "adam"),
    ),
    *_family(
        branches,
        (4, 3, 448, 32, "adam"),
        (4, 4, 416, 64, "adam"),
        (3, 4, 480, 32, "adam"),
        (6, 3, 384, 16, "adam"),
        (8, 3, 320, 64, "adam"),
        (5, 3, 416, 32, "adam"),
        (4, 6, 384, 128, "momentum"),
        (2, 6, 480, 64, "adam"),
        (12, 2, 320, 32, "adam"),
    ),
    *_family(
        towers,
        (4, 3, 448, 32, "adam"),
        (3, 4, 448, 16, "adam"),
        (6, 3, 384, 32, "adam"),
        (5, 3, 416, 64, "adam"),
        (8, 3, 320, 32, "adam"),
        (2, 6, 448, 32, "adam"),
        (4, 8, 352, 64, "momentum"),
        (10, 2, 352, 32, "adam"),
    ),
]


class Outcome(NamedTuple):
    """What training some steps came to."""

    losses: list[float]
    peak_bytes: list[int]  # by GPU
    limit_bytes: int
    assignment: Any


def train(model: Model, machine: str, place: str, steps: int = 2) -> Outcome:
    """Build a model on a simulated machine, train it, and return what came of it."""
    from placewise.devices.inventory import inventory, simulate
    from placewise.devices.inventory import place as set_placement
    from placewise.memory.queries import get_memory_info

    with simulate(machine), tf.Graph().as_default():
        set_placement(place)
        tf.set_random_seed(7)
        loss, update, feeds = model.build()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = [float(session.run([loss, update], feeds)[0]) for _ in range(steps)]
            gpus = inventory().of_kind("GPU")
            peaks = [get_memory_info(f"GPU:{gpu.index}")["peak"] for gpu in gpus]
            limit = gpus[0].memory_limit_bytes or 0
            return Outcome(losses, peaks, limit, session._placement.assignment)
