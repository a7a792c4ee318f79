"""Files under `ram://`: a folder in memory that belongs to this process and ends with it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile

SCHEME = "ram://"
_IN_MEMORY = "/dev/shm"


@functools.cache
def _root() -> str:
    home = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
    root = tempfile.mkdtemp(prefix="placewise-ram-", dir=home)
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


def to_local(rest: str) -> str:
    """Return where `ram://` + `rest` lies; the folders above it are made, as none has to exist."""
    inside = os.path.normpath(f"/{rest}")  # `..` does not lead out of it
    path = _root() + (inside if inside != "/" else "")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def shown(path: str) -> str:
    """Return a path of this machine as programs name it."""
    if not _root.cache_info().currsize or not path.startswith(_root()):
        return path
    return SCHEME + path[len(_root()) :].lstrip("/")
