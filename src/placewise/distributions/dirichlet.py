"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import TensorShape
from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.kullback_leibler import RegisterKL
from placewise.distributions.parameters import as_floats, checked
from placewise.distributions.reparameterization import FULLY_REPARAMETERIZED
from placewise.distributions.undefined import where_defined
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_near, assert_positive
from placewise.ops.linalg.diagonal import set_diag as matrix_set_diag
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater
from placewise.ops.math.division import xlogy
from placewise.ops.math.reduction import reduce_all, reduce_sum
from placewise.ops.math.special import digamma, lbeta
from placewise.ops.random.gamma import gamma as random_gamma


class Dirichlet(Distribution):
    """The Dirichlet distribution over vectors of probabilities.

    `concentration`: positive floats; the last axis is that of the classes, the others the batch.
    `validate_args`: raise InvalidArgumentError for concentrations that are not positive.
    `allow_nan_stats`: False raises where the mode does not exist (a concentration `<= 1`).

    >>> print(tf.compat.v1.distributions.Dirichlet([1.0, 3.0]).mean().numpy())
    [0.25 0.75]
    """

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        parameters = arguments(locals())
        (concentration,) = as_floats(concentration=concentration)
        message = "Concentration parameter must be positive."
        checks = [assert_positive(concentration, message=message)] if validate_args else []
        self._concentration = checked(concentration, checks)
        self._total = reduce_sum(self._concentration, -1)
        super().__init__(
            concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration, self._total],
            name,
        )

    @property
    def concentration(self) -> Any:
        """The concentration of each class."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """The sum over the classes."""
        return self._total

    def _batch_shape(self) -> TensorShape:
        return TensorShape(self._total.shape)

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._total)

    def _event_shape(self) -> TensorShape:
        return TensorShape(self._concentration.shape[-1:])

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._concentration)[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        count = reshape(convert_to_tensor(n), [1])
        draws = random_gamma(count, self._concentration, dtype=self.dtype, seed=seed)
        return draws / reduce_sum(draws, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            message = "sample last-dimension must sum to `1`"
            sums = assert_near(constant(1.0, self.dtype), reduce_sum(x, -1), message=message)
            x = checked(x, [assert_positive(x, message="samples must be positive"), sums])
        return reduce_sum(xlogy(self._concentration - 1.0, x), -1) - lbeta(self._concentration)

    def _classes(self) -> Any:
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Any:
        classes = self._classes()
        total = (self._total - classes) * digamma(self._total)
        each = reduce_sum((self._concentration - 1.0) * digamma(self._concentration), -1)
        return lbeta(self._concentration) + total - each

    def _mean(self) -> Any:
        return self._concentration / self._total[..., None]

    def _covariance(self) -> Any:
        scaled = self._scaled_mean()
        outer = -matmul(scaled[..., None], scaled[..., None, :])
        return matrix_set_diag(outer, self._variance())

    def _scaled_mean(self) -> Any:
        return self._mean() / (1.0 + self._total[..., None]) ** 0.5

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total[..., None])

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / (self._total[..., None] - self._classes())
        is_there = reduce_all(greater(self._concentration, 1.0), -1, keepdims=True)
        wide = broadcast_to(is_there, shape_of(mode))
        message = "Mode undefined when any concentration <= 1"
        return where_defined(wide, mode, self.allow_nan_stats, message)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    digammas = digamma(a.concentration) - digamma(a.total_concentration)[..., None]
    shapes = reduce_sum((a.concentration - b.concentration) * digammas, -1)
    return shapes - lbeta(a.concentration) + lbeta(b.concentration)
