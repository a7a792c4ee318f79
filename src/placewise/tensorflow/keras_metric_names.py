"""What metrics are called in `history` and logs of TensorFlow 1's Keras: `acc`, long names.

The rate that a callback sets is `lr` in the logs.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from placewise.tensorflow.keras_era import in_tensorflow_1, is_tensorflow_1

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

    compiling.get_metric = in_tensorflow_1(plain, get_metric)
    names = functools.partial(_metrics_names, compiling=compiling)
    keras.Model.metrics_names = property(in_tensorflow_1(keras.Model.metrics_names.fget, names))
    keras.Model._flatten_metrics_in_order = in_tensorflow_1(
        keras.Model._flatten_metrics_in_order,
        lambda model, logs: _in_order(model, compiling, logs),
    )
    for kind in (keras.callbacks.LearningRateScheduler, keras.callbacks.ReduceLROnPlateau):
        kind.on_epoch_end = _with_short_rate(kind.on_epoch_end)


def _metrics_names(model: Any, compiling: Any) -> list[str]:
    """Return the names: losses first, then the metrics of each output in turn."""
    names: list[str] = []
    of_outputs: list[str] = []
    for metric in model.metrics:
        if not isinstance(metric, compiling.CompileMetrics):
            names.append(metric.name)
        elif metric.built:
            for listed in filter(None, metric._flat_metrics + metric._flat_weighted_metrics):
                prefix = f"{listed.output_name}_" if listed.output_name else ""
                of_outputs += [f"{prefix}{each.name}" for each in listed.metrics]
    return [*names, *of_outputs]


def _in_order(model: Any, compiling: Any, logs: Any) -> Any:
    """Return the values of logs in the order of `metrics_names`; others come last."""
    names = _metrics_names(model, compiling)
    values = [logs[name] for name in names if name in logs]
    values += [logs[name] for name in sorted(logs) if name not in names]
    return values[0] if len(values) == 1 else values


def _with_short_rate(method: Any) -> Any:
    @functools.wraps(method)
    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        logs = {} if logs is None else logs
        method(self, epoch, logs)
        if is_tensorflow_1() and "learning_rate" in logs:
            logs["lr"] = logs.pop("learning_rate")

    return on_epoch_end
