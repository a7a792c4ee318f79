"""slim.learning: a training loop around a step, with checkpoints and summaries beside it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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

    # Each change to the gradients with the scope that TensorFlow names its operations by.
    changes: dict[str, Any] = {}
    if gradient_multipliers:
        changes["multiply_grads"] = partial(
            multiply_gradients, gradient_multipliers=gradient_multipliers
        )
    if clip_gradient_norm > 0:
        changes["clip_grads"] = partial(clip_gradient_norms, max_norm=clip_gradient_norm)

    def change_all(pairs: Any) -> Any:
        for scope, change in changes.items():
            with tf.name_scope(scope):
                pairs = change(pairs)
        return pairs

    return steps.create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        change_all,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, bool]:
    """Take one step; return the loss, and whether to stop."""

    def is_due(question: str) -> bool:
        tensor = train_step_kwargs.get(question)
        return tensor is not None and bool(sess.run(tensor))

    started = time.time()
    fetches = [train_op, global_step]
    if is_due("should_trace"):
        loss, step = _traced_run(sess, fetches, train_step_kwargs)
    else:
        loss, step = sess.run(fetches)
    if is_due("should_log"):
        seconds = time.time() - started
        get_logger().info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, seconds)
    return loss, is_due("should_stop")


def _traced_run(session: Any, fetches: Any, settings: dict[str, Any]) -> Any:
    """Return what is fetched, and write a timeline of the run to the folder."""
    if "logdir" not in settings:
        raise ValueError("logdir must be present in train_step_kwargs when should_trace is")
    metadata = messages.RunMetadata()
    options = messages.RunOptions(trace_level=messages.RunOptions.FULL_TRACE)
    loss, step = session.run(fetches, options=options, run_metadata=metadata)
    path = os.path.join(settings["logdir"], f"tf_trace-{step}.json")
    get_logger().info("Writing trace to %s", path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
    if "summary_writer" in settings:
        settings["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")
    return loss, step


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
        _refuse_without_folder(
            summary_op=None if _is_default(summary_op) else summary_op,
            saver=saver,
            trace_every_n_steps=trace_every_n_steps,
        )
    syncs = _sync_optimizers(sync_optimizer)
    if syncs and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    graph = graph or get_default_graph()
    with graph.as_default():
        step = get_or_create_global_step() if global_step is None else global_step
        saver = saver or (Saver() if global_variables() else None)
        with tf.name_scope("init_ops"):
            init_op = _or_make(init_op, global_variables_initializer)
            ready_op = _or_make(ready_op, report_uninitialized_variables)
            local_init_op = _or_make(
                local_init_op, lambda: tf.group(local_variables_initializer(), tables_initializer())
            )
            if syncs and is_chief:
                first = [] if local_init_op is None else [local_init_op]
                with graph.control_dependencies(first):
                    local_init_op = tf.group(*[item.chief_init_op for item in syncs])
        summary_op = _or_make(summary_op, merge_all)
        writer = _or_make(summary_writer, lambda: FileWriter(logdir) if logdir else None)
        chief_runners = [item.get_chief_queue_runner() for item in syncs] if is_chief else []
        settings = _or_make(
            train_step_kwargs,
            lambda: _step_settings(
                step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir
            ),
        )
    keeper = supervisor.Supervisor(
        graph=graph,
        ready_op=ready_op,
        is_chief=is_chief,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        logdir=logdir,
        summary_op=None,  # the loop below writes summaries, between two steps
        saver=saver,
        global_step=step,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        summary_writer=writer,
        init_fn=init_fn,
    )
    # By position: a program's own function may name its parameters as it likes.
    loop = _Loop(keeper, lambda session: train_step_fn(session, train_op, step, settings))
    if is_chief and logdir and summary_op is not None and save_summaries_secs:
        loop.summary_op, loop.summary_secs = summary_op, save_summaries_secs
    with keeper.managed_session(master, session_config, start_standard_services=False) as session:
        get_logger().info("Starting Session.")
        session = session if session_wrapper is None else session_wrapper(session)
        if not is_chief:
            _wait_for_step(session, step, min(startup_delay_steps, number_of_steps or sys.maxsize))
        elif logdir:
            keeper.start_standard_services(session)
        threads = keeper.start_queue_runners(session)
        get_logger().info("Starting Queues.")
        keeper.start_queue_runners(session, chief_runners)
        loss = loop.run(session)
        if is_chief and logdir:
            get_logger().info("Finished training! Saving model to disk.")
            keeper.saver.save(session, keeper.save_path, global_step=keeper.global_step)
        keeper.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
    return loss


def _is_default(argument: Any) -> bool:
    # By type too: a tensor would compare its value with 0.
    return isinstance(argument, int) and argument == _USE_DEFAULT


def _or_make(argument: Any, make: Callable[[], Any]) -> Any:
    """Return an argument, or what is made where it was left out."""
    return make() if _is_default(argument) else argument


def _refuse_without_folder(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"Cannot provide {name} because logdir=None")


def _sync_optimizers(argument: Any) -> list[Any]:
    """Return the optimizers that join workers: none, one, or the list that was given."""
    if argument is None:
        return []
    optimizers = [argument] if isinstance(argument, SyncReplicasOptimizer) else list(argument)
    if not all(isinstance(item, SyncReplicasOptimizer) for item in optimizers):
        raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
    return optimizers


@dataclass
class _Loop:
    """Steps until one asks to stop, the data end, or a thread fails; summaries in between."""

    keeper: supervisor.Supervisor
    step_fn: Callable[[Any], tuple[Any, bool]]
    summary_op: Any = None  # None: summaries are not written
    summary_secs: float = 0.0

    def run(self, session: Any) -> Any:
        """Take the steps in a session; return the last loss."""
        loss = None
        self._summarize(session)
        try:
            while not self.keeper.should_stop():
                loss, is_last = self.step_fn(session)
                if time.time() >= self._next_summary:
                    self._summarize(session)
                if is_last:
                    get_logger().info("Stopping Training.")
                    self.keeper.request_stop()
        except tf.errors.OutOfRangeError as end:
            get_logger().info("Caught OutOfRangeError. Stopping Training. %s", end)
        return loss

    def _summarize(self, session: Any) -> None:
        self._next_summary = float("inf")
        if self.summary_op is not None:
            self.keeper.summary_computed(session, session.run(self.summary_op))
            self._next_summary = time.time() + self.summary_secs


def _step_settings(
    step: Any, limit: Any, log_every: int, trace_every: Any, logdir: Any
) -> dict[str, Any]:
    """Return what `train_step` asks for: tensors that say whether to stop, log and trace."""
    settings: dict[str, Any] = {}

    def every(count: int) -> Any:
        return tf.equal(tf.math.mod(tf.cast(step, tf.int64), count), 0)

    with tf.name_scope("train_step"):
        is_last = tf.greater_equal(step, limit) if limit else tf.constant(False)
        settings["should_stop"] = is_last
        if log_every > 0:
            settings["should_log"] = every(log_every)
        if trace_every is not None:
            settings |= {"should_trace": every(trace_every), "logdir": logdir}
    return settings


def _wait_for_step(session: Any, global_step: Any, step: int) -> None:
    while step > 0 and session.run(global_step) < step:
        time.sleep(1)
