"""Ops that read and write whole files and find files by pattern."""

from __future__ import annotations

import os
from typing import Any

from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import op
from placewise.ops.families import bracketed
from placewise.ops.io import paths
from placewise.ops.io.tensors import strings
from placewise.ops.state.variable import Variable


def _scalar(value: Any, what: str) -> bytes:
    if value.ndim:
        raise invalid(
            f"Input {what} tensor must be scalar, but had shape: {bracketed(value.shape)}"
        )
    data: bytes = value[()]
    return data


@op("ReadFile(filename: string) -> contents: string", devices=("CPU",), differentiable=False)
def read_file(filename: Any, name: str | None = None) -> Any:
    """Return the whole content of a file as a string.

    `filename`: the path of the file, a string.

    Runs on the CPU. Raises NotFoundError if there is no such file.

    >>> tf.io.write_file("note.txt", "hello")
    >>> tf.io.read_file("note.txt").numpy()
    b'hello'
    """
    return read_file.bind(filename, name)


@read_file.shape
def read_file_shape(filename: Static) -> Dims:
    return ()


@read_file.kernel
def read_file_kernel(filename: Any) -> Any:
    path = paths.local_path(_scalar(filename, "filename"))
    return strings([paths.read(path)], ())


@op(
    "WriteFile(filename: string, contents: string)",
    devices=("CPU",),
    stateful=True,
    differentiable=False,
)
def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Write a string to a file, all or nothing; folders that are missing are made."""
    return write_file.bind(filename, contents, name)


@write_file.shape
def write_file_shape(filename: Static, contents: Static) -> list[Dims]:
    return []


@write_file.kernel
def write_file_kernel(filename: Any, contents: Any) -> None:
    path = paths.local_path(_scalar(filename, "filename"))
    data = _scalar(contents, "contents")
    folder = os.path.dirname(path)
    if folder:
        with paths.told(folder):
            os.makedirs(folder, exist_ok=True)
    paths.write(path, data)


@op("MatchingFiles(pattern: string) -> filenames: string", devices=("CPU",), differentiable=False)
def matching_files(pattern: Any, name: str | None = None) -> Any:
    """Return the files that match a pattern, or one of several, in order."""
    return matching_files.bind(pattern, name)


@matching_files.shape
def matching_files_shape(pattern: Static) -> Dims:
    return (None,)


@matching_files.kernel
def matching_files_kernel(pattern: Any) -> Any:
    if pattern.ndim > 1:
        raise invalid(
            "Input patterns tensor must be scalar or vector, but had shape: "
            f"{bracketed(pattern.shape)}"
        )
    found = [
        os.fsencode(path)
        for each in pattern.reshape(-1)
        for path in paths.matching(paths.local_path(each))
    ]
    return strings(sorted(found), (len(found),))


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Return a variable that holds the files that match a pattern."""
    return Variable(matching_files(pattern), trainable=False, name=name)
