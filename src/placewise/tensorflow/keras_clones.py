"""Clones of a compiled Keras model in graphs: its layers, loss, metrics and optimizer.

All that reads the model's own state happens when a `Recipe` is made; clones are made from that,
later and in other graphs.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.autodiff.graph_gradients import gradients
from placewise.core.log import get_logger
from placewise.core.nest import flatten, map_structure, pack_sequence_as
from placewise.core.scope import era
from placewise.functions.polymorphic import function
from placewise.graph.defaults import get_default_graph
from placewise.graph.effects import acting
from placewise.ops.array.creation import constant
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group
from placewise.ops.math.cast import cast
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.tensorflow import keras_graphs
from placewise.tensorflow.keras_loader import load_keras
from placewise.training.global_step import get_global_step

# What TensorFlow 1 calls the metrics that programs name by strings.
_TF1_METRICS = {
    "accuracy": "acc",
    "crossentropy": "ce",
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
}


def loaded(path: str | None, custom_objects: Any) -> Any:
    """Return the model of a file."""
    return load_keras().models.load_model(path, custom_objects=custom_objects)


def _utils() -> Any:
    return importlib.import_module("keras.src.trainers.compile_utils")


@contextmanager
def _numbering(uids: dict[str, int]) -> Iterator[None]:
    """Let layers without names get the same ones in each clone."""
    state = importlib.import_module("keras.src.backend.common.global_state")
    before = state.get_global_attribute("object_name_uids")
    state.set_global_attribute("object_name_uids", type(before)(before.default_factory, uids))
    try:
        yield
    finally:
        state.set_global_attribute("object_name_uids", before)


class Recipe:
    """What clones of a model are made of."""

    def __init__(self, model: Any, custom_objects: Any) -> None:
        self._keras = load_keras()
        self._model, self._objects = model, custom_objects or {}
        self.has_structure = hasattr(model, "_functional") or hasattr(model, "_operations")
        self.is_built = bool(model.built and self.has_structure)
        if model.built and not self.has_structure:
            get_logger().warning(
                "You are creating an Estimator from a Keras model manually subclassed from "
                "`Model`, that was already called on some inputs (and thus already had weights). "
                "The estimator begins with a freshly initialized version of the model; the model "
                "itself is not changed."
            )
        optimizer = getattr(model, "optimizer", None)
        if optimizer is None:
            return
        with keras_graphs.with_values(model):
            self._optimizer = type(optimizer), optimizer.get_config()
        self._compiled = model._compile_config.config
        state = importlib.import_module("keras.src.backend.common.global_state")
        naming = importlib.import_module("keras.src.utils.naming")
        naming.auto_name("estimator")  # the state exists from now on
        self._uids = dict(state.get_global_attribute("object_name_uids"))

    def clone(self, features: Any) -> Any:
        """Return a new model in the default graph; `features` say what it will be called with."""
        model, keras = self._model, self._keras
        with keras.utils.custom_object_scope(self._objects), _numbering(self._uids):
            if not self.has_structure:
                clone = _made_again(model)
                clone(self.ordered_inputs(clone, features))
                return clone
            compiled, model.compiled = model.compiled, False  # or it would be compiled as well
            try:
                clone = keras.models.clone_model(model)
            finally:
                model.compiled = compiled
            if not clone.built:
                clone(self.ordered_inputs(clone, features))
            return clone

    # What goes in, and what comes out.

    def ordered_inputs(self, model: Any, features: Any) -> Any:
        """Return features in the order of the model's inputs."""
        names = None
        if self.has_structure and self._model.built:
            names = _input_names(self._model)
        given = _ordered(features, names, "features", "inputs", _older_names(self._model, names))
        return given[0] if len(given) == 1 else given

    def ordered_targets(self, names: list[str], labels: Any, outputs: Any) -> Any:
        """Return labels in the structure of the model's outputs."""
        if labels is None:
            raise ValueError("labels are needed to train and to evaluate a Keras model")
        given = _ordered(labels, names, "labels", "outputs", {})
        count = len(flatten(outputs))
        if len(given) != count:
            raise ValueError(f"the model has {count} outputs, and labels for {len(given)} of them")
        return pack_sequence_as(outputs, given)

    def output_names(self, outputs: Any) -> list[str]:
        """Return the names of the outputs: of the layers they are from, if the model knows."""
        flat = flatten(outputs)
        if self.has_structure and self._model.built:
            histories = [tensor._keras_history for tensor in self._model.outputs]
            return [history.operation.name for history in histories]
        if isinstance(outputs, dict):
            return sorted(outputs)
        return [f"output_{number + 1}" for number in range(len(flat))]

    # Loss, metrics and optimizer.

    def loss(self, model: Any, names: list[str], targets: Any, outputs: Any, weights: Any) -> Any:
        """Return the loss of a batch, with the penalties of layers."""
        of_cases = _utils().CompileLoss(
            self._compiled["loss"], self._compiled["loss_weights"], output_names=names
        )
        total = of_cases(targets, outputs, weights)
        for penalty in model.losses:
            total = total + cast(penalty, total.dtype)
        return total

    def metrics(self, names: list[str], targets: Any, outputs: Any, weights: Any) -> dict[str, Any]:
        """Return the compiled metrics by name, as pairs of a value and its update."""
        given = [self._compiled[key] for key in ("metrics", "weighted_metrics")]
        if not any(given):
            return {}
        # A metric's state is in the graph of its model; each clone has metrics of its own.
        held = _utils().CompileMetrics(*map(self._copied, given), output_names=names)
        graph = get_default_graph()
        written = len(graph.get_operations())
        held.build(targets, outputs)
        written = len(graph.get_operations())
        held.update_state(targets, outputs, weights)
        update = group(*acting(graph.get_operations()[written:]))
        renamed = {each for each in flatten(given) if isinstance(each, str)}
        return {
            self._metric_name(name, renamed): (convert_to_tensor(value), update)
            for name, value in held.result().items()
        }

    def _copied(self, metrics: Any) -> Any:
        metric = self._keras.metrics.Metric

        def copied(each: Any) -> Any:
            return each.from_config(each.get_config()) if isinstance(each, metric) else each

        return None if metrics is None else map_structure(copied, metrics)

    def _metric_name(self, name: str, said: set[str]) -> str:
        """Return the name that a version of TensorFlow gives a metric the program named."""
        short = next((one for one in said if name == one or name.endswith(f"_{one}")), None)
        if era.base is None or short is None:
            return name
        return name[: len(name) - len(short)] + _TF1_METRICS.get(short.lower(), short)

    def step(self, model: Any, loss: Any) -> tuple[Any, Any]:
        """Return the optimizer in the graph, and the operation of one of its steps."""
        kind, config = self._optimizer
        with self._keras.utils.custom_object_scope(self._objects):
            optimizer = kind.from_config(config)
        variables = model.trainable_variables
        optimizer.build(variables)
        slopes = gradients(loss, [variable._value for variable in variables])
        # Schedules and corrections of bias count the steps of all training, not of this graph.
        counted = optimizer._iterations._value.assign(get_global_step(), read_value=False)

        def apply() -> Any:  # a function runs its reads and updates in order
            pairs = zip(slopes, variables, strict=True)
            optimizer.apply_gradients([pair for pair in pairs if pair[0] is not None])
            return constant(0)

        with get_default_graph().control_dependencies([counted]):
            written = len(get_default_graph().get_operations())
            done = function(apply, autograph=False)()
        return optimizer, group(done, *acting(get_default_graph().get_operations()[written:]))


def _made_again(model: Any) -> Any:
    """Return a new model of a class of the program, made with the same arguments."""
    arguments = getattr(model, "_auto_config", None)  # None if Keras could not keep them
    if arguments is not None and type(model).from_config.__func__ is _from_config():
        return type(model)(**arguments.config)
    return type(model).from_config(model.get_config())


def _from_config() -> Any:
    return load_keras().Model.from_config.__func__


def _input_names(model: Any) -> list[str]:
    return [tensor._keras_history.operation.name for tensor in model.inputs]


def _older_names(model: Any, names: list[str] | None) -> dict[str, str]:
    """Return what Keras 2 calls inputs that the program gave no names, by their names here."""
    found: dict[str, str] = {}
    for name in names or ():
        number = name.removeprefix("input_layer").removeprefix("_")
        if name.startswith("input_layer") and (not number or number.isdigit()):
            found[name] = f"input_{int(number or 0) + 1}"
    first = model.layers[0] if getattr(model, "layers", None) else None
    if len(found) == 1 and first is not None and hasattr(first, "_input_shape_arg"):
        found = dict.fromkeys(found, f"{first.name}_input")
    return found


def _ordered(
    given: Any, names: list[str] | None, what: str, of_model: str, older: dict[str, str]
) -> list[Any]:
    if isinstance(given, (list, tuple)):
        return [_tensor(each) for each in given]
    if not isinstance(given, dict):
        return [_tensor(given)]
    if names is None:
        names = [f"{of_model[:-1]}_{number + 1}" for number in range(len(given))]
    if set(given) != set(names) and set(given) == {older.get(name, name) for name in names}:
        names = [older.get(name, name) for name in names]
    difference = set(given) ^ set(names)
    if difference:
        raise KeyError(
            f"The dictionary passed into {what} does not have the expected {of_model} keys "
            f"defined in the keras model.\n\tExpected keys: {set(names)}\n\t{what} keys: "
            f"{set(given)}\n\tDifference: {difference}"
        )
    return [_tensor(given[name]) for name in names]


def _tensor(value: Any) -> Any:
    return value if isinstance(value, SparseTensor) else convert_to_tensor(value)
