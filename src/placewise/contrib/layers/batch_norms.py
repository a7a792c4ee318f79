"""Batch normalization with contrib's options: where updates go, weights of cases, debiasing."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope
from placewise.contrib.layers import shared
from placewise.graph.collections import GraphKeys, add_to_collections
from placewise.graph.defaults import get_default_graph
from placewise.graph.initializers import Ones, Zeros
from placewise.graph.variable_scope import variable_scope
from placewise.layers.dropout import smart_cond
from placewise.layers.normalization import BatchNormalization
from placewise.ops.nn.batch_norm import fused_batch_norm
from placewise.training.moving_averages import assign_moving_average

_STARTS = {"beta": Zeros(), "gamma": Ones(), "moving_mean": Zeros(), "moving_variance": Ones()}


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Any = None,
    param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Any:
    """Return the inputs normalized by the batch while training, else by moving averages.

    The averages move by operations in `updates_collections`; with None they move before the
    outputs are given.
    """
    if fused and (batch_weights is not None or param_regularizers is not None or renorm):
        what = (
            "Weighted mean and variance"
            if batch_weights is not None
            else ("Regularizers" if param_regularizers is not None else "Renorm")
        )
        raise ValueError(f"{what} is not currently supported for fused batch norm.")
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank")
    can_fuse = batch_weights is None and not renorm and rank in (2, 4) and adjustment is None
    fused = can_fuse if fused is None else fused
    starts = {**_STARTS, **(param_initializers or {})}
    penalties = param_regularizers or {}
    by_layer = (
        batch_weights is None
        and (
            not (fused and can_fuse)
            or (
                (rank == 4 and updates_collections == GraphKeys.UPDATE_OPS)
                and not zero_debias_moving_mean
            )
        )
        and updates_collections == GraphKeys.UPDATE_OPS
        and not zero_debias_moving_mean
    )
    if by_layer:
        with shared.layer_scope(scope, "BatchNorm", inputs, reuse, {}) as opened:
            layer = BatchNormalization(
                axis=1 if data_format == "NCHW" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                beta_initializer=starts["beta"],
                gamma_initializer=starts["gamma"],
                moving_mean_initializer=starts["moving_mean"],
                moving_variance_initializer=starts["moving_variance"],
                beta_regularizer=penalties.get("beta"),
                gamma_regularizer=penalties.get("gamma"),
                trainable=trainable,
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                name=opened.name,
                dtype=inputs.dtype.base_dtype,
                fused=fused,
                _scope=opened,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs, training=is_training)
            for name in ("beta", "gamma", "moving_mean", "moving_variance"):
                made = getattr(layer, name)
                if made is not None and hasattr(made, "initializer"):
                    shared.collect_variable(made, variables_collections, name)
            return shared.finish(outputs, activation_fn, outputs_collections, opened)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as opened:
        state = _State(
            inputs, data_format, center, scale, starts, penalties, trainable, variables_collections
        )
        normal = _with_fused_op if fused and can_fuse else _with_moments
        outputs, mean, variance = normal(state, inputs, is_training, epsilon, batch_weights)
        outputs = _moved(
            state,
            outputs,
            mean,
            variance,
            decay,
            is_training,
            updates_collections,
            zero_debias_moving_mean,
        )
        if normal is _with_fused_op and rank == 2:
            outputs = tf.reshape(outputs, tf.shape(inputs))
        outputs.set_shape(inputs.shape)
        return shared.finish(outputs, activation_fn, outputs_collections, opened)


class _State:
    """The variables of a normalization, and the axis of its channels."""

    def __init__(
        self,
        inputs: Any,
        data_format: str,
        center: bool,
        scale: bool,
        starts: Any,
        penalties: Any,
        trainable: bool,
        collections: Any,
    ) -> None:
        self.data_format = data_format
        self.axis = 1 if data_format == "NCHW" else inputs.shape.rank - 1
        self.size = inputs.shape.as_list()[self.axis]
        if self.size is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension")
        self.kind = tf.float32 if inputs.dtype == tf.float16 else inputs.dtype.base_dtype

        def made(name: str, learned: bool) -> Any:
            return shared.own_variable(
                name,
                [self.size],
                collections,
                dtype=self.kind,
                initializer=starts[name],
                regularizer=penalties.get(name) if learned else None,
                trainable=trainable and learned,
            )

        self.beta = made("beta", True) if center else None
        self.gamma = made("gamma", True) if scale else None
        self.mean, self.variance = made("moving_mean", False), made("moving_variance", False)


def _with_fused_op(
    state: _State, inputs: Any, is_training: Any, epsilon: float, _: Any
) -> tuple[Any, Any, Any]:
    if inputs.shape.rank == 2:
        sizes = [-1, state.size, 1, 1] if state.data_format == "NCHW" else [-1, 1, 1, state.size]
        inputs = tf.reshape(inputs, sizes)
    beta = tf.zeros([state.size]) if state.beta is None else state.beta
    gamma = tf.ones([state.size]) if state.gamma is None else state.gamma

    def of_batch() -> Any:
        return fused_batch_norm(inputs, gamma, beta, epsilon=epsilon, data_format=state.data_format)

    def of_averages() -> Any:
        return fused_batch_norm(
            inputs,
            gamma,
            beta,
            mean=state.mean,
            variance=state.variance,
            epsilon=epsilon,
            is_training=False,
            data_format=state.data_format,
        )

    outputs, mean, variance = smart_cond(is_training, of_batch, of_averages)
    return outputs, mean, variance


def _with_moments(
    state: _State, inputs: Any, is_training: Any, epsilon: float, weights: Any
) -> tuple[Any, Any, Any]:
    rank = inputs.shape.rank
    reduced = [place for place in range(rank) if place != state.axis]
    if weights is None:
        mean, variance = tf.nn.moments(inputs, reduced)
    else:
        weights = tf.cast(tf.convert_to_tensor(weights), inputs.dtype)
        weights = tf.reshape(weights, [-1] + [1] * (rank - 1))
        mean, variance = tf.nn.weighted_moments(inputs, reduced, weights)
    chosen = [
        smart_cond(is_training, lambda new=new: new, lambda old=old: tf.convert_to_tensor(old))
        for new, old in ((mean, state.mean), (variance, state.variance))
    ]
    shape = [state.size if place == state.axis else 1 for place in range(rank)]
    new_mean, new_variance, beta, gamma = (
        None if each is None else tf.reshape(each, shape)
        for each in (*chosen, state.beta, state.gamma)
    )
    normalized = tf.nn.batch_normalization(inputs, new_mean, new_variance, beta, gamma, epsilon)
    return normalized, mean, variance


def _moved(
    state: _State,
    outputs: Any,
    mean: Any,
    variance: Any,
    decay: float,
    is_training: Any,
    collections: Any,
    zero_debias: bool,
) -> Any:
    """Have the averages move while training: before the outputs, or by collected operations."""
    if is_training is False or (not tf.is_tensor(is_training) and not is_training):
        return outputs

    def moves() -> list[Any]:
        return [
            assign_moving_average(state.mean, mean, decay, zero_debias=zero_debias),
            assign_moving_average(state.variance, variance, decay, zero_debias=False),
        ]

    fixed = not tf.is_tensor(is_training)
    if collections is None:

        def moved() -> Any:
            with get_default_graph().control_dependencies(moves()):
                return tf.identity(outputs)

        return moved() if fixed else smart_cond(is_training, moved, lambda: outputs)
    if fixed:
        made = moves()
    else:
        made = [
            _moved_if(is_training, kept, new, decay)
            for kept, new in ((state.mean, mean), (state.variance, variance))
        ]
    for each in made:
        add_to_collections(collections, each)
    return outputs


def _moved_if(is_training: Any, kept: Any, new: Any, decay: float) -> Any:
    """Return an average after a step towards a value where training, else as it is."""

    def moved() -> Any:
        return tf.convert_to_tensor(assign_moving_average(kept, new, decay, zero_debias=False))

    return smart_cond(is_training, moved, lambda: tf.convert_to_tensor(kept))
