"""The Dirichlet-multinomial distribution."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import int32
from placewise.core.shapes import TensorShape
from placewise.distributions.counts import log_combinations
from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.parameters import as_floats, checked, checked_counts, new_seed
from placewise.distributions.reparameterization import NOT_REPARAMETERIZED
from placewise.ops.array.concat import concat
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_equal, assert_non_negative
from placewise.ops.linalg.diagonal import set_diag as matrix_set_diag
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import log, sqrt
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.special import lbeta
from placewise.ops.random.categorical import categorical as random_categorical
from placewise.ops.random.gamma import gamma as random_gamma


class DirichletMultinomial(Distribution):
    """How often each class comes up in draws whose probabilities have a Dirichlet distribution.

    `total_count`: the number of draws.
    `concentration`: positive floats; the last axis is that of the classes.
    `validate_args`: raise InvalidArgumentError for counts that do not sum to `total_count`.

    >>> d = tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 3.0])
    >>> print(d.mean().numpy())
    [1. 3.]
    """

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = arguments(locals())
        count = convert_to_tensor(total_count, name="total_count")
        (self._concentration,) = as_floats(concentration=concentration)
        self._total_count = checked(count, [assert_non_negative(count)] if validate_args else [])
        self._total = reduce_sum(self._concentration, -1)
        super().__init__(
            self._concentration.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._total_count, self._concentration],
            name,
        )

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total_count

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
        draws_each = cast(self._total_count, int32)
        classes = self.event_shape_tensor()[0]
        unnormalized = random_gamma(reshape(n, [1]), self._concentration, None, self.dtype, seed)
        logits = reshape(log(unnormalized), [-1, classes])
        second = new_seed(seed, "dirichlet_multinomial")
        draws = random_categorical(logits, draws_each, seed=second)
        counts = reduce_sum(one_hot(draws, classes, dtype=self.dtype), -2)
        final = concat([reshape(n, [1]), self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        return reshape(counts, final)

    def _log_prob(self, counts: Any) -> Any:
        if self.validate_args:
            counts = checked_counts(counts)
            message = "counts last-dimension must sum to `self.total_count`"
            sums = assert_equal(self._total_count, reduce_sum(counts, -1), message=message)
            counts = checked(counts, [sums])
        ordered = lbeta(self._concentration + counts) - lbeta(self._concentration)
        return ordered + log_combinations(self._total_count, counts)

    def _mean(self) -> Any:
        return self._total_count * self._share()

    def _share(self) -> Any:
        return self._concentration / self._total[..., None]

    def _spread(self) -> Any:
        total = self._total[..., None]
        return sqrt((1.0 + total / self._total_count) / (1.0 + total))

    def _variance(self) -> Any:
        scaled = self._spread() * self._mean()
        return scaled * (self._total_count * self._spread() - scaled)

    def _covariance(self) -> Any:
        scaled = self._spread() * self._mean()
        return matrix_set_diag(-matmul(scaled[..., None], scaled[..., None, :]), self._variance())
