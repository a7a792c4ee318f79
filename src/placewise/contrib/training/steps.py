"""From a loss to a training step: gradients clipped, multiplied, summarized, applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.contrib.framework.dependencies import with_dependencies
from placewise.core.log import get_logger
from placewise.graph.collections import GraphKeys, get_collection, trainable_variables
from placewise.graph.defaults import get_default_graph
from placewise.summary import tf1 as v1
from placewise.training.global_step import get_or_create_global_step
from placewise.training.monitored_session import MonitoredTrainingSession
from placewise.training.optimizer import Optimizer

USE_GLOBAL_STEP = 0


def _map_values(function: Callable[[Any], Any], gradient: Any) -> Any:
    """Return a gradient with a function applied to its values, whether it is sparse or dense."""
    if not isinstance(gradient, tf.IndexedSlices):
        return function(gradient)
    return tf.IndexedSlices(function(gradient.values), gradient.indices, gradient.dense_shape)


def add_gradients_summaries(grads_and_vars: Any) -> list[Any]:
    """Return summaries of gradients and of their norms."""
    summaries: list[Any] = []
    for gradient, variable in grads_and_vars:
        name = variable.op.name
        if gradient is None:
            get_logger().info("Var %s has no gradient", name)
        else:
            values = getattr(gradient, "values", gradient)
            norm = tf.linalg.global_norm([values])
            summaries += (
                v1.histogram(f"{name}_gradient", values),
                v1.scalar(f"{name}_gradient_norm", norm),
            )
    return summaries


def clip_gradient_norms(gradients_to_variables: Any, max_norm: float) -> list[tuple[Any, Any]]:
    """Return gradients, each no longer than `max_norm`."""

    def clip(values: Any) -> Any:
        return tf.clip_by_norm(values, max_norm)

    return [
        (None if gradient is None else _map_values(clip, gradient), variable)
        for gradient, variable in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: float) -> Any:
    """Return a function that keeps gradients no longer than `max_norm`."""
    return lambda pairs: clip_gradient_norms(pairs, max_norm)


def multiply_gradients(
    grads_and_vars: Any, gradient_multipliers: dict[Any, Any]
) -> list[tuple[Any, Any]]:
    """Return gradients times the factors given for their variables, by variable or name."""
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    factors = {
        key if isinstance(key, str) else key.op.name: factor
        for key, factor in gradient_multipliers.items()
    }
    return [
        (_multiply(gradient, factors.get(variable.op.name)), variable)
        for gradient, variable in grads_and_vars
    ]


def _multiply(gradient: Any, factor: Any) -> Any:
    if factor is None:
        return gradient
    if gradient is None:
        raise ValueError("Requested multiple of `None` gradient.")
    return _map_values(lambda values: values * tf.cast(factor, values.dtype), gradient)


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    transform_grads_fn: Any = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Any:
    """Return a tensor whose evaluation takes a training step and gives the loss."""
    step_counter = get_or_create_global_step() if global_step is USE_GLOBAL_STEP else global_step
    loss = _after_updates(total_loss, update_ops)
    pairs = optimizer.compute_gradients(
        loss,
        _trained_variables(variables_to_train),
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        with tf.name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    update = optimizer.apply_gradients(pairs, global_step=step_counter)
    with tf.name_scope("train_op"):
        if check_numerics:
            loss = tf.debugging.check_numerics(loss, "LossTensor is inf or nan")
        train_op = with_dependencies([update], loss)
    # Identity, as `in` would compare the values of tensors.
    train_ops = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
    if all(train_op is not other for other in train_ops):
        train_ops.append(train_op)
    return train_op


def _after_updates(loss: Any, update_ops: Any) -> Any:
    """Return a loss that is computed after the updates, by default those of the collection."""
    collected = set(get_collection(GraphKeys.UPDATE_OPS))
    updates = collected if update_ops is None else set(update_ops)
    if collected - updates:
        get_logger().warning(
            "update_ops in create_train_op does not contain all the update_ops in "
            "GraphKeys.UPDATE_OPS"
        )
    if not updates:
        return loss
    with get_default_graph().control_dependencies(list(updates)):
        barrier = tf.no_op(name="update_barrier")
    return with_dependencies([barrier], loss)


def _trained_variables(variables: Any) -> Any:
    """Return the variables to train, by default all that can be; ValueError for any other."""
    trainable = trainable_variables()
    chosen = trainable if variables is None else variables
    known = {id(variable) for variable in trainable}
    for variable in chosen:
        if id(variable) not in known:
            raise ValueError(f"{variable} is not a trainable variable")
    if not chosen:
        raise ValueError("`variables_to_train` is empty")
    return chosen


def train(
    train_op: Any,
    logdir: Any,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = 600,
    save_summaries_steps: Any = 100,
    config: Any = None,
    max_wait_secs: int = 7200,
    run_metadata: Any = None,
) -> Any:
    """Take training steps until a hook asks to stop; return the last loss."""
    needs_folder = {
        "save_summaries_steps": save_summaries_steps,
        "save_checkpoint_secs": save_checkpoint_secs,
    }
    for name, value in needs_folder.items():
        if value and is_chief and logdir is None:
            raise ValueError(f"logdir cannot be None when {name} is not None")
    loss = None
    with MonitoredTrainingSession(
        master,
        is_chief,
        logdir,
        scaffold,
        hooks,
        chief_only_hooks,
        config=config,
        max_wait_secs=max_wait_secs,
        **needs_folder,
    ) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
