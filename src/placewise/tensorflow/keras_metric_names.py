"""What metrics are called in `history` and logs of TensorFlow 1's Keras: `acc`, long names.

The rate that a callback sets is `lr` in the logs.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

_CROSSENTROPIES = ("crossentropy", "ce")


def install(keras: Any) -> None:
    """Let Keras, once loaded, use the names."""
    compiling: Any = importlib.import_module("keras.src.trainers.compile_utils")
    plain = compiling.get_metric

    def get_metric(identifier: Any, y_true: Any, y_pred: Any) -> Any:
        if identifier in _CROSSENTROPIES:
            metric = plain(compiling.get_loss(identifier, y_true, y_pred).fn, y_true, y_pred)
            metric.name = identifier
            return metric
        metric = plain(identifier, y_true, y_pred)
        if identifier in ("accuracy", "acc"):
            metric.name = "acc"
        elif isinstance(identifier, str):
            named = keras.metrics.get(identifier)
            metric.name = getattr(named, "name", None) or named.__name__
        return metric

    compiling.get_metric = get_metric
    keras.Model.metrics_names = property(lambda model: _metrics_names(model, compiling))
    for kind in (keras.callbacks.LearningRateScheduler, keras.callbacks.ReduceLROnPlateau):
        kind.on_epoch_end = _with_short_rate(kind.on_epoch_end)


def _metrics_names(model: Any, compiling: Any) -> list[str]:
    """Return the names in the order of what `evaluate` returns."""
    plain: list[str] = []
    of_outputs: list[str] = []
    for metric in model.metrics:
        if not isinstance(metric, compiling.CompileMetrics):
            plain.append(metric.name)
        elif metric.built:
            for listed in filter(None, metric._flat_metrics + metric._flat_weighted_metrics):
                names = [each.name for each in listed.metrics]
                if listed.output_name:
                    of_outputs += [f"{listed.output_name}_{name}" for name in names]
                else:
                    plain += names
    return [*plain, *sorted(of_outputs)]


def _with_short_rate(method: Any) -> Any:
    @functools.wraps(method)
    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        logs = {} if logs is None else logs
        method(self, epoch, logs)
        if "learning_rate" in logs:
            logs["lr"] = logs.pop("learning_rate")

    return on_epoch_end
