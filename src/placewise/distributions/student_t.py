"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.parameters import as_floats, checked, new_seed
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.scalars import LocationScale, common_shape, common_shape_tensor
from placewise.distributions.undefined import where_defined
from placewise.ops.array.creation import fill, ones
from placewise.ops.array.shape import identity, reshape
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_positive
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import square
from placewise.ops.math.comparison import greater, less
from placewise.ops.math.exponential import log, log1p, rsqrt
from placewise.ops.math.special import betainc, digamma, lgamma
from placewise.ops.random.gamma import gamma as random_gamma
from placewise.ops.random.normal import normal as random_normal


class StudentT(LocationScale, Distribution):
    """Student's t-distribution with `df` degrees of freedom, moved by `loc`, stretched by `scale`.

    `df`, `loc`, `scale`: floats that broadcast; their common shape is the batch.
    `validate_args`: raise InvalidArgumentError for degrees of freedom that are not positive.
    `allow_nan_stats`: False raises where mean (`df <= 1`) or variance (`df <= 1`) do not exist.

    >>> print(tf.compat.v1.distributions.StudentT(3.0, 1.0, 1.0).variance().numpy())
    3.0
    """

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = arguments(locals())
        df, self._loc, self._scale = as_floats(df=df, loc=loc, scale=scale)
        self._df = checked(df, [assert_positive(df)] if validate_args else [])
        super().__init__(
            df.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._df, self._loc, self._scale],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"df": sample_shape, "loc": sample_shape, "scale": sample_shape}

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df

    def _batch_shape(self) -> Any:
        return common_shape(self._df, self._loc, self._scale)

    def _batch_shape_tensor(self) -> Any:
        return common_shape_tensor(self._df, self._loc, self._scale)

    def _wide(self, value: Any) -> Any:
        return value * ones(self.batch_shape_tensor(), self.dtype)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        normal = random_normal(self._shape_of_draws(n), 0.0, 1.0, self.dtype, seed)
        count = reshape(convert_to_tensor(n), [1])
        second = new_seed(seed, "student_t")
        squares = random_gamma(count, 0.5 * self._wide(self._df), 0.5, self.dtype, second)
        return normal * rsqrt(squares / self._df) * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        shaped = -0.5 * (self._df + 1.0) * log1p(square(self._z(x)) / self._df)
        return shaped - self._log_normalization()

    def _log_normalization(self) -> Any:
        gammas = lgamma(0.5 * self._df) - lgamma(0.5 * (self._df + 1.0))
        width = log(absolute(self._scale)) + 0.5 * log(self._df) + 0.5 * math.log(math.pi)
        return width + gammas

    def _cdf(self, x: Any) -> Any:
        z = (x - self._loc) / absolute(self._scale) * self._wide(1.0)
        x = self._df / (square(z) + self._df)
        half = fill(common_shape_tensor(x), np.array(0.5, self.dtype.as_numpy_dtype))
        lower = 0.5 * betainc(0.5 * self._df * (half + half), half, x)
        return where(less(z, 0.0), lower, 1.0 - lower)

    def _entropy(self) -> Any:
        df, scale = self._wide(self._df), self._wide(absolute(self._scale))
        log_beta = lgamma(0.5 * df) + lgamma(0.5 * (df * 0.0 + 1.0)) - lgamma(0.5 * (df + 1.0))
        spread = 0.5 * (df + 1.0) * (digamma(0.5 * (df + 1.0)) - digamma(0.5 * df))
        return log(scale) + 0.5 * log(df) + log_beta + spread

    def _mean(self) -> Any:
        is_there = greater(self._wide(self._df), 1.0)
        message = "mean not defined for components of df <= 1"
        return where_defined(is_there, self._wide(self._loc), self.allow_nan_stats, message)

    def _variance(self) -> Any:
        df = self._wide(self._df)
        has_one = greater(df, 2.0)
        # The divisor stays positive where the variance does not exist.
        divisor = where(has_one, df - 2.0, fill(common_shape_tensor(df), _one(self.dtype)))
        variance = square(self._wide(self._scale)) * df / divisor
        infinite = np.array(np.inf, self.dtype.as_numpy_dtype)
        known = where(has_one, variance, fill(common_shape_tensor(df), infinite))
        message = "variance not defined for components of df <= 1"
        return where_defined(greater(df, 1.0), known, self.allow_nan_stats, message)

    def _mode(self) -> Any:
        return identity(self._loc)


def _one(dtype: Any) -> Any:
    return np.array(1.0, dtype.as_numpy_dtype)
