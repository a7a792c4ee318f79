"""`tf.function` against raw torch and TensorFlow: calls, traces, loops, and compiled functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from contest import Later, Limit, contest

LIMITS = {
    "call": Limit(tensorflow=10),
    "chain of 1,000 ops": Limit(torch=1.15),
    "chain of 1,000 ops compiled": Limit(tensorflow=1.0),
    "LSTM unrolled": Limit(),
    "LSTM unrolled compiled": Limit(tensorflow=1.0),
    "MLP step": Limit(torch=1.1, tensorflow=1.0),
    "MLP step compiled": Limit(tensorflow=1.0),
    "CNN step compiled": Limit(torch=1.0),
    "tracing 1,000 ops": Limit(tensorflow=20),
    "while of 10,000": Limit(tensorflow=3),
    "while of 10,000 on vectors": Limit(tensorflow=3),
}
SIZES = [(784, 256), (256,), (256, 128), (128,), (128, 10), (10,)]
STEPS, HIDDEN = 20, 64


def numbers(*shape: int) -> np.ndarray:
    """Return the same random numbers in every contender."""
    return np.random.RandomState(0).standard_normal(shape).astype(np.float32) * 0.05


def with_api(tf: Any) -> dict[str, Callable[[], object]]:
    """Return the cases in TensorFlow's words, for TensorFlow and placewise alike."""
    small, vector = tf.constant(numbers(2, 2)), tf.constant(numbers(32))
    images, labels = tf.constant(numbers(128, 784)), tf.constant(np.arange(128) % 10)
    photos = tf.constant(numbers(32, 32, 32, 3))
    classes = tf.constant(np.arange(32) % 10)
    weights = [tf.Variable(numbers(*size)) for size in SIZES]
    shapes = [(5, 5, 3, 64), (64,), (5, 5, 64, 64), (64,), (4096, 384), (384,), (384, 10), (10,)]
    filters = [tf.Variable(numbers(*size)) for size in shapes]
    sentence = tf.constant(numbers(STEPS, 32, HIDDEN))
    gates = tf.Variable(numbers(2 * HIDDEN, 4 * HIDDEN))

    def chain(x: Any) -> Any:
        for index in range(500):
            x = x * 0.999 if index % 2 else tf.tanh(x)
            x = x + 0.001
        return x

    def step(x: Any, y: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = weights
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
            hidden = tf.nn.relu(tf.matmul(hidden, w2) + b2)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.matmul(hidden, w3) + b3)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            variable.assign_sub(0.01 * gradient)
        return loss

    def convolve(x: Any, y: Any) -> Any:
        f1, b1, f2, b2, w3, b3, w4, b4 = filters
        with tf.GradientTape() as tape:
            maps = tf.nn.relu(tf.nn.conv2d(x, f1, 1, "SAME") + b1)
            maps = tf.nn.max_pool2d(maps, 2, 2, "SAME")
            maps = tf.nn.relu(tf.nn.conv2d(maps, f2, 1, "SAME") + b2)
            maps = tf.nn.max_pool2d(maps, 2, 2, "SAME")
            flat = tf.reshape(maps, [32, 4096])
            hidden = tf.nn.relu(tf.matmul(flat, w3) + b3)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.matmul(hidden, w4) + b4)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(filters, tape.gradient(loss, filters), strict=True):
            variable.assign_sub(0.01 * gradient)
        return loss

    def lstm(x: Any) -> Any:
        state = memory = tf.zeros([32, HIDDEN])
        for index in range(STEPS):
            parts = tf.matmul(tf.concat([x[index], state], 1), gates)
            i, f, o, g = tf.split(parts, 4, 1)
            memory = tf.sigmoid(f) * memory + tf.sigmoid(i) * tf.tanh(g)
            state = tf.sigmoid(o) * tf.tanh(memory)
        return state

    def count(x: Any) -> Any:
        index = tf.constant(0)
        while index < 10000:
            x = x * 0.999 + 0.001
            index += 1
        return x

    def made(function: Callable[..., Any], *arguments: Any, **options: Any) -> Callable[[], Any]:
        traced = tf.function(function, **options)
        return lambda: traced(*arguments)

    def trace() -> Any:
        return tf.function(chain, autograph=False).get_concrete_function(vector)

    return {
        "call": made(lambda x: x + 1.0, small),
        "chain of 1,000 ops": made(chain, vector, autograph=False),
        "chain of 1,000 ops compiled": Later(
            lambda: made(chain, vector, autograph=False, jit_compile=True)
        ),
        "LSTM unrolled": Later(lambda: made(lstm, sentence)),
        "LSTM unrolled compiled": Later(lambda: made(lstm, sentence, jit_compile=True)),
        "MLP step": made(step, images, labels),
        "MLP step compiled": Later(lambda: made(step, images, labels, jit_compile=True)),
        "CNN step compiled": Later(lambda: made(convolve, photos, classes, jit_compile=True)),
        "tracing 1,000 ops": trace,
        "while of 10,000": made(count, tf.constant(1.0)),
        "while of 10,000 on vectors": made(count, vector),
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

    vector = torch.from_numpy(numbers(32))
    images, labels = torch.from_numpy(numbers(128, 784)), torch.arange(128) % 10
    photos = torch.from_numpy(numbers(32, 32, 32, 3)).permute(0, 3, 1, 2).contiguous()
    classes = torch.arange(32) % 10
    weights = [torch.nn.Parameter(torch.from_numpy(numbers(*size))) for size in SIZES]
    shapes = [(64, 3, 5, 5), (64,), (64, 64, 5, 5), (64,), (4096, 384), (384,), (384, 10), (10,)]
    filters = [torch.nn.Parameter(torch.from_numpy(numbers(*size))) for size in shapes]

    def chain() -> object:
        x = vector
        for index in range(500):
            x = x * 0.999 if index % 2 else torch.tanh(x)
            x = x + 0.001
        return x

    def changed(parameters: list[Any], loss: Any) -> None:
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= 0.01 * gradient

    def step() -> object:
        w1, b1, w2, b2, w3, b3 = weights
        hidden = torch.relu(torch.addmm(b1, images, w1))
        hidden = torch.relu(torch.addmm(b2, hidden, w2))
        loss = functional.cross_entropy(torch.addmm(b3, hidden, w3), labels)
        changed(weights, loss)
        return loss

    def loss_of_photos(*parameters: Any) -> Any:
        f1, b1, f2, b2, w3, b3, w4, b4 = parameters
        maps = torch.relu(functional.conv2d(photos, f1, b1, padding=2))
        maps = functional.max_pool2d(maps, 2)
        maps = torch.relu(functional.conv2d(maps, f2, b2, padding=2))
        maps = functional.max_pool2d(maps, 2)
        hidden = torch.relu(torch.addmm(b3, maps.reshape(32, 4096), w3))
        return functional.cross_entropy(torch.addmm(b4, hidden, w4), classes)

    compiled = torch.compile(loss_of_photos)

    def convolve() -> object:
        loss = compiled(*filters)
        changed(filters, loss)
        return loss

    return {
        "chain of 1,000 ops": chain,
        "MLP step": step,
        "CNN step compiled": Later(lambda: convolve),
    }


if __name__ == "__main__":
    contenders = {"placewise": placewise, "torch": by_hand, "tensorflow": tensorflow}
    sys.exit(contest(__file__, contenders, LIMITS))
