"""Evaluation of checkpoints: once, or each time there is a new one."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import placewise as tf
from placewise.core.log import get_logger
from placewise.graph.collections import GraphKeys, get_collection
from placewise.graph.defaults import get_default_graph
from placewise.graph.initializers import Zeros
from placewise.graph.variable_scope import get_variable
from placewise.saving.checkpoint_state import checkpoints_iterator
from placewise.summary.file_writer import FileWriterCache
from placewise.summary.tf1 import merge_all
from placewise.training.global_step import get_global_step
from placewise.training.monitored_session import MonitoredSession
from placewise.training.session_creators import ChiefSessionCreator
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook
from placewise.training.stop_hooks import FinalOpsHook

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


def get_or_create_eval_step() -> Any:
    """Return the counter of evaluation steps, made if there is none."""
    kept = get_collection(GraphKeys.EVAL_STEP)
    if len(kept) == 1:
        return kept[0]
    if kept:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    return get_variable(
        "eval_step",
        shape=[],
        dtype=tf.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Stops an evaluation after a number of batches."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals, self._log_progress = num_evals, log_progress
        self._step: Any = None
        often = None if num_evals is None or num_evals < 20 else math.floor(num_evals / 10.0)
        self._every = often or 1

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._step = updated_eval_step

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the counter."""
        return SessionRunArgs({"evals_completed": self._step})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stop once enough batches were evaluated."""
        completed, wanted = run_values.results["evals_completed"], self._num_evals
        progress = f"{completed}" if wanted is None else f"{completed}/{wanted}"
        is_due = completed == wanted or completed % self._every == 0
        if self._log_progress and is_due:
            get_logger().info("Evaluation [%s]", progress)
        if wanted is not None and completed >= wanted:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes the summaries once, when a session ends."""

    def __init__(
        self,
        log_dir: Any = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:
        if (log_dir is None) == (summary_writer is None):
            raise ValueError("exactly one of log_dir and summary_writer should be provided.")
        self._log_dir, self._writer = log_dir, summary_writer
        self._summary_op, self._feed_dict = summary_op, feed_dict
        self._global_step: Any = None

    def begin(self) -> None:
        """Find the summaries and the step."""
        if self._summary_op is None:
            self._summary_op = merge_all()
        self._global_step = get_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Open the event file."""
        if self._writer is None and self._log_dir:
            self._writer = FileWriterCache.get(self._log_dir)
            if self._writer:
                self._writer.add_graph(session.graph)

    def end(self, session: Any) -> None:
        """Write the summaries."""
        if self._summary_op is None or self._writer is None:
            return
        fetches = [self._summary_op]
        if self._global_step is not None:
            fetches.append(self._global_step)
        text, *step = session.run(fetches, self._feed_dict)
        self._writer.add_summary(text, *step)
        self._writer.flush()


def evaluate_once(
    checkpoint_path: Any,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Any = None,
    config: Any = None,
) -> Any:
    """Restore a checkpoint, run the evaluation until a hook stops it, return the final ops."""
    hooks = list(hooks or [])
    updated = _counted(eval_ops, hooks)
    return _evaluated(
        checkpoint_path,
        updated,
        master,
        scaffold,
        eval_ops,
        feed_dict,
        final_ops,
        final_ops_feed_dict,
        hooks,
        config,
    )


def _counted(eval_ops: Operation, hooks: list[Any]) -> Any:
    """Return the counter of evaluation steps after one more of them."""
    eval_step = get_or_create_eval_step()
    before = [] if eval_ops is None else tf.nest.flatten(eval_ops)
    with get_default_graph().control_dependencies(before):
        updated = eval_step.assign_add(1)
    for hook in hooks:
        if hasattr(hook, "_set_evals_completed_tensor"):
            hook._set_evals_completed_tensor(updated)
    return updated


def _evaluated(
    path: Any,
    updated: Any,
    master: str,
    scaffold: Any,
    eval_ops: Any,
    feed_dict: Any,
    final_ops: Any,
    final_feeds: Any,
    hooks: list[Any],
    config: Any,
) -> Any:
    log = get_logger()
    log.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime()))
    creator = ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=path, master=master, config=config
    )
    final = FinalOpsHook(final_ops, final_feeds)
    with MonitoredSession(session_creator=creator, hooks=[*hooks, final]) as session:
        if eval_ops is not None:
            run = {"ops": eval_ops, "updated": updated}
            while not session.should_stop():
                session.run(run, feed_dict)
    log.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime()))
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: Any,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Any = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Any = None,
) -> Any:
    """Evaluate each new checkpoint of a folder; return the last final ops."""
    hooks = list(hooks or [])
    updated = _counted(eval_ops, hooks)
    result = None
    paths = checkpoints_iterator(
        checkpoint_dir,
        min_interval_secs=eval_interval_secs,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )
    for count, path in enumerate(paths, 1):
        result = _evaluated(
            path,
            updated,
            master,
            scaffold,
            eval_ops,
            feed_dict,
            final_ops,
            final_ops_feed_dict,
            hooks,
            config,
        )
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return result
