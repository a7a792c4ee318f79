"""AlexNet on one device."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import arg_scope
from placewise.contrib.layers.convolutions import conv2d, max_pool2d
from placewise.contrib.layers.dense_layers import fully_connected
from placewise.contrib.layers.regularizers import l2_regularizer
from placewise.contrib.slim.nets.classifiers import Conv, Pool, classifier
from placewise.graph.initializers import Constant, TruncatedNormal, Zeros


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


alexnet_v2 = classifier(
    "alexnet_v2",
    (
        Conv("conv1", 64, 11, {"stride": 4, "padding": "VALID"}),
        Pool("pool1", 3),
        Conv("conv2", 192, 5),
        Pool("pool2", 3),
        Conv("conv3", 384, 3),
        Conv("conv4", 384, 3),
        Conv("conv5", 256, 3),
        Pool("pool5", 3),
    ),
    window=5,
    dense={
        "weights_initializer": TruncatedNormal(0.0, 0.005),
        "biases_initializer": Constant(0.1),
    },
    logits={"biases_initializer": Zeros()},
)
