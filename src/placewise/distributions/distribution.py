"""The base class of distributions: what all have in common.

A subclass writes the methods with an underscore (`_log_prob`, `_sample_n`, `_mean`, …). What it
leaves out follows from another where it can, or raises NotImplementedError.
"""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager
from typing import Any

from placewise.core.dtypes import as_dtype, int32
from placewise.core.names import name_scope
from placewise.core.shapes import TensorShape
from placewise.distributions import kullback_leibler
from placewise.distributions.reparameterization import ReparameterizationType
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import square
from placewise.ops.math.exponential import exp, log, log1p, sqrt
from placewise.ops.math.reduction import reduce_prod


class Distribution:
    """A probability distribution, or a batch of them with one set of parameters each.

    `batch_shape` is the shape of the parameters, `event_shape` that of one draw: samples have
    `sample_shape + batch_shape + event_shape`.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Any = None,
        name: str | None = None,
    ) -> None:
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = _plain(parameters or {})
        self._graph_parents = list(graph_parents or ())
        name = name or type(self).__name__
        if not name.endswith("/"):
            with name_scope(name) as unique:
                name = unique or f"{name}/"
        self._name = name if name.endswith("/") else f"{name}/"

    # What it is.

    @property
    def name(self) -> str:
        """The name, a scope of the graph."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow through samples."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Are statistics that do not exist NaN, or an error?"""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Are parameters and values checked?"""
        return self._validate_args

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> Any:
        """Return the shapes of parameters that give samples of a shape, as tensors."""
        with name_scope(name):
            return cls._param_shapes(convert_to_tensor(_vector(sample_shape), int32))

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """Return the shapes of parameters that give samples of a shape."""
        shape = TensorShape(_vector(sample_shape))
        if not shape.is_fully_defined():
            raise ValueError("TensorShape sample_shape must be fully defined")
        names = cls._param_shapes(constant(shape.as_list(), int32))
        return dict.fromkeys(names, shape)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Return one of the same class, with some parameters replaced."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # Shapes.

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the batch, as far as it is known."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one draw, as far as it is known."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the shape of the batch as a tensor."""
        with self._scope(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return constant(known.as_list(), int32, name="batch_shape")
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Return the shape of one draw as a tensor."""
        with self._scope(name):
            known = self.event_shape
            if known.is_fully_defined():
                return constant(known.as_list(), int32, name="event_shape")
            return self._event_shape_tensor()

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Return a bool tensor: is one draw a scalar?"""
        with self._scope(name):
            return convert_to_tensor(self.event_shape.rank == 0)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Return a bool tensor: is there one distribution and no batch?"""
        with self._scope(name):
            return convert_to_tensor(self.batch_shape.rank == 0)

    # Samples and probabilities.

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Return draws of a shape; `seed` makes them the same in every run."""
        with self._scope(name):
            shape = convert_to_tensor(sample_shape, int32, name="sample_shape")
            if shape.shape.rank != 1:
                shape = reshape(shape, [-1])
            draws = self._sample_n(reduce_prod(shape), seed)
            result = reshape(draws, concat([shape, shape_of(draws)[1:]], 0))
            known = _known(sample_shape)
            if known is not None:
                result.set_shape(known.concatenate(self.batch_shape).concatenate(self.event_shape))
            return result

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """Return the logarithm of the density or probability of values."""
        return self._call(name, "log_prob", value)

    def prob(self, value: Any, name: str = "prob") -> Any:
        """Return the density or probability of values."""
        return self._call(name, "prob", value)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """Return the logarithm of the probability of at most a value."""
        return self._call(name, "log_cdf", value)

    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """Return the probability of at most a value."""
        return self._call(name, "cdf", value)

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Any:
        """Return the logarithm of the probability of more than a value."""
        return self._call(name, "log_survival_function", value)

    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """Return the probability of more than a value."""
        return self._call(name, "survival_function", value)

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """Return what a draw is at most, with a probability."""
        return self._call(name, "quantile", value)

    # Statistics.

    def entropy(self, name: str = "entropy") -> Any:
        """Return the entropy in nats."""
        return self._call(name, "entropy")

    def mean(self, name: str = "mean") -> Any:
        """Return the mean."""
        return self._call(name, "mean")

    def variance(self, name: str = "variance") -> Any:
        """Return the variance."""
        return self._call(name, "variance")

    def stddev(self, name: str = "stddev") -> Any:
        """Return the standard deviation."""
        return self._call(name, "stddev")

    def covariance(self, name: str = "covariance") -> Any:
        """Return the covariance of the parts of one draw."""
        return self._call(name, "covariance")

    def mode(self, name: str = "mode") -> Any:
        """Return the most probable value."""
        return self._call(name, "mode")

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        """Return the cross entropy with another distribution."""
        with self._scope(name):
            return kullback_leibler.cross_entropy(self, other, self.allow_nan_stats)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        """Return KL(self || other)."""
        with self._scope(name):
            return kullback_leibler.kl_divergence(self, other, self.allow_nan_stats)

    # How one method follows from another.

    def _call(self, scope: str, method: str, *values: Any) -> Any:
        with self._scope(scope):
            source, convert = _FROM.get(method, ("", None))
            own, other = (getattr(self, f"_{each}", None) for each in (method, source))
            if own is None and other is None:
                raise NotImplementedError(f"{method} is not implemented: {type(self).__name__}")
            dtype = self._value_dtype(method)
            tensors = [convert_to_tensor(value, dtype, name="value") for value in values]
            return own(*tensors) if own is not None else convert(other(*tensors))  # type: ignore[misc]

    def _value_dtype(self, method: str) -> Any:
        return self._dtype

    def _scope(self, name: str) -> AbstractContextManager[Any]:
        return _Nested(self._name, name)

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape(self) -> Any:
        return TensorShape(None)

    def _batch_shape_tensor(self) -> Any:
        raise NotImplementedError(f"batch_shape_tensor is not implemented: {type(self).__name__}")

    def _event_shape_tensor(self) -> Any:
        raise NotImplementedError(f"event_shape_tensor is not implemented: {type(self).__name__}")

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        raise NotImplementedError(f"sample_n is not implemented: {type(self).__name__}")

    def __str__(self) -> str:
        return (
            f'tfp.distributions.{type(self).__name__}("{self.name}", '
            f"batch_shape={self.batch_shape}, event_shape={self.event_shape}, "
            f"dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' "
            f"batch_shape={self.batch_shape} event_shape={self.event_shape} "
            f"dtype={self.dtype.name}>"
        )


_FROM: dict[str, tuple[str, Any]] = {
    "log_prob": ("prob", log),
    "prob": ("log_prob", exp),
    "log_cdf": ("cdf", log),
    "cdf": ("log_cdf", exp),
    "log_survival_function": ("cdf", lambda p: log1p(-p)),
    "survival_function": ("cdf", lambda p: 1.0 - p),
    "stddev": ("variance", sqrt),
    "variance": ("stddev", square),
}


class _Nested:
    """The name scope of a method, within that of its distribution."""

    def __init__(self, outer: str, inner: str) -> None:
        self._scopes = (outer, inner)
        self._entered: list[Any] = []

    def __enter__(self) -> None:
        for name in self._scopes:
            scope = name_scope(name)
            scope.__enter__()
            self._entered.append(scope)

    def __exit__(self, *exception: Any) -> None:
        while self._entered:
            self._entered.pop().__exit__(*exception)


def arguments(values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of an `__init__` from its `locals()`."""
    return {key: value for key, value in values.items() if key not in ("self", "__class__")}


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in parameters.items() if not inspect.ismodule(value)}


def _vector(sample_shape: Any) -> Any:
    if isinstance(sample_shape, TensorShape):
        return sample_shape.as_list()
    return [sample_shape] if isinstance(sample_shape, int) else sample_shape


def _known(sample_shape: Any) -> TensorShape | None:
    if hasattr(sample_shape, "dtype"):
        return None
    return TensorShape(_vector(sample_shape))
