"""What is behind the handle of a TensorFlow 1 TensorArray: values, and what may be done to each."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims
from placewise.ops.families import bracketed
from placewise.ops.values import TORCH, Content, Handle, c_name, dtype_of, shape_of


class Items:
    """The state behind a TensorArray's handle."""

    __slots__ = (
        "clears",
        "closed",
        "dims",
        "dtype",
        "dynamic",
        "gradients",
        "identical",
        "is_gradient",
        "name",
        "shapes",
        "states",
        "values",
    )

    def __init__(
        self,
        dtype: DType,
        size: int,
        dims: Dims,
        dynamic: bool,
        clears: bool,
        identical: bool,
        name: str,
    ) -> None:
        self.dtype, self.dims, self.dynamic = dtype, dims, dynamic
        self.clears, self.identical, self.name = clears, identical, name
        self.values: list[Any] = [None] * size
        self.states: list[str] = [""] * size  # "", "written", "cleared"
        self.shapes: list[Any] = [None] * size
        self.gradients: dict[str, Handle] = {}
        self.is_gradient = self.closed = False

    def check_open(self) -> None:
        """Raise if the array was closed."""
        if self.closed:
            raise invalid(f"TensorArray {self.name} has already been closed.")

    def write(self, index: int, value: Content) -> None:
        """Put a value in its place; in a gradient, add it to what is there."""
        self.check_open()
        size = len(self.values)
        if index < 0 or (index >= size and not self.dynamic):
            raise invalid(
                f"TensorArray {self.name}: Tried to write to index {index} but array is not "
                f"resizeable and size is: {size}"
            )
        if index >= size:
            more = index - size + 1
            self.values += [None] * more
            self.states += [""] * more
            self.shapes += [None] * more
        found = dtype_of(value)
        if found is not self.dtype:
            raise invalid(
                f"TensorArray dtype is {c_name(self.dtype)} but Op is trying to write dtype "
                f"{c_name(found)}."
            )
        shape = shape_of(value)
        if not _fits(self.dims, shape):
            raise invalid(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because "
                f"the value shape is {bracketed(shape)} which is incompatible with the "
                f"TensorArray's inferred element shape: {bracketed(self.dims or ())} (consider "
                "setting infer_shape=False)."
            )
        state = self.states[index]
        if state == "cleared":
            raise invalid(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because "
                "it has already been read."
            )
        if state == "written":
            if not self.is_gradient:
                raise invalid(
                    f"TensorArray {self.name}: Could not write to TensorArray index {index} "
                    "because it has already been written to."
                )
            value = self.values[index] + value
        if self.identical and self.dims != shape:
            self.dims = shape
        self.values[index], self.states[index], self.shapes[index] = value, "written", shape

    def read(self, index: int, torch_device: str = "cpu") -> Any:
        """Return the value in a place; zeros, made on a torch device, if none was written.

        Then it may be gone.
        """
        self.check_open()
        size = len(self.values)
        if not 0 <= index < size:
            raise invalid(f"Tried to read from index {index} but array size is: {size}")
        state = self.states[index]
        if state == "cleared":
            raise invalid(
                f"TensorArray {self.name}: Could not read index {index} twice because it was "
                "cleared after a previous read (perhaps try setting clear_after_read = false?)."
            )
        value = self.values[index] if state else self._zeros(index, torch_device)
        if self.clears:
            self.values[index], self.states[index] = None, "cleared"
        return value

    def _zeros(self, index: int, torch_device: str) -> Any:
        shape = self.shapes[index]
        if shape is None:
            shape = self.dims
        if shape is None or None in shape:
            known = "<unknown>" if shape is None else bracketed(shape)
            raise invalid(
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  "
                f"Furthermore, the element shape is not fully defined: {known}.  It is possible "
                "you are working with a resizeable TensorArray and stop_gradients is not allowing "
                "the gradients to be written.  If you set the full element_shape property on the "
                "forward TensorArray, the proper all-zeros tensor will be returned instead of "
                "incurring this error."
            )
        if self.dtype not in TORCH:
            raise invalid(f"tensor_array::TensorSetZero type not supported: {c_name(self.dtype)}")
        return torch.zeros(shape, dtype=TORCH[self.dtype], device=torch_device)

    def gradient(self, source: str) -> Handle:
        """Return the list that gathers gradients for one source."""
        self.check_open()
        found = self.gradients.get(source)
        if found is None:
            like = Items(
                self.dtype,
                len(self.values),
                self.dims,
                False,
                True,
                self.identical,
                f"{self.name}@{source}",
            )
            like.shapes = list(self.shapes)
            like.is_gradient = True
            found = Handle("TensorArray", like.name, None, self.dtype)
            found.value = like
            self.gradients[source] = found
        return found


def _fits(dims: Dims, shape: tuple[int, ...]) -> bool:
    if dims is None or dims == shape:
        return True
    return len(dims) == len(shape) and all(
        d is None or d == s for d, s in zip(dims, shape, strict=True)
    )
