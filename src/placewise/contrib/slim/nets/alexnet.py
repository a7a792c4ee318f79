"""AlexNet on one device."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import arg_scope
from placewise.contrib.layers.convolutions import conv2d, max_pool2d
from placewise.contrib.layers.dense_layers import dropout, fully_connected
from placewise.contrib.layers.regularizers import l2_regularizer
from placewise.contrib.layers.utils import convert_collection_to_dict
from placewise.graph.initializers import Constant, TruncatedNormal, Zeros
from placewise.graph.variable_scope import variable_scope


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Return the defaults of layers in this network."""
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=tf.nn.relu,
            biases_initializer=Constant(0.1),
            weights_regularizer=l2_regularizer(weight_decay),
        ),
        arg_scope([conv2d], padding="SAME"),
        arg_scope([max_pool2d], padding="VALID") as scope,
    ):
        return scope


def alexnet_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "alexnet_v2",
) -> Any:
    """Return the network: its logits, and all layers' outputs by name."""
    with variable_scope(scope, "alexnet_v2", [inputs]) as opened:
        kept = opened.original_name_scope + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=[kept]):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [3, 3], 2, scope="pool1")
            net = conv2d(net, 192, [5, 5], scope="conv2")
            net = max_pool2d(net, [3, 3], 2, scope="pool2")
            net = conv2d(net, 384, [3, 3], scope="conv3")
            net = conv2d(net, 384, [3, 3], scope="conv4")
            net = conv2d(net, 256, [3, 3], scope="conv5")
            net = max_pool2d(net, [3, 3], 2, scope="pool5")
            with arg_scope(
                [conv2d],
                weights_initializer=TruncatedNormal(0.0, 0.005),
                biases_initializer=Constant(0.1),
            ):
                net = conv2d(net, 4096, [5, 5], padding="VALID", scope="fc6")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = conv2d(net, 4096, [1, 1], scope="fc7")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = conv2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    biases_initializer=Zeros(),
                    scope="fc8",
                )
            end_points = convert_collection_to_dict(kept)
            if spatial_squeeze:
                net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[opened.name + "/fc8"] = net
            return net, end_points


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it
