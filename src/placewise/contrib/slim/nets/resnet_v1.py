"""Residual networks, version 1: each unit normalized after its convolutions."""

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
from placewise.contrib.slim.nets import resnet_utils
from placewise.graph.variable_scope import variable_scope

resnet_arg_scope = resnet_utils.resnet_arg_scope


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
    """Return a unit: three convolutions, beside the way around them."""
    with variable_scope(scope, "bottleneck_v1", [inputs]) as opened:
        if depth == last_dimension(inputs.shape, min_rank=4):
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(
                inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut"
            )
        residual = conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(
            residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2"
        )
        residual = conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        output = tf.nn.relu(shortcut + residual)
        return collect_named_outputs(outputs_collections, opened.name, output)


def resnet_v1(
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
    with variable_scope(scope, "resnet_v1", [inputs], reuse=reuse) as opened:
        kept = opened.original_name_scope + "_end_points"
        with (
            arg_scope(
                [conv2d, bottleneck, resnet_utils.stack_blocks_dense], outputs_collections=kept
            ),
            arg_scope([batch_norm], is_training=is_training),
        ):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    output_stride //= 4
                net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = resnet_utils.stack_blocks_dense(net, blocks, output_stride)
            if global_pool:
                net = tf.reduce_mean(net, [1, 2], keepdims=True, name="pool5")
            if num_classes is not None:
                net = conv2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    scope="logits",
                )
            end_points = convert_collection_to_dict(kept)
            if num_classes is not None:
                end_points["predictions"] = softmax(net, scope="predictions")
            return net, end_points


resnet_v1.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it


def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int) -> Any:
    """Return a block of units, the last of which has the stride."""
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
    return resnet_utils.Block(
        scope, bottleneck, [unit] * (num_units - 1) + [{**unit, "stride": stride}]
    )


def _of_units(layers: int, units: tuple[int, int, int, int]) -> Any:
    label = f"resnet_v1_{layers}"

    def network(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = label,
    ) -> Any:
        blocks = [
            resnet_v1_block(f"block{place + 1}", 64 * 2**place, count, 2 if place < 3 else 1)
            for place, count in enumerate(units)
        ]
        return resnet_v1(
            inputs,
            blocks,
            num_classes,
            is_training,
            global_pool,
            output_stride,
            include_root_block=True,
            reuse=reuse,
            scope=scope,
        )

    network.__name__ = network.__qualname__ = label
    network.__doc__ = f"Return the network of {layers} layers."
    network.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it
    return network


resnet_v1_50 = _of_units(50, (3, 4, 6, 3))
resnet_v1_101 = _of_units(101, (3, 4, 23, 3))
resnet_v1_152 = _of_units(152, (3, 8, 36, 3))
resnet_v1_200 = _of_units(200, (3, 24, 36, 3))
