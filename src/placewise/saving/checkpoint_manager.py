"""`tf.train.CheckpointManager`: keeps the latest checkpoints of a folder and deletes older ones."""

from __future__ import annotations

import collections
import os
import time
from typing import Any

from placewise.ops.io import paths
from placewise.saving import checkpoint_state
from placewise.saving.load_status import _session
from placewise.saving.saveable import is_eager


class CheckpointManager:
    """Saves a `Checkpoint` under numbered names and deletes the oldest ones.

    `checkpoint`: the `tf.train.Checkpoint` to save.
    `directory`: the folder; it is made when something is saved.
    `max_to_keep`: how many stay; None keeps all.
    `keep_checkpoint_every_n_hours`: in that distance one stays for good.
    `checkpoint_name`: how files begin, 'ckpt' by default.
    `step_counter`: a variable that counts steps.
    `checkpoint_interval`: save only if that many steps went by.
    `init_fn`: called by `restore_or_initialize` if there is nothing to restore.
    `last_checkpoint_step`: the step of the last save by an earlier program.

    `latest_checkpoint` and `checkpoints` name what there is, also from an earlier program. Raises
    ValueError for a `max_to_keep` below 1, or an interval without a counter.

    >>> manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1)), "saved", 2)
    >>> _ = [manager.save() for _ in "three"]
    >>> [path.split("/")[-1] for path in manager.checkpoints]
    ['ckpt-4', 'ckpt-5']
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Any = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._directory = paths.local_path(directory)
        self._name = checkpoint_name
        self._step_counter, self._interval = step_counter, checkpoint_interval
        self._last_step = last_checkpoint_step
        self._init_fn = init_fn
        self._latest: str | None = None
        self._kept: collections.OrderedDict[str, float] = collections.OrderedDict()
        self._last_preserved = time.time() - 1.0
        self._recover()

    def _recover(self) -> None:
        """Go on with what an earlier program left in the folder."""
        state = checkpoint_state.get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        if state.last_preserved_timestamp:
            self._last_preserved = state.last_preserved_timestamp
        every = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps)
        if len(times) != len(every):
            now = time.time()
            times = [now] * len(every)
        self._kept.update(zip(every, times, strict=True))

    # What it is.

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Any:
        """The object that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps lie between two saves, or None."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that are kept, oldest first."""
        return list(self._kept)

    # Saving.

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Save, unless the interval has not passed yet; return the prefix, or None."""
        if self._interval is not None and check_interval and not self._is_due():
            return None
        counted = self._checkpoint._count(None)
        number = counted if checkpoint_number is None else int(checkpoint_number)
        path: str = self._checkpoint._write(
            os.path.join(self._directory, f"{self._name}-{number}"), options, None
        )
        self._latest = path
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        # The new one is on record before an old one goes, so that a kill leaves none unlisted.
        self._record()
        if self._sweep():
            self._record()
        return path

    def _is_due(self) -> bool:
        step = self._step()
        if self._last_step is not None and step - self._last_step < (self._interval or 0):
            return False
        self._last_step = step
        return True

    def _step(self) -> int:
        counter = self._step_counter
        if is_eager() or not hasattr(counter, "op"):
            return int(counter)

        return int(_session(None).run(counter))

    def _record(self) -> None:
        checkpoint_state.write_state(
            self._directory,
            self._latest,
            list(self._kept),
            relative=True,
            times=list(self._kept.values()),
            last_preserved=self._last_preserved,
        )

    def _sweep(self) -> bool:
        """Delete what is too much; every so many hours one is kept for good."""
        changed = False
        if not self._max_to_keep:
            return changed
        while len(self._kept) > self._max_to_keep:
            path, written = self._kept.popitem(last=False)
            changed = True
            hours = self._keep_hours
            if hours and written - hours * 3600.0 >= self._last_preserved:
                self._last_preserved = written
                continue
            checkpoint_state.remove_checkpoint(path)
        return changed

    # Restoring.

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its prefix; without one, call `init_fn`."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = self._step()
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Do nothing: every save is on the disk when it returns."""


CheckpointManager.__module__ = "tensorflow.python.checkpoint.checkpoint_management"
