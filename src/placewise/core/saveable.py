"""What a checkpoint of names keeps of an object: some tensors, and how they are put back."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import as_dtype


class SaveSpec:
    """One tensor to be saved: under which name, and which part of a larger one it is."""

    def __init__(
        self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: Any = None
    ) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError(
                "When passing a callable `tensor` to a SaveSpec, an explicit dtype and device must "
                "be provided."
            )
        self.dtype = tensor.dtype if dtype is None else as_dtype(dtype)
        self.device = tensor.device if device is None else device

    @property
    def tensor(self) -> Any:
        """The tensor, made now if it was given as a function."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Base of objects that a saver saves as some tensors and restores from them."""

    def __init__(self, op: Any, specs: Any, name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self) -> bool:
        """May the checkpoint lack it?"""
        return False

    @property
    def device(self) -> Any:
        """The device of the first tensor."""
        return self.specs[0].device

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Return an operation that puts restored tensors in place."""
        raise NotImplementedError("Calling an abstract method.")


SaveSpec.__module__ = SaveableObject.__module__ = (
    "tensorflow.python.training.saving.saveable_object"
)
