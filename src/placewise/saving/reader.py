"""Looking into checkpoints: `tf.train.load_checkpoint`, its reader, lists of variables."""

from __future__ import annotations

import os
from typing import Any

from placewise.ops.checkpoint.formats import opened
from placewise.ops.io import paths
from placewise.saving.checkpoint_state import latest_checkpoint


class CheckpointReader:
    """A checkpoint that is open for reading."""

    def __init__(self, filepattern: Any) -> None:
        self._checkpoint = opened(filepattern)

    def has_tensor(self, tensor_str: str) -> bool:
        """Return True if there is a tensor of that name."""
        return self._checkpoint.has(_text(tensor_str))

    def get_tensor(self, tensor_str: str) -> Any:
        """Return a tensor as an array; a scalar as NumPy's own scalar."""
        array = self._checkpoint.read(_text(tensor_str))
        return array[()] if array.ndim == 0 else array

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shape of each tensor by name."""
        checkpoint = self._checkpoint
        return {name: list(checkpoint.shape(name)) for name in checkpoint.names()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Return the dtype of each tensor by name."""
        return {name: self._checkpoint.dtype(name) for name in self._checkpoint.names()}

    def debug_string(self) -> bytes:
        """Return a line per tensor: name, type, shape."""
        lines = []
        for name in self._checkpoint.names():
            kind = self._checkpoint.dtype(name)
            shape = ",".join(str(dim) for dim in self._checkpoint.shape(name))
            lines.append(f"{name} (DT_{_C_NAMES.get(kind.name, kind.name.upper())}) [{shape}]\n")
        return "".join(lines).encode()


_C_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


def _text(name: str) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


CheckpointReader.__module__ = "tensorflow.python.training.py_checkpoint_reader"


def NewCheckpointReader(filepattern: str) -> CheckpointReader:  # noqa: N802 - TensorFlow's name
    """Return a reader of the checkpoint called `filepattern`."""
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Return a reader of a checkpoint, or of a folder's latest."""
    return CheckpointReader(checkpoint_of(ckpt_dir_or_file))


def checkpoint_of(ckpt_dir_or_file: Any) -> str:
    """Return the prefix of a checkpoint, or of a folder's latest."""
    path = paths.local_path(ckpt_dir_or_file)
    if os.path.isdir(path):
        found = latest_checkpoint(path)
        if found is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        return found
    return path


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """Return a variable of a checkpoint as an array."""
    name = name.removesuffix(":0")
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """Return (name, shape) of every variable of a checkpoint, by name."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return sorted(shapes.items())
