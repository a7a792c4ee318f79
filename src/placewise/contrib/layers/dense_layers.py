"""Fully connected layers, bias, flattening, dropout and what repeats layers."""

from __future__ import annotations

import functools
from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope
from placewise.contrib.layers import shared
from placewise.contrib.layers.initializers import xavier_initializer
from placewise.graph.collections import GraphKeys, add_to_collections
from placewise.graph.initializers import Zeros
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.layers.dense import Dense
from placewise.layers.dense import flatten as flat_layer
from placewise.layers.dropout import Dropout

XAVIER, ZEROS = xavier_initializer(), Zeros()


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
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
    """Return activation(inputs · weights + biases), or normalized in place of the biases."""
    if isinstance(num_outputs, bool) or not hasattr(num_outputs, "__index__"):
        raise ValueError(f"num_outputs type should be one of {(int,)}, got {type(num_outputs)}.")
    with shared.layer_scope(scope, "fully_connected", inputs, reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        layer = Dense(
            units=num_outputs,
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
        outputs = layer.apply(inputs)
        shared.collect_variable(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            shared.collect_variable(layer.bias, variables_collections, "biases")
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Return the inputs plus a bias for each channel."""
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        axis = 1 if data_format == "NCHW" else -1
        channels = inputs.shape.as_list()[axis]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = shared.own_variable(
            "biases",
            [channels],
            variables_collections,
            dtype=inputs.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        outputs = tf.nn.bias_add(inputs, biases, data_format=data_format)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Return the inputs as a matrix with one row per case."""
    with tf.name_scope(scope or "Flatten") as inside:
        outputs = flat_layer(tf.convert_to_tensor(inputs))
        return shared.collect_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: Any = None,
) -> Any:
    """Return the inputs, a share of `keep_prob` of them kept while training."""
    with shared.layer_scope(scope, "Dropout", inputs) as opened:
        inputs = tf.convert_to_tensor(inputs)
        layer = Dropout(
            rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=opened.name, _scope=opened
        )
        outputs = layer.apply(inputs, training=is_training)
        return shared.collect_outputs(outputs_collections, opened.original_name_scope, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Return vectors with one `on_value` each, at the place the label says."""
    with tf.name_scope(scope or "OneHotEncoding") as inside:
        labels = tf.convert_to_tensor(labels)
        if labels.dtype == tf.int32:
            labels = tf.cast(labels, tf.int64)
        outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return shared.collect_outputs(outputs_collections, inside, outputs)


def repeat(inputs: Any, repetitions: int, layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Return what several layers of the same arguments give, one after the other."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        scope = scope or getattr(layer, "__name__", None) or layer.func.__name__
        for number in range(1, repetitions + 1):
            outputs = layer(outputs, *args, scope=f"{scope}_{number}", **kwargs)
        return outputs


def stack(inputs: Any, layer: Any, stack_args: Any, **kwargs: Any) -> Any:
    """Return what layers of the same kind give, one after the other, each with its arguments."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        scope = scope or getattr(layer, "__name__", None) or layer.func.__name__
        for number, given in enumerate(stack_args, 1):
            arguments = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *arguments, scope=f"{scope}_{number}", **kwargs)
        return outputs


def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Any = None,
    weight_init: Any = XAVIER,
    bias_init: Any = ZEROS,
    name: str | None = None,
    weight_collections: Any = ("weights",),
    bias_collections: Any = ("biases",),
    output_collections: Any = ("activations",),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> Any:
    """Return a fully connected layer as contrib's first version made it."""
    with variable_scope(name, "fully_connected", [x]):
        x = tf.convert_to_tensor(x)
        dims = x.shape.as_list()
        kind, kept = x.dtype.base_dtype, [GraphKeys.GLOBAL_VARIABLES]
        weights = get_variable(
            "weights",
            [dims[-1], num_output_units],
            kind,
            weight_init,
            weight_regularizer,
            trainable,
            [*weight_collections, *kept],
        )
        rows = x if len(dims) == 2 else tf.reshape(x, [-1, dims[-1]])
        outputs = tf.matmul(rows, weights)
        if bias_init is not None:
            biases = get_variable(
                "bias",
                [num_output_units],
                kind,
                bias_init,
                bias_regularizer,
                trainable,
                [*bias_collections, *kept],
            )
            outputs = tf.nn.bias_add(outputs, biases)
        if len(dims) > 2:
            outputs = tf.reshape(outputs, [*tf.unstack(tf.shape(x))[:-1], num_output_units])
            outputs.set_shape([*dims[:-1], num_output_units])
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        add_to_collections(list(output_collections), outputs)
        return outputs


relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)
elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
linear = functools.partial(fully_connected, activation_fn=None)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=tf.nn.relu)
