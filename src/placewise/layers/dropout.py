"""Dropout as TensorFlow 1 has it, and the layer that does it while training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.names import name_scope
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.random_values import random_uniform
from placewise.layers.layer import Layer
from placewise.layers.loss_weights import is_eager
from placewise.ops.array.concat import stack
from placewise.ops.array.shape import identity
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater_equal
from placewise.ops.tf1_spelling import shape


def dropped(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    """Return `x` with a share of `rate` of its elements 0 and the others divided by 1 - rate.

    The ops are those of TensorFlow 1, in its order: with a seed, the same elements are dropped.
    """
    with name_scope(name or "dropout"):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "x has to be a floating point tensor since it's going to be scaled. Got a "
                f"{x.dtype!s} tensor instead."
            )
        if isinstance(rate, (int, float)):
            if not 0 <= rate < 1:
                raise ValueError(
                    f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}"
                )
            if rate == 0:
                return x
        rate = convert_to_tensor(rate, dtype=x.dtype.base_dtype, name="rate")
        rate.shape.assert_is_compatible_with(())
        if get_static_value(rate) == 0:
            return x
        drawn = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype.base_dtype)
        scale = 1 / (1 - rate)
        keep = greater_equal(drawn, rate)
        result = x * scale * cast(keep, x.dtype.base_dtype)
        if not is_eager():
            result.set_shape(x.shape)
        return result


def _noise_shape(x: Tensor, noise_shape: list[Any] | None) -> Any:
    if noise_shape is None:
        return shape(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    dims = x.shape.as_list() if x.shape.rank is not None else []
    wanted = list(TensorShape(noise_shape).as_list())
    if len(dims) == len(wanted):
        pairs = zip(wanted, dims, strict=True)
        return [mine if mine is not None else theirs for mine, theirs in pairs]
    return noise_shape


def smart_cond(
    condition: TensorLike, true_fn: Callable[..., Any], false_fn: Callable[..., Any]
) -> Any:
    """Call one branch if the condition is known now, else let the graph choose."""
    if isinstance(condition, (bool, int)):
        return true_fn() if condition else false_fn()
    known = get_static_value(condition) if isinstance(condition, Tensor) else None
    if known is not None:
        return true_fn() if known else false_fn()
    return cond(convert_to_tensor(condition), true_fn, false_fn)


class Dropout(Layer):
    """Sets a share of the inputs to zero while training, and scales up the rest."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Return the inputs, some of them dropped if `training`."""
        return smart_cond(
            training,
            lambda: dropped(inputs, self.rate, self._noise(inputs), self.seed),
            lambda: identity(inputs),
        )

    def _noise(self, inputs: Any) -> Any:
        """Return the noise shape with the sizes of the inputs where it leaves them open."""
        noise = self.noise_shape
        if noise is None or isinstance(noise, Tensor) or None not in noise:
            return noise
        sizes = shape(inputs)
        return stack([sizes[place] if size is None else size for place, size in enumerate(noise)])

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape as it is."""
        return TensorShape(input_shape)


Dropout.__module__ = "tensorflow.python.layers.core"


def dropout(
    inputs: Any,
    rate: TensorLike = 0.5,
    noise_shape: Sequence[Any] | None = None,
    seed: Any = None,
    training: bool = False,
    name: str | None = None,
) -> Any:
    """Return the inputs, a share of `rate` of them dropped if `training`."""
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    return layer(inputs, training=training)
