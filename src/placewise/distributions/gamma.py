"""The gamma and the exponential distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.kullback_leibler import RegisterKL
from placewise.distributions.parameters import as_floats, checked
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.scalars import ScalarEvent
from placewise.distributions.undefined import where_defined
from placewise.ops.array.creation import ones_like
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_positive
from placewise.ops.math.comparison import greater
from placewise.ops.math.division import xlogy
from placewise.ops.math.exponential import log, sqrt
from placewise.ops.math.special import digamma, igamma, lgamma
from placewise.ops.random.gamma import gamma as random_gamma
from placewise.ops.random.uniform import uniform as random_uniform


class Gamma(ScalarEvent, Distribution):
    """The gamma distribution of shape `concentration` and inverse scale `rate`.

    `concentration`, `rate`: positive floats that broadcast; their common shape is the batch.
    `validate_args`: raise InvalidArgumentError for parameters that are not positive.
    `allow_nan_stats`: False raises where the mode does not exist (`concentration <= 1`).

    >>> print(tf.compat.v1.distributions.Gamma(3.0, 2.0).mean().numpy())
    1.5
    """

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        parameters = arguments(locals())
        concentration, rate = as_floats(concentration=concentration, rate=rate)
        checks = [assert_positive(concentration), assert_positive(rate)] if validate_args else []
        self._concentration, self._rate = checked(concentration, checks), checked(rate, checks)
        super().__init__(
            concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration, self._rate],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"concentration": sample_shape, "rate": sample_shape}

    @property
    def concentration(self) -> Any:
        """The shape parameter."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The inverse of the scale."""
        return self._rate

    def _batch_parts(self) -> tuple[Any, ...]:
        return self._concentration, self._rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        count = reshape(convert_to_tensor(n), [1])
        return random_gamma(count, self._concentration, self._rate, self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            x = checked(x, [assert_positive(x)])
        shaped = (self._concentration - 1.0) * log(x) - self._rate * x
        return shaped - (lgamma(self._concentration) - self._concentration * log(self._rate))

    def _cdf(self, x: Any) -> Any:
        if self.validate_args:
            x = checked(x, [assert_positive(x)])
        return igamma(self._concentration * ones_like(self._rate * x), self._rate * x)

    def _entropy(self) -> Any:
        k = self._concentration
        return k - log(self._rate) + lgamma(k) + (1.0 - k) * digamma(k)

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / self._rate**2

    def _stddev(self) -> Any:
        return sqrt(self._concentration) / self._rate

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / self._rate
        is_there = greater(self._concentration * ones_like(self._rate), 1.0)
        message = "mode not defined when any concentration <= 1"
        return where_defined(is_there, mode, self.allow_nan_stats, message)


@RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    shapes = (a.concentration - b.concentration) * digamma(a.concentration)
    return (
        shapes
        + lgamma(b.concentration)
        - lgamma(a.concentration)
        + xlogy(b.concentration, a.rate)
        - xlogy(b.concentration, b.rate)
        + a.concentration * (b.rate / a.rate - 1.0)
    )


class Exponential(Gamma):
    """The exponential distribution: waiting times of events that come with a `rate`.

    `rate`: a positive float; its shape is the batch.
    `validate_args`: raise InvalidArgumentError for a rate that is not positive.

    >>> print(tf.compat.v1.distributions.Exponential(4.0).mean().numpy())
    0.25
    """

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        parameters = arguments(locals())
        (rate,) = as_floats(rate=rate)
        super().__init__(ones_like(rate), rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"rate": sample_shape}

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # Zero itself would give an infinite draw.
        lowest = np.finfo(self.dtype.as_numpy_dtype).tiny
        draws = random_uniform(self._shape_of_draws(n), lowest, 1.0, self.dtype, seed)
        return -log(draws) / self._rate
