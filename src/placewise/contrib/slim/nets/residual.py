"""Residual networks of both versions, which differ in where a unit normalizes its values.

Version 1 normalizes and activates behind each convolution, and the sum at the end of a unit.
Version 2 does it once, before the convolutions of a unit, and once at the end of the network.
"""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope, arg_scope
from placewise.contrib.layers.batch_norms import batch_norm
from placewise.contrib.layers.convolutions import conv2d, max_pool2d
from placewise.contrib.layers.other_norms import softmax
from placewise.contrib.layers.utils import (
    collect_named_outputs,
    convert_collection_to_dict,
    last_dimension,
)
from placewise.contrib.slim.nets.resnet_utils import (
    Block,
    conv2d_same,
    stack_blocks_dense,
    subsample,
)
from placewise.graph.variable_scope import variable_scope

# How many units the four blocks have, by the number of layers.
UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}

_NOT_ACTIVE: dict[str, Any] = {"activation_fn": None}
_PLAIN: dict[str, Any] = {"activation_fn": None, "normalizer_fn": None}


def _activate(net: Any, scope: str) -> Any:
    return batch_norm(net, activation_fn=tf.nn.relu, scope=scope)


def unit_of(version: str) -> Any:
    """Return the function that builds a unit (a bottleneck) of a version, `v1` or `v2`."""
    is_v2 = version == "v2"
    # In version 2 the next unit normalizes what this one adds up.
    linear = _PLAIN if is_v2 else _NOT_ACTIVE

    @add_arg_scope
    def bottleneck(
        inputs: Any,
        depth: int,
        depth_bottleneck: int,
        stride: int,
        rate: int = 1,
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:
        """Return a unit: three convolutions, added to a shortcut around them."""
        with variable_scope(scope, f"bottleneck_{version}", [inputs]) as opened:
            active = _activate(inputs, "preact") if is_v2 else inputs
            if last_dimension(inputs.shape, min_rank=4) == depth:
                shortcut = subsample(inputs, stride, "shortcut")
            else:
                shortcut = conv2d(active, depth, [1, 1], stride, scope="shortcut", **linear)
            net = conv2d(active, depth_bottleneck, [1, 1], 1, scope="conv1")
            net = conv2d_same(net, depth_bottleneck, 3, stride, rate, "conv2")
            net = shortcut + conv2d(net, depth, [1, 1], 1, scope="conv3", **linear)
            net = net if is_v2 else tf.nn.relu(net)
            return collect_named_outputs(outputs_collections, opened.name, net)

    return bottleneck


def network_of(version: str, unit: Any) -> Any:
    """Return the function that builds a network of a version from blocks of units."""
    is_v2 = version == "v2"

    def root(net: Any) -> Any:
        with arg_scope([conv2d], **(_PLAIN if is_v2 else {})):
            net = conv2d_same(net, 64, 7, 2, scope="conv1")
        return max_pool2d(net, [3, 3], 2, scope="pool1")

    def resnet(
        inputs: Any,
        blocks: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        include_root_block: bool = True,
        reuse: Any = None,
        scope: Any = None,
    ) -> Any:
        """Return a network of blocks: its outputs, and all layers' outputs by name."""
        with variable_scope(scope, f"resnet_{version}", [inputs], reuse=reuse) as opened:
            collection = f"{opened.original_name_scope}_end_points"
            collected = [conv2d, unit, stack_blocks_dense]
            with (
                arg_scope(collected, outputs_collections=collection),
                arg_scope([batch_norm], is_training=is_training),
            ):
                net = root(inputs) if include_root_block else inputs
                net = stack_blocks_dense(net, blocks, _left(output_stride, include_root_block))
                if is_v2:
                    net = _activate(net, "postnorm")
                if global_pool:
                    net = tf.reduce_mean(net, [1, 2], keepdims=True, name="pool5")
                if num_classes is None:
                    return net, convert_collection_to_dict(collection)
                logits = conv2d(net, num_classes, [1, 1], scope="logits", **_PLAIN)
                end_points = convert_collection_to_dict(collection)
                end_points["predictions"] = softmax(logits, scope="predictions")
                return logits, end_points

    resnet.__name__ = resnet.__qualname__ = f"resnet_{version}"
    resnet.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it
    return resnet


def _left(output_stride: int | None, has_root: bool) -> int | None:
    """Return the stride that is left for the blocks: the root takes 4 of it."""
    if output_stride is None or not has_root:
        return output_stride
    if output_stride % 4 != 0:
        raise ValueError("The output_stride needs to be a multiple of 4.")
    return output_stride // 4


def block_of(unit: Any, name: str) -> Any:
    """Return the function that describes a block of units."""

    def block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
        """Return a block of units, the last of which has the stride."""
        strides = [1] * (num_units - 1) + [stride]
        sizes = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
        return Block(scope, unit, [{**sizes, "stride": item} for item in strides])

    block.__name__ = block.__qualname__ = name
    return block


def sized(resnet: Any, block: Any, layers: int) -> Any:
    """Return the function that builds the network of so many layers."""
    name = f"{resnet.__name__}_{layers}"

    def network(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = name,
    ) -> Any:
        depths, strides = (64, 128, 256, 512), (2, 2, 2, 1)
        blocks = [
            block(f"block{number}", *sizes)
            for number, sizes in enumerate(zip(depths, UNITS[layers], strides, strict=True), 1)
        ]
        options = {"output_stride": output_stride, "reuse": reuse, "scope": scope}
        return resnet(inputs, blocks, num_classes, is_training, global_pool, **options)

    network.__name__ = network.__qualname__ = name
    network.__doc__ = f"Return the network of {layers} layers."
    network.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it
    return network
