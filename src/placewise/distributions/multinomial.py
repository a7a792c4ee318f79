"""The multinomial distribution."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import int32
from placewise.core.shapes import TensorShape
from placewise.distributions.counts import log_combinations
from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.parameters import (
    as_floats,
    checked,
    checked_counts,
    logits_and_probs,
)
from placewise.distributions.reparameterization import NOT_REPARAMETERIZED
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.transpose import transpose
from placewise.ops.debugging.assertions import assert_equal, assert_non_negative
from placewise.ops.flow.map_fn import map_fn
from placewise.ops.linalg.diagonal import set_diag as matrix_set_diag
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.nn.softmax import log_softmax
from placewise.ops.random.categorical import categorical as random_categorical


class Multinomial(Distribution):
    """How often each class comes up in `total_count` independent draws.

    `total_count`: the number of draws, one for each member of the batch.
    `logits`, `probs`: one of them; the last axis is that of the classes.
    `validate_args`: raise InvalidArgumentError for counts that do not sum to `total_count`.

    >>> d = tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.75])
    >>> print(d.mean().numpy())
    [1. 3.]
    """

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = arguments(locals())
        (count,) = as_floats(total_count=total_count)
        self._total_count = checked(count, [assert_non_negative(count)] if validate_args else [])
        self._logits, self._probs = logits_and_probs(logits, probs, multidimensional=True)
        self._mean_value = self._total_count[..., None] * self._probs
        super().__init__(
            self._probs.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._total_count, self._logits, self._probs],
            name,
        )

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total_count

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape(self) -> TensorShape:
        return TensorShape(self._mean_value.shape[:-1])

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._mean_value)[:-1]

    def _event_shape(self) -> TensorShape:
        return TensorShape(self._mean_value.shape[-1:])

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._mean_value)[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        classes = self.event_shape_tensor()[0]
        batch = self.batch_shape_tensor()
        counts = reshape(broadcast_to(cast(self._total_count, int32), batch), [-1])
        size = concat([batch, reshape(classes, [1])], 0)
        logits = reshape(broadcast_to(self._logits, size), [-1, classes])

        def draw(parts: Any) -> Any:
            row, count = parts
            draws = random_categorical(row[None], n * count, int32, seed)
            hot = one_hot(reshape(draws, [n, count]), classes, dtype=self.dtype)
            return reduce_sum(hot, -2)

        rows = map_fn(draw, [logits, counts], dtype=self.dtype)  # members, draws, classes
        final = concat([reshape(n, [1]), batch, self.event_shape_tensor()], 0)
        return reshape(transpose(rows, [1, 0, 2]), final)

    def _log_prob(self, counts: Any) -> Any:
        if self.validate_args:
            counts = checked_counts(counts)
            message = "counts must sum to `self.total_count`"
            sums = assert_equal(self._total_count, reduce_sum(counts, -1), message=message)
            counts = checked(counts, [sums])
        unordered = reduce_sum(counts * log_softmax(self._logits), -1)
        return unordered + log_combinations(self._total_count, counts)

    def _mean(self) -> Any:
        return self._mean_value + 0.0

    def _covariance(self) -> Any:
        outer = -matmul(self._mean_value[..., None], self._probs[..., None, :])
        return matrix_set_diag(outer, self._variance())

    def _variance(self) -> Any:
        return self._mean_value - self._mean_value * self._probs
