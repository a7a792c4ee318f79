"""Files that belong to a model: a SavedModel keeps a copy, and knows where it is after a move."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import DType
from placewise.core.tensor import Tensor
from placewise.core.trackable import AutoTrackable
from placewise.ops.array.creation import constant
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io import paths


class Asset(AutoTrackable):
    """A file that belongs to a model."""

    def __init__(self, path: Any) -> None:
        if isinstance(path, Tensor) and not hasattr(path, "numpy"):
            self._self_tensor: Any = path  # a graph's own, known when it runs
            return
        text = path.numpy() if isinstance(path, Tensor) else path
        self._self_tensor = constant(paths.local_path(text), name="asset_path")
        # A function must not take it for a constant: the file moves with the model.
        self._self_tensor.is_captured_by_reference = True

    @property
    def asset_path(self) -> Any:
        """The path of the file, as a string tensor."""
        return self._self_tensor

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        """Return the path where a tensor is wanted: `tf.io.read_file(asset)`."""
        return convert_to_tensor(self._self_tensor, dtype, name=name)

    @property
    def _path(self) -> str:
        """The path of the file, as text."""
        return paths.local_path(self._self_tensor.numpy())


Asset.__module__ = "tensorflow.python.trackable.asset"
