"""The beta distribution."""

from __future__ import annotations

from typing import Any

from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.kullback_leibler import RegisterKL
from placewise.distributions.parameters import as_floats, checked, checked_probability, new_seed
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.scalars import ScalarEvent
from placewise.distributions.undefined import where_defined
from placewise.ops.array.creation import constant, ones_like
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_less, assert_positive
from placewise.ops.math.comparison import greater
from placewise.ops.math.division import xlogy
from placewise.ops.math.exponential import log1p
from placewise.ops.math.logic import logical_and
from placewise.ops.math.special import betainc, digamma, lgamma
from placewise.ops.random.gamma import gamma as random_gamma


class Beta(ScalarEvent, Distribution):
    """The beta distribution over probabilities.

    `concentration1`, `concentration0`: positive floats that broadcast, 1 by default; their common
        shape is the batch.
    `validate_args`: raise InvalidArgumentError for parameters that are not positive.
    `allow_nan_stats`: False raises where the mode does not exist.

    >>> print(tf.compat.v1.distributions.Beta(1.0, 3.0).mean().numpy())
    0.25
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = arguments(locals())
        ones, zeros = as_floats(
            concentration1=1.0 if concentration1 is None else concentration1,
            concentration0=1.0 if concentration0 is None else concentration0,
        )
        message = "Concentration parameter must be positive."
        checks = []
        if validate_args:
            checks = [assert_positive(each, message=message) for each in (ones, zeros)]
        self._ones, self._zeros = checked(ones, checks), checked(zeros, checks)
        self._total = self._ones + self._zeros
        super().__init__(
            self._ones.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._ones, self._zeros, self._total],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"concentration1": sample_shape, "concentration0": sample_shape}

    @property
    def concentration1(self) -> Any:
        """The concentration towards 1."""
        return self._ones

    @property
    def concentration0(self) -> Any:
        """The concentration towards 0."""
        return self._zeros

    @property
    def total_concentration(self) -> Any:
        """The sum of both."""
        return self._total

    def _batch_parts(self) -> tuple[Any, ...]:
        return (self._total,)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        count = reshape(convert_to_tensor(n), [1])
        wide = ones_like(self._total)
        first = random_gamma(count, self._ones * wide, dtype=self.dtype, seed=seed)
        second_seed = new_seed(seed, "beta")
        second = random_gamma(count, self._zeros * wide, dtype=self.dtype, seed=second_seed)
        return first / (first + second)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            x = checked_probability(x)
        shaped = xlogy(self._ones - 1.0, x) + (self._zeros - 1.0) * log1p(-x)
        return shaped - self._log_normalization()

    def _log_normalization(self) -> Any:
        return lgamma(self._ones) + lgamma(self._zeros) - lgamma(self._total)

    def _cdf(self, x: Any) -> Any:
        if self.validate_args:
            x = checked_probability(x)
        wide = ones_like(self._total * x)
        return betainc(self._ones * wide, self._zeros * wide, x * wide)

    def _entropy(self) -> Any:
        ones = (self._ones - 1.0) * digamma(self._ones)
        zeros = (self._zeros - 1.0) * digamma(self._zeros)
        total = (self._total - 2.0) * digamma(self._total)
        return self._log_normalization() - ones - zeros + total

    def _mean(self) -> Any:
        return self._ones / self._total

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self._total)

    def _mode(self) -> Any:
        mode = (self._ones - 1.0) / (self._total - 2.0)
        if not self.allow_nan_stats:
            one = constant(1.0, self.dtype)
            return checked(
                mode,
                [
                    assert_less(
                        one, value, message=f"Mode undefined for concentration{which} <= 1."
                    )
                    for which, value in ((1, self._ones), (0, self._zeros))
                ],
            )
        wide = ones_like(self._total)
        is_there = logical_and(greater(self._ones * wide, 1.0), greater(self._zeros * wide, 1.0))
        return where_defined(is_there, mode, True, "")


@RegisterKL(Beta, Beta)
def _kl_beta_beta(a: Beta, b: Beta, name: str | None = None) -> Any:
    def difference(attribute: str) -> Any:
        first, second = getattr(a, attribute), getattr(b, attribute)
        return lgamma(second) - lgamma(first) - digamma(first) * (second - first)

    ones, zeros = difference("concentration1"), difference("concentration0")
    return ones + zeros - difference("total_concentration")
