"""Inception networks, versions 1 to 3: layers of branches side by side, joined by depth.

A network is a table, one layer or module a line. A convolution is `0b_3x3:128`: its place and
kernel, as its name has them, and its depth; `max` and `avg` are poolings. `/2` is a stride of 2,
`!` leaves the borders out, `=3x3` is a kernel that the name does not tell. `+` puts two layers side
by side, `;` ends a branch. Names and shapes of variables are those of TensorFlow 1.15.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import placewise as tf
from placewise.contrib.framework.arg_scopes import arg_scope
from placewise.contrib.layers.batch_norms import batch_norm
from placewise.contrib.layers.convolutions import (
    avg_pool2d,
    conv2d,
    max_pool2d,
    separable_conv2d,
)
from placewise.contrib.layers.dense_layers import dropout, fully_connected
from placewise.contrib.layers.initializers import variance_scaling_initializer
from placewise.contrib.layers.other_norms import softmax
from placewise.contrib.layers.regularizers import l2_regularizer
from placewise.graph.initializers import TruncatedNormal
from placewise.graph.variable_scope import variable_scope

V1 = """
Conv2d_1a_7x7: 1a_7x7:64/2
MaxPool_2a_3x3: max_2a_3x3/2
Conv2d_2b_1x1: 2b_1x1:64
Conv2d_2c_3x3: 2c_3x3:192
MaxPool_3a_3x3: max_3a_3x3/2
Mixed_3b: 0a_1x1:64; 0a_1x1:96 0b_3x3:128; 0a_1x1:16 0b_3x3:32; max_0a_3x3 0b_1x1:32
Mixed_3c: 0a_1x1:128; 0a_1x1:128 0b_3x3:192; 0a_1x1:32 0b_3x3:96; max_0a_3x3 0b_1x1:64
MaxPool_4a_3x3: max_4a_3x3/2
Mixed_4b: 0a_1x1:192; 0a_1x1:96 0b_3x3:208; 0a_1x1:16 0b_3x3:48; max_0a_3x3 0b_1x1:64
Mixed_4c: 0a_1x1:160; 0a_1x1:112 0b_3x3:224; 0a_1x1:24 0b_3x3:64; max_0a_3x3 0b_1x1:64
Mixed_4d: 0a_1x1:128; 0a_1x1:128 0b_3x3:256; 0a_1x1:24 0b_3x3:64; max_0a_3x3 0b_1x1:64
Mixed_4e: 0a_1x1:112; 0a_1x1:144 0b_3x3:288; 0a_1x1:32 0b_3x3:64; max_0a_3x3 0b_1x1:64
Mixed_4f: 0a_1x1:256; 0a_1x1:160 0b_3x3:320; 0a_1x1:32 0b_3x3:128; max_0a_3x3 0b_1x1:128
MaxPool_5a_2x2: max_5a_2x2/2
Mixed_5b: 0a_1x1:256; 0a_1x1:160 0b_3x3:320; 0a_1x1:32 0a_3x3:128; max_0a_3x3 0b_1x1:128
Mixed_5c: 0a_1x1:384; 0a_1x1:192 0b_3x3:384; 0a_1x1:48 0b_3x3:128; max_0a_3x3 0b_1x1:128
"""

V2 = """
Conv2d_1a_7x7: apart_1a_7x7:64/2
MaxPool_2a_3x3: max_2a_3x3/2
Conv2d_2b_1x1: 2b_1x1:64~0.1
Conv2d_2c_3x3: 2c_3x3:192
MaxPool_3a_3x3: max_3a_3x3/2
Mixed_3b: 0a_1x1:64; 0a_1x1:64 0b_3x3:64; 0a_1x1:64 0b_3x3:96 0c_3x3:96; avg_0a_3x3 0b_1x1:32
Mixed_3c: 0a_1x1:64; 0a_1x1:64 0b_3x3:96; 0a_1x1:64 0b_3x3:96 0c_3x3:96; avg_0a_3x3 0b_1x1:64
Mixed_4a: 0a_1x1:128 1a_3x3:160/2; 0a_1x1:64 0b_3x3:96 1a_3x3:96/2; max_1a_3x3/2
Mixed_4b: 0a_1x1:224; 0a_1x1:64 0b_3x3:96; 0a_1x1:96 0b_3x3:128 0c_3x3:128; avg_0a_3x3 0b_1x1:128
Mixed_4c: 0a_1x1:192; 0a_1x1:96 0b_3x3:128; 0a_1x1:96 0b_3x3:128 0c_3x3:128; avg_0a_3x3 0b_1x1:128
Mixed_4d: 0a_1x1:160; 0a_1x1:128 0b_3x3:160; 0a_1x1:128 0b_3x3:160 0c_3x3:160; avg_0a_3x3 0b_1x1:96
Mixed_4e: 0a_1x1:96; 0a_1x1:128 0b_3x3:192; 0a_1x1:160 0b_3x3:192 0c_3x3:192; avg_0a_3x3 0b_1x1:96
Mixed_5a: 0a_1x1:128 1a_3x3:192/2; 0a_1x1:192 0b_3x3:256 1a_3x3:256/2; max_1a_3x3/2
Mixed_5b: 0a_1x1:352; 0a_1x1:192 0b_3x3:320; 0a_1x1:160 0b_3x3:224 0c_3x3:224; avg_0a_3x3 0b_1x1:128
Mixed_5c: 0a_1x1:352; 0a_1x1:192 0b_3x3:320; 0a_1x1:192 0b_3x3:224 0c_3x3:224; max_0a_3x3 0b_1x1:128
"""

_OF_6 = """Mixed_6{0}: 0a_1x1:192; 0a_1x1:{1} 0b_1x7:{1} 0c_7x1:192;
 0a_1x1:{1} 0b_7x1:{1} 0c_1x7:{1} 0d_7x1:{1} 0e_1x7:192; avg_0a_3x3 0b_1x1:192
"""
_OF_7 = """Mixed_7{0}: 0a_1x1:320; 0a_1x1:384 0b_1x3:384+{1}_3x1:384;
 0a_1x1:448 0b_3x3:384 0c_1x3:384+0d_3x1:384; avg_0a_3x3 0b_1x1:192
"""
_TRIPLE = "0a_1x1:64 0b_3x3:96 0c_3x3:96"
V3 = (
    f"""
Conv2d_1a_3x3: 1a_3x3:32/2!
Conv2d_2a_3x3: 2a_3x3:32!
Conv2d_2b_3x3: 2b_3x3:64
MaxPool_3a_3x3: max_3a_3x3/2!
Conv2d_3b_1x1: 3b_1x1:80!
Conv2d_4a_3x3: 4a_3x3:192!
MaxPool_5a_3x3: max_5a_3x3/2!
Mixed_5b: 0a_1x1:64; 0a_1x1:48 0b_5x5:64; {_TRIPLE}; avg_0a_3x3 0b_1x1:32
Mixed_5c: 0a_1x1:64; 0b_1x1:48 Conv_1_0c_5x5:64; {_TRIPLE}; avg_0a_3x3 0b_1x1:64
Mixed_5d: 0a_1x1:64; 0a_1x1:48 0b_5x5:64; {_TRIPLE}; avg_0a_3x3 0b_1x1:64
Mixed_6a: 1a_1x1:384/2!=3x3; 0a_1x1:64 0b_3x3:96 1a_1x1:96/2!=3x3; max_1a_3x3/2!
"""
    + "".join(_OF_6.format(*each) for each in (("b", 128), ("c", 160), ("d", 160), ("e", 192)))
    + """Mixed_7a: 0a_1x1:192 1a_3x3:320/2!; 0a_1x1:192 0b_1x7:192 0c_7x1:192 1a_3x3:192/2!;
 max_1a_3x3/2!
"""
    + _OF_7.format("b", "0b")
    + _OF_7.format("c", "0c")
)

_LAYER = re.compile(
    r"(?:(max|avg|apart)_)?(\w+?_(\d)x(\d))(?::(\d+))?(/2)?(!)?(?:=(\d)x(\d))?(?:~([\d.]+))?"
)


class _Layer(NamedTuple):
    """A convolution or pooling of a table."""

    kind: str | None
    name: str
    kernel: list[int]
    depth: int
    stride: int
    padding: str
    spread: float | None  # of its first weights; None: as the layers' defaults say

    def __call__(self, net: Any, depth_of: Callable[[int], int]) -> Any:
        name = self.name
        given = {"stride": self.stride, "padding": self.padding}
        if self.kind in ("max", "avg"):
            pool, prefix = {"max": (max_pool2d, "MaxPool"), "avg": (avg_pool2d, "AvgPool")}[
                self.kind
            ]
            return pool(net, self.kernel, scope=f"{prefix}_{name}", **given)
        if self.spread is not None:
            given["weights_initializer"] = TruncatedNormal(0.0, self.spread)
        scope = name if name.startswith("Conv") else f"Conv2d_{name}"
        depth = depth_of(self.depth)
        if self.kind == "apart":
            # Of three colours, as many filters each as make up the depth, at most eight.
            given["weights_initializer"] = TruncatedNormal(0.0, 1.0)
            own = min(int(depth / 3), 8)
            return separable_conv2d(
                net, depth, self.kernel, depth_multiplier=own, scope=scope, **given
            )
        return conv2d(net, depth, self.kernel, scope=scope, **given)


def _parsed(text: str) -> _Layer:
    found = _LAYER.fullmatch(text)
    if found is None:
        raise ValueError(f"no layer of a table: {text}")
    kind, name, high, wide, depth, half, inside, other_high, other_wide, spread = found.groups()
    kernel = [int(other_high or high), int(other_wide or wide)]
    return _Layer(
        kind,
        name,
        kernel,
        int(depth or 0),
        2 if half else 1,
        "VALID" if inside else "SAME",
        float(spread) if spread else None,
    )


class _Network(NamedTuple):
    """A table with what its version does beside."""

    name: str
    table: str
    spread: float | None  # of the first weights of all convolutions
    of_branches: tuple[float, float] | None  # of those that begin a branch, and that end a pooling

    def modules(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the name and branches of each line."""
        for line in self.table.strip().replace("\n ", " ").split("\n"):
            name, _, rest = line.partition(": ")
            yield name, rest.split("; ")

    def branch(self, net: Any, text: str, depth_of: Callable[[int], int]) -> Any:
        """Return what the layers of a branch make of a value, one after another."""
        steps = [[_parsed(each) for each in step.split("+")] for step in text.split()]
        for number, step in enumerate(steps):
            made = [self._with_spread(steps, number, layer)(net, depth_of) for layer in step]
            net = made[0] if len(made) == 1 else tf.concat(made, 3)
        return net

    def _with_spread(self, steps: list[list[_Layer]], number: int, layer: _Layer) -> _Layer:
        spread = self.spread if layer.spread is None else layer.spread
        if self.of_branches is not None and len(steps) > 1 and layer.kernel == [1, 1]:
            spread = self.of_branches[number]
        return layer._replace(spread=spread)

    def base(
        self,
        inputs: Any,
        final_endpoint: str,
        scope: Any,
        min_depth: int = 16,
        depth_multiplier: float = 1.0,
    ) -> tuple[Any, dict[str, Any]]:
        """Return the value of a layer, and those of all up to it by name."""
        if depth_multiplier <= 0:
            raise ValueError("depth_multiplier is not greater than zero.")

        def depth_of(depth: int) -> int:
            return max(int(depth * depth_multiplier), min_depth)

        end_points: dict[str, Any] = {}
        net = inputs
        with variable_scope(scope, self.name, [inputs]):
            for name, branches in self.modules():
                if name.startswith("Mixed"):
                    with variable_scope(name):
                        net = self._mixed(net, branches, depth_of)
                else:
                    net = self.branch(net, branches[0], depth_of)
                end_points[name] = net
                if name == final_endpoint:
                    return net, end_points
        raise ValueError(f"Unknown final endpoint {final_endpoint}")

    def _mixed(self, net: Any, branches: list[str], depth_of: Callable[[int], int]) -> Any:
        made = []
        for number, text in enumerate(branches):
            with variable_scope(f"Branch_{number}"):
                made.append(self.branch(net, text, depth_of))
        return tf.concat(made, 3)


_V1 = _Network("InceptionV1", V1, 0.01, None)
_V2 = _Network("InceptionV2", V2, None, (0.09, 0.1))
_V3 = _Network("InceptionV3", V3, None, None)


def _window(net: Any, size: int) -> list[int]:
    """Return a window of a size, or of the whole picture if that is smaller."""
    _, high, wide, _ = net.shape.as_list()
    return [min(high or size, size), min(wide or size, size)]


def _named(kernel: list[int]) -> str:
    return f"{kernel[0]}x{kernel[1]}"


def _linear(net: Any, classes: int, name: str, **options: Any) -> Any:
    return conv2d(
        net, classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=name, **options
    )


def _squeezed(logits: Any, spatial_squeeze: bool) -> Any:
    return tf.squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def inception_v1_base(
    inputs: Any, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[Any, dict[str, Any]]:
    """Return a layer of version 1 (GoogLeNet), and all layers up to it by name."""
    return _V1.base(inputs, final_endpoint, scope, min_depth=0)


def inception_v2_base(
    inputs: Any,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """Return a layer of version 2, and all layers up to it by name."""
    return _V2.base(inputs, final_endpoint, scope, min_depth, depth_multiplier)


def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """Return a layer of version 3, and all layers up to it by name."""
    return _V3.base(inputs, final_endpoint, scope, min_depth, depth_multiplier)


def inception_v1(
    inputs: Any,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV1",
) -> tuple[Any, dict[str, Any]]:
    """Return the logits of version 1 for pictures of 224 x 224, and all layers by name."""
    with (
        variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as own,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=own)
        with variable_scope("Logits"):
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = _squeezed(_linear(net, num_classes, "Conv2d_0c_1x1"), spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def inception_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV2",
) -> tuple[Any, dict[str, Any]]:
    """Return the logits of version 2 for pictures of about 224 x 224, and all layers by name."""
    with (
        variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as own,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v2_base(
            inputs, scope=own, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        with variable_scope("Logits"):
            kernel = _window(net, 7)
            net = avg_pool2d(net, kernel, padding="VALID", scope=f"AvgPool_1a_{_named(kernel)}")
            net = dropout(net, dropout_keep_prob, scope="Dropout_1b")
            logits = _squeezed(_linear(net, num_classes, "Conv2d_1c_1x1"), spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """Return the logits of version 3 for pictures of about 299 x 299, and all layers by name.

    `AuxLogits` among the layers are those of a side branch that helps to train.
    """
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as own,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs, scope=own, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        with variable_scope("AuxLogits"):

            def depth_of(depth: int) -> int:
                return max(int(depth * depth_multiplier), min_depth)

            aux = _aux_logits(end_points["Mixed_6e"], num_classes, depth_of)
            end_points["AuxLogits"] = _squeezed(aux, spatial_squeeze)
        with variable_scope("Logits"):
            kernel = _window(net, 8)
            net = avg_pool2d(net, kernel, padding="VALID", scope=f"AvgPool_1a_{_named(kernel)}")
            net = dropout(net, dropout_keep_prob, scope="Dropout_1b")
            end_points["PreLogits"] = net
            logits = _squeezed(_linear(net, num_classes, "Conv2d_1c_1x1"), spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def _aux_logits(net: Any, classes: int, depth_of: Callable[[int], int]) -> Any:
    net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
    net = conv2d(net, depth_of(128), [1, 1], scope="Conv2d_1b_1x1")
    kernel = _window(net, 5)
    net = conv2d(
        net,
        depth_of(768),
        kernel,
        padding="VALID",
        weights_initializer=TruncatedNormal(0.0, 0.01),
        scope=f"Conv2d_2a_{_named(kernel)}",
    )
    return _linear(net, classes, "Conv2d_2b_1x1", weights_initializer=TruncatedNormal(0.0, 0.001))


for _function, _size in ((inception_v1, 224), (inception_v2, 224), (inception_v3, 299)):
    _function.default_image_size = _size  # type: ignore[union-attr]  # as TensorFlow's have


def _scope(weight_decay: float, normalization: dict[str, Any] | None) -> Any:
    """Return the defaults of layers, with or without batch normalization."""
    normal = {} if normalization is None else {"normalizer_fn": batch_norm}
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [conv2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=tf.nn.relu,
            normalizer_params=normalization,
            **normal,
        ) as scope,
    ):
        return scope


def _normalization(collection: str, **options: Any) -> dict[str, Any]:
    moving = {"moving_mean": [collection], "moving_variance": [collection]}
    return {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": "update_ops",
        "variables_collections": {"beta": None, "gamma": None, **moving},
        **options,
    }


def inception_v1_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Any:
    """Return the defaults of layers in version 1."""
    normal = _normalization(batch_norm_var_collection) if use_batch_norm else None
    return _scope(weight_decay, normal)


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Any:
    """Return the defaults of layers in version 2."""
    return _scope(weight_decay, _normalization(batch_norm_var_collection))


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: str = "update_ops",
    use_fused_batchnorm: bool = True,
) -> Any:
    """Return the defaults of layers in version 3."""
    normal = _normalization(
        batch_norm_var_collection,
        decay=batch_norm_decay,
        epsilon=batch_norm_epsilon,
        updates_collections=updates_collections,
        fused=use_fused_batchnorm,
    )
    return _scope(weight_decay, normal)
