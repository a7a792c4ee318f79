"""`tf.load_op_library` and its like: compiled ops of others, which cannot be loaded here."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any, NoReturn

from placewise.core.errors import NotFoundError

_WHY = (
    "it holds ops compiled against TensorFlow's C++ library, which is not here; write the op in "
    "Python (tf.py_function, tf.custom_gradient), or use the Python implementation it replaces"
)


def load_op_library(library_filename: str) -> NoReturn:
    """Raise NotFoundError, saying that compiled ops cannot be loaded."""
    _refuse(library_filename)


def load_file_system_library(library_filename: Any) -> NoReturn:
    """Raise NotFoundError, saying that compiled file systems cannot be loaded."""
    _refuse(library_filename)


def register_filesystem_plugin(plugin_location: Any) -> NoReturn:
    """Raise NotFoundError, saying that compiled file systems cannot be loaded."""
    load_library(plugin_location)


def load_library(library_location: str) -> NoReturn:
    """Raise for a file or a folder of compiled ops, which cannot be loaded."""
    place = Path(os.fspath(library_location))
    if not place.exists():
        raise OSError(
            errno.ENOENT,
            "The file or folder to load kernel libraries from does not exist.",
            os.fspath(library_location),
        )
    files = [place] if place.is_file() else sorted(place.glob("*.so"))
    _refuse(files[0] if files else place)


def _refuse(library: Any) -> NoReturn:
    path = os.fspath(library)
    said = "cannot open shared object file: No such file or directory"
    raise NotFoundError(None, None, f"{path}: {_WHY if Path(path).exists() else said}")
