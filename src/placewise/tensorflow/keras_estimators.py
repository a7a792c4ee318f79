"""`tf.keras.estimator.model_to_estimator`: an estimator that trains a compiled Keras model.

Each call of the model function clones the model into the estimator's graph, with its loss, metrics
and optimizer. The model that was given keeps its weights: the estimator begins with a copy of them,
which `keras/keras_model.ckpt` in its folder holds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from placewise.core.log import get_logger
from placewise.core.nest import flatten, map_structure
from placewise.estimator.estimator import Estimator
from placewise.estimator.modes import EstimatorSpec, ModeKeys
from placewise.estimator.receivers import PredictOutput
from placewise.estimator.run_config import checked_config
from placewise.estimator.warm_start import WarmStartSettings
from placewise.graph.collections import GraphKeys, get_collection_ref
from placewise.graph.defaults import get_default_graph
from placewise.graph.effects import acting
from placewise.graph.graph import Graph
from placewise.graph.variable import VariableV1
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group
from placewise.saving.checkpoint_state import latest_checkpoint, update_checkpoint_state
from placewise.saving.saver import Saver
from placewise.session.session import Session
from placewise.tensorflow import keras_checkpoint_names, keras_graphs
from placewise.tensorflow.keras_clones import Recipe, loaded
from placewise.training.global_step import get_global_step, get_or_create_global_step
from placewise.training.scaffold import Scaffold

_FORMATS = ("checkpoint", "saver")


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: dict[str, Any] | None = None,
    model_dir: str | None = None,
    config: Any = None,
    checkpoint_format: str | None = "saver",
    metric_names_map: dict[str, str] | None = None,
    export_outputs: dict[str, Any] | None = None,
) -> Estimator:
    """Return an estimator that trains, evaluates and exports a compiled Keras model.

    `keras_model`: the model, or `keras_model_path`: the file it was saved to.
    `custom_objects`: layers and functions of the program that the model uses, by name.
    `checkpoint_format`: 'saver' names values in checkpoints after variables, 'checkpoint' after
        the model's layers; the second is for functional and sequential models only.
    `metric_names_map`: other names for metrics, by name.
    `export_outputs`: further signatures of exported models: names of the model's outputs or
        `tf.estimator.export.ExportOutput`s, by name.

    Features are one tensor, a list of them, or a dict by the names of inputs; labels likewise.
    Features `{"features": ..., "sample_weights": ...}` weight the cases. Raises ValueError if
    there is not one model, or it is not compiled.
    """
    if keras_model is None and not keras_model_path:
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model is not None and keras_model_path:
        raise ValueError("Please specity either `keras_model` or `keras_model_path`, but not both.")
    config = checked_config(config, model_dir)
    if keras_model is None:
        get_logger().info("Loading models from %s", keras_model_path)
        keras_model = loaded(keras_model_path, custom_objects)
    else:
        get_logger().info("Using the Keras model provided.")
    checkpoint_format = checkpoint_format or "checkpoint"
    if checkpoint_format not in _FORMATS:
        raise ValueError(
            f'Checkpoint format must be one of "checkpoint" or "saver". Got {checkpoint_format}'
        )
    by_layers = checkpoint_format == "checkpoint"
    recipe = Recipe(keras_model, custom_objects)
    if by_layers and not recipe.has_structure:
        raise ValueError(
            "Object-based checkpoints are currently not supported with subclassed models."
        )
    if getattr(keras_model, "optimizer", None) is None:
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with "
            "`model.compile()` before calling `model_to_estimator()`."
        )
    maker = _ModelFunction(recipe, by_layers, metric_names_map or {}, export_outputs or {})
    first = None
    if recipe.is_built:
        path = _save_first_checkpoint(keras_model, config, by_layers)
        first = WarmStartSettings(path, [".*"], var_name_to_prev_var_name=maker.stored_names)

    def keras_model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return maker.spec(features, labels, mode)

    return Estimator(keras_model_fn, config=config, warm_start_from=first)


def _save_first_checkpoint(model: Any, config: Any, by_layers: bool) -> str:
    """Write the weights of the model, unless the folder has them already; return the path."""
    folder = os.path.join(config.model_dir, "keras")
    path = latest_checkpoint(folder)
    if path:
        return str(path)
    os.makedirs(folder, exist_ok=True)
    names = keras_checkpoint_names.of_variables(model, by_layers)
    with keras_graphs.with_values(model):
        values = {name: variable.numpy() for name, variable in names.items()}
    with Graph().as_default():
        step = get_or_create_global_step()
        kept: dict[str, Any] = {keras_checkpoint_names.step_name(by_layers): step}
        kept.update({name: VariableV1(value) for name, value in values.items()})
        saver = Saver(kept)
        with Session(config=config.session_config) as session:
            session.run([variable.initializer for variable in kept.values()])
            path = saver.save(session, os.path.join(folder, "keras_model.ckpt"))
        update_checkpoint_state(folder, path)
    return str(path)


@dataclass
class _ModelFunction:
    """Writes a clone of the model into the default graph."""

    recipe: Recipe
    by_layers: bool
    metric_names: dict[str, str]
    export_outputs: dict[str, Any]
    # The name in checkpoints of each variable of the graph; new for each graph, read by the warm
    # start right after the model function.
    stored_names: dict[str, str] = field(default_factory=dict)

    def spec(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """Return what the model function returns."""
        graph = get_default_graph()
        recipe, training = self.recipe, mode == ModeKeys.TRAIN
        features, weights = _without_weights(features)
        model = recipe.clone(features)
        written = len(graph.get_operations())
        outputs = model(recipe.ordered_inputs(model, features), training=training)
        updates = acting(graph.get_operations()[written:])
        names = recipe.output_names(outputs)
        predictions = dict(zip(names, flatten(outputs), strict=True))
        loss = train_op = metrics = optimizer = None
        if mode != ModeKeys.PREDICT:
            targets = recipe.ordered_targets(names, labels, outputs)
            weights = None if weights is None else map_structure(convert_to_tensor, weights)
            loss = recipe.loss(model, names, targets, outputs, weights)
            metrics = self._metrics(names, targets, outputs, weights)
        if training:
            optimizer, step = recipe.step(model, loss)
            train_op = _counted(group(step, *updates))
        exports = {"serving_default": PredictOutput(predictions)}
        exports.update(self._more_exports(predictions))
        return EstimatorSpec(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics if mode == ModeKeys.EVAL else None,
            export_outputs=exports,
            scaffold=Scaffold(saver=self._saver(model, optimizer)),
        )

    def _metrics(self, names: Any, targets: Any, outputs: Any, weights: Any) -> dict[str, Any]:
        found = self.recipe.metrics(names, targets, outputs, weights)
        return {self.metric_names.get(name, name): pair for name, pair in found.items()}

    def _more_exports(self, predictions: dict[str, Any]) -> dict[str, Any]:
        made = {}
        for key, given in self.export_outputs.items():
            chosen = predictions[given] if isinstance(given, str) else given
            made[key] = chosen if hasattr(chosen, "as_signature_def") else PredictOutput(chosen)
        return made

    def _saver(self, model: Any, optimizer: Any) -> Saver:
        names = keras_checkpoint_names.of_variables(model, self.by_layers)
        if optimizer is not None:
            names.update(keras_checkpoint_names.of_optimizer(model, optimizer, self.by_layers))
        held: dict[str, Any] = {name: variable._value for name, variable in names.items()}
        step = get_global_step()
        if step is not None:
            held[keras_checkpoint_names.step_name(self.by_layers)] = step
        self.stored_names.clear()
        self.stored_names.update({held[name].op.name: name for name in held})
        _make_local({id(variable) for variable in held.values()})
        return Saver(var_list=held, sharded=True)


def _without_weights(features: Any) -> tuple[Any, Any]:
    if isinstance(features, dict) and set(features) == {"features", "sample_weights"}:
        return features["features"], features["sample_weights"]
    return features, None


def _counted(step: Any) -> Any:
    with get_default_graph().control_dependencies([step]):
        return get_global_step().assign_add(1).op


def _make_local(held: set[int]) -> None:
    """Let variables that no checkpoint has be initialized by each session."""
    variables = get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
    rest = [variable for variable in variables if id(variable) not in held]
    variables[:] = [variable for variable in variables if id(variable) in held]
    get_collection_ref(GraphKeys.LOCAL_VARIABLES).extend(rest)
