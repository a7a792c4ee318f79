"""What distributions over scalars with broadcasting parameters share."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import int32
from placewise.core.shapes import TensorShape
from placewise.ops.array.broadcasting import broadcast_dynamic_shape, broadcast_static_shape
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import convert_to_tensor


def common_shape(*tensors: Any) -> TensorShape:
    """Return the shape that tensors broadcast to, as far as it is known."""
    shape = tensors[0].shape
    for tensor in tensors[1:]:
        shape = broadcast_static_shape(shape, tensor.shape)
    return TensorShape(shape)


def common_shape_tensor(*tensors: Any) -> Any:
    """Return the shape that tensors broadcast to, as a tensor."""
    shape = shape_of(tensors[0])
    for tensor in tensors[1:]:
        shape = broadcast_dynamic_shape(shape, shape_of(tensor))
    return shape


class ScalarEvent:
    """A distribution over scalars; `_batch_parts` are the parameters that make its batch."""

    batch_shape_tensor: Any

    def _batch_parts(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _batch_shape(self) -> TensorShape:
        return common_shape(*self._batch_parts())

    def _batch_shape_tensor(self) -> Any:
        return common_shape_tensor(*self._batch_parts())

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return constant([], int32)

    def _shape_of_draws(self, n: Any) -> Any:
        return concat([reshape(convert_to_tensor(n, int32), [1]), self.batch_shape_tensor()], 0)


class LocationScale(ScalarEvent):
    """A distribution that is moved by `loc` and stretched by `scale`."""

    _loc: Any
    _scale: Any

    @property
    def loc(self) -> Any:
        """Where it is."""
        return self._loc

    @property
    def scale(self) -> Any:
        """How wide it is."""
        return self._scale

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"loc": sample_shape, "scale": sample_shape}

    def _batch_parts(self) -> tuple[Any, ...]:
        return self._loc, self._scale

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale
