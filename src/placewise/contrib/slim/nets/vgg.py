"""Networks of many small convolutions: VGG with 11, 16 and 19 layers."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import arg_scope
from placewise.contrib.layers.convolutions import conv2d
from placewise.contrib.layers.dense_layers import fully_connected
from placewise.contrib.layers.regularizers import l2_regularizer
from placewise.contrib.slim.nets.classifiers import Conv, Pool, classifier
from placewise.graph.initializers import Zeros


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


def _vgg(name: str, counts: tuple[int, ...]) -> Any:
    """Return the network with so many convolutions before each of its five poolings."""
    widths = (64, 128, 256, 512, 512)
    features: list[Conv | Pool] = []
    for number, (width, count) in enumerate(zip(widths, counts, strict=True), 1):
        features += [Conv(f"conv{number}", width, 3, count=count), Pool(f"pool{number}", 2)]
    return classifier(name, features, window=7)


vgg_a = _vgg("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = vgg_d = _vgg("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = vgg_e = _vgg("vgg_19", (2, 2, 4, 4, 4))
