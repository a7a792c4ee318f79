"""Pooling layers: the largest or the mean of what a window sees, at every stride."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.layers.input_spec import InputSpec
from placewise.layers.layer import Layer, function_of
from placewise.layers.windows import (
    checked_format,
    checked_padding,
    joined,
    op_format,
    output_size,
    tupled,
)
from placewise.ops.array.shape import expand_dims, squeeze
from placewise.ops.array.transpose import transpose
from placewise.ops.nn.pooling import avg_pool2d, avg_pool3d, max_pool2d, max_pool3d

_FUNCTIONS = {"max": (max_pool2d, max_pool3d), "average": (avg_pool2d, avg_pool3d)}


class _Pooling(Layer):
    """What pooling layers share."""

    _rank = 2
    _kind = "max"

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: Any = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = tupled(pool_size, self._rank, "pool_size")
        self.strides = tupled(pool_size if strides is None else strides, self._rank, "strides")
        self.padding = checked_padding(padding, ("valid", "same"))
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs: Any) -> Any:
        """Return what the window gives at every place."""
        last = self.data_format == "channels_last"
        if self._rank == 1:
            # A sequence is an image of width 1.
            axis = 2 if last else 3
            wide = expand_dims(inputs, axis)
            outputs = self._pooled(wide, (*self.pool_size, 1), (*self.strides, 1))
            return squeeze(outputs, [axis])
        if self._rank == 2 or last:
            return self._pooled(inputs, self.pool_size, self.strides)
        outputs = self._pooled(
            transpose(inputs, (0, 2, 3, 4, 1)), self.pool_size, self.strides, "channels_last"
        )
        return transpose(outputs, (0, 4, 1, 2, 3))

    def _pooled(
        self,
        x: Tensor,
        window: tuple[int, ...],
        strides: tuple[int, ...],
        data_format: str | None = None,
    ) -> Any:
        rank, form = len(window), data_format or self.data_format
        return _FUNCTIONS[self._kind][rank - 2](
            x,
            joined(1, list(window), 1, form),
            joined(1, list(strides), 1, form),
            self.padding.upper(),
            data_format=op_format(form, rank),
        )

    def compute_output_shape(self, input_shape: list[Any]) -> TensorShape:
        """Return the shape of the outputs for inputs of a shape."""
        dims = TensorShape(input_shape).as_list()
        last = self.data_format == "channels_last"
        space = dims[1:-1] if last else dims[2:]
        sizes = [
            output_size(size, self.pool_size[i], self.padding, self.strides[i])
            for i, size in enumerate(space)
        ]
        return TensorShape(joined(dims[0], sizes, dims[-1] if last else dims[1], self.data_format))


class MaxPooling1D(_Pooling):
    """The largest of each window that slides along sequences."""

    _rank, _kind = 1, "max"


class MaxPooling2D(_Pooling):
    """The largest of each window that slides over images."""

    _rank, _kind = 2, "max"


class MaxPooling3D(_Pooling):
    """The largest of each window that slides through volumes."""

    _rank, _kind = 3, "max"


class AveragePooling1D(_Pooling):
    """The mean of each window that slides along sequences."""

    _rank, _kind = 1, "average"


class AveragePooling2D(_Pooling):
    """The mean of each window that slides over images."""

    _rank, _kind = 2, "average"


class AveragePooling3D(_Pooling):
    """The mean of each window that slides through volumes."""

    _rank, _kind = 3, "average"


def _function(kind: Any, name: str) -> Any:
    made = function_of(kind, name, kind.__doc__, can_reuse=False)
    kind.__module__ = "tensorflow.python.layers.pooling"
    return made


max_pooling1d = _function(MaxPooling1D, "max_pooling1d")
max_pooling2d = _function(MaxPooling2D, "max_pooling2d")
max_pooling3d = _function(MaxPooling3D, "max_pooling3d")
average_pooling1d = _function(AveragePooling1D, "average_pooling1d")
average_pooling2d = _function(AveragePooling2D, "average_pooling2d")
average_pooling3d = _function(AveragePooling3D, "average_pooling3d")
