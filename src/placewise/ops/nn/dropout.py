"""Dropout: elements set to zero at random, the others scaled up to make up for them."""

from __future__ import annotations

import numbers
from typing import Any

from placewise.core.errors import hint
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.math.arithmetic import multiply, subtract
from placewise.ops.math.comparison import greater_equal
from placewise.ops.math.division import reciprocal
from placewise.ops.random.stateless import stateless_uniform
from placewise.ops.random.uniform import uniform


def _noise_shape(x: Any, noise_shape: Any) -> Any:
    """Return the shape of the decisions; None in it means the size of `x` there."""
    if noise_shape is None:
        return shape_of(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    if isinstance(noise_shape, list | tuple) and any(isinstance(n, Tensor) for n in noise_shape):
        return convert_to_tensor(noise_shape)
    wanted = TensorShape(noise_shape)._dims
    given = x._shape_tuple
    if wanted is not None and given is not None and len(wanted) == len(given):
        merged = [
            mine if mine is not None else theirs for mine, theirs in zip(wanted, given, strict=True)
        ]
        if None not in merged:
            return merged
    return noise_shape


def _dropped(x: Any, rate: Any, uniform: Any, noise_shape: Any) -> Any:
    is_number = isinstance(rate, numbers.Real)
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            hint(
                "`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                f"rate={rate}",
                "the rate is the share that is dropped; TF1's keep_prob is 1 - rate",
            )
        )
    x = convert_to_tensor(x)
    kind = x.dtype
    if not kind.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={kind}"
        )
    if is_number and rate == 0:
        return x
    if is_number:
        scale: Any = scalar(1.0 / (1.0 - float(rate)), kind)
        limit = scalar(float(rate), kind)
    elif isinstance(rate, Tensor) or hasattr(type(rate), "__tf_tensor__"):
        rate = convert_to_tensor(rate)
        if rate.shape.rank not in (0, None):
            raise ValueError(f"Shape {rate.shape} must have rank 0")
        if rate.dtype is not kind:
            raise ValueError(
                "`x.dtype` must be compatible with `rate.dtype`. "
                f"Received: x.dtype={kind!r} and rate.dtype={rate.dtype!r}"
            )
        scale, limit = reciprocal(subtract(scalar(1.0, kind), rate)), rate
    else:
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    scaled = multiply(x, scale)
    kept = greater_equal(uniform(_noise_shape(x, noise_shape), kind), limit)
    return where(kept, scaled, scalar(0, kind))


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Return `x` with a share of `rate` of its elements 0 and the others divided by 1 - rate.

    `noise_shape` broadcasts to `x`: elements it does not tell apart live or die together.
    """
    return _dropped(x, rate, lambda shape, kind: uniform(shape, dtype=kind, seed=seed), noise_shape)


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Return `dropout` whose decisions follow from `seed` alone: two integers."""
    algorithm = "auto_select" if rng_alg is None else rng_alg
    return _dropped(
        x,
        rate,
        lambda shape, kind: stateless_uniform(shape, seed, dtype=kind, alg=algorithm),
        noise_shape,
    )


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Any:
    """Return `dropout` whose numbers in [0, 1) come from `uniform_sampler(shape, dtype)`."""
    return _dropped(x, rate, uniform_sampler, noise_shape)
