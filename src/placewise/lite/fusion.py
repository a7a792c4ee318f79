"""Neighbours that become one operator: factors and offsets of channels, biases, activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.lite.subgraph import Step, Subgraph, Value, constant

# The axis of a weight that counts output channels.
CHANNEL_AXES = {"CONV_2D": 0, "FULLY_CONNECTED": 0, "DEPTHWISE_CONV_2D": 3, "TRANSPOSE_CONV": 0}
_BIAS_INPUTS = {"CONV_2D": 2, "FULLY_CONNECTED": 2, "DEPTHWISE_CONV_2D": 2, "TRANSPOSE_CONV": 3}
_ACTIVATIONS = {"RELU": 1, "RELU6": 3}
_ACTIVATED = frozenset(
    {
        "ADD",
        "AVERAGE_POOL_2D",
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "DIV",
        "FULLY_CONNECTED",
        "MAX_POOL_2D",
        "MUL",
        "SUB",
    }
)


def fuse(subgraph: Subgraph) -> None:
    """Merge steps until nothing changes, then drop those that nobody reads."""
    while _fuse_once(subgraph):
        pass
    _drop_unread(subgraph)


def _fuse_once(subgraph: Subgraph) -> bool:
    makers = {id(output): step for step in subgraph.steps for output in step.outputs}
    readers = subgraph.consumers()
    results = {id(value) for value in subgraph.outputs.values()}
    for step in subgraph.steps:
        for index, value in enumerate(step.inputs):
            maker = makers.get(id(value))
            if maker is None or len(readers[id(value)]) != 1 or id(value) in results:
                continue
            if _merge(maker, step, index):
                maker.outputs = step.outputs
                subgraph.steps.remove(step)
                return True
    return False


def _merge(maker: Step, step: Step, index: int) -> bool:
    """Let `maker` do what `step` does to its result, where it can."""
    if maker.fields.get("fusedActivationFunction"):
        return False
    if step.kind in _ACTIVATIONS:
        if maker.kind not in _ACTIVATED or maker.outputs[0].dtype != "float32":
            return False
        maker.fields["fusedActivationFunction"] = _ACTIVATIONS[step.kind]
        return True
    if maker.kind not in CHANNEL_AXES or step.kind not in ("ADD", "SUB", "MUL"):
        return False
    if step.fields.get("fusedActivationFunction") or (step.kind == "SUB" and index != 0):
        return False
    operand = _per_channel(step.inputs[1 - index], maker)
    if operand is None or step.outputs[0].shape != maker.outputs[0].shape:
        return False
    _apply(maker, step.kind, operand)
    return True


def _per_channel(value: Value | None, maker: Step) -> np.ndarray[Any, Any] | None:
    """Return a constant that has one number a channel, or None."""
    content, weights = _content(value), _content(maker.inputs[1])
    bias = _content(maker.inputs[_BIAS_INPUTS[maker.kind]])
    if not (content.size and weights.size and bias.size) or content.dtype != np.float32:
        return None
    if content.size not in (1, bias.size) or (content.size > 1 and content.shape[-1] != bias.size):
        return None
    return np.broadcast_to(content.reshape(-1), bias.shape)


def _apply(maker: Step, kind: str, operand: np.ndarray[Any, Any]) -> None:
    place = _BIAS_INPUTS[maker.kind]
    weights, bias = _content(maker.inputs[1]), _content(maker.inputs[place])
    if kind == "MUL":
        shape = [1] * weights.ndim
        shape[CHANNEL_AXES[maker.kind]] = -1
        _replace(maker, 1, weights * operand.reshape(shape))
        _replace(maker, place, bias * operand)
    else:
        _replace(maker, place, bias + operand if kind == "ADD" else bias - operand)


def _content(value: Value | None) -> np.ndarray[Any, Any]:
    """Return what a constant holds; nothing for other values."""
    return np.zeros(0) if value is None or value.content is None else value.content


def _replace(step: Step, index: int, content: np.ndarray[Any, Any]) -> None:
    value = step.inputs[index]
    step.inputs[index] = constant(content, value.name if value else step.outputs[0].name)


def _drop_unread(subgraph: Subgraph) -> None:
    needed = {id(value) for value in subgraph.outputs.values()}
    kept = []
    for step in reversed(subgraph.steps):
        if any(id(output) in needed for output in step.outputs):
            kept.append(step)
            needed.update(id(value) for value in step.inputs if value is not None)
    subgraph.steps = kept[::-1]
