"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.kullback_leibler import RegisterKL
from placewise.distributions.parameters import as_floats, checked
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.scalars import LocationScale
from placewise.distributions.special_functions import log_ndtr, ndtr
from placewise.ops.array.creation import ones_like
from placewise.ops.array.where import where
from placewise.ops.debugging.assertions import assert_positive
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.math.arithmetic import square
from placewise.ops.math.comparison import greater, less
from placewise.ops.math.exponential import log
from placewise.ops.math.logic import logical_and
from placewise.ops.math.special import ndtri
from placewise.ops.random.normal import normal as random_normal


class Normal(LocationScale, Distribution):
    """The normal distribution of mean `loc` and standard deviation `scale`.

    `loc`, `scale`: floats that broadcast; their common shape is the batch.
    `validate_args`: raise InvalidArgumentError for a scale that is not positive.
    `allow_nan_stats`: without effect, all statistics exist.

    >>> d = tf.compat.v1.distributions.Normal(loc=0.0, scale=2.0)
    >>> print(d.variance().numpy())
    4.0
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
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
        draws = random_normal(self._shape_of_draws(n), 0.0, 1.0, self.dtype, seed)
        return draws * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        return -0.5 * square(self._z(x)) - (0.5 * math.log(2.0 * math.pi) + log(self._scale))

    def _cdf(self, x: Any) -> Any:
        return ndtr(self._z(x))

    def _log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return ndtr(-self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        # The quantiles of 0 and 1 are infinite; as in TensorFlow, no gradient goes there.
        inside = logical_and(greater(p, 0.0), less(p, 1.0))
        finite = ndtri(where(inside, p, 0.5 * ones_like(p)))
        return where(inside, finite, stop_gradient(ndtri(p))) * self._scale + self._loc

    def _entropy(self) -> Any:
        scale = self._scale * ones_like(self._loc)
        return 0.5 * math.log(2.0 * math.pi) + 0.5 + log(scale)

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

    def _stddev(self) -> Any:
        return self._scale * ones_like(self._loc)

    _mode = _mean


@RegisterKL(Normal, Normal)
def _kl_normal_normal(a: Normal, b: Normal, name: str | None = None) -> Any:
    ratio = square(a.scale) / square(b.scale)
    distance = square(a.loc - b.loc) / (2.0 * square(b.scale))
    return distance + 0.5 * (ratio - 1.0 - log(ratio))
