"""`tf.io.gfile`: files and folders copied, listed, made, moved, removed."""

from __future__ import annotations

import dataclasses
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

from placewise.core.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    hint,
)
from placewise.ops.io import memory_files, paths


@dataclasses.dataclass(frozen=True)
class FileStatistics:
    """What is known of a file: its size in bytes, when it was changed, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: str) -> bool:
    """Return True if there is a file or folder of that name.

    `path`: the path to look for.

    >>> tf.io.gfile.exists("no/such/file")
    False
    """
    name = paths.local_path(path)
    return bool(name) and os.path.exists(name)


def isdir(path: str) -> bool:
    """Return True if `path` is a folder; False for a file and for nothing.

    `path`: the path to look for.

    >>> tf.io.gfile.isdir(".")
    True
    """
    return os.path.isdir(paths.local_path(path))


def stat(path: Any) -> FileStatistics:
    """Return size, time of change and kind of a file."""
    name = paths.local_path(path)
    with paths.told(name):
        found = os.stat(name)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(name))


def listdir(path: Any) -> list[str]:
    """Return the names in a folder."""
    name = paths.local_path(path)
    if not os.path.isdir(name):
        raise NotFoundError(
            None,
            None,
            hint(
                f"Could not find directory {memory_files.shown(name)}",
                "check the path: tf.io.gfile.exists(path); tf.io.gfile.makedirs makes folders",
            ),
        )
    with paths.told(name):
        return sorted(os.listdir(name))


def glob(pattern: str) -> list[str]:
    """Return the list of paths that match a pattern, or any of several.

    `pattern`: a path in which `*`, `?` and `[a-z]` stand for characters, or a list of such paths.

    >>> with tf.io.gfile.GFile("a.txt", "w") as file:
    ...     file.write("")
    >>> tf.io.gfile.glob("*.txt")
    ['./a.txt']
    """
    several = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    matches = [path for each in several for path in paths.matching(paths.local_path(each))]
    return [memory_files.shown(path) for path in matches]


def mkdir(path: Any) -> None:
    """Make a folder, whose parent must exist; one that exists is left alone."""
    name = paths.local_path(path)
    if os.path.isdir(name):
        return
    with paths.told(name):
        os.mkdir(name)


def makedirs(path: Any) -> None:
    """Make a folder and all folders above it that are missing.

    `path`: the folder; it is no error if it exists.

    Raises FailedPreconditionError if a file is in the way.

    >>> tf.io.gfile.makedirs("a/b/c")
    >>> tf.io.gfile.isdir("a/b")
    True
    """
    name = paths.local_path(path)
    above = name
    while above:
        if os.path.exists(above):
            if not os.path.isdir(above):
                raise FailedPreconditionError(None, None, f"{above} is not a directory")
            break
        above = os.path.dirname(above)
    with paths.told(name):
        os.makedirs(name, exist_ok=True)


def remove(path: Any) -> None:
    """Delete a file."""
    name = paths.local_path(path)
    with paths.told(name):
        if os.path.isdir(name):
            raise IsADirectoryError(errno.EISDIR, "")
        os.unlink(name)


def rmtree(path: Any) -> None:
    """Delete a folder and all in it."""
    name = paths.local_path(path)
    if not os.path.lexists(name):
        raise NotFoundError(None, None, f"{name} not found")
    with paths.told(name):
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.unlink(name)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file or folder; AlreadyExistsError if `dst` exists and may not be overwritten."""
    old, new = paths.local_path(src), paths.local_path(dst)
    if not overwrite and os.path.exists(new):
        raise AlreadyExistsError(None, None, "file already exists")
    with paths.told(old):
        os.replace(old, new)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file; AlreadyExistsError if `dst` exists and may not be overwritten."""
    old, new = paths.local_path(src), paths.local_path(dst)
    if not overwrite and os.path.exists(new):
        raise AlreadyExistsError(None, None, "file already exists")
    if os.path.isdir(old):
        raise InvalidArgumentError(None, None, f"{new}; {os.strerror(errno.EINVAL)}")
    with paths.told(old):
        if not os.path.exists(old):
            raise FileNotFoundError(errno.ENOENT, "")
    with paths.told(new):
        shutil.copyfile(old, new)
        shutil.copymode(old, new)


def join(path: Any, *more: Any) -> Any:
    """Return path parts joined; a part that is absolute starts anew."""
    return os.path.join(os.fspath(path), *(os.fspath(each) for each in more))


def walk(
    top: str, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder below `top`: its path, the folders and the files in it."""
    name = paths.local_path(top)
    try:
        names = listdir(name)
    except OpError as failure:
        if onerror is not None:
            onerror(failure)
        return
    folders = [each for each in names if os.path.isdir(os.path.join(name, each))]
    files = [each for each in names if each not in set(folders)]
    here = (memory_files.shown(name), folders, files)
    if topdown:
        yield here
    for folder in folders:
        yield from walk(os.path.join(name, folder), topdown, onerror)
    if not topdown:
        yield here


def get_registered_schemes() -> list[str]:
    """Return the kinds of paths there are: those of this machine, and of this process's memory."""
    return ["file", "ram", ""]
