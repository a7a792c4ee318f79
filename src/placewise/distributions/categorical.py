"""The categorical distribution."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import int32, int64
from placewise.core.shapes import TensorShape
from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.kullback_leibler import RegisterKL
from placewise.distributions.parameters import logits_and_probs
from placewise.distributions.reparameterization import NOT_REPARAMETERIZED
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.extremes import argmax
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.scan import cumsum
from placewise.ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from placewise.ops.nn.softmax import log_softmax, softmax
from placewise.ops.random.categorical import categorical as random_categorical


class Categorical(Distribution):
    """One of several classes, numbered from 0.

    `logits`, `probs`: one of them; the last axis is that of the classes, the others are the batch.
    `dtype`: of samples.

    Raises ValueError if both or none of `logits` and `probs` are there.

    >>> d = tf.compat.v1.distributions.Categorical(probs=[0.25, 0.75])
    >>> print(d.mode().numpy(), round(float(d.prob(1)), 4))
    1 0.75
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = arguments(locals())
        self._logits, self._probs = logits_and_probs(logits, probs, multidimensional=True)
        if self._logits.shape.rank == 0:
            raise ValueError(f"Categorical needs an axis of classes, received: {self._logits}")
        super().__init__(
            dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._logits, self._probs],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"logits": sample_shape}

    @property
    def event_size(self) -> Any:
        """How many classes there are."""
        return convert_to_tensor(shape_of(self._logits)[-1])

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self._probs

    def _batch_shape(self) -> TensorShape:
        return TensorShape(self._logits.shape[:-1])

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._logits)[:-1]

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return constant([], int32)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rows = reshape(self._logits, [-1, self.event_size])
        draws = transpose(random_categorical(rows, n, int64, seed))
        return cast(reshape(draws, self._shape_of_draws(n)), self.dtype)

    def _shape_of_draws(self, n: Any) -> Any:
        return concat([reshape(n, [1]), self.batch_shape_tensor()], 0)

    def _value_dtype(self, method: str) -> Any:
        return None if method in ("log_prob", "prob", "cdf", "log_cdf") else self._dtype

    def _paired(self, k: Any, table: Any) -> tuple[Any, Any]:
        """Return classes and a table of rows, both of one shape of rows."""
        size = shape_of(cast(k, table.dtype) + reduce_sum(table, -1))
        wide = broadcast_to(table, concat([size, reshape(self.event_size, [1])], 0))
        return broadcast_to(cast(k, int32), size), wide

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._paired(k, self._logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: Any) -> Any:
        k, probs = self._paired(k, self._probs)
        below = cumsum(probs, axis=-1, exclusive=True)
        return reduce_sum(one_hot(k, self.event_size, dtype=probs.dtype) * below, -1)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self._logits) * self._probs, -1)

    def _mode(self) -> Any:
        return cast(argmax(self._logits, axis=-1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    difference = log_softmax(a.logits) - log_softmax(b.logits)
    return reduce_sum(softmax(a.logits) * difference, -1)
