"""`tfe.metrics`: metrics that are objects, of the first eager execution.

Calling one adds to it, `result()` returns what it comes to. In a graph the call returns what must
be run to add, and `init_variables()` the operation that begins anew.
"""

from __future__ import annotations

import re
from typing import Any

import placewise as tf
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.graph.collections import GraphKeys
from placewise.graph.initializers import Zeros
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.layers.loss_weights import is_eager
from placewise.ops.flow.order import group


class Metric:
    """Base of all: `build` makes variables, `call` adds to them, `result` reads them."""

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        self._name = name or type(self).__name__
        self._use_global_variables = use_global_variables
        self._variables: list[Any] = []
        self._initial_values: dict[int, Any] = {}
        self._is_built = False
        self._result: Any = None

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self._name

    @property
    def variables(self) -> list[Any]:
        """Its variables, in the order in which they were made."""
        return list(self._variables)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add to the metric what `call` says of the arguments."""
        if not self._is_built:
            scope = re.sub(r"[^A-Za-z0-9_.\-/]", "_", self._name)
            with variable_scope(scope) if is_eager() else variable_scope(None, scope):
                self.build(*args, **kwargs)
            self._is_built = True
        return self.call(*args, **kwargs)

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the variables; called with the arguments of the first call."""

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Add to the variables: what a metric of one's own overrides."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        """Return what the metric comes to: what a metric of one's own overrides."""
        raise NotImplementedError("Metrics must define a result() member function")

    def value(self) -> Any:
        """Return the tensor of the result in a graph, and `result` itself when eager."""
        if is_eager():
            return self.result
        if self._result is None:
            self._result = self.result()
        return self._result

    def init_variables(self) -> Any:
        """Begin anew: at once, or by the operation that is returned in a graph."""
        if not is_eager():
            return group(*[variable.initializer for variable in self._variables])
        for variable in self._variables:
            variable.assign(self._initial_values[id(variable)])
        return None

    def aggregate(self, metrics: Any) -> Any:
        """Take over what several metrics of this kind have added: each kind's own."""
        raise NotImplementedError("Metrics must define aggregate()")

    def add_variable(
        self, name: str, shape: Any = None, dtype: DTypeLike | None = None, initializer: Any = None
    ) -> Any:
        """Return a variable of the metric; only `build` may make one."""
        if self._is_built:
            raise RuntimeError("Can't call add_variable() except in build().")
        kind = GraphKeys.GLOBAL_VARIABLES if self._use_global_variables else None
        made = get_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            collections=None if is_eager() else [kind or GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )
        self._variables.append(made)
        if is_eager():
            self._initial_values[id(made)] = made.value()
        return made


class Mean(Metric):
    """The weighted mean of all values."""

    numer: Any
    denom: Any

    def __init__(
        self,
        name: str | None = None,
        dtype: DTypeLike = dtypes.float64,
        use_global_variables: bool = False,
    ) -> None:
        super().__init__(name, use_global_variables)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the sum and the count."""
        zeros = Zeros()
        for name in ("numer", "denom"):
            made = self.add_variable(name, shape=(), dtype=self.dtype, initializer=zeros)
            setattr(self, name, made)

    def call(self, values: TensorLike, weights: TensorLike | None = None) -> Any:
        """Add values; `weights` is broadcast against them. Returns what was added."""
        values = tf.convert_to_tensor(values)
        if weights is None:
            count = tf.cast(tf.size(values), self.dtype)
            added = [self.denom.assign_add(count)]
            values = tf.reduce_sum(values)
            added.append(self.numer.assign_add(tf.cast(values, self.dtype)))
            return _after(added, values)
        weights = tf.cast(weights, self.dtype)
        added = [self.denom.assign_add(tf.reduce_sum(weights))]
        values = tf.cast(values, self.dtype) * weights
        added.append(self.numer.assign_add(tf.reduce_sum(values)))
        return _after(added, values), weights

    def result(self, write_summary: bool = True) -> Any:
        """Return the mean; not a number before the first value."""
        mean = self.numer / self.denom
        if write_summary:
            tf.summary.scalar(self.name, mean)
        return mean

    def aggregate(self, metrics: Any) -> Any:
        """Take over the sums and counts of several means."""
        return group(
            self.numer.assign(tf.add_n([metric.numer.value() for metric in metrics])),
            self.denom.assign(tf.add_n([metric.denom.value() for metric in metrics])),
        )


class Accuracy(Mean):
    """How often predictions equal labels."""

    def __init__(self, name: str | None = None, dtype: DTypeLike = dtypes.float64) -> None:
        super().__init__(name, dtype)

    def call(  # type: ignore[override]  # it takes labels too
        self, labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
    ) -> Any:
        """Add labels and predictions of one shape; returns them, and the weights if there are."""
        labels, predictions = tf.convert_to_tensor(labels), tf.convert_to_tensor(predictions)
        added = self._add(labels, *self._compared(labels, predictions), weights)
        predictions = _after(tf.nest.flatten(added), predictions)
        return (labels, predictions) if weights is None else (labels, predictions, weights)

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        """Return what must be equal."""
        return labels, predictions

    def _add(self, given: Any, labels: Any, predictions: Any, weights: Any) -> Any:
        checked = tf.debugging.assert_equal(
            tf.shape(labels),
            tf.shape(predictions),
            message="Shapes of labels and predictions are unequal",
        )
        labels = _after([checked], labels)
        return super().call(tf.cast(tf.equal(labels, predictions), self.dtype), weights)


class CategoricalAccuracy(Accuracy):
    """How often the largest prediction is at the largest label (one-hot)."""

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1)


class SparseAccuracy(Accuracy):
    """How often the largest prediction is at the position that the label names."""

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return tf.cast(labels, tf.int64), tf.argmax(predictions, axis=-1)


class BinaryAccuracy(Accuracy):
    """How often predictions above a threshold meet labels of 1, and others those of 0."""

    def __init__(
        self, threshold: float, name: str | None = None, dtype: DTypeLike = dtypes.float64
    ) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return tf.cast(labels, tf.bool), tf.greater(predictions, self.threshold)


def _after(added: list[Any], value: Any) -> Any:
    """Return the value; in a graph, once what is added has run."""
    with tf.control_dependencies([each for each in added if each is not None]):
        return tf.identity(value)


for _kind in (Metric, Mean, Accuracy, CategoricalAccuracy, SparseAccuracy, BinaryAccuracy):
    _kind.__module__ = "tensorflow.contrib.eager.python.metrics_impl"
