"""`tensorflow.examples.tutorials.mnist.mnist`: a small network for the digits, as functions."""

from __future__ import annotations

import math
from typing import Any

from placewise.api.v1 import losses, nn, summary
from placewise.core import dtypes
from placewise.core.names import name_scope
from placewise.graph.variable import VariableV1
from placewise.ops.array.creation import zeros
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.random.normal import truncated_normal
from placewise.training.gradient_descent import GradientDescentOptimizer

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(name: str, inputs: Any, size: int, units: int) -> Any:
    """Return inputs times new weights plus new biases, in a scope of that name."""
    with name_scope(name):
        start = truncated_normal([size, units], stddev=1.0 / math.sqrt(float(size)))
        weights = VariableV1(start, name="weights")
        biases = VariableV1(zeros([units]), name="biases")
        return matmul(inputs, weights) + biases


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Return the scores of each digit for rows of pixels, after two hidden layers."""
    hidden1 = nn.relu(_layer("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden2 = nn.relu(_layer("hidden2", hidden1, hidden1_units, hidden2_units))
    return _layer("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def loss(logits: Any, labels: Any) -> Any:
    """Return the mean cross entropy of scores with labels."""
    return losses.sparse_softmax_cross_entropy(labels=cast(labels, dtypes.int64), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """Return the operation of one step down the gradient; the loss is summarized."""
    summary.scalar("loss", loss)
    global_step = VariableV1(0, name="global_step", trainable=False)
    return GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """Return how many of the scores are highest at their label."""
    return reduce_sum(cast(nn.in_top_k(logits, labels, 1), dtypes.int32))
