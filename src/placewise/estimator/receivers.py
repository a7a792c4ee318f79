"""What an exported model takes and gives: receivers of requests, outputs of signatures."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.core import dtypes
from placewise.graph.inputs import placeholder
from placewise.saving.signature_defs import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)

_SINGLE_FEATURE, _SINGLE_RECEIVER = "feature", "input"


class ServingInputReceiver(
    namedtuple(
        "ServingInputReceiver", ("features", "receiver_tensors", "receiver_tensors_alternatives")
    )
):
    """Features for the model, and the tensors that requests are fed into."""

    def __new__(
        cls,
        features: dict[Any, Any],
        receiver_tensors: dict[Any, Any],
        receiver_tensors_alternatives: Any = None,
    ) -> ServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        if receiver_tensors is None:
            raise ValueError("receiver_tensors must be defined.")
        if not isinstance(features, dict):
            features = {_SINGLE_FEATURE: features}
        if not isinstance(receiver_tensors, dict):
            receiver_tensors = {_SINGLE_RECEIVER: receiver_tensors}
        return super().__new__(cls, features, receiver_tensors, receiver_tensors_alternatives)


class TensorServingInputReceiver(
    namedtuple(
        "TensorServingInputReceiver",
        ("features", "receiver_tensors", "receiver_tensors_alternatives"),
    )
):
    """One tensor for the model, not in a dictionary."""

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        made = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(cls, features, *made[1:])


def build_raw_serving_input_receiver_fn(
    features: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Return a function that makes a placeholder for each feature."""

    def receive() -> ServingInputReceiver:
        made = {}
        for name, tensor in features.items():
            sizes = tensor.shape.as_list()
            label = tensor.op.name if hasattr(tensor, "op") else name
            made[name] = placeholder(tensor.dtype, [default_batch_size, *sizes[1:]], name=label)
        return ServingInputReceiver(made, dict(made))

    return receive


def build_parsing_serving_input_receiver_fn(
    feature_spec: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Return a function that parses serialized tf.train.Examples."""

    def receive() -> ServingInputReceiver:
        serialized = placeholder(dtypes.string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(
            tf.io.parse_example(serialized, feature_spec), {"examples": serialized}
        )

    return receive


class ExportOutput:
    """What one signature of an exported model gives."""

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """Return the signature, from tensors of requests."""
        raise NotImplementedError


class PredictOutput(ExportOutput):
    """Tensors by name."""

    def __init__(self, outputs: Any) -> None:
        given = outputs if isinstance(outputs, dict) else {"output": outputs}
        self._outputs = {
            key if isinstance(key, str) else "_".join(key): value for key, value in given.items()
        }

    @property
    def outputs(self) -> dict[str, Any]:
        """The tensors by name."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """Return a signature of the predict kind."""
        return predict_signature_def(receiver_tensors, self._outputs)


class RegressionOutput(ExportOutput):
    """Numbers, one for each case."""

    def __init__(self, value: Any) -> None:
        if not value.dtype.is_floating:
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self._value = value

    @property
    def value(self) -> Any:
        """The numbers."""
        return self._value

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """Return a signature of the regress kind."""
        return regression_signature_def(_examples(receiver_tensors), self._value)


class ClassificationOutput(ExportOutput):
    """Scores and classes of each case."""

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        if scores is not None and not scores.dtype.is_floating:
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and classes.dtype != dtypes.string:
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores, self._classes = scores, classes

    @property
    def scores(self) -> Any:
        """The scores."""
        return self._scores

    @property
    def classes(self) -> Any:
        """The classes."""
        return self._classes

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """Return a signature of the classify kind."""
        return classification_signature_def(
            _examples(receiver_tensors), self._classes, self._scores
        )


def _examples(receivers: dict[str, Any]) -> Any:
    if len(receivers) != 1:
        raise ValueError(f"Classification input must be a single string Tensor; got {receivers}")
    (examples,) = receivers.values()
    if examples.dtype != dtypes.string:
        raise ValueError(f"Classification input must be a single string Tensor; got {receivers}")
    return examples
