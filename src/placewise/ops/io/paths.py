"""Files and folders of this machine, with errors in TensorFlow's classes and words."""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import re
import secrets
from collections.abc import Iterator
from typing import Any

from placewise.core.advice import advised
from placewise.core.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
    UnimplementedError,
    UnknownError,
)
from placewise.ops.io import memory_files

_CLASSES: dict[int, type[OpError]] = {
    errno.ENOENT: NotFoundError,
    errno.EEXIST: AlreadyExistsError,
    errno.EISDIR: FailedPreconditionError,
    errno.ENOTDIR: FailedPreconditionError,
    errno.ENOTEMPTY: FailedPreconditionError,
    errno.EBUSY: UnavailableError,
    errno.EACCES: PermissionDeniedError,
    errno.EPERM: PermissionDeniedError,
    errno.EROFS: PermissionDeniedError,
    errno.EINVAL: InvalidArgumentError,
    errno.ENAMETOOLONG: InvalidArgumentError,
    errno.ENOSPC: ResourceExhaustedError,
    errno.EMFILE: ResourceExhaustedError,
}


@contextlib.contextmanager
def told(path: str) -> Iterator[None]:
    """Turn an OSError into TensorFlow's error about `path`."""
    try:
        yield
    except OSError as failure:
        kind = _CLASSES.get(failure.errno or 0, UnknownError)
        words = os.strerror(failure.errno) if failure.errno else str(failure)
        raise kind(None, None, advised(f"{memory_files.shown(path)}; {words}")) from None
    except ValueError as failure:  # a null byte in the name
        raise InvalidArgumentError(None, None, f"{path!r}; {failure}") from None


def local_path(path: Any) -> str:
    """Return a path as text; `file://` is taken off, `ram://` is a folder of this process.

    Other schemes are refused.
    """
    if hasattr(path, "__fspath__"):
        path = path.__fspath__()
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    scheme, mark, rest = path.partition("://")
    if not mark or "/" in scheme:
        return path
    if scheme == "file":
        return rest
    if scheme == "ram":
        return memory_files.to_local(rest)
    raise UnimplementedError(
        None, None, f"File system scheme '{scheme}' not implemented (file: '{path}')"
    )


def read(path: str) -> bytes:
    """Return all of a file."""
    with told(path), open(path, "rb", buffering=0) as file:  # it is read at once
        return file.readall()


def write(path: str, data: bytes) -> None:
    """Put `data` into a file, all of it or nothing: beside it first, then renamed.

    Through a link the file it leads to is written; what is no regular file is written in place.
    """
    with told(path):
        path = os.path.realpath(path) if os.path.islink(path) else path
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.path.lexists(path) and not os.path.isfile(path):  # a pipe, /dev/stdout, a loop
            with open(path, "wb") as file:
                file.write(data)
            return
        beside = f"{path}.{secrets.token_hex(6)}.tmp"
        try:
            mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else None
            with open(beside, "xb") as file:
                file.write(data)
            if mode is not None:
                os.chmod(beside, mode)
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise


_WILD = re.compile(r"[*?\[]")


def matching(pattern: str) -> list[str]:
    """Return the paths that match a pattern of `*`, `?` and `[...]`; `*` stays within a name."""
    if not _WILD.search(pattern):
        return [pattern] if os.path.lexists(pattern) else []
    has_folder = "/" in pattern
    parts = pattern.split("/")
    found = ["/" if not parts[0] else parts[0]] if has_folder and not parts[0] else [""]
    start = 1 if has_folder and not parts[0] else 0
    for number, part in enumerate(parts[start:], start):
        is_last = number == len(parts) - 1
        if not part:
            continue
        found = [
            each
            for folder in found
            for each in _matches(folder, part)
            if is_last or os.path.isdir(each)
        ]
    return [each if has_folder else f"./{each}" for each in found if each]


def _matches(folder: str, part: str) -> list[str]:
    if not _WILD.search(part):
        plain = os.path.join(folder, part.replace("\\", ""))
        return [plain] if os.path.lexists(plain) else []
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return [os.path.join(folder, n) for n in sorted(names) if fnmatch.fnmatchcase(n, part)]
