"""Fake quantization of one tensor, with ranges that follow what the tensor holds in training."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import placewise as tf
from placewise.graph.collections import global_variables
from placewise.graph.defaults import get_default_graph
from placewise.graph.initializers import Constant
from placewise.graph.variable import VariableV1
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.training.moving_averages import assign_moving_average

_DECAY = 0.999
_STEP = "fake_quantization_step"


class Settings(NamedTuple):
    """How a graph is quantized."""

    is_training: bool
    weight_bits: int = 8
    activation_bits: int = 8
    is_symmetric: bool = False
    delay: int | None = None  # the step from which on values are quantized
    scope: str | None = None  # of the layers that are


def quantization_step() -> Any:
    """Return the number of this step, which each run of the graph raises by one."""
    graph = get_default_graph()
    for variable in global_variables():
        if variable.op.name == _STEP:
            return graph.get_tensor_by_name(f"{_STEP}/Identity:0")
    # Not by get_variable: it is one for the graph, whatever scope of variables is open.
    with tf.compat.v1.name_scope(None):
        step = VariableV1(np.int64(0), trainable=False, name=_STEP)
        with tf.compat.v1.name_scope(f"{_STEP}/"):
            return tf.identity(tf.compat.v1.assign_add(step, 1, name="AssignAdd"), name="Identity")


def quantized_weights(tensor: Any, context: str, settings: Settings) -> Any:
    """Return weights as few bits hold them; 0 and the sign are kept, so one value is left out."""
    return _quantized(tensor, context, "weights_quant", settings, is_weight=True)


def quantized_activation(tensor: Any, context: str, name: str, settings: Settings) -> Any:
    """Return an activation as few bits hold it; in training its range is a moving average."""
    return _quantized(tensor, context, name, settings, is_weight=False)


def _quantized(tensor: Any, context: str, name: str, settings: Settings, is_weight: bool) -> Any:
    bits = settings.weight_bits if is_weight else settings.activation_bits
    scope = variable_scope(None, f"{context}/{name}" if context else name, [tensor])
    with tf.compat.v1.name_scope(None), scope:
        # Where a graph begins to be trained; most activations are rectified.
        limits = [_limit("min", 0.0 if name == "act_quant" else -6.0), _limit("max", 6.0)]
        if settings.is_training:
            limits = _followed(tensor, limits, bits, settings.is_symmetric, is_weight)
        quantized = tf.quantization.fake_quant_with_min_max_vars(
            tensor, limits[0], limits[1], num_bits=bits, narrow_range=is_weight
        )
        return _delayed(tensor, quantized, settings.delay)


def _limit(name: str, start: float) -> Any:
    initializer = Constant(start)
    return get_variable(name, [], initializer=initializer, trainable=False, use_resource=False)


def _followed(
    tensor: Any, limits: list[Any], bits: int, is_symmetric: bool, is_weight: bool
) -> list[Any]:
    """Return the limits after they followed the numbers of this step."""
    least = tf.reduce_min(tensor, name="BatchMin")
    most = tf.reduce_max(tensor, name="BatchMax")
    if is_symmetric:
        # Signed integers reach one further below zero, unless that value is left out.
        ratio = -1.0 if is_weight else -((1 << bits) - 2) / (1 << bits)
        reached = tf.minimum(least, most / ratio), tf.maximum(most, least * ratio)
    else:
        reached = tf.minimum(least, 0.0), tf.maximum(most, 0.0)
    ends = list(zip(limits, reached, ("Min", "Max"), strict=True))
    if is_weight:
        return [
            tf.compat.v1.assign(limit, value, name=f"Assign{end}Last") for limit, value, end in ends
        ]
    return [
        assign_moving_average(limit, value, _DECAY, name=f"Assign{end}Ema")
        for limit, value, end in ends
    ]


def _delayed(tensor: Any, quantized: Any, delay: int | None) -> Any:
    if not delay:
        return quantized
    is_due = tf.greater_equal(quantization_step(), delay, name="activate_quant")
    return tf.cond(is_due, lambda: quantized, lambda: tensor, name="delayed_quant")
