"""Normalization over features, channels or groups, and vectors of length one."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope
from placewise.contrib.layers import shared
from placewise.graph.initializers import Ones, Zeros
from placewise.graph.variable_scope import variable_scope

_STARTS = {"beta": Zeros(), "gamma": Ones()}


def _learned(
    name: str,
    wanted: bool,
    shape: Any,
    kind: Any,
    collections: Any,
    trainable: bool,
    starts: Any = None,
) -> Any:
    if not wanted:
        return None
    return shared.own_variable(
        name,
        shape,
        collections,
        dtype=kind,
        trainable=trainable,
        initializer={**_STARTS, **(starts or {})}[name],
    )


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Return each case normalized over its own features."""
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if begin_norm_axis < 0:
            begin_norm_axis += rank
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis "
                f"({begin_norm_axis}) must be < rank(inputs) ({rank})"
            )
        shape = inputs.shape.as_list()[begin_params_axis:]
        if None in shape:
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully "
                f"defined: {inputs.shape}"
            )
        kind = inputs.dtype.base_dtype
        beta = _learned("beta", center, shape, kind, variables_collections, trainable)
        gamma = _learned("gamma", scale, shape, kind, variables_collections, trainable)
        mean, variance = tf.nn.moments(inputs, list(range(begin_norm_axis, rank)), keepdims=True)
        tiny = 1e-3 if kind == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, tiny)
        outputs.set_shape(inputs.shape)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Return each channel of each case normalized by itself."""
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as opened:
        axis = 1 if data_format == "NCHW" else rank - 1
        size = inputs.shape.as_list()[axis]
        kind, shape = inputs.dtype.base_dtype, [size]
        given = (kind, variables_collections, trainable, param_initializers)
        beta, gamma = (
            _learned("beta", center, shape, *given),
            _learned("gamma", scale, shape, *given),
        )
        spread = [size if place == axis else 1 for place in range(rank)]
        reduced = [place for place in range(1, rank) if place != axis]
        mean, variance = tf.nn.moments(inputs, reduced, keepdims=True)
        if axis != rank - 1:
            beta = None if beta is None else tf.reshape(beta, spread)
            gamma = None if gamma is None else tf.reshape(gamma, spread)
        outputs = tf.nn.batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon, name="instancenorm"
        )
        outputs.set_shape(inputs.shape)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Any = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """Return groups of channels of each case, each group normalized by itself."""
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    axis = channels_axis + rank if channels_axis < 0 else channels_axis
    reduced = [place + rank if place < 0 else place for place in reduction_axes]
    if axis in reduced:
        raise ValueError(f"reduction_axes must not contain channels_axis {axis}")
    size = inputs.shape.as_list()[axis]
    if size is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension")
    if groups > size:
        raise ValueError(f"Invalid groups {groups} for {size} channels.")
    if size % groups:
        raise ValueError(f"{size} channels is not commensurate with {groups} groups.")
    sizes = [
        known if known is not None else tf.shape(inputs)[place]
        for place, known in enumerate(inputs.shape.as_list())
    ]
    split = [*sizes[:axis], groups, size // groups, *sizes[axis + 1 :]]
    grouped = tf.reshape(inputs, split)
    over = [place + 1 if place > axis else place for place in reduced] + [axis + 1]
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as opened:
        spread = [1] * len(split)
        spread[axis], spread[axis + 1] = groups, size // groups
        given = (inputs.dtype.base_dtype, variables_collections, trainable, param_initializers)
        beta, gamma = (
            None if made is None else tf.reshape(made, spread)
            for made in (
                _learned("beta", center, [size], *given),
                _learned("gamma", scale, [size], *given),
            )
        )
        mean, variance = tf.nn.moments(grouped, sorted(over), keepdims=True)
        outputs = tf.nn.batch_normalization(grouped, mean, variance, beta, gamma, epsilon)
        outputs = tf.reshape(outputs, sizes)
        outputs.set_shape(inputs.shape)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Return the inputs divided by their length along a dimension."""
    with tf.name_scope(scope or "UnitNorm"):
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank is None:
            raise ValueError("The input rank must be known.")
        if dim is None or dim < 0 or dim >= inputs.shape.rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        lengths = tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, keepdims=True))
        return tf.divide(inputs, lengths)


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """Return the largest of each group of channels."""
    with tf.name_scope(scope or "MaxOut"):
        inputs = tf.convert_to_tensor(inputs)
        dims = inputs.shape.as_list()
        channels = dims[axis]
        if channels % num_units:
            raise ValueError(
                f"number of features({channels}) is not a multiple of num_units({num_units})"
            )
        sizes = [
            known if known is not None else tf.shape(inputs)[place]
            for place, known in enumerate(dims)
        ]
        sizes[axis] = num_units
        grouped = tf.reshape(inputs, [*sizes, channels // num_units])
        outputs = tf.reduce_max(grouped, -1)
        dims[axis] = num_units
        outputs.set_shape(dims)
        return outputs


@add_arg_scope
def softmax(logits: Any, scope: str | None = None) -> Any:
    """Return shares that add up to one along the last dimension."""
    with tf.name_scope(scope or "softmax"):
        logits = tf.convert_to_tensor(logits)
        rows = tf.reshape(logits, [-1, logits.shape.as_list()[-1]])
        outputs = tf.reshape(tf.nn.softmax(rows), tf.shape(logits))
        outputs.set_shape(logits.shape)
        return outputs


def spatial_softmax(
    features: Any,
    temperature: Any = None,
    name: str | None = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Any:
    """Return the expected place of each channel's features, as (x, y) from -1 to 1."""
    with variable_scope(name, "spatial_softmax"):
        features = tf.convert_to_tensor(features)
        if temperature is None:
            temperature = shared.own_variable(
                "temperature",
                (),
                variables_collections,
                dtype=tf.float32,
                initializer=Ones(),
                trainable=trainable,
            )
        if data_format == "NHWC":
            features = tf.transpose(features, [0, 3, 1, 2])
        channels, tall, wide = features.shape.as_list()[1:]
        rows, columns = tf.meshgrid(
            tf.linspace(-1.0, 1.0, tall), tf.linspace(-1.0, 1.0, wide), indexing="ij"
        )
        shares = tf.nn.softmax(tf.reshape(features, [-1, tall * wide]) / temperature)
        places = [
            tf.reduce_sum(tf.reshape(each, [tall * wide]) * shares, 1, keepdims=True)
            for each in (columns, rows)
        ]
        outputs = tf.reshape(tf.concat(places, 1), [-1, channels * 2])
        outputs.set_shape([None, channels * 2])
        return outputs
