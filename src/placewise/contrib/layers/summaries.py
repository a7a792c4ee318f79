"""Summaries of tensors and activations by their own names."""

from __future__ import annotations

import re
from typing import Any

import placewise as tf
from placewise.graph.collections import GraphKeys
from placewise.graph.defaults import get_default_graph
from placewise.ops.math.exponential import softplus
from placewise.ops.nn.activations import relu, relu6
from placewise.summary import tf1 as v1


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """Return a summary of a tensor: its value if it is one number, else a histogram."""
    if tensor.shape.rank == 0:
        tag = tag or f"{tensor.op.name}_summary"
        return v1.scalar(tag, tensor)
    return v1.histogram(tag or f"{tensor.op.name}_summary", tensor)


def summarize_activation(op: Any) -> Any:
    """Return a histogram of an activation, and report how much of it is zero."""
    if op.op.declaration in (relu.op, relu6.op, softplus.op):
        share = tf.reduce_mean(tf.cast(tf.less(op, tf.cast(0.0, op.dtype)), tf.float32))
        v1.scalar(f"{op.op.name}/zeros", share)
    if op.op.declaration is relu6.op:
        v1.scalar(
            f"{op.op.name}/sixes",
            tf.reduce_mean(tf.cast(tf.greater(op, tf.cast(6.0, op.dtype)), tf.float32)),
        )
    return v1.histogram(f"{op.op.name}/activation", op)


def summarize_tensors(tensors: Any, summarizer: Any = summarize_tensor) -> list[Any]:
    """Return a summary of each tensor."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: Any, name_filter: str | None = None, summarizer: Any = summarize_tensor
) -> list[Any]:
    """Return summaries of what is in a collection, or of what in it has a matching name."""
    found = get_default_graph().get_collection(collection)
    if name_filter is not None:
        found = [each for each in found if re.match(name_filter, each.op.name)]
    return summarize_tensors(found, summarizer)


def summarize_variables(
    name_filter: str | None = None, summarizer: Any = summarize_tensor
) -> list[Any]:
    """Return summaries of all variables."""
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(
    name_filter: str | None = None, summarizer: Any = summarize_tensor
) -> list[Any]:
    """Return summaries of what is collected as weights."""
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(
    name_filter: str | None = None, summarizer: Any = summarize_tensor
) -> list[Any]:
    """Return summaries of what is collected as biases."""
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Any = summarize_activation
) -> list[Any]:
    """Return summaries of what is collected as activations."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
