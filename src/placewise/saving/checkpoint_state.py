"""The `checkpoint` file: which checkpoints a folder holds, and which is the latest."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import time
from collections.abc import Sequence
from typing import Any

from placewise import messages
from placewise.core.errors import NotFoundError, OpError
from placewise.ops.checkpoint.bundle_writer import numbered_files, write_durably
from placewise.ops.io import file_system, memory_files, paths

_log = logging.getLogger("tensorflow")
_SHARD = re.compile(r"-(?:\d{5}|\?{5})-of-\d{5}$")


def _state_path(folder: str, latest_filename: str | None) -> str:
    return os.path.join(paths.local_path(folder), latest_filename or "checkpoint")


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[Any] | None = None,
    all_model_checkpoint_timestamps: Sequence[Any] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Return a CheckpointState message; paths are made relative to a folder that is relative."""
    every = list(all_model_checkpoint_paths or [])
    latest = model_checkpoint_path
    if not every or every[-1] != latest:
        _log.info("%s is not in all_model_checkpoint_paths. Manually adding it.", latest)
        every.append(latest)
    times = all_model_checkpoint_timestamps
    if times and len(times) != len(every):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{every} and timestamps {times})"
        )
    folder = os.fspath(save_dir)
    if not os.path.isabs(folder):
        every = [each if os.path.isabs(each) else os.path.relpath(each, folder) for each in every]
        latest = latest if os.path.isabs(latest) else os.path.relpath(latest, folder)
    return messages.CheckpointState(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=every,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the state file of a folder, all or nothing."""
    write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        False,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def update_checkpoint_state_internal(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the state file of a folder, with relative paths if asked for, as Keras 2 does."""
    write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        save_relative_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def write_state(
    save_dir: Any,
    latest: Any,
    every: Any = None,
    latest_filename: str | None = None,
    relative: bool = False,
    times: Any = None,
    last_preserved: float | None = None,
) -> None:
    """Write the state file, with paths relative to the folder if asked for."""
    folder = os.fspath(save_dir)
    path = _state_path(folder, latest_filename)
    if relative:
        if os.path.isabs(latest):
            latest = os.path.relpath(latest, folder)
        every = [
            os.path.relpath(each, folder) if os.path.isabs(each) else each for each in every or []
        ]
    state = generate_checkpoint_state_proto(folder, latest, every, times, last_preserved)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{latest}' conflicts with path used for checkpoint state.  Please use a "
            "different save path."
        )
    write_durably(path, _text(state).encode())


def _text(message: Any) -> str:
    from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out

    text: str = text_format.MessageToString(message)
    return text


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Return the state file of a folder as a CheckpointState message, or None.

    `checkpoint_dir`: the folder of checkpoints.
    `latest_filename`: the name of the state file, 'checkpoint' by default.

    `model_checkpoint_path` is the latest one, `all_model_checkpoint_paths` all that are kept. A
    file that cannot be read is logged, and None returned.

    >>> print(tf.train.get_checkpoint_state("nowhere"))
    None
    """
    from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out

    if isinstance(checkpoint_dir, os.PathLike):
        checkpoint_dir = os.fspath(checkpoint_dir)
    path = _state_path(checkpoint_dir, latest_filename)
    if not os.path.isfile(path):
        return None
    state = messages.CheckpointState()
    try:
        text_format.Merge(paths.read(path).decode(), state)
    except (OpError, text_format.ParseError, UnicodeDecodeError) as problem:
        _log.warning("%s: %s", type(problem).__name__, problem)
        _log.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")

    def absolute(prefix: str) -> str:
        # `join` leaves a path alone that is absolute already.
        return os.path.join(checkpoint_dir, prefix)

    state.model_checkpoint_path = absolute(state.model_checkpoint_path)
    state.all_model_checkpoint_paths[:] = map(absolute, state.all_model_checkpoint_paths)
    return state


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Return the path of a folder's latest checkpoint, as `restore` takes it, or None.

    `checkpoint_dir`: the folder of checkpoints.
    `latest_filename`: the name of the state file, 'checkpoint' by default.

    It is what the state file names, not the newest file. None also if that checkpoint is gone.

    >>> path = tf.train.Checkpoint(v=tf.Variable(1)).save("saved/model")
    >>> tf.train.latest_checkpoint("saved") == path
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not state.model_checkpoint_path:
        return None
    path: str = state.model_checkpoint_path
    if checkpoint_exists(path):
        return memory_files.shown(path)
    _log.error("Couldn't match files for checkpoint %s", path)
    return None


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Return True if there is a checkpoint of either format under that prefix."""
    prefix = paths.local_path(checkpoint_prefix)
    if os.path.exists(f"{prefix}.index"):
        return True
    return bool(paths.matching(prefix) or numbered_files(prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """Return when each checkpoint that exists was written, in seconds."""
    found: list[float] = []
    for each in checkpoint_prefixes:
        prefix = paths.local_path(each)
        files = [path for path in (f"{prefix}.index", prefix) if os.path.isfile(path)]
        files += numbered_files(prefix)
        if files:
            found.append(file_system.stat(files[0]).mtime_nsec / 1e9)
    return found


def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Delete the files of a checkpoint: its index first, so that no half of one is left."""
    prefix = paths.local_path(checkpoint_prefix)
    if checkpoint_format_version == 2:
        files = [f"{prefix}.index", *numbered_files(f"{prefix}.data")]
    else:
        files = [prefix, *numbered_files(prefix)]
    for path in files:
        _delete(path)
    _delete(meta_graph_filename(prefix, meta_graph_suffix))


def _delete(path: str) -> None:
    with contextlib.suppress(NotFoundError):
        file_system.remove(path)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """Return the name of the meta graph that goes with a checkpoint."""
    return f"{_SHARD.sub('', checkpoint_filename)}.{meta_graph_suffix}"


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Any = None,
) -> Any:
    """Yield each new checkpoint of a folder as it appears, until none comes in time."""
    newest, next_time = None, 0.0
    while True:
        path = wait_for_new_checkpoint(checkpoint_dir, newest, timeout=timeout)
        if path is not None:
            # The time the caller needs for a checkpoint counts towards the interval.
            next_time = time.time() + min_interval_secs
            newest = path
            yield path
            time.sleep(max(0.0, next_time - time.time()))
        elif timeout_fn is None:
            _log.info("Timed-out waiting for a checkpoint.")
            return
        elif timeout_fn():
            return


def wait_for_new_checkpoint(
    checkpoint_dir: Any,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Return the latest checkpoint once it is another than `last_checkpoint`; None if too late."""
    _log.info("Waiting for new checkpoint at %s", checkpoint_dir)
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            _log.info("Found new checkpoint at %s", path)
            return path
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)
