"""From a loss to a training step: gradients clipped, multiplied, summarized, applied."""

from __future__ import annotations

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


def add_gradients_summaries(grads_and_vars: Any) -> list[Any]:
    """Return summaries of gradients and of their norms."""
    made = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            get_logger().info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        made.append(v1.histogram(f"{variable.op.name}_gradient", values))
        made.append(v1.scalar(f"{variable.op.name}_gradient_norm", tf.linalg.global_norm([values])))
    return made


def clip_gradient_norms(gradients_to_variables: Any, max_norm: float) -> list[tuple[Any, Any]]:
    """Return gradients, each no longer than `max_norm`."""
    clipped = []
    for gradient, variable in gradients_to_variables:
        if gradient is not None:
            if isinstance(gradient, tf.IndexedSlices):
                values = tf.clip_by_norm(gradient.values, max_norm)
                gradient = tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
            else:
                gradient = tf.clip_by_norm(gradient, max_norm)
        clipped.append((gradient, variable))
    return clipped


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
    by_name = {
        (getattr(key, "op", None) and key.op.name) or key: factor
        for key, factor in gradient_multipliers.items()
    }
    made = []
    for gradient, variable in grads_and_vars:
        if variable.op.name in by_name:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = by_name[variable.op.name]
            if isinstance(gradient, tf.IndexedSlices):
                gradient = tf.IndexedSlices(
                    gradient.values * tf.cast(factor, gradient.values.dtype),
                    gradient.indices,
                    gradient.dense_shape,
                )
            else:
                gradient = gradient * tf.cast(factor, gradient.dtype)
        made.append((gradient, variable))
    return made


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
    if global_step is USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    collected = set(get_collection(GraphKeys.UPDATE_OPS))
    updates = collected if update_ops is None else set(update_ops)
    if not collected.issubset(updates):
        get_logger().warning(
            "update_ops in create_train_op does not contain all the update_ops in "
            "GraphKeys.UPDATE_OPS"
        )
    graph = get_default_graph()
    if updates:
        with graph.control_dependencies(list(updates)):
            barrier = tf.no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    if variables_to_train is None:
        variables_to_train = trainable_variables()
    else:
        known = {id(each) for each in trainable_variables()}
        for each in variables_to_train:
            if id(each) not in known:
                raise ValueError(f"{each} is not a trainable variable")
    if not variables_to_train:
        raise ValueError("`variables_to_train` is empty")
    pairs = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        with tf.name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    applied = optimizer.apply_gradients(pairs, global_step=global_step)
    with tf.name_scope("train_op"):
        if check_numerics:
            total_loss = tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
        step = with_dependencies([applied], total_loss)
    kept = graph.get_collection_ref(GraphKeys.TRAIN_OP)
    if not any(step is each for each in kept):
        kept.append(step)
    return step


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
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError("logdir cannot be None when save_summaries_steps is not None")
        if save_checkpoint_secs:
            raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
