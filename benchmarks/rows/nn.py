"""Kernels of neural networks, one call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {
    "conv2d_transpose 3x3, stride 2": (1.5, "torch's kernel"),
    "conv2d_transpose 4x4, stride 2": (1.5, "torch's kernel"),
    "batch norm in training": (1.5, "torch's kernel"),
    "batch norm with gradients": (1.5, "torch's kernel"),
}


def numbers(tf: Any, *shape: int, seed: int = 0) -> Any:
    """Return normal numbers, the same in both frameworks."""
    return tf.constant(np.random.RandomState(seed).randn(*shape), tf.float32)


def gradient_of(tf: Any, function: Callable[..., Any], *inputs: Any) -> Callable[[], object]:
    """Return what computes a result and its gradients."""

    @tf.function
    def step(*tensors: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            total = tf.reduce_sum(function(*tensors))
        return tape.gradient(total, tensors)

    return lambda: step(*inputs)


def conv2d(tf: Any) -> Callable[[], object]:
    """Convolve."""
    x, w = numbers(tf, 8, 56, 56, 64), numbers(tf, 3, 3, 64, 64)
    return lambda: tf.nn.conv2d(x, w, 1, "SAME")


def conv2d_gradient(tf: Any) -> Callable[[], object]:
    """Convolve forwards and backwards."""
    x, w = numbers(tf, 8, 56, 56, 64), numbers(tf, 3, 3, 64, 64)
    return gradient_of(tf, lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), x, w)


def conv2d_strided(tf: Any) -> Callable[[], object]:
    """Convolve at every other place."""
    x, w = numbers(tf, 8, 56, 56, 64), numbers(tf, 3, 3, 64, 64)
    return lambda: tf.nn.conv2d(x, w, 2, "SAME")


def conv2d_dilated(tf: Any) -> Callable[[], object]:
    """Convolve with holes in the filter."""
    x, w = numbers(tf, 8, 56, 56, 64), numbers(tf, 3, 3, 64, 64)
    return lambda: tf.nn.conv2d(x, w, 1, "SAME", dilations=2)


def depthwise(tf: Any) -> Callable[[], object]:
    """Convolve each channel alone."""
    x, w = numbers(tf, 8, 56, 56, 64), numbers(tf, 3, 3, 64, 1)
    return lambda: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")


def depthwise_gradient(tf: Any) -> Callable[[], object]:
    """Convolve each channel alone, forwards and backwards."""
    x, w = numbers(tf, 8, 56, 56, 64), numbers(tf, 3, 3, 64, 1)
    return gradient_of(tf, lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), x, w)


def conv3d(tf: Any) -> Callable[[], object]:
    """Convolve volumes."""
    x, w = numbers(tf, 2, 16, 16, 16, 16), numbers(tf, 3, 3, 3, 16, 16)
    return lambda: tf.nn.conv3d(x, w, [1] * 5, "SAME")


def conv1d(tf: Any) -> Callable[[], object]:
    """Convolve sequences."""
    x, w = numbers(tf, 16, 128, 64), numbers(tf, 5, 64, 64)
    return lambda: tf.nn.conv1d(x, w, 1, "SAME")


def conv2d_transpose(tf: Any) -> Callable[[], object]:
    """Enlarge images by a learned filter."""
    x, w = numbers(tf, 8, 28, 28, 64), numbers(tf, 3, 3, 64, 64)
    return lambda: tf.nn.conv2d_transpose(x, w, [8, 56, 56, 64], 2, "SAME")


def conv2d_transpose_even(tf: Any) -> Callable[[], object]:
    """Enlarge images by a filter of even size."""
    x, w = numbers(tf, 8, 28, 28, 64), numbers(tf, 4, 4, 32, 64)
    return lambda: tf.nn.conv2d_transpose(x, w, [8, 56, 56, 32], 2, "SAME")


def max_pool(tf: Any) -> Callable[[], object]:
    """Pool by the largest."""
    x = numbers(tf, 8, 56, 56, 64)
    return lambda: tf.nn.max_pool2d(x, 2, 2, "SAME")


def max_pool_gradient(tf: Any) -> Callable[[], object]:
    """Pool by the largest, forwards and backwards."""
    x = numbers(tf, 8, 56, 56, 64)
    return gradient_of(tf, lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), x)


def avg_pool(tf: Any) -> Callable[[], object]:
    """Pool by the mean."""
    x = numbers(tf, 8, 56, 56, 64)
    return lambda: tf.nn.avg_pool2d(x, 2, 2, "SAME")


def batch_norm(tf: Any) -> Callable[[], object]:
    """Normalise a batch by its own statistics."""
    x, ones, zeros = numbers(tf, 8, 56, 56, 64), tf.ones([64]), tf.zeros([64])
    return lambda: tf.compat.v1.nn.fused_batch_norm(x, ones, zeros, is_training=True)


def batch_norm_gradient(tf: Any) -> Callable[[], object]:
    """Normalise a batch, forwards and backwards."""
    x, ones, zeros = numbers(tf, 8, 56, 56, 64), tf.ones([64]), tf.zeros([64])
    return gradient_of(
        tf, lambda *args: tf.square(tf.compat.v1.nn.fused_batch_norm(*args)[0]), x, ones, zeros
    )


def batch_norm_small(tf: Any) -> Callable[[], object]:
    """Normalise a batch of many channels."""
    x, ones, zeros = numbers(tf, 8, 7, 7, 512), tf.ones([512]), tf.zeros([512])
    return lambda: tf.compat.v1.nn.fused_batch_norm(x, ones, zeros, is_training=True)


def response_norm(tf: Any) -> Callable[[], object]:
    """Normalise by neighbouring channels, as the CIFAR-10 tutorial does."""
    x = numbers(tf, 16, 24, 24, 64)
    return lambda: tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)


def response_norm_gradient(tf: Any) -> Callable[[], object]:
    """Normalise by neighbouring channels, forwards and backwards."""
    x = numbers(tf, 16, 24, 24, 64)
    return gradient_of(tf, lambda x: tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75), x)


def cross_entropy(tf: Any) -> Callable[[], object]:
    """Compare logits with labels."""
    logits = numbers(tf, 256, 1000)
    labels = tf.constant(np.arange(256) % 1000)
    return lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def cross_entropy_gradient(tf: Any) -> Callable[[], object]:
    """Compare logits with labels, forwards and backwards."""
    logits = numbers(tf, 256, 1000)
    labels = tf.constant(np.arange(256) % 1000)
    return gradient_of(
        tf, lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x), logits
    )


def log_softmax(tf: Any) -> Callable[[], object]:
    """Turn logits into log probabilities."""
    logits = numbers(tf, 256, 1000)
    return lambda: tf.nn.log_softmax(logits)


def gelu(tf: Any) -> Callable[[], object]:
    """Apply gelu."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.nn.gelu(x)


def attention(tf: Any) -> Callable[[], object]:
    """Attend with 4 heads over 64 places."""
    q, k, v = (numbers(tf, 4, 64, 4, 32, seed=i) for i in range(3))

    @tf.function
    def attend(q: Any, k: Any, v: Any) -> Any:
        weights = tf.nn.softmax(tf.einsum("bqhd,bkhd->bhqk", q, k))
        return tf.einsum("bhqk,bkhd->bqhd", weights, v)

    return lambda: attend(q, k, v)


def embedding(tf: Any) -> Callable[[], object]:
    """Look up rows of a table."""
    table = numbers(tf, 10_000, 64)
    ids = tf.constant(np.random.RandomState(0).randint(0, 10_000, 4096))
    return lambda: tf.nn.embedding_lookup(table, ids)


def in_top_k(tf: Any) -> Callable[[], object]:
    """Tell whether labels are among the best five."""
    logits = numbers(tf, 256, 1000)
    labels = tf.constant(np.arange(256) % 1000)
    return lambda: tf.math.in_top_k(labels, logits, 5)


def candidates(tf: Any) -> Callable[[], object]:
    """Draw 64 negative words, as word2vec does."""
    words = tf.constant(np.random.RandomState(0).randint(0, 50_000, [128, 1]))
    return lambda: tf.random.log_uniform_candidate_sampler(words, 1, 64, True, 50_000)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "conv2d 3x3, 8 x 56 x 56 x 64": conv2d,
    "conv2d 3x3 with gradients": conv2d_gradient,
    "conv2d 3x3, stride 2": conv2d_strided,
    "conv2d 3x3, dilated": conv2d_dilated,
    "depthwise conv 3x3": depthwise,
    "depthwise conv with gradients": depthwise_gradient,
    "conv3d 3x3x3": conv3d,
    "conv1d, kernel 5": conv1d,
    "conv2d_transpose 3x3, stride 2": conv2d_transpose,
    "conv2d_transpose 4x4, stride 2": conv2d_transpose_even,
    "max_pool 2x2": max_pool,
    "max_pool with gradient": max_pool_gradient,
    "avg_pool 2x2": avg_pool,
    "batch norm in training": batch_norm,
    "batch norm with gradients": batch_norm_gradient,
    "batch norm of small images": batch_norm_small,
    "LRN": response_norm,
    "LRN with gradient": response_norm_gradient,
    "softmax cross entropy 256 x 1,000": cross_entropy,
    "softmax cross entropy with gradient": cross_entropy_gradient,
    "log_softmax 256 x 1,000": log_softmax,
    "gelu of 1M": gelu,
    "attention by einsum": attention,
    "embedding_lookup of 4,096": embedding,
    "in_top_k 256 x 1,000": in_top_k,
    "candidate sampling, NCE loss": candidates,
}
