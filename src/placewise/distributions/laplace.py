"""The Laplace distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.parameters import as_floats, checked
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.scalars import LocationScale
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.where import where
from placewise.ops.debugging.assertions import assert_positive
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import sign
from placewise.ops.math.comparison import less
from placewise.ops.math.exponential import exp, log, log1p
from placewise.ops.random.uniform import uniform as random_uniform


class Laplace(LocationScale, Distribution):
    """The Laplace distribution: an exponential distribution on both sides of `loc`.

    `loc`, `scale`: floats that broadcast; their common shape is the batch.
    `validate_args`: raise InvalidArgumentError for a scale that is not positive.

    >>> print(tf.compat.v1.distributions.Laplace(0.0, 1.0).prob(0.0).numpy())
    0.5
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        parameters = arguments(locals())
        self._loc, scale = as_floats(loc=loc, scale=scale)
        self._scale = checked(scale, [assert_positive(scale)] if validate_args else [])
        super().__init__(
            self._loc.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._loc, self._scale],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # -1 itself would give an infinite draw.
        lowest = np.nextafter(*np.array([-1.0, 0.0], self.dtype.as_numpy_dtype))
        draws = random_uniform(self._shape_of_draws(n), lowest, 1.0, self.dtype, seed)
        return self._loc - self._scale * sign(draws) * log1p(-absolute(draws))

    def _log_prob(self, x: Any) -> Any:
        return -absolute(self._z(x)) - math.log(2.0) - log(self._scale)

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * sign(z) * (1.0 - exp(-absolute(z)))

    def _log_cdf(self, x: Any) -> Any:
        return _log_cdf(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return _log_cdf(-self._z(x))

    def _entropy(self) -> Any:
        scale = self._scale + zeros_like(self._loc)
        return math.log(2.0) + 1.0 + log(scale)

    def _mean(self) -> Any:
        return self._loc + zeros_like(self._scale)

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self._scale + zeros_like(self._loc)

    def _median(self) -> Any:
        return self._mean()

    _mode = _mean


def _log_cdf(z: Any) -> Any:
    below = z - math.log(2.0)
    # The exponent stays at or below zero, so that gradients of the other branch are numbers.
    above = log1p(-0.5 * exp(-absolute(z)))
    return where(less(z, 0.0), below, above * ones_like(z))
