"""Eager ops against raw torch and TensorFlow: small ops, tapes, and ops that are all kernel."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from contest import Limit, contest

LIMITS = {
    "add": Limit(torch=2.0, tensorflow=8),
    "add under tf.device": Limit(torch=2.0, tensorflow=8),
    "matmul": Limit(torch=2.0, tensorflow=8),
    "matmul under tf.device": Limit(torch=2.0, tensorflow=8),
    "x * 2.0": Limit(torch=3.0, tensorflow=8),
    "tape of a 2-layer MLP": Limit(tensorflow=5),
    "matmul 2048": Limit(torch=1.05),
    "exp of 1M": Limit(torch=1.05),
    "conv2d 3->64": Limit(torch=1.05),
    "conv2d 64->64": Limit(torch=1.05),
    "conv2d 64->64 forward+backward": Limit(torch=1.05),
}


def numbers(*shape: int) -> np.ndarray:
    """Return the same random numbers in every contender."""
    return np.random.RandomState(0).standard_normal(shape).astype(np.float32)


def with_api(tf: Any) -> dict[str, Callable[[], object]]:
    """Return the cases in TensorFlow's words, for TensorFlow and placewise alike."""
    a, b = tf.constant(numbers(2, 2)), tf.constant(numbers(2, 2))
    large, many = tf.constant(numbers(2048, 2048)), tf.constant(numbers(1 << 20))
    images, maps = tf.constant(numbers(128, 32, 32, 3)), tf.constant(numbers(128, 16, 16, 64))
    first, second = tf.constant(numbers(5, 5, 3, 64)), tf.constant(numbers(5, 5, 64, 64))
    x = tf.constant(numbers(8, 16))
    w1, b1 = tf.Variable(numbers(16, 16)), tf.Variable(numbers(16))
    w2, b2 = tf.Variable(numbers(16, 4)), tf.Variable(numbers(4))

    def mlp() -> object:
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, w2) + b2))
        return tape.gradient(loss, [w1, b1, w2, b2])

    def under_device(call: Callable[[], object]) -> Callable[[], object]:
        def several() -> object:
            with tf.device("/cpu:0"):
                for _ in range(100):
                    call()

        return several

    def convolution_step() -> object:
        with tf.GradientTape() as tape:
            tape.watch([maps, second])
            y = tf.nn.conv2d(maps, second, 1, "SAME")
        return tape.gradient(y, [maps, second])

    def add() -> object:
        return tf.add(a, b)

    def matmul() -> object:
        return tf.matmul(a, b)

    return {
        "add": add,
        "add under tf.device": under_device(add),
        "matmul": matmul,
        "matmul under tf.device": under_device(matmul),
        "x * 2.0": lambda: a * 2.0,
        "tape of a 2-layer MLP": mlp,
        "matmul 2048": lambda: tf.matmul(large, large),
        "exp of 1M": lambda: tf.exp(many),
        "conv2d 3->64": lambda: tf.nn.conv2d(images, first, 1, "SAME"),
        "conv2d 64->64": lambda: tf.nn.conv2d(maps, second, 1, "SAME"),
        "conv2d 64->64 forward+backward": convolution_step,
    }


def placewise() -> dict[str, Callable[[], object]]:
    """Return the cases on placewise."""
    import placewise as tf

    return with_api(tf)


def tensorflow() -> dict[str, Callable[[], object]]:
    """Return the cases on TensorFlow."""
    import tensorflow as tf

    return with_api(tf)


def by_hand() -> dict[str, Callable[[], object]]:
    """Return the same work written in torch."""
    import torch
    from torch.nn import functional

    a, b = torch.from_numpy(numbers(2, 2)), torch.from_numpy(numbers(2, 2))
    large, many = torch.from_numpy(numbers(2048, 2048)), torch.from_numpy(numbers(1 << 20))
    images = torch.from_numpy(numbers(128, 32, 32, 3)).permute(0, 3, 1, 2).contiguous()
    maps = torch.from_numpy(numbers(128, 16, 16, 64)).permute(0, 3, 1, 2).contiguous()
    first = torch.from_numpy(numbers(5, 5, 3, 64)).permute(3, 2, 0, 1).contiguous()
    second = torch.from_numpy(numbers(5, 5, 64, 64)).permute(3, 2, 0, 1).contiguous()
    x = torch.from_numpy(numbers(8, 16))
    weights = [
        torch.from_numpy(numbers(*s)).requires_grad_() for s in [(16, 16), (16,), (16, 4), (4,)]
    ]
    maps_leaf, second_leaf = maps.clone().requires_grad_(), second.clone().requires_grad_()
    ones = torch.ones(128, 64, 16, 16)

    def mlp() -> object:
        w1, b1, w2, b2 = weights
        hidden = torch.relu(x @ w1 + b1)
        loss = torch.mean(torch.square(hidden @ w2 + b2))
        return torch.autograd.grad(loss, weights)

    def convolution_step() -> object:
        y = functional.conv2d(maps_leaf, second_leaf, padding="same")
        return torch.autograd.grad(y, [maps_leaf, second_leaf], ones)

    def several(call: Callable[[], object]) -> Callable[[], object]:
        def repeated() -> None:
            for _ in range(100):
                call()

        return repeated

    def add() -> object:
        return torch.add(a, b)

    def matmul() -> object:
        return torch.matmul(a, b)

    return {
        "add": add,
        "add under tf.device": several(add),
        "matmul": matmul,
        "matmul under tf.device": several(matmul),
        "x * 2.0": lambda: a * 2.0,
        "tape of a 2-layer MLP": mlp,
        "matmul 2048": lambda: torch.matmul(large, large),
        "exp of 1M": lambda: torch.exp(many),
        "conv2d 3->64": lambda: functional.conv2d(images, first, padding="same"),
        "conv2d 64->64": lambda: functional.conv2d(maps, second, padding="same"),
        "conv2d 64->64 forward+backward": convolution_step,
    }


if __name__ == "__main__":
    contenders = {"placewise": placewise, "torch": by_hand, "tensorflow": tensorflow}
    sys.exit(contest(__file__, contenders, LIMITS))
