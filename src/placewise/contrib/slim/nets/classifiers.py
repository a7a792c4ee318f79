"""Networks that are one row of layers, written as a table: AlexNet and VGG are built here."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import arg_scope
from placewise.contrib.layers.convolutions import conv2d, max_pool2d
from placewise.contrib.layers.dense_layers import dropout, repeat
from placewise.contrib.layers.utils import convert_collection_to_dict
from placewise.graph.variable_scope import variable_scope


@dataclass(frozen=True)
class Conv:
    """Convolutions of one width, one after the other; more than one are named by their number."""

    scope: str
    width: int
    size: int
    options: dict[str, Any] = field(default_factory=dict)
    count: int | None = None

    def __call__(self, net: Any) -> Any:
        kernel = [self.size, self.size]
        if self.count is None:
            return conv2d(net, self.width, kernel, scope=self.scope, **self.options)
        return repeat(net, self.count, conv2d, self.width, kernel, scope=self.scope, **self.options)


@dataclass(frozen=True)
class Pool:
    """The largest of each window, every second one."""

    scope: str
    size: int

    def __call__(self, net: Any) -> Any:
        return max_pool2d(net, [self.size, self.size], 2, scope=self.scope)


def classifier(
    name: str,
    features: Iterable[Conv | Pool],
    window: int,
    dense: dict[str, Any] | None = None,
    logits: dict[str, Any] | None = None,
) -> Any:
    """Return the function that builds a network of features and three dense layers.

    The dense layers are convolutions, so that larger images give a map of logits. The first of
    them sees `window` rows and columns. `dense` are arguments of all three, `logits` of the last.
    """
    rows = tuple(features)
    dense_layers = (Conv("fc6", 4096, window, {"padding": "VALID"}), Conv("fc7", 4096, 1))
    last = {"activation_fn": None, "normalizer_fn": None, **(logits or {})}

    def network(
        inputs: Any,
        num_classes: int = 1000,
        is_training: Any = True,
        dropout_keep_prob: float = 0.5,
        spatial_squeeze: bool = True,
        scope: Any = name,
    ) -> Any:
        with variable_scope(scope, name, [inputs]) as opened:
            collection = f"{opened.original_name_scope}_end_points"
            with (
                arg_scope([conv2d, max_pool2d], outputs_collections=[collection]),
                arg_scope([dropout], keep_prob=dropout_keep_prob, is_training=is_training),
            ):
                net = functools.reduce(lambda net, layer: layer(net), rows, inputs)
                with arg_scope([conv2d], **(dense or {})):
                    for layer in dense_layers:
                        net = dropout(layer(net), scope=layer.scope.replace("fc", "dropout"))
                    net = Conv("fc8", num_classes, 1, last)(net)
            end_points = convert_collection_to_dict(collection)
            if spatial_squeeze:
                net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[f"{opened.name}/fc8"] = net
        return net, end_points

    network.__name__ = network.__qualname__ = name
    network.__doc__ = "Return the network: its logits, and all layers' outputs by name."
    network.default_image_size = 224  # type: ignore[attr-defined]  # as TensorFlow has it
    return network
