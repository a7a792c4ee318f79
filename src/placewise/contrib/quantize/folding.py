"""Batch normalizations folded into the weights of the layers before them.

What is quantized then are the weights that inference uses. While training, weights are scaled by
the moving variance, which changes little from step to step, and the results by what the batch's
own variance makes of it: the numbers are those of the normalization.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import placewise as tf
from placewise.contrib.quantize.ranges import quantization_step
from placewise.contrib.quantize.rewiring import (
    ADDING,
    LAYERS,
    Consumers,
    context_of,
    is_variable,
)
from placewise.graph.recorder import constant_value

_FUSED = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})


class _Normalization(NamedTuple):
    """A batch normalization behind a layer."""

    layer: Any
    data: Any  # what the layer reads
    between: tuple[Any, ...]  # operations that arrange the layer's output, in order
    output: Any
    gamma: Any
    beta: Any
    mean: Any
    variance: Any
    epsilon: Any
    is_training: bool
    scale: Any = None  # what an unfused one multiplies with, and adds
    bias: Any = None


class Folded(NamedTuple):
    """The layer that stands for another and its normalization."""

    layer: Any
    output: Any


def fold(consumers: Consumers, graph: Any, is_training: bool, freeze_delay: int | None) -> Any:
    """Replace normalized layers by folded ones; return these, by their operation."""
    # All are found first: a layer behind a folded one reads what it read before, as in TensorFlow.
    found = [*_fused(consumers, graph), *_unfused(consumers, graph)]
    for normalization in found if is_training else ():
        if normalization.is_training:  # an error comes before the graph is changed
            _update_of(consumers, normalization, normalization.mean)
    made = {}
    for normalization in found:
        folded = _folded(consumers, normalization, is_training, freeze_delay)
        readers = consumers.of(normalization.output)
        consumers.reroute(normalization.output, folded.output, readers)
        made[folded.layer] = folded
    return made


def _fused(consumers: Consumers, graph: Any) -> Iterator[_Normalization]:
    for operation in graph.get_operations():
        if operation.type not in _FUSED:
            continue
        behind = _layer_before(operation.inputs[0])
        output = _arranged_back(consumers, operation.outputs[0])
        if behind is None or not consumers.of(output):
            continue
        is_training = operation.get_attr("is_training")
        mean, variance = operation.outputs[1:3] if is_training else operation.inputs[3:5]
        if is_training:
            operation.gradient_override = _statistics_gradient
            operation.graph.has_overrides = True
        yield _Normalization(
            *behind,
            output,
            operation.inputs[1],
            operation.inputs[2],
            mean,
            variance,
            operation.get_attr("epsilon"),
            is_training,
        )


def _statistics_gradient(call: Any, _: Any, d_mean: Any, d_variance: Any, *__: Any) -> Any:
    """Return the gradient of a batch's mean and variance.

    A fused normalization has none by itself. Here nothing else of it is read any more.
    """
    x, mean = call.inputs[0], call.outputs[1]
    axes = [1, -1, 1, 1] if call.attrs["data_format"] == "NCHW" else [-1]
    count = tf.cast(tf.size(x) / tf.size(mean), mean.dtype)
    d_x = tf.zeros_like(x)
    if d_mean is not None:
        d_x += tf.reshape(d_mean / count, axes)
    if d_variance is not None:
        centered = x - tf.reshape(mean, axes)
        d_x += tf.reshape(2.0 * d_variance / (count - 1.0), axes) * centered
    return (d_x, *[None] * (len(call.inputs) - 1))


def _layer_before(tensor: Any) -> tuple[Any, Any, tuple[Any, ...]] | None:
    """Return the layer that computes a tensor, what it reads, and what arranges its output."""
    between: list[Any] = []
    while tensor.op.type in ("BatchToSpaceND", "Reshape"):
        between.insert(0, tensor.op)
        tensor = tensor.op.inputs[0]
    layer = tensor.op
    if layer.type not in LAYERS or not is_variable(layer.inputs[1]):
        return None
    # A matrix is given the axes of an image, and back: nothing that a folded layer needs.
    return layer, layer.inputs[0], tuple(op for op in between if op.type != "Reshape")


def _arranged_back(consumers: Consumers, tensor: Any) -> Any:
    readers = consumers.of(tensor)
    is_reshaped = len(readers) == 1 and readers[0].type == "Reshape"
    is_matrix = is_reshaped and tensor.op.inputs[0].op.type == "Reshape"
    return readers[0].outputs[0] if is_matrix else tensor


def _unfused(consumers: Consumers, graph: Any) -> Iterator[_Normalization]:
    """Find `x * scale + (beta - mean * scale)`, as `tf.nn.batch_normalization` writes it."""
    for operation in graph.get_operations():
        if operation.type not in ADDING:
            continue
        product, bias = operation.inputs
        if product.op.type != "Mul" or bias.op.type != "Sub" or bias.op.inputs[1].op.type != "Mul":
            continue
        tensor, scale = product.op.inputs
        beta, shift = bias.op.inputs
        root = _root_of(scale)
        behind = _layer_before(tensor)
        if root is None or shift.op.inputs[1] is not scale or behind is None:
            continue
        total = root.inputs[0].op
        epsilon = constant_value(total.inputs[1]) if total.type in ADDING else None
        if epsilon is None or not consumers.of(operation.outputs[0]):
            continue
        gamma = tf.ones_like(beta) if scale.op is root else scale.op.inputs[1]
        mean, variance = shift.op.inputs[0], total.inputs[0]
        yield _Normalization(
            *behind,
            operation.outputs[0],
            gamma,
            beta,
            mean,
            variance,
            float(epsilon),
            not is_variable(mean),
            scale,
            bias,
        )


def _root_of(scale: Any) -> Any:
    """Return the Rsqrt that a scale is, or that it is multiplied from; None for another tensor."""
    candidate = scale.op.inputs[0].op if scale.op.type == "Mul" else scale.op
    return candidate if candidate.type == "Rsqrt" else None


def _folded(
    consumers: Consumers, found: _Normalization, is_training: bool, freeze_delay: int | None
) -> Folded:
    layer = found.layer
    with _scope_of(layer):
        if found.scale is None:
            found = _with_scale(found)
        scale, weights = found.scale, layer.inputs[1]
        correction = None
        if found.is_training and is_training:
            correction = _correction(consumers, found, freeze_delay)
            weights = tf.multiply(
                _as_weights(correction.scale, weights, layer), weights, name="correction_mult"
            )
        weights = tf.multiply(weights, _as_weights(scale, weights, layer), name="mul_fold")
        name = f"{layer.name.rpartition('/')[2]}_Fold"
        output = layer.declaration.bind(found.data, weights, **layer.attrs, name=name)
        new = output.op
        for arranging in found.between:
            rest = arranging.inputs[1:]
            output = arranging.declaration.bind(output, *rest, **arranging.attrs)
        if correction is not None:
            output = tf.multiply(correction.reciprocal, output, name="post_conv_mul")
            output = tf.compat.v1.add(output, correction.offset, name="correction_add")
        return Folded(new, tf.compat.v1.add(output, found.bias, name="add_fold"))


def _scope_of(operation: Any) -> Any:
    """Return a context that makes names beside an operation."""
    scope = context_of(operation)
    return tf.compat.v1.name_scope(f"{scope}/" if scope else None)


def _with_scale(found: _Normalization) -> _Normalization:
    """Return a fused normalization with the factor and the sum that it is."""
    if found.is_training:
        with _scope_of(found.mean.op):
            found = found._replace(variance=_of_population(found))
    with tf.compat.v1.name_scope("BatchNorm_Fold"):
        scale = tf.multiply(found.gamma, tf.math.rsqrt(found.variance + found.epsilon))
        bias = tf.subtract(found.beta, found.mean * scale, name="bias")
    return found._replace(scale=scale, bias=bias)


def _of_population(found: _Normalization) -> Any:
    """Return the batch's variance, of which the fused kernel gives an estimate for all data."""
    layer_output = found.layer.outputs[0]
    count = tf.cast(tf.size(layer_output) / tf.size(found.mean), found.variance.dtype)
    return tf.multiply(found.variance, (count - 1) / count, name="Undo_Bessel_Correction")


def _as_weights(scale: Any, weights: Any, layer: Any) -> Any:
    """Return a factor for each channel of the result in the shape of weights."""
    if layer.type != "DepthwiseConv2dNative":
        return scale
    return tf.reshape(scale, weights.shape[2:].as_list(), name="scale_reshape")


class _Correction(NamedTuple):
    """What lets weights be scaled by the moving variance."""

    scale: Any
    reciprocal: Any
    offset: Any


def _correction(
    consumers: Consumers, found: _Normalization, freeze_delay: int | None
) -> _Correction:
    mean_update = _update_of(consumers, found, found.mean)
    # The moving variance follows the estimate, not the batch's own.
    variance_update = _update_of(consumers, found, _estimate(found))
    moving_mean, moving_variance = mean_update.inputs[0], variance_update.inputs[0]
    # Of a fused one, beside the scale that was made for it.
    is_fused = found.bias.op.name.endswith("BatchNorm_Fold/bias")
    with (
        _scope_of(found.bias.op) if is_fused else nullcontext(),
        tf.compat.v1.name_scope("batch_norm_correction"),
    ):
        moving_root = tf.math.rsqrt(moving_variance + found.epsilon)
        root = tf.math.rsqrt(found.variance + found.epsilon)
        scale = tf.divide(moving_root, root, name="scale_compute")
        scale = tf.identity(scale, name="correction_scale")
        reciprocal = tf.math.reciprocal(scale, name="reciprocal_compute")
        offset = tf.multiply(
            found.gamma, found.mean * root - moving_mean * moving_root, name="offset_compute"
        )
        if freeze_delay is None:
            return _Correction(scale, reciprocal, tf.zeros_like(offset, name="zeros"))
        is_frozen = tf.greater_equal(quantization_step(), freeze_delay, name="use_moving_average")
        for update, name in ((mean_update, "mean"), (variance_update, "var")):
            _freeze(consumers, update, is_frozen, f"freeze_moving_{name}")
        ones = tf.ones_like(reciprocal)
        return _Correction(
            scale,
            tf.cond(is_frozen, lambda: ones, lambda: reciprocal, name="correction_recip"),
            tf.cond(
                is_frozen, lambda: offset, lambda: tf.zeros_like(offset), name="correction_offset"
            ),
        )


def _estimate(found: _Normalization) -> Any:
    operation = found.variance.op
    is_undone = operation.name.endswith("Undo_Bessel_Correction")
    return operation.inputs[0] if is_undone else found.variance


def _update_of(consumers: Consumers, found: _Normalization, value: Any) -> Any:
    """Return the operation that subtracts a value from its moving average."""
    for operation in consumers.of(value):
        if operation.type == "Sub" and is_variable(operation.inputs[0]):
            return operation
    raise ValueError(
        f"The moving average of {value.name} was not found, with which the batch normalization "
        f"behind '{found.layer.name}' is folded.\n"
        "  make it with tf.layers.batch_normalization or tf.contrib.layers.batch_norm, and call "
        "this before tf.gradients and Optimizer.minimize"
    )


def _freeze(consumers: Consumers, update: Any, is_frozen: Any, name: str) -> None:
    """Let a moving average stay as it is from a step on."""
    for product in consumers.of(update.outputs[0]):
        if product.type == "Mul":
            share = product.inputs[1]
            kept = tf.cond(is_frozen, lambda: tf.zeros([]), lambda s=share: s, name=name)
            consumers.reroute(share, kept, [product])
