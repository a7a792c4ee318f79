"""`tf.distribute.experimental.PreemptionCheckpointHandler`: save and exit when told to end."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from placewise.core.dtypes import int64
from placewise.core.errors import InvalidArgumentError, OpError
from placewise.distribute.coordinator.tasks import describe, tasks_of
from placewise.distribute.preemption_step import agreement_of
from placewise.ops.state.variable import Variable
from placewise.saving.checkpoint_manager import CheckpointManager

# Tells whoever started the program to start it again, as TensorFlow does.
RESTART_STATUS = 42
_POLL_SECONDS = 1.0
_WORKER_EXIT_SECONDS = 300.0
_SPARE_STEPS = 3  # of a grace period's time, kept for saving


class TerminationConfig:
    """How a process learns that it must end, and what it does then.

    `termination_watcher_fn`: asked once a second whether the end was announced; without it SIGTERM
        announces it.
    `exit_fn`: called after the checkpoint; without it the process exits with status 42.
    `grace_period`: seconds from the announcement to the end; training goes on in them.
    `save_fn`: saves in place of the checkpoint manager.
    """

    def __init__(
        self,
        termination_watcher_fn: Callable[[], bool] | None = None,
        exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None,
        save_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.termination_watcher_fn, self.exit_fn = termination_watcher_fn, exit_fn
        self.grace_period, self.save_fn = grace_period, save_fn


class PreemptionCheckpointHandler:
    """Saves a checkpoint and exits when the process is told to end; restores it at the start.

    All workers of a cluster save after the same step, whichever of them was told. Call every step
    through `run`. Raises InvalidArgumentError for a Checkpoint without `checkpoint_dir`.

    >>> v = tf.Variable(0.0)
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({}))
    >>> handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    ...     resolver, tf.train.Checkpoint(v=v), tempfile.mkdtemp())
    >>> handler.run(v.assign_add, 1.0).numpy(), handler.total_run_calls
    (np.float32(1.0), 1)
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: str | None = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        config = termination_config or TerminationConfig()
        self._agreement = agreement_of(cluster_resolver)
        self._exit = config.exit_fn or _exit_for_restart
        self._grace_seconds = config.grace_period or 0.0
        self._runs, self._step_seconds = 0, 0.0
        self._ends_at: float | None = None  # of the grace period, once it has begun
        self._make_managers(checkpoint_or_checkpoint_manager, checkpoint_dir)
        self._save = config.save_fn or self._writer.save
        self._reader.restore_or_initialize()
        self._told = threading.Event()
        self._watch(config.termination_watcher_fn)

    def _make_managers(self, given: Any, folder: str | None) -> None:
        """Read from the folder that all share; only the first worker writes there."""
        if isinstance(given, CheckpointManager):
            checkpoint, self._reader = given.checkpoint, given
        elif folder:
            checkpoint = given
            self._reader = CheckpointManager(checkpoint, folder, max_to_keep=1)
        else:
            raise InvalidArgumentError(
                None,
                None,
                "When a checkpoint is passed, a `checkpoint_dir` must be passed as well.",
            )
        if getattr(checkpoint, "checkpointed_runs", None) is None:
            checkpoint.checkpointed_runs = Variable(0, dtype=int64, trainable=False)
        self._saved_runs = checkpoint.checkpointed_runs
        self._writer = self._reader
        if self._agreement.rank != 0:
            apart = tempfile.mkdtemp(prefix="placewise-worker-")
            self._writer = CheckpointManager(checkpoint, apart, max_to_keep=1)

    def _watch(self, is_announced: Callable[[], bool] | None) -> None:
        if is_announced is not None:
            asking = threading.Thread(target=self._ask, args=(is_announced,), daemon=True)
            asking.start()
            return
        try:
            signal.signal(signal.SIGTERM, lambda number, frame: self._told.set())
        except ValueError:
            raise RuntimeError(
                "SIGTERM is only heard in the main thread: make PreemptionCheckpointHandler there, "
                "or give TerminationConfig(termination_watcher_fn=...)"
            ) from None

    def _ask(self, is_announced: Callable[[], bool]) -> None:
        while not is_announced():
            time.sleep(_POLL_SECONDS)
        self._told.set()

    @property
    def total_run_calls(self) -> int:
        """How often `run` was called, in earlier processes too, as far as their checkpoint says."""
        return int(self._saved_runs.numpy()) + self._runs

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a training step and return what it returns; before it, save and exit if told to."""
        self.save_checkpoint_if_preempted()
        begin = time.monotonic()
        try:
            return distributed_train_function(*args, **kwargs)
        finally:
            self._runs += 1
            self._step_seconds = max(time.monotonic() - begin, 0.5 * self._step_seconds)

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Save and exit if all workers have agreed on this step; `args` are the save function's."""
        if self._told.is_set() and self._agreement.step() is None:
            self._agreement.propose(self._next_save())
        step = self._agreement.step()
        if step is None or self._runs < step:
            return
        self._save_now(*args, **kwargs)
        if self._grace_seconds <= 0 or self._ends_at is not None:
            self._agreement.leave()
            self._exit()
            # A function that does not exit lets training go on.
            self._agreement.renew()
            self._told.clear()
            self._ends_at = None
            return
        self._ends_at = time.monotonic() + self._grace_seconds
        self._agreement.renew()

    def _next_save(self) -> int:
        """Return the step to save at: the next, or the last that the grace period has time for."""
        if self._ends_at is None:
            return self._runs + 1
        left = self._ends_at - time.monotonic()
        steps = int(left / self._step_seconds) if self._step_seconds else 0
        return self._runs + max(1, steps - _SPARE_STEPS)

    def _save_now(self, *args: Any, **kwargs: Any) -> None:
        before = self._saved_runs.numpy()
        self._saved_runs.assign(before + self._runs)
        try:
            where = self._save(*args, **kwargs)
        finally:
            self._saved_runs.assign(before)
        logging.getLogger("tensorflow").warning(
            "The end of this process was announced: saved after %d steps%s",
            before + self._runs,
            f" to {where}" if isinstance(where, str) else "",
        )

    @contextlib.contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """Return a context for steps outside of `run`; they call the method above."""
        yield


class PreemptionWatcher:
    """Says whether the end of this process was announced, by SIGTERM.

    `preemption_message` is None until then. What handled SIGTERM before still does.

    >>> tf.distribute.experimental.PreemptionWatcher().preemption_message
    """

    def __init__(self) -> None:
        self._message: str | None = None
        try:
            self._before = signal.getsignal(signal.SIGTERM)
            signal.signal(signal.SIGTERM, self._hear)
        except ValueError:
            raise RuntimeError(
                "SIGTERM is only heard in the main thread: make PreemptionWatcher there"
            ) from None

    def _hear(self, number: int, frame: Any) -> None:
        self._message = "SIGTERM caught: this process is about to be preempted"
        logging.getLogger("tensorflow").warning(self._message)
        if callable(self._before):
            self._before(number, frame)

    @property
    def preemption_message(self) -> str | None:
        """What was announced; None if nothing was."""
        return self._message

    def block_until_worker_exit(self) -> None:
        """Wait until a worker of the joined cluster has ended, or was started again.

        So that a coordinator does not use a worker that is about to go. Returns at once without a
        cluster, and after 5 minutes at the latest.
        """
        workers = tasks_of("worker")
        known = {worker.name: _incarnation(worker) for worker in workers}
        end = time.monotonic() + _WORKER_EXIT_SECONDS
        while workers and time.monotonic() < end:
            for worker in workers:
                number = _incarnation(worker)
                if number is None or number != known[worker.name]:
                    return
            time.sleep(_POLL_SECONDS)


def _incarnation(task: Any) -> int | None:
    try:
        return describe(task, _POLL_SECONDS)
    except OpError:
        return None


def _exit_for_restart() -> None:
    sys.exit(RESTART_STATUS)


for _kind in (TerminationConfig, PreemptionCheckpointHandler):
    _kind.__module__ = "tensorflow.python.distribute.failure_handling.failure_handling"
PreemptionWatcher.__module__ = "tensorflow.python.distribute.failure_handling.preemption_watcher"
