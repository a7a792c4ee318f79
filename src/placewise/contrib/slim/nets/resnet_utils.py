"""What residual networks are built of: blocks of units, strides, defaults of layers."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope, arg_scope
from placewise.contrib.layers.batch_norms import batch_norm
from placewise.contrib.layers.convolutions import conv2d, max_pool2d
from placewise.contrib.layers.initializers import variance_scaling_initializer
from placewise.contrib.layers.regularizers import l2_regularizer
from placewise.contrib.layers.utils import collect_named_outputs
from placewise.graph.collections import GraphKeys
from placewise.graph.variable_scope import variable_scope


class Block(namedtuple("Block", ["scope", "unit_fn", "args"])):
    """A block of a network: its name, the function of its units, the arguments of each."""


def subsample(inputs: Any, factor: int, scope: Any = None) -> Any:
    """Return every `factor`-th row and column."""
    if factor == 1:
        return inputs
    return max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Any, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: Any = None
) -> Any:
    """Return a convolution padded the same on both sides whatever the stride."""
    padding = "SAME"
    if stride > 1:
        # TensorFlow's own padding depends on the size of the image once there is a stride.
        reach = rate * (kernel_size - 1)
        edges = [reach // 2, reach - reach // 2]
        inputs, padding = tf.pad(inputs, [[0, 0], edges, edges, [0, 0]]), "VALID"
    return conv2d(inputs, num_outputs, kernel_size, stride, padding, rate=rate, scope=scope)


@add_arg_scope
def stack_blocks_dense(
    net: Any, blocks: Any, output_stride: int | None = None, outputs_collections: Any = None
) -> Any:
    """Return what blocks give one after the other.

    Where `output_stride` is reached, further strides become distances between filter elements.
    """
    target = float("inf") if output_stride is None else output_stride
    reached, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as opened:
            for number, arguments in enumerate(block.args, 1):
                if reached > target:
                    raise ValueError("The target output_stride cannot be reached.")
                stride = arguments.get("stride", 1)
                with variable_scope(f"unit_{number}", values=[net]):
                    if reached < target:
                        net = block.unit_fn(net, rate=1, **arguments)
                        reached *= stride
                    else:
                        net = block.unit_fn(net, rate=rate, **{**arguments, "stride": 1})
                        rate *= stride
            net = collect_named_outputs(outputs_collections, opened.name, net)
    if output_stride is not None and reached != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """Return the defaults of layers in residual networks."""
    norm = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    with (
        arg_scope(
            [conv2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=variance_scaling_initializer(),
            activation_fn=tf.nn.relu,
            normalizer_fn=batch_norm,
            normalizer_params=norm,
        ),
        arg_scope([batch_norm], **norm),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope
