"""Convolutions, transposed and separable ones, and pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope
from placewise.contrib.layers import shared
from placewise.contrib.layers.dense_layers import XAVIER, ZEROS
from placewise.core.arguments import TensorLike
from placewise.graph.variable_scope import variable_scope
from placewise.layers.convolution import Conv1D, Conv2D, Conv3D
from placewise.layers.pooling import (
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling2D,
    MaxPooling3D,
)
from placewise.layers.separable_convolution import SeparableConv2D
from placewise.layers.transposed_convolution import Conv2DTranspose, Conv3DTranspose
from placewise.ops.nn.depthwise import depthwise_conv2d

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
_CLASSES = {1: Conv1D, 2: Conv2D, 3: Conv3D}


def _order(data_format: str | None) -> str:
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


def _check_format(data_format: str | None, allowed: tuple[Any, ...]) -> None:
    if data_format not in allowed:
        shown = " or ".join(each for each in allowed if each)
        raise ValueError(f"data_format has to be either {shown}.")


def _ended(
    layer: Any,
    outputs: Any,
    normalizer_fn: Any,
    normalizer_params: Any,
    activation_fn: Any,
    variables_collections: Any,
    outputs_collections: Any,
    opened: Any,
) -> Any:
    """Return what a convolution gives after its normalizer and activation."""
    shared.collect_variable(layer.kernel, variables_collections, "weights")
    if layer.use_bias:
        shared.collect_variable(layer.bias, variables_collections, "biases")
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return shared.finish(outputs, activation_fn, outputs_collections, opened)


@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | None = None,
    trainable: bool = True,
    scope: str | None = None,
    conv_dims: int | None = None,
) -> Any:
    """Return the activation of a convolution over as many dimensions as the inputs have."""
    _check_format(data_format, (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"))
    with shared.layer_scope(scope, "Conv", inputs, reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank - 2 not in _CLASSES:
            raise ValueError("Convolution not supported for input with rank", rank)
        layer = _CLASSES[rank - 2](
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=_order(data_format),
            dilation_rate=rate,
            activation=None,
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            activity_regularizer=None,
            trainable=trainable,
            name=opened.name,
            dtype=inputs.dtype.base_dtype,
            _scope=opened,
            _reuse=reuse,
        )
        return _ended(
            layer,
            layer.apply(inputs),
            normalizer_fn,
            normalizer_params,
            activation_fn,
            variables_collections,
            outputs_collections,
            opened,
        )


def _over(dims: int, name: str) -> Any:
    """Return the convolution over a fixed number of dimensions."""

    def made(
        inputs: Any,
        num_outputs: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str | None = None,
        rate: Any = 1,
        activation_fn: Any = tf.nn.relu,
        normalizer_fn: Any = None,
        normalizer_params: Any = None,
        weights_initializer: Any = XAVIER,
        weights_regularizer: Any = None,
        biases_initializer: Any = ZEROS,
        biases_regularizer: Any = None,
        reuse: Any = None,
        variables_collections: Any = None,
        outputs_collections: Any = None,
        trainable: bool = True,
        scope: Any = None,
    ) -> Any:
        return convolution(
            inputs,
            num_outputs,
            kernel_size,
            stride,
            padding,
            data_format,
            rate,
            activation_fn,
            normalizer_fn,
            normalizer_params,
            weights_initializer,
            weights_regularizer,
            biases_initializer,
            biases_regularizer,
            reuse,
            variables_collections,
            outputs_collections,
            trainable,
            scope,
            conv_dims=dims,
        )

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"Return the activation of a convolution over {dims} dimensions."
    return add_arg_scope(made)


convolution1d = conv1d = _over(1, "convolution1d")
convolution2d = conv2d = _over(2, "convolution2d")
convolution3d = conv3d = _over(3, "convolution3d")


def _transposed(kind: type[Any], name: str, default: str, usual: str) -> Any:
    def made(
        inputs: Any,
        num_outputs: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str = usual,
        activation_fn: Any = tf.nn.relu,
        normalizer_fn: Any = None,
        normalizer_params: Any = None,
        weights_initializer: Any = XAVIER,
        weights_regularizer: Any = None,
        biases_initializer: Any = ZEROS,
        biases_regularizer: Any = None,
        reuse: Any = None,
        variables_collections: Any = None,
        outputs_collections: Any = None,
        trainable: bool = True,
        scope: Any = None,
    ) -> Any:
        _check_format(data_format, _FORMATS[len(usual) - 2])
        with shared.layer_scope(scope, default, inputs, reuse) as opened:
            inputs = tf.convert_to_tensor(inputs)
            layer = kind(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=_order(data_format),
                activation=None,
                use_bias=not normalizer_fn and bool(biases_initializer),
                kernel_initializer=weights_initializer,
                bias_initializer=biases_initializer,
                kernel_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                activity_regularizer=None,
                trainable=trainable,
                name=opened.name,
                dtype=inputs.dtype.base_dtype,
                _scope=opened,
                _reuse=reuse,
            )
            return _ended(
                layer,
                layer.apply(inputs),
                normalizer_fn,
                normalizer_params,
                activation_fn,
                variables_collections,
                outputs_collections,
                opened,
            )

    made.__name__ = made.__qualname__ = name
    made.__doc__ = "Return the activation of a transposed convolution, which makes inputs larger."
    return add_arg_scope(made)


convolution2d_transpose = conv2d_transpose = _transposed(
    Conv2DTranspose, "convolution2d_transpose", "Conv2d_transpose", "NHWC"
)
convolution3d_transpose = conv3d_transpose = _transposed(
    Conv3DTranspose, "convolution3d_transpose", "Conv3d_transpose", "NDHWC"
)


def _pair(given: Any) -> list[int]:
    return list(given) if isinstance(given, (list, tuple)) else [given, given]


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: TensorLike = 1,
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return a convolution of each channel, then one over channels where outputs are asked for."""
    _check_format(data_format, ("NHWC", "NCHW"))
    names = {
        "bias": "biases",
        "depthwise_kernel": "depthwise_weights",
        "pointwise_kernel": "pointwise_weights",
    }
    with shared.layer_scope(scope, "SeparableConv2d", inputs, reuse, names) as opened:
        inputs = tf.convert_to_tensor(inputs)
        if num_outputs is not None:
            layer = SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=_order(data_format),
                dilation_rate=_pair(rate),
                activation=None,
                depth_multiplier=depth_multiplier,
                use_bias=not normalizer_fn and bool(biases_initializer),
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                activity_regularizer=None,
                trainable=trainable,
                name=opened.name,
                dtype=inputs.dtype.base_dtype,
                _scope=opened,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            for kernel in (layer.depthwise_kernel, layer.pointwise_kernel):
                shared.collect_variable(kernel, variables_collections, "weights")
            if layer.use_bias:
                shared.collect_variable(layer.bias, variables_collections, "biases")
            if normalizer_fn is not None:
                outputs = normalizer_fn(outputs, **(normalizer_params or {}))
            return shared.finish(outputs, activation_fn, outputs_collections, opened)
        outputs = _depthwise(
            inputs,
            kernel_size,
            depth_multiplier,
            stride,
            padding,
            data_format,
            rate,
            weights_initializer,
            weights_regularizer,
            trainable,
            variables_collections,
        )
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = shared.own_variable(
                "biases",
                [outputs.shape.as_list()[1 if data_format == "NCHW" else -1]],
                variables_collections,
                dtype=inputs.dtype.base_dtype,
                initializer=biases_initializer,
                regularizer=biases_regularizer,
                trainable=trainable,
            )
            outputs = tf.nn.bias_add(outputs, biases, data_format=data_format)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


separable_conv2d = separable_convolution2d


def _depthwise(
    inputs: Any,
    kernel_size: Any,
    multiplier: int,
    stride: Any,
    padding: str,
    data_format: str,
    rate: Any,
    initializer: Any,
    regularizer: Any,
    trainable: bool,
    collections: Any,
) -> Any:
    channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
    weights = shared.own_variable(
        "depthwise_weights",
        [*_pair(kernel_size), channels, multiplier],
        shared.variable_collections(collections, "weights"),
        dtype=inputs.dtype.base_dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
    )
    tall, wide = _pair(stride)
    strides = [1, 1, tall, wide] if data_format == "NCHW" else [1, tall, wide, 1]
    return depthwise_conv2d(
        inputs, weights, strides, padding, data_format=data_format, dilations=_pair(rate)
    )


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return a convolution of each channel with the same filter."""
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        kind, channels = inputs.dtype.base_dtype, inputs.shape.as_list()[-1]
        weights = shared.own_variable(
            "weights",
            [*_pair(kernel_size), 1, 1],
            variables_collections,
            dtype=kind,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            trainable=trainable,
        )
        tall, wide = _pair(stride)
        spread = tf.tile(weights, [1, 1, channels, 1])
        outputs = depthwise_conv2d(inputs, spread, [1, tall, wide, 1], padding)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = shared.own_variable(
                "biases",
                [channels],
                variables_collections,
                dtype=kind,
                initializer=biases_initializer,
                regularizer=biases_regularizer,
                trainable=trainable,
            )
            outputs = tf.nn.bias_add(outputs, biases)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


conv2d_in_plane = convolution2d_in_plane


def _pooled(kind: type[Any], name: str, default: str, usual: str) -> Any:
    def made(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = usual,
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:
        _check_format(data_format, _FORMATS[len(usual) - 2])
        with tf.name_scope(scope or default) as inside:
            inputs = tf.convert_to_tensor(inputs)
            layer = kind(
                pool_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=_order(data_format),
                _scope=inside,
            )
            with tf.name_scope(inside):
                outputs = layer.call(inputs)
            return shared.collect_outputs(outputs_collections, inside, outputs)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = "Return the inputs pooled over windows."
    return add_arg_scope(made)


max_pool2d = _pooled(MaxPooling2D, "max_pool2d", "MaxPool2D", "NHWC")
avg_pool2d = _pooled(AveragePooling2D, "avg_pool2d", "AvgPool2D", "NHWC")
max_pool3d = _pooled(MaxPooling3D, "max_pool3d", "MaxPool3D", "NDHWC")
avg_pool3d = _pooled(AveragePooling3D, "avg_pool3d", "AvgPool3D", "NDHWC")
