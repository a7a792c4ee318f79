"""slim.learning: a training loop around a step, with checkpoints and summaries beside it."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import placewise as tf
from placewise import messages
from placewise.contrib.training import steps
from placewise.contrib.training.steps import (
    add_gradients_summaries as add_gradients_summaries,
)
from placewise.contrib.training.steps import clip_gradient_norms as clip_gradient_norms
from placewise.contrib.training.steps import multiply_gradients as multiply_gradients
from placewise.core.log import get_logger
from placewise.graph.collections import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from placewise.graph.defaults import get_default_graph
from placewise.saving.saver import Saver
from placewise.session.timeline import Timeline
from placewise.summary.file_writer import FileWriter
from placewise.summary.tf1 import merge_all
from placewise.training import supervisor
from placewise.training.global_step import get_or_create_global_step
from placewise.training.optimizer import Optimizer
from placewise.training.sync_replicas import SyncReplicasOptimizer

_USE_DEFAULT = 0


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = _USE_DEFAULT,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Any:
    """Return a tensor whose evaluation takes a training step and gives the loss."""

    def transformed(pairs: Any) -> Any:
        if gradient_multipliers:
            with tf.name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with tf.name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    return steps.create_train_op(
        total_loss=total_loss,
        optimizer=optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transformed,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, bool]:
    """Take one step; return the loss, and whether to stop."""
    started = time.time()
    options, metadata = None, None
    if "should_trace" in train_step_kwargs and sess.run(train_step_kwargs["should_trace"]):
        if "logdir" not in train_step_kwargs:
            raise ValueError("logdir must be present in train_step_kwargs when should_trace is")
        options = messages.RunOptions(trace_level=messages.RunOptions.FULL_TRACE)
        metadata = messages.RunMetadata()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    if metadata is not None:
        path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
        get_logger().info("Writing trace to %s", path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
        if "summary_writer" in train_step_kwargs:
            train_step_kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        taken = time.time() - started
        get_logger().info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, taken)
    stop = (
        sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
    )
    return loss, bool(stop)


def train(
    train_op: Any,
    logdir: Any,
    train_step_fn: Any = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Any = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Any = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Take training steps until enough are taken; return the last loss."""
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if summary_op != _USE_DEFAULT:
            raise ValueError("Cannot provide summary_op because logdir=None")
        if saver is not None:
            raise ValueError("Cannot provide saver because logdir=None")
        if trace_every_n_steps is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
    graph = graph or get_default_graph()
    if isinstance(sync_optimizer, SyncReplicasOptimizer):
        sync_optimizer = [sync_optimizer]
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or _saver()
        if sync_optimizer is not None:
            for each in sync_optimizer:
                if not isinstance(each, SyncReplicasOptimizer):
                    raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
        with tf.name_scope("init_ops"):
            if init_op == _USE_DEFAULT:
                init_op = global_variables_initializer()
            if ready_op == _USE_DEFAULT:
                ready_op = report_uninitialized_variables()
            if local_init_op == _USE_DEFAULT:
                local_init_op = tf.group(local_variables_initializer(), tables_initializer())
            if sync_optimizer is not None and is_chief:
                with graph.control_dependencies(
                    [local_init_op] if local_init_op is not None else []
                ):
                    local_init_op = tf.group(*[each.chief_init_op for each in sync_optimizer])
        if summary_op == _USE_DEFAULT:
            summary_op = merge_all()
        if summary_writer == _USE_DEFAULT:
            summary_writer = FileWriter(logdir) if logdir else None
        hooks = []
        if is_chief and sync_optimizer is not None:
            hooks = [each.get_chief_queue_runner() for each in sync_optimizer]
        if train_step_kwargs == _USE_DEFAULT:
            train_step_kwargs = _default_kwargs(
                global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir
            )
    keeper = supervisor.Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_op=ready_op,
        summary_op=None,
        summary_writer=summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    total = None
    with keeper.managed_session(
        master, start_standard_services=False, config=session_config
    ) as session:
        get_logger().info("Starting Session.")
        if session_wrapper is not None:
            session = session_wrapper(session)
        if is_chief:
            if logdir:
                keeper.start_standard_services(session)
        elif startup_delay_steps > 0:
            _wait_for_step(
                session, global_step, min(startup_delay_steps, number_of_steps or sys.maxsize)
            )
        threads = keeper.start_queue_runners(session)
        get_logger().info("Starting Queues.")
        if hooks:
            keeper.start_queue_runners(session, hooks)
        total = _steps_taken(
            keeper,
            session,
            train_step_fn,
            train_op,
            global_step,
            train_step_kwargs,
            logdir,
            summary_op,
            save_summaries_secs,
            is_chief,
        )
        keeper.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
    return total


def _steps_taken(
    keeper: Any,
    session: Any,
    take: Any,
    train_op: Any,
    step: Any,
    kwargs: Any,
    logdir: Any,
    summary_op: Any,
    every: float,
    is_chief: bool,
) -> Any:
    """Take steps until one asks to stop; save the model at the end."""
    total, last = None, time.time()
    writes = is_chief and logdir and summary_op is not None and every
    if writes:
        keeper.summary_computed(session, session.run(summary_op))
    try:
        while not keeper.should_stop():
            total, stop = take(session, train_op, step, kwargs)
            if writes and time.time() - last >= every:
                keeper.summary_computed(session, session.run(summary_op))
                last = time.time()
            if stop:
                get_logger().info("Stopping Training.")
                keeper.request_stop()
                break
    except tf.errors.OutOfRangeError as problem:
        get_logger().info("Caught OutOfRangeError. Stopping Training. %s", problem)
    if logdir and is_chief:
        get_logger().info("Finished training! Saving model to disk.")
        keeper.saver.save(session, keeper.save_path, global_step=keeper.global_step)
    return total


def _saver() -> Any:
    return Saver() if global_variables() else None


def _default_kwargs(
    step: Any, limit: Any, log_every: int, trace_every: Any, logdir: Any
) -> dict[str, Any]:
    with tf.name_scope("train_step"):
        found: dict[str, Any] = {}
        if limit:
            found["should_stop"] = tf.greater_equal(step, limit)
        else:
            found["should_stop"] = tf.constant(False)
        if log_every > 0:
            found["should_log"] = tf.equal(tf.math.mod(tf.cast(step, tf.int64), log_every), 0)
        if trace_every is not None:
            found["should_trace"] = tf.equal(tf.math.mod(tf.cast(step, tf.int64), trace_every), 0)
            found["logdir"] = logdir
        return found


def _wait_for_step(session: Any, global_step: Any, step: int) -> None:
    while session.run(global_step) < step:
        time.sleep(1)
