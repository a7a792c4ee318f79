"""`tf.layers.InputSpec`: what a layer asks of its inputs, and the check that they fit."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor


class InputSpec:
    """Rank, shape, dtype and sizes of axes that a layer asks of an input."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = None if shape is None else tuple(TensorShape(shape).as_list())
        self.ndim = len(self.shape) if self.shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        most = self.ndim if self.ndim is not None else max_ndim
        if self.axes and most is not None and max(self.axes) > most - 1:
            raise ValueError(
                f"Axis {max(self.axes)} is greater than the maximum allowed value: {most - 1}"
            )

    def __repr__(self) -> str:
        shown = [
            f"{name}={value}"
            for name, value in (
                ("dtype", self.dtype),
                ("shape", self.shape and str(self.shape)),
                ("ndim", self.ndim and str(self.ndim)),
                ("max_ndim", self.max_ndim and str(self.max_ndim)),
                ("min_ndim", self.min_ndim and str(self.min_ndim)),
                ("axes", self.axes and str(self.axes)),
            )
            if value
        ]
        return f"InputSpec({', '.join(shown)})"


InputSpec.__module__ = "tensorflow.python.keras.engine.input_spec"


def check_inputs(spec: InputSpec | None, inputs: Tensor, layer: str) -> None:
    """Raise ValueError unless every input is what its spec asks for."""
    if not spec:
        return
    specs, given = nest.flatten(spec), nest.flatten(inputs)
    if len(specs) != len(given):
        raise ValueError(
            f"Layer {layer} expects {len(specs)} inputs, but it received {len(given)} input "
            f"tensors. Inputs received: {inputs}"
        )
    for place, (each, wanted) in enumerate(zip(given, specs, strict=True)):
        if wanted is not None:
            problem = _problem(wanted, each)
            if problem:
                raise ValueError(
                    f"Input {place} of layer {layer} is incompatible with the layer: {problem}"
                )


def _problem(spec: InputSpec, value: Tensor) -> str | None:
    rank = value.shape.rank
    asks_rank = (spec.ndim, spec.min_ndim, spec.max_ndim) != (None, None, None)
    if rank is None and (asks_rank or spec.axes):
        return "its rank is undefined, but the layer requires a defined rank."
    if rank is None:
        return None
    dims = value.shape.as_list()
    if spec.ndim is not None and spec.ndim != rank:
        return f"expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {dims}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return (
            f": expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {dims}"
        )
    if spec.dtype is not None and value.dtype.base_dtype.name != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={value.dtype.base_dtype.name}"
    for axis, size in spec.axes.items():
        if size is not None and dims[axis] not in (size, None):
            return (
                f"expected axis {axis} of input shape to have value {size} but received input with "
                f"shape {dims}"
            )
    if spec.shape is not None and any(
        None not in (wanted, found) and wanted != found
        for wanted, found in zip(spec.shape, dims, strict=True)
    ):
        return f"expected shape={spec.shape}, found shape={dims}"
    return None
