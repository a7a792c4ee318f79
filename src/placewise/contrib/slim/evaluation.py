"""slim.evaluation: metrics of checkpoints, once or each time there is a new one."""

from __future__ import annotations

from typing import Any

from placewise.graph.collections import global_variables
from placewise.saving.checkpoint_state import checkpoints_iterator as checkpoints_iterator
from placewise.saving.checkpoint_state import wait_for_new_checkpoint as wait_for_new_checkpoint
from placewise.saving.saver import Saver
from placewise.summary.tf1 import merge_all
from placewise.training import evaluation
from placewise.training.scaffold import Scaffold

_USE_DEFAULT = 0


def _hooks(
    num_evals: int, logdir: Any, summary_op: Any, summary_feeds: Any, hooks: Any
) -> list[Any]:
    if summary_op is not None and summary_op == _USE_DEFAULT:
        summary_op = merge_all()
    made: list[Any] = [evaluation.StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        made.append(
            evaluation.SummaryAtEndHook(
                log_dir=logdir, summary_op=summary_op, feed_dict=summary_feeds
            )
        )
    return [*made, *(hooks or ())]


def evaluate_once(
    master: str,
    checkpoint_path: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Any = None,
) -> Any:
    """Evaluate one checkpoint over some batches; return what the final operation gives."""
    return evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=Scaffold(
            init_op=initial_op,
            init_feed_dict=initial_op_feed_dict,
            saver=Saver(variables_to_restore or global_variables()),
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Any = None,
    hooks: Any = None,
) -> Any:
    """Evaluate each new checkpoint of a folder; return what the last final operation gave."""
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=Scaffold(
            init_op=initial_op,
            init_feed_dict=initial_op_feed_dict,
            init_fn=init_fn,
            saver=Saver(variables_to_restore or global_variables()),
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )
