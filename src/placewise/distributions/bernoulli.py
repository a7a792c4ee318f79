"""The Bernoulli distribution."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import int32
from placewise.distributions.distribution import Distribution, arguments
from placewise.distributions.kullback_leibler import RegisterKL
from placewise.distributions.parameters import checked, checked_bits, logits_and_probs
from placewise.distributions.reparameterization import NOT_REPARAMETERIZED
from placewise.distributions.scalars import ScalarEvent
from placewise.ops.debugging.assertions import assert_less_equal, assert_non_negative
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater, less
from placewise.ops.math.exponential import sigmoid, softplus
from placewise.ops.nn.losses import sigmoid_cross_entropy_with_logits
from placewise.ops.random.uniform import uniform as random_uniform


class Bernoulli(ScalarEvent, Distribution):
    """1 with a probability, 0 otherwise.

    `logits`, `probs`: one of them, the log-odds or the probabilities of 1.
    `dtype`: of samples.
    `validate_args`: raise InvalidArgumentError for probabilities outside of [0, 1].

    Raises ValueError if both or none of `logits` and `probs` are there.

    >>> d = tf.compat.v1.distributions.Bernoulli(probs=[0.25, 0.5])
    >>> print(d.prob([1, 0]).numpy())
    [0.25 0.5 ]
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = arguments(locals())
        self._logits, self._probs = logits_and_probs(logits, probs)
        if validate_args and probs is not None:
            message = "probs has components greater than 1."
            limits = [
                assert_non_negative(self._probs),
                assert_less_equal(self._probs, 1.0, message=message),
            ]
            self._probs = checked(self._probs, limits)
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
    def logits(self) -> Any:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probability of 1."""
        return self._probs

    def _batch_parts(self) -> tuple[Any, ...]:
        return (self._logits,)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        draws = random_uniform(self._shape_of_draws(n), 0, None, self._probs.dtype, seed)
        return cast(less(draws, self._probs), self.dtype)

    def _value_dtype(self, method: str) -> Any:
        return None  # floats are values as well as integers

    def _log_prob(self, event: Any) -> Any:
        if self.validate_args:
            event = checked_bits(event)
        event = cast(event, self._logits.dtype)
        return -sigmoid_cross_entropy_with_logits(
            labels=event + 0.0 * self._logits, logits=self._logits + 0.0 * event
        )

    def _entropy(self) -> Any:
        return -self._logits * (sigmoid(self._logits) - 1.0) + softplus(-self._logits)

    def _mean(self) -> Any:
        return self._probs + 0.0

    def _variance(self) -> Any:
        return self._probs * (1.0 - self._probs)

    def _mode(self) -> Any:
        return cast(greater(self._probs, 0.5), self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    ones = sigmoid(a.logits) * (softplus(-b.logits) - softplus(-a.logits))
    return ones + sigmoid(-a.logits) * (softplus(b.logits) - softplus(a.logits))
