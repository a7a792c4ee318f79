"""The uniform distribution."""

from __future__ import annotations

import math
from typing import Any

from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.parameters import as_floats, checked
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.scalars import ScalarEvent
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.shape import shape_of
from placewise.ops.array.where import where
from placewise.ops.debugging.assertions import assert_less
from placewise.ops.math.arithmetic import square
from placewise.ops.math.comparison import greater_equal, is_nan, less
from placewise.ops.math.exponential import log
from placewise.ops.math.logic import logical_or
from placewise.ops.random.uniform import uniform as random_uniform


class Uniform(ScalarEvent, Distribution):
    """Every value from `low` up to, but without, `high` is as likely as any other.

    `low`, `high`: floats that broadcast; their common shape is the batch.
    `validate_args`: raise InvalidArgumentError unless `low < high`.

    >>> print(tf.compat.v1.distributions.Uniform(1.0, 3.0).mean().numpy())
    2.0
    """

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = arguments(locals())
        low, high = as_floats(low=low, high=high)
        checks = []
        if validate_args:
            checks = [assert_less(low, high, "uniform not defined when low >= high.")]
        self._low, self._high = checked(low, checks), checked(high, checks)
        super().__init__(
            low.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._low, self._high],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"low": sample_shape, "high": sample_shape}

    @property
    def low(self) -> Any:
        """The lower limit, which is a value."""
        return self._low

    @property
    def high(self) -> Any:
        """The upper limit, which is not."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """Return `high - low`."""
        with self._scope(name):
            return self._high - self._low

    def _batch_parts(self) -> tuple[Any, ...]:
        return self._low, self._high

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        draws = random_uniform(self._shape_of_draws(n), 0, None, self.dtype, seed)
        return self._low + self.range() * draws

    def _prob(self, x: Any) -> Any:
        wide = x * ones_like(self.range())
        outside = logical_or(less(wide, self._low), greater_equal(wide, self._high))
        density = where(outside, zeros_like(wide), ones_like(wide) / self.range())
        return where(is_nan(wide), wide, density)

    def _cdf(self, x: Any) -> Any:
        size = shape_of(x + self.range())
        wide, low, high = (broadcast_to(each, size) for each in (x, self._low, self._high))
        inside = where(greater_equal(wide, high), ones_like(wide), (wide - low) / (high - low))
        return where(less(wide, low), zeros_like(wide), inside)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Any:
        return square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)
