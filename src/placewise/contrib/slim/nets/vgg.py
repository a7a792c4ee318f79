"""Networks of many small convolutions: VGG with 11, 16 and 19 layers."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import arg_scope
from placewise.contrib.layers.convolutions import conv2d, max_pool2d
from placewise.contrib.layers.dense_layers import dropout, fully_connected, repeat
from placewise.contrib.layers.regularizers import l2_regularizer
from placewise.contrib.layers.utils import convert_collection_to_dict
from placewise.graph.initializers import Zeros
from placewise.graph.variable_scope import variable_scope


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Return the defaults of layers in these networks."""
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=tf.nn.relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=Zeros(),
        ),
        arg_scope([conv2d], padding="SAME") as scope,
    ):
        return scope


def _of_repeats(name: str, repeats: tuple[int, ...]) -> Any:
    def network(
        inputs: Any,
        num_classes: int = 1000,
        is_training: Any = True,
        dropout_keep_prob: float = 0.5,
        spatial_squeeze: bool = True,
        scope: Any = name,
    ) -> Any:
        with variable_scope(scope, name, [inputs]) as opened:
            kept = opened.original_name_scope + "_end_points"
            with arg_scope([conv2d, max_pool2d], outputs_collections=kept):
                net = inputs
                for place, count in enumerate(repeats, 1):
                    width = min(64 * 2 ** (place - 1), 512)
                    net = repeat(net, count, conv2d, width, [3, 3], scope=f"conv{place}")
                    net = max_pool2d(net, [2, 2], scope=f"pool{place}")
                net = conv2d(net, 4096, [7, 7], padding="VALID", scope="fc6")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = conv2d(net, 4096, [1, 1], scope="fc7")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = conv2d(
                    net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8"
                )
            end_points = convert_collection_to_dict(kept)
            if spatial_squeeze:
                net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[opened.name + "/fc8"] = net
            return net, end_points

    network.__name__ = network.__qualname__ = name
    network.__doc__ = "Return the network: its logits, and all layers' outputs by name."
    network.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it
    return network


vgg_a = _of_repeats("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = vgg_d = _of_repeats("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = vgg_e = _of_repeats("vgg_19", (2, 2, 4, 4, 4))
