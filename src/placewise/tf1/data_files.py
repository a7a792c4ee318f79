"""`tf.resource_loader` of TensorFlow 1: files beside the program that asks for them."""

from __future__ import annotations

import os
import sys


def _folder() -> str:
    """Return the folder of the program that called into this module."""
    file: str = sys._getframe(2).f_globals.get("__file__", ".")
    return os.path.dirname(os.path.realpath(file))


def get_data_files_path() -> str:
    """Return the folder of the calling program."""
    return _folder()


def get_root_dir_with_all_resources() -> str:
    """Return the folder of the calling program."""
    return _folder()


def get_path_to_datafile(path: str) -> str:
    """Return the full path of a file given relative to the calling program."""
    return os.path.join(_folder(), path)


def load_resource(path: str) -> bytes:
    """Return the content of a file given relative to the calling program."""
    with open(os.path.join(_folder(), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Return the path as it is."""
    return path
