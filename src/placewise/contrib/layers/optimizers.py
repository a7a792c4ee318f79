"""`optimize_loss`: one call from a loss to a training step, with clipping, noise and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import placewise as tf
from placewise.contrib.framework.dependencies import with_dependencies
from placewise.core import dtypes
from placewise.graph.collections import GraphKeys, get_collection, trainable_variables
from placewise.graph.defaults import get_default_graph
from placewise.graph.initializers import Constant, Zeros
from placewise.graph.random_values import truncated_normal
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.summary import tf1 as v1
from placewise.training.adagrad import AdagradOptimizer
from placewise.training.adam import AdamOptimizer
from placewise.training.ftrl import FtrlOptimizer
from placewise.training.global_step import assert_global_step, get_global_step
from placewise.training.gradient_descent import GradientDescentOptimizer
from placewise.training.momentum import MomentumOptimizer
from placewise.training.moving_averages import assign_moving_average
from placewise.training.optimizer import Optimizer
from placewise.training.rmsprop import RMSPropOptimizer

if TYPE_CHECKING:
    from placewise.graph.variables import RefVariable


OPTIMIZER_CLS_NAMES: dict[str, Any] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]


def optimize_loss(
    loss: Any,
    global_step: RefVariable,
    learning_rate: Any,
    optimizer: str,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Any = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Any = None,
    update_ops: Any = None,
    variables: Any = None,
    name: str | None = None,
    summaries: Any = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """Return a tensor whose evaluation takes a training step and gives the loss."""
    loss = tf.convert_to_tensor(loss)
    if loss.shape.rank not in (0, None):
        raise ValueError(f"Expected scalar shape for {loss.name}, saw shape: {loss.shape}.")
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    if summaries is None:
        summaries = ["loss", "learning_rate", "global_gradient_norm"]
    else:
        for wanted in summaries:
            if wanted not in OPTIMIZER_SUMMARIES:
                raise ValueError(
                    f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], "
                    f"you provided {wanted}."
                )
    graph = get_default_graph()
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        updates = set(get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
        if updates:
            with graph.control_dependencies(list(updates)):
                barrier = tf.no_op(name="update_barrier")
            loss = with_dependencies([barrier], loss)
        rate = _rate(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:
                v1.scalar("learning_rate", rate)
        stepper = _optimizer(optimizer, rate)
        chosen = trainable_variables() if variables is None else variables
        pairs = stepper.compute_gradients(
            loss, chosen, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_noise_scale is not None:
            pairs = _with_noise(pairs, gradient_noise_scale)
        if gradient_multipliers is not None:
            pairs = _multiplied(pairs, gradient_multipliers)
        if "global_gradient_norm" in summaries or "gradient_norm" in summaries:
            v1.scalar("global_norm/gradient_norm", _global_norm(pairs))
        if callable(clip_gradients):
            pairs = clip_gradients(pairs)
        elif isinstance(clip_gradients, (int, float)):
            kept, owners = zip(*pairs, strict=True)
            pairs = list(zip(tf.clip_by_global_norm(kept, clip_gradients)[0], owners, strict=True))
        elif clip_gradients is not None:
            raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")
        if "loss" in summaries:
            v1.scalar("loss", loss)
        _summarize(pairs, summaries)
        if clip_gradients is not None and (
            "global_gradient_norm" in summaries or "gradient_norm" in summaries
        ):
            v1.scalar("global_norm/clipped_gradient_norm", _global_norm(pairs))
        applied = stepper.apply_gradients(
            pairs, global_step=global_step if increment_global_step else None, name="train"
        )
        return with_dependencies([applied], loss)


def _rate(learning_rate: Any) -> Any:
    if learning_rate is None:
        return None
    if tf.is_tensor(learning_rate) and learning_rate.shape.rank == 0:
        return learning_rate
    if isinstance(learning_rate, float):
        if learning_rate < 0.0:
            raise ValueError(f"Invalid learning_rate {learning_rate}.")
        return get_variable(
            "learning_rate", [], trainable=False, initializer=Constant(learning_rate)
        )
    raise ValueError(
        f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type "
        f"{type(learning_rate)}"
    )


def _optimizer(optimizer: str, rate: RefVariable) -> Any:
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], "
                f"you provided {optimizer}."
            )
        if rate is None:
            raise ValueError(
                f"Learning rate is None, but should be specified if optimizer is string "
                f"({optimizer})."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        if rate is None:
            raise ValueError(
                f"Learning rate is None, but should be specified if optimizer is class "
                f"({optimizer})."
            )
        made: Any = optimizer
        return made(learning_rate=rate)
    if isinstance(optimizer, Optimizer):
        return optimizer
    if callable(optimizer):
        made = optimizer(rate) if rate is not None else optimizer()
        if isinstance(made, Optimizer):
            return made
        raise ValueError(
            f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}."
        )
    raise ValueError(
        "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of "
        f"Optimizer or function with one argument. Got {optimizer}."
    )


def _values(gradient: Any) -> Any:
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def _global_norm(pairs: list[tuple[Any, Any]]) -> Any:
    return tf.linalg.global_norm([gradient for gradient, _ in pairs])


def _summarize(pairs: list[tuple[Any, Any]], summaries: list[Any]) -> None:
    for gradient, variable in pairs:
        if gradient is None:
            continue
        label = variable.name.replace(":", "_")
        if "gradients" in summaries:
            v1.histogram(f"gradients/{label}", _values(gradient))
        if "gradient_norm" in summaries:
            v1.scalar(f"gradient_norm/{label}", tf.linalg.global_norm([_values(gradient)]))


def _with_noise(pairs: list[tuple[Any, Any]], scale: float) -> list[tuple[Any, Any]]:
    """Return gradients with scaled normal noise."""
    noisy: list[tuple[Any, Any]] = []
    for gradient, variable in pairs:
        if gradient is None:
            noisy.append((None, variable))
            continue
        is_sparse = isinstance(gradient, tf.IndexedSlices)
        shape = tf.shape(_values(gradient)) if is_sparse else gradient.shape
        noise = truncated_normal(shape) * scale
        if is_sparse:
            changed = tf.IndexedSlices(gradient.values + noise, gradient.indices)
            noisy.append((changed, variable))
        else:
            noisy.append((gradient + noise, variable))
    return noisy


def _multiplied(pairs: list[tuple[Any, Any]], factors: Any) -> list[tuple[Any, Any]]:
    """Return gradients times a factor for each variable, by variable or name."""
    made = []
    for gradient, variable in pairs:
        factor = next(
            (
                value
                for key, value in factors.items()
                if key is variable or key == getattr(variable, "name", None)
            ),
            None,
        )
        if gradient is not None and factor is not None:
            factor = tf.cast(tf.convert_to_tensor(factor), tf.float32)
            if isinstance(gradient, tf.IndexedSlices):
                gradient = tf.IndexedSlices(
                    gradient.values * factor, gradient.indices, gradient.dense_shape
                )
            else:
                gradient = gradient * factor
        made.append((gradient, variable))
    return made


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Any:
    """Return a function that clips gradients whose norm is unusual by the norms before."""

    def clip(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        gradients, owners = zip(*pairs, strict=True)
        norm = tf.linalg.global_norm(gradients)
        limit = _adaptive_limit(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            v1.scalar("global_norm/adaptive_max_gradient_norm", limit)
        factor = tf.where(tf.less(norm, limit), tf.ones_like(norm), tf.exp(limit) / norm)
        if static_max_norm is not None:
            factor = tf.minimum(static_max_norm / norm, factor)
        clipped = [
            None
            if each is None
            else tf.IndexedSlices(each.values * factor, each.indices, each.dense_shape)
            if isinstance(each, tf.IndexedSlices)
            else each * factor
            for each in gradients
        ]
        return list(zip(clipped, owners, strict=True))

    return clip


def _adaptive_limit(
    norm: Any, deviations: float, decay: float, step: Any, epsilon: float, name: str | None
) -> Any:
    with variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm = tf.math.log(norm + epsilon)

        def average(label: str, value: Any, share: Any) -> Any:
            kept = get_variable(
                label, shape=value.shape, dtype=value.dtype, initializer=Zeros(), trainable=False
            )
            return assign_moving_average(kept, value, share, zero_debias=False)

        share: Any = decay
        if step is not None:
            count = tf.cast(step, dtypes.float32)
            share = tf.minimum(decay, count / (count + 1.0))
        mean = tf.convert_to_tensor(average("mean", log_norm, share))
        squares = tf.convert_to_tensor(average("sq_mean", tf.square(log_norm), share))
        spread = tf.sqrt(tf.maximum(epsilon, squares - tf.square(mean)))
        return tf.exp(mean + deviations * spread)
