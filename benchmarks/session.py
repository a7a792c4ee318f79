"""Graphs and sessions against TensorFlow and hand-written torch: building, first runs, steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from contest import Limit, contest

NODES = 5000
LIMITS = {
    "run one small op with a feed": Limit(tensorflow=10),
    f"build {NODES} nodes": Limit(tensorflow=30),
    f"first run of {NODES} nodes": Limit(tensorflow=10),
    "chain of 1,000 small ops": Limit(torch=1.15),
    "gradient step of the chain": Limit(torch=1 / 3),
    "MLP step by feed_dict": Limit(torch=1.1, tensorflow=1.0),
    "CNN step": Limit(torch=1.1, tensorflow=1.0),
    "CNN step in four towers": Limit(torch=1.1, tensorflow=1.0),
}


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Return the same random numbers in every contender."""
    return (0.05 * np.random.RandomState(seed).standard_normal(shape)).astype(np.float32)


MLP = [(784, 256), (256,), (256, 128), (128,), (128, 10), (10,)]
CNN = [(5, 5, 3, 64), (64,), (5, 5, 64, 64), (64,), (64 * 64, 384), (384,), (384, 10), (10,)]
BATCH = 32


def with_api(tf: Any, devices: list[str], session: Callable[..., Any]) -> dict[str, Callable]:
    """Return the cases in TensorFlow 1's words, for TensorFlow and placewise alike."""

    def small() -> Callable[[], object]:
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [2])
            y = x + x
        running, value = session(graph), np.ones(2, np.float32)
        return lambda: running.run(y, {x: value})

    def build() -> tuple[Any, Any]:
        graph = tf.Graph()
        with graph.as_default():
            y = x = tf.placeholder(tf.float32, [2])
            for _ in range(NODES):
                y = tf.add(y, x)
        return graph, (x, y)

    def first_run() -> object:
        graph, (x, y) = first_run.graphs.pop() if first_run.graphs else build()
        return session(graph).run(y, {x: np.ones(2, np.float32)})

    first_run.graphs = [build() for _ in range(4)]

    def chain(with_gradient: bool) -> Callable[[], object]:
        graph = tf.Graph()
        with graph.as_default():
            y = x = tf.placeholder(tf.float32, [2])
            for _ in range(1000):
                y = tf.add(y, x)
            fetched = tf.gradients(y, x)[0].op if with_gradient else y.op
        running, value = session(graph), np.ones(2, np.float32)
        return lambda: running.run(fetched, {x: value})

    def loss_of(logits: Any, labels: Any) -> Any:
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )

    def mlp() -> Callable[[], object]:
        graph = tf.Graph()
        with graph.as_default():
            x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int32, [None])
            weights = [tf.Variable(numbers(*s, seed=i)) for i, s in enumerate(MLP)]
            h = x
            for w, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
                h = tf.nn.relu(tf.matmul(h, w) + b)
            loss = loss_of(tf.matmul(h, weights[-2]) + weights[-1], y)
            steps = [w.assign_sub(0.01 * g) for w, g in
                     zip(weights, tf.gradients(loss, weights), strict=True)]  # fmt: skip
            step = tf.group(*steps)
            start = tf.group(*[w.initializer for w in weights])
        running = session(graph)
        running.run(start)
        data, labels = numbers(128, 784), np.arange(128, dtype=np.int32) % 10
        return lambda: running.run([step, loss], {x: data, y: labels})

    def cnn(towers: list[str]) -> Callable[[], object]:
        graph = tf.Graph()
        with graph.as_default():
            with tf.device("/cpu:0"):
                weights = [tf.Variable(numbers(*s, seed=i)) for i, s in enumerate(CNN)]
            each = BATCH // len(towers)
            x = tf.placeholder(tf.float32, [BATCH, 32, 32, 3])
            y = tf.placeholder(tf.int32, [BATCH])
            found = []
            for index, name in enumerate(towers):
                with tf.device(name), tf.name_scope(f"tower_{index}"):
                    part = slice(index * each, (index + 1) * each)
                    found.append(tf.gradients(loss_of(network(x[part], weights), y[part]), weights))
            with tf.device("/cpu:0"):
                averaged = [
                    tf.add_n(list(g)) / float(len(towers)) for g in zip(*found, strict=True)
                ]
                step = tf.group(
                    *[w.assign_sub(0.01 * g) for w, g in zip(weights, averaged, strict=True)]
                )
            start = tf.group(*[w.initializer for w in weights])
        running = session(graph)
        running.run(start)
        data, labels = numbers(BATCH, 32, 32, 3), np.arange(BATCH, dtype=np.int32) % 10
        return lambda: running.run(step, {x: data, y: labels})

    def network(x: Any, weights: list[Any]) -> Any:
        for w, b in (weights[:2], weights[2:4]):
            x = tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME") + b)
            x = tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
            x = tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
        h = tf.reshape(x, [-1, 64 * 64])
        h = tf.nn.relu(tf.matmul(h, weights[4]) + weights[5])
        return tf.matmul(h, weights[6]) + weights[7]

    return {
        "run one small op with a feed": small(),
        f"build {NODES} nodes": build,
        f"first run of {NODES} nodes": first_run,
        "chain of 1,000 small ops": chain(False),
        "gradient step of the chain": chain(True),
        "MLP step by feed_dict": mlp(),
        "CNN step": cnn(["/cpu:0"]),
        "CNN step in four towers": cnn(devices),
    }


def placewise() -> dict[str, Callable]:
    """Return the cases on placewise; the four towers on simulated GPUs."""
    import placewise.v1 as tf

    tf.simulate("4xK20m")

    def session(graph: Any) -> Any:
        # Without towers on GPUs everything runs on the CPU, as in the other contenders.
        towers = any("GPU" in op.device for op in graph.get_operations())
        return tf.Session(graph=graph, config=tf.ConfigProto(device_count={"GPU": 4 * towers}))

    return with_api(tf, [f"/gpu:{i}" for i in range(4)], session)


def tensorflow() -> dict[str, Callable]:
    """Return the cases on TensorFlow; the four towers on logical CPUs."""
    import tensorflow as tf

    tf = tf.compat.v1
    tf.disable_v2_behavior()
    config = tf.ConfigProto(device_count={"CPU": 4})

    return with_api(
        tf, [f"/cpu:{i}" for i in range(4)], lambda graph: tf.Session(graph=graph, config=config)
    )


def by_hand() -> dict[str, Callable]:
    """Return the same work written in torch."""
    import torch
    from torch.nn import functional

    def chain(with_gradient: bool) -> Callable[[], object]:
        x = torch.ones(2, requires_grad=with_gradient)

        def run() -> object:
            y = x
            for _ in range(1000):
                y = torch.add(y, x)
            return torch.autograd.grad(y.sum(), x) if with_gradient else y

        return run

    def trained(shapes: list[tuple[int, ...]], forward: Any, data: Any, parts: int) -> Any:
        weights = [torch.from_numpy(numbers(*s, seed=i)) for i, s in enumerate(shapes)]
        weights = [
            (w.permute(3, 2, 0, 1).contiguous() if w.dim() == 4 else w).requires_grad_()
            for w in weights
        ]
        labels = torch.arange(len(data)) % 10

        def step() -> None:
            total = None
            for x, y in zip(data.chunk(parts), labels.chunk(parts), strict=True):
                loss = functional.cross_entropy(forward(x, weights), y)
                found = torch.autograd.grad(loss, weights)
                total = (
                    found if total is None else [a + b for a, b in zip(total, found, strict=True)]
                )
            with torch.no_grad():
                for w, g in zip(weights, total, strict=True):
                    w.sub_(g, alpha=0.01 / parts)

        return step

    def dense(x: Any, weights: list[Any]) -> Any:
        for w, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
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
    pictures = torch.from_numpy(numbers(BATCH, 32, 32, 3)).permute(0, 3, 1, 2).contiguous()
    return {
        "run one small op with a feed": lambda: torch.add(x, x).numpy(),
        "chain of 1,000 small ops": chain(False),
        "gradient step of the chain": chain(True),
        "MLP step by feed_dict": trained(MLP, dense, torch.from_numpy(numbers(128, 784)), 1),
        "CNN step": trained(CNN, network, pictures, 1),
        "CNN step in four towers": trained(CNN, network, pictures, 4),
    }


if __name__ == "__main__":
    contenders = {"placewise": placewise, "torch": by_hand, "tensorflow": tensorflow}
    sys.exit(contest(__file__, contenders, LIMITS))
