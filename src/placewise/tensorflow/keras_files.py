"""Keras's files are whole at every moment: written beside their place and renamed when complete.

Keras writes models and weights in place, so that a program killed while it saves leaves neither the
old file nor the new one. Here Keras's own functions write into a folder beside the target, and what
they wrote is then moved. What is no local file goes to them as it is.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import Any

from placewise.core.activity import PhaseName, phase
from placewise.ops.checkpoint.bundle_writer import write_durably
from placewise.ops.io.drafts import draft_folder, publish, sync, sync_folder

_Save = Callable[..., Any]


def install() -> None:
    """Let Keras's functions write beside the file and rename, and say while they save or load."""
    from keras.src.legacy.saving import legacy_h5_format  # noqa: PLC0415 - keeps keras out
    from keras.src.saving import saving_lib  # noqa: PLC0415 - keeps keras out

    for module, name, wrap in (
        (saving_lib, "save_model", _model_saver),
        (saving_lib, "save_weights_only", _weights_saver),
        (legacy_h5_format, "save_model_to_hdf5", _hdf5_saver),
    ):
        save = getattr(module, name)
        if not hasattr(save, "__wrapped__"):
            setattr(module, name, _shown("saving", functools.wraps(save)(wrap(save)), 1))
    for module, name in (
        (saving_lib, "load_model"),
        (saving_lib, "load_weights_only"),
        (legacy_h5_format, "load_model_from_hdf5"),
    ):
        load = getattr(module, name)
        if not hasattr(load, "is_shown"):
            setattr(module, name, _shown("restoring", load, 0))


def _shown(name: PhaseName, call: _Save, place: int) -> _Save:
    """Return a function that says on the terminal when it takes long; its path is at a place."""

    @functools.wraps(call)
    def run(*args: Any, **kwargs: Any) -> Any:
        path = kwargs.get("filepath", args[place] if len(args) > place else "")
        with phase(name, str(path)):
            return call(*args, **kwargs)

    run.is_shown = True  # type: ignore[attr-defined]  # it is wrapped once
    return run


def _model_saver(save: _Save) -> _Save:
    def save_model(
        model: Any, filepath: Any, weights_format: str = "h5", zipped: bool = True
    ) -> None:
        def write(path: Any) -> None:
            save(model, path, weights_format=weights_format, zipped=zipped)

        if zipped or not _is_path(filepath):
            written_beside(filepath, write)
        else:
            _folder_written_beside(filepath, write)

    return save_model


def _weights_saver(save: _Save) -> _Save:
    def save_weights_only(
        model: Any, filepath: Any, max_shard_size: Any = None, objects_to_skip: Any = None
    ) -> None:
        def write(path: Any) -> None:
            save(model, path, max_shard_size=max_shard_size, objects_to_skip=objects_to_skip)

        if max_shard_size is None:
            written_beside(filepath, write)
        else:
            _shards_written_beside(filepath, write)

    return save_weights_only


def _hdf5_saver(save: _Save) -> _Save:
    from keras.src.utils import io_utils  # noqa: PLC0415 - keeps keras out

    def save_model_to_hdf5(
        model: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True
    ) -> None:
        if _is_path(filepath):
            if not overwrite and os.path.isfile(filepath):
                if not io_utils.ask_to_proceed_with_overwrite(filepath):
                    return
                overwrite = True
            if folder := os.path.dirname(filepath):
                os.makedirs(folder, exist_ok=True)
        written_beside(filepath, lambda path: save(model, path, overwrite, include_optimizer))

    return save_model_to_hdf5


def _is_path(filepath: Any) -> bool:
    return isinstance(filepath, (str, os.PathLike))


def _can_be_replaced(path: str) -> bool:
    """Return whether a file may be put there by renaming; if not, Keras says what is wrong."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        return False
    try:
        there = os.stat(path)
    except OSError:
        return True
    return stat.S_ISREG(there.st_mode) and os.access(path, os.W_OK)


@contextlib.contextmanager
def _drafts(path: str) -> Iterator[str]:
    """Make a folder beside `path` to write in; it takes no room when writing has failed."""
    with draft_folder(path) as folder:
        try:
            yield folder
        except (OSError, RuntimeError) as error:
            _let_go(folder)
            code = re.search(r"errno = (\d+)", str(error))
            if code is None or isinstance(error, OSError):
                raise
            # HDF5 says so where it closes the file.
            raise OSError(int(code[1]), os.strerror(int(code[1])), path) from error


def _let_go(folder: str) -> None:
    """Empty the files in a folder: nothing of them is kept, and there may be no room on the disk.

    HDF5 still has those open that it could not write, and ends the process if it cannot flush them
    at the exit of Python, either.
    """
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            os.truncate(os.path.join(folder, name), 0)


def written_beside(filepath: Any, write: Callable[[Any], None]) -> None:
    # Through a link the file it leads to is replaced, not the link.
    path = os.path.realpath(filepath) if _is_path(filepath) else ""
    if not path or not _can_be_replaced(path):
        write(filepath)
        return
    with _drafts(path) as folder:
        draft = os.path.join(folder, os.path.basename(filepath))
        write(draft)
        if os.path.exists(draft):
            publish(draft, path)


def _folder_written_beside(filepath: Any, write: Callable[[Any], None]) -> None:
    """Save a folder: a new one appears at once; in one that is there each file is replaced."""
    path = os.path.abspath(filepath)
    parent = os.path.dirname(path)
    is_there = os.path.isdir(path)
    if not os.path.isdir(parent) or not os.access(parent, os.W_OK) or os.path.isfile(path):
        write(filepath)
        return
    with _drafts(path) as folder:
        draft = os.path.join(folder, os.path.basename(path))
        write(draft)
        if not os.path.isdir(draft):  # Keras put it elsewhere: a model hub
            return
        names = [
            os.path.relpath(os.path.join(root, name), draft)
            for root, _, files in os.walk(draft)
            for name in files
        ]
        for name in names:
            sync(os.path.join(draft, name))
        if not is_there:
            os.replace(draft, path)
            sync_folder(path)
            return
        for name in names:
            place = os.path.join(path, name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            publish(os.path.join(draft, name), place)


def _shards_written_beside(filepath: Any, write: Callable[[Any], None]) -> None:
    path = os.path.realpath(filepath)
    if not _can_be_replaced(path):
        write(filepath)
        return
    with _drafts(path) as folder:
        write(type(filepath)(os.path.join(folder, os.path.basename(path))))
        names = [name for name in os.listdir(folder) if name.endswith((".h5", ".json"))]
        index = next(name for name in names if name.endswith(".json"))
        shards = [name for name in names if name != index]
        _publish_shards(folder, os.path.dirname(path), index, shards)
        _clear_aliases(os.path.dirname(path), os.path.basename(path))


def _publish_shards(folder: str, home: str, index: str, shards: list[str]) -> None:
    """Move shards and then their index, so that at no moment an index names other shards than its.

    Where shards of those names are there, an index in between names the new ones otherwise.
    """
    with open(os.path.join(folder, index), encoding="utf-8") as file:
        said = json.load(file)
    replaced = [name for name in shards if os.path.exists(os.path.join(home, name))]
    aliases = {name: f"{os.path.basename(folder)}.{name}" for name in replaced}
    for name in shards:
        sync(os.path.join(folder, name))
    for name, alias in aliases.items():
        os.link(os.path.join(folder, name), os.path.join(home, alias))
    if aliases:
        for name in set(shards) - set(replaced):
            os.link(os.path.join(folder, name), os.path.join(home, name))
        _write_index(home, index, _renamed(said, aliases))
    for name in shards:
        os.replace(os.path.join(folder, name), os.path.join(home, name))
    _write_index(home, index, said)
    for alias in aliases.values():
        os.unlink(os.path.join(home, alias))


def _clear_aliases(home: str, base: str) -> None:
    """Remove other names of shards that a killed program left; the index names none any more."""
    alias = re.compile(rf"({re.escape(base)}\.tempstate-[0-9a-f]{{16}})\..+\.h5")
    for name in os.listdir(home):
        match = alias.fullmatch(name)
        if match and not os.path.isdir(os.path.join(home, match[1])):
            os.unlink(os.path.join(home, name))


def _write_index(home: str, index: str, said: Any) -> None:
    write_durably(os.path.join(home, index), json.dumps(said, indent=4).encode())


def _renamed(said: Any, aliases: dict[str, str]) -> Any:
    """Return what an index says with other names for the shards, however deep they stand."""
    if isinstance(said, dict):
        return {key: _renamed(value, aliases) for key, value in said.items()}
    if isinstance(said, list):
        return [_renamed(value, aliases) for value in said]
    return aliases.get(said, said) if isinstance(said, str) else said
