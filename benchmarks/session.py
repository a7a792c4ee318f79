"""Graphs and sessions against TensorFlow and hand-written torch: building, first runs, steps.

TensorFlow 1.15 runs the cases as well, on its Python 3.7: what all contenders share keeps to that.
"""

# ruff: noqa: B905 (zip has no `strict` in Python 3.7)

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from contest import Later, Limit, contest

NODES = 20_000
LOOPS = 10_000
LIMITS = {
    "run one small op with a feed": Limit(tensorflow=10),
    f"build {NODES:,} nodes": Limit(tensorflow=30),
    f"first run of {NODES:,} nodes": Limit(tensorflow=10),
    f"build {10 * NODES:,} nodes": Limit(),
    f"first run of {10 * NODES:,} nodes": Limit(),
    "chain of 1,000 small ops": Limit(torch=1.15),
    "gradient step of a chain of 1,000": Limit(torch=1 / 3),
    "loop of 10,000 on numbers": Limit(tensorflow=3),
    "loop of 10,000 on vectors": Limit(tensorflow=3),
    "MLP step by hand": Limit(torch=1.1, tensorflow=1.0),
    "MLP step, gradient descent": Limit(torch=1.1, tensorflow=1.0),
    "MLP step, Adam": Limit(torch=1.1, tensorflow=1.0),
    "CNN step": Limit(torch=1.1, tensorflow=1.0),
    "CNN step in four towers": Limit(torch=1.1, tensorflow=1.0),
    "memory: MLP step, Adam": Limit(memory=0.6),
    "memory: CNN step": Limit(memory=0.6),
    "memory: CNN step in four towers": Limit(memory=0.6),
}


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Return the same random numbers in every contender."""
    return (0.05 * np.random.RandomState(seed).standard_normal(shape)).astype(np.float32)


MLP = [(784, 256), (256,), (256, 128), (128,), (128, 10), (10,)]
SMALL_MLP = [(784, 2), (2,), (2, 2), (2,), (2, 10), (10,)]
CNN = [(5, 5, 3, 64), (64,), (5, 5, 64, 64), (64,), (64 * 64, 384), (384,), (384, 10), (10,)]
BATCH = 32
NEAR_ONE = np.array([1.0001, 0.9999], np.float32)


# Graphs alone.


def building(tf: Any, session: Callable[..., Any], count: int) -> tuple[Callable, Callable]:
    """Return the cases of building a chain of `count` nodes, and of its first run."""

    def build() -> tuple[Any, Any]:
        graph = tf.Graph()
        with graph.as_default():
            y = x = tf.placeholder(tf.float32, [2])
            for _ in range(count):
                y = tf.add(y, x)
        return graph, (x, y)

    def first_run(built: Any) -> object:
        graph, (x, y) = built
        return session(graph).run(y, {x: np.ones(2, np.float32)})

    first_run.prepare = build
    return build, first_run


# Small operations: what counts is what each of them costs beside its kernel.


def small(tf: Any, session: Callable[..., Any]) -> Callable[[], object]:
    """Return a run of one op with a feed."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2])
        y = x + x
    running, value = session(graph), np.ones(2, np.float32)
    return lambda: running.run(y, {x: value})


def chain(tf: Any, session: Callable[..., Any], with_gradient: bool) -> Callable[[], object]:
    """Return a run of 1,000 ops one after the other; its gradient depends on what is fed."""
    graph = tf.Graph()
    with graph.as_default():
        y = x = tf.placeholder(tf.float32, [2])
        for _ in range(1000):
            y = tf.multiply(y, x) if with_gradient else tf.add(y, x)
        fetched = tf.gradients(y, x)[0] if with_gradient else y
    running = session(graph)
    return lambda: running.run(fetched, {x: NEAR_ONE})


def loop(tf: Any, session: Callable[..., Any], size: int) -> Callable[[], object]:
    """Return a run of a loop over a counter and a number, or a small vector."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [size] if size else [])
        _, found = tf.while_loop(
            lambda i, y: i < LOOPS, lambda i, y: (i + 1, y * x + 0.5), (tf.constant(0), x)
        )
    running, value = session(graph), np.full([size] if size else [], 0.9, np.float32)
    return lambda: running.run(found, {x: value})


# Models.


def loss_of(tf: Any, logits: Any, labels: Any) -> Any:
    """Return the mean cross-entropy of one class a row."""
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )


def mlp(
    tf: Any, session: Callable[..., Any], how: str, shapes: Any = MLP, batch: int = 128
) -> Callable[[], object]:
    """Return a training step of a perceptron, by feed_dict."""
    graph = tf.Graph()
    with graph.as_default():
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int32, [None])
        weights = [tf.Variable(numbers(*s, seed=i)) for i, s in enumerate(shapes)]
        h = x
        for w, b in zip(weights[:-2:2], weights[1:-2:2]):
            h = tf.nn.relu(tf.matmul(h, w) + b)
        loss = loss_of(tf, tf.matmul(h, weights[-2]) + weights[-1], y)
        if how == "by hand":
            found = tf.gradients(loss, weights)
            step = tf.group(*[w.assign_sub(0.01 * g) for w, g in zip(weights, found)])
        elif how == "Adam":
            step = tf.train.AdamOptimizer(0.001).minimize(loss)
        else:
            step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        start = tf.global_variables_initializer()
    running = session(graph)
    running.run(start)
    data, labels = numbers(batch, 784), np.arange(batch, dtype=np.int32) % 10
    return lambda: running.run([step, loss], {x: data, y: labels})


def cnn(tf: Any, session: Callable[..., Any], towers: list[str], batch: int) -> Callable:
    """Return a training step of the CIFAR-10 tutorial's network, split over towers."""
    graph = tf.Graph()
    with graph.as_default():
        with tf.device("/cpu:0"):
            weights = [tf.Variable(numbers(*s, seed=i)) for i, s in enumerate(CNN)]
        each = batch // len(towers)
        x = tf.placeholder(tf.float32, [batch, 32, 32, 3])
        y = tf.placeholder(tf.int32, [batch])
        found = []
        for index, name in enumerate(towers):
            with tf.device(name), tf.name_scope(f"tower_{index}"):
                part = slice(index * each, (index + 1) * each)
                loss = loss_of(tf, network(tf, x[part], weights), y[part])
                found.append(tf.gradients(loss, weights))
        with tf.device("/cpu:0"):
            averaged = [tf.add_n(list(g)) / float(len(towers)) for g in zip(*found)]
            step = tf.group(*[w.assign_sub(0.01 * g) for w, g in zip(weights, averaged)])
        start = tf.global_variables_initializer()
    running = session(graph)
    running.run(start)
    data, labels = numbers(batch, 32, 32, 3), np.arange(batch, dtype=np.int32) % 10
    return lambda: running.run(step, {x: data, y: labels})


def network(tf: Any, x: Any, weights: list[Any]) -> Any:
    """Return the logits of the CIFAR-10 tutorial's network."""
    for w, b in (weights[:2], weights[2:4]):
        x = tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME") + b)
        x = tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
        x = tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
    h = tf.reshape(x, [-1, 64 * 64])
    h = tf.nn.relu(tf.matmul(h, weights[4]) + weights[5])
    return tf.matmul(h, weights[6]) + weights[7]


# Contenders.


def in_sessions(
    tf: Any, devices: list[str], session: Callable[..., Any], quick: Callable[..., Any]
) -> dict[str, Callable]:
    """Return the cases in TensorFlow 1's words; `quick` makes sessions for small operations."""
    build, first_run = building(tf, quick, NODES)
    return {
        "run one small op with a feed": Later(small, tf, quick),
        f"build {NODES:,} nodes": build,
        f"first run of {NODES:,} nodes": first_run,
        "chain of 1,000 small ops": Later(chain, tf, quick, False),
        "gradient step of a chain of 1,000": Later(chain, tf, quick, True),
        "loop of 10,000 on numbers": Later(loop, tf, quick, 0),
        "loop of 10,000 on vectors": Later(loop, tf, quick, 8),
        "MLP step by hand": Later(mlp, tf, session, "by hand"),
        "MLP step, gradient descent": Later(mlp, tf, session, "gradient descent"),
        "MLP step, Adam": Later(mlp, tf, session, "Adam"),
        "CNN step": Later(cnn, tf, session, ["/cpu:0"], BATCH),
        "CNN step in four towers": Later(cnn, tf, session, devices, BATCH),
        "small CNN": Later(cnn, tf, session, ["/cpu:0"], 1),
        "small MLP": Later(mlp, tf, session, "Adam", SMALL_MLP, 2),
    }


def placewise() -> dict[str, Callable]:
    """Return the cases on placewise; the four towers on simulated GPUs."""
    import placewise.v1 as tf

    tf.simulate("4xK20m")

    def session(graph: Any) -> Any:
        # Without towers on GPUs everything runs on the CPU, as in the other contenders.
        towers = any("GPU" in op.device for op in graph.get_operations())
        return tf.Session(graph=graph, config=tf.ConfigProto(device_count={"GPU": 4 * towers}))

    def on_cpu(graph: Any) -> Any:
        return tf.Session(graph=graph, config=tf.ConfigProto(device_count={"GPU": 0}))

    cases = in_sessions(tf, [f"/gpu:{i}" for i in range(4)], session, on_cpu)
    build, first_run = building(tf, on_cpu, 10 * NODES)
    cases[f"build {10 * NODES:,} nodes"] = build
    cases[f"first run of {10 * NODES:,} nodes"] = first_run
    return cases


def tensorflow() -> dict[str, Callable]:
    """Return the cases on TensorFlow; the four towers on logical CPUs.

    Small operations run quickest in one thread. TensorFlow 2 runs loops as `tf.function`.
    """
    import tensorflow as tf2

    tf = tf2.compat.v1
    config = tf.ConfigProto(device_count={"CPU": 4})
    alone = tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)

    def session(graph: Any) -> Any:
        return tf.Session(graph=graph, config=config)

    def quick(graph: Any) -> Any:
        return tf.Session(graph=graph, config=alone)

    cases = in_sessions(tf, [f"/cpu:{i}" for i in range(4)], session, quick)
    if tf2.__version__.startswith("2."):
        tf.disable_resource_variables()
        cases["loop of 10,000 on numbers"] = Later(loop_in_function, tf2, 0)
        cases["loop of 10,000 on vectors"] = Later(loop_in_function, tf2, 8)
    return cases


def loop_in_function(tf: Any, size: int) -> Callable[[], object]:
    """Return the call of a tf.function that runs the loop."""

    @tf.function
    def run(x: Any) -> Any:
        return tf.while_loop(
            lambda i, y: i < LOOPS, lambda i, y: (i + 1, y * x + 0.5), (tf.constant(0), x)
        )[1]

    value = tf.constant(np.full([size] if size else [], 0.9, np.float32))
    return lambda: run(value).numpy()


def by_hand() -> dict[str, Callable]:
    """Return the same work written in torch."""
    import torch
    from torch.nn import functional

    def chain(with_gradient: bool) -> Callable[[], object]:
        x = torch.from_numpy(NEAR_ONE).requires_grad_(with_gradient)
        step = torch.mul if with_gradient else torch.add

        def run() -> object:
            y = x
            for _ in range(1000):
                y = step(y, x)
            return torch.autograd.grad(y.sum(), x) if with_gradient else y

        return run

    def weights_of(shapes: list[tuple[int, ...]]) -> list[Any]:
        found = [torch.from_numpy(numbers(*s, seed=i)) for i, s in enumerate(shapes)]
        return [
            (w.permute(3, 2, 0, 1).contiguous() if w.dim() == 4 else w).requires_grad_()
            for w in found
        ]

    def trained(shapes: list[tuple[int, ...]], forward: Any, data: Any, parts: int) -> Any:
        weights = weights_of(shapes)
        labels = torch.arange(len(data)) % 10

        def step() -> None:
            total = None
            for x, y in zip(data.chunk(parts), labels.chunk(parts)):
                loss = functional.cross_entropy(forward(x, weights), y)
                found = torch.autograd.grad(loss, weights)
                total = found if total is None else [a + b for a, b in zip(total, found)]
            with torch.no_grad():
                for w, g in zip(weights, total):
                    w.sub_(g, alpha=0.01 / parts)

        return step

    def optimized(optimizer: Any, rate: float, shapes: Any = MLP, batch: int = 128) -> Any:
        weights = weights_of(shapes)
        changing = optimizer(weights, lr=rate)
        data, labels = torch.from_numpy(numbers(batch, 784)), torch.arange(batch) % 10

        def step() -> float:
            changing.zero_grad()
            loss = functional.cross_entropy(dense(data, weights), labels)
            loss.backward()
            changing.step()
            return loss.item()

        return step

    def dense(x: Any, weights: list[Any]) -> Any:
        for w, b in zip(weights[:-2:2], weights[1:-2:2]):
            x = torch.relu(x @ w + b)
        return x @ weights[-2] + weights[-1]

    def network(x: Any, weights: list[Any]) -> Any:
        for w, b in (weights[:2], weights[2:4]):
            x = torch.relu(functional.conv2d(x, w, b, padding="same"))
            x = functional.max_pool2d(functional.pad(x, (0, 1, 0, 1), value=-1e30), 3, 2)
            x = functional.local_response_norm(x, 9, alpha=0.001, beta=0.75, k=1.0)
        x = x.permute(0, 2, 3, 1).reshape(-1, 64 * 64)
        return torch.relu(x @ weights[4] + weights[5]) @ weights[6] + weights[7]

    x = torch.ones(2)
    rows = torch.from_numpy(numbers(128, 784))
    pictures = torch.from_numpy(numbers(BATCH, 32, 32, 3)).permute(0, 3, 1, 2).contiguous()
    return {
        "run one small op with a feed": lambda: torch.add(x, x).numpy(),
        "chain of 1,000 small ops": chain(False),
        "gradient step of a chain of 1,000": chain(True),
        "MLP step by hand": Later(trained, MLP, dense, rows, 1),
        "MLP step, gradient descent": Later(optimized, torch.optim.SGD, 0.01),
        "MLP step, Adam": Later(optimized, torch.optim.Adam, 0.001),
        "CNN step": Later(trained, CNN, network, pictures, 1),
        "CNN step in four towers": Later(trained, CNN, network, pictures, 4),
        "small CNN": Later(trained, CNN, network, pictures[:1], 1),
        "small MLP": Later(optimized, torch.optim.Adam, 0.001, SMALL_MLP, 2),
    }


if __name__ == "__main__":
    contenders = {"placewise": placewise, "torch": by_hand, "tensorflow": tensorflow}
    sys.exit(contest(__file__, contenders, LIMITS))
