"""tf.keras in programs of TensorFlow 1: layers in graphs, and `fit` among graphs and sessions.

A layer that is called on a placeholder puts its variables into the graph, where a session keeps
their values. `fit` and its like run eagerly on copies of the variables, which begin with what the
session holds and are put back into it afterwards.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from placewise.core.runtime import State, runtime
from placewise.core.shapes import TF2_PACKAGES
from placewise.graph.collections import is_variable_initialized
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.context import executing_eagerly, inside_function
from placewise.ops.state.variable import Variable
from placewise.ops.values import EagerTensor
from placewise.session.session import Session, get_default_session
from placewise.tensorflow import keras_functions, keras_learning_phase, keras_weight_files
from placewise.tensorflow.keras_datasets import readable
from placewise.tensorflow.keras_era import eager_world
from placewise.tensorflow.keras_learning_phase import phase_over_calls

# What reads or changes the values of variables.
_OF_MODELS = (
    "compile",
    "fit",
    "evaluate",
    "predict",
    "train_on_batch",
    "test_on_batch",
    "predict_on_batch",
    "save",
    "save_weights",
    "load_weights",
    "export",
    "to_json",
)
_OF_LAYERS = ("get_weights", "set_weights")


@dataclass(slots=True)
class KerasSession(State):
    """The session in which Keras keeps the values of variables; None until it needs one."""

    session: Session | None = None


_keras = runtime.state(KerasSession)


def get_session() -> Session:
    """Return the default session, or else the one Keras keeps; variables get their first values."""
    session: Session | None = get_default_session()
    if session is None:
        if _keras.session is None or _keras.session.graph is not get_default_graph():
            _keras.session = Session(graph=get_default_graph())
        session = _keras.session
    return session


def set_session(session: Session) -> None:
    """Let Keras keep the values of variables in `session`."""
    _keras.session = session


@contextmanager
def with_values(layer: Any) -> Iterator[None]:
    """Run a block eagerly with the values that a layer's variables have in the session."""
    # An optimizer that the program made itself has its counter and rate in the graph.
    optimizer = getattr(layer, "optimizer", None)
    variables = [*layer.variables, *(optimizer.variables if optimizer is not None else ())]
    held = [each for each in variables if _is_in_graph(each)]
    values = _read([each._value for each in held]) if held else []
    session = get_session() if held else None
    in_graph = [each._value for each in held]
    with eager_world():
        for each, value in zip(held, values, strict=True):
            copy = each.__dict__.get("_eager_copy")
            if copy is None:
                copy = each._eager_copy = Variable(value, trainable=each.trainable, name=each.name)
            else:
                copy.assign(value)
            each._value = copy
        try:
            yield
        finally:
            values = [each._value.numpy() for each in held]
            for each, variable in zip(held, in_graph, strict=True):
                each._value = variable
    for variable, value in zip(in_graph, values, strict=True):
        variable.load(value, session)


def _is_in_graph(variable: Any) -> bool:
    value = variable._value
    return value is not None and not isinstance(getattr(value, "handle", None), EagerTensor)


def _read(variables: list[Any]) -> list[Any]:
    """Return the values a session holds; what has none yet gets its first one."""
    session = get_session()
    with session.graph.as_default():
        known = session.run([is_variable_initialized(each) for each in variables])
    session.run(
        [v.initializer for v, is_known in zip(variables, known, strict=True) if not is_known]
    )
    return list(session.run(variables))


def _among_graphs(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that runs eagerly, also where ops are written into a graph."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        with phase_over_calls():
            if executing_eagerly() or inside_function():
                return method(self, *args, **kwargs)
            args = tuple(readable(each, get_session) for each in args)
            kwargs = {name: readable(each, get_session) for name, each in kwargs.items()}
            with with_values(self):
                return method(self, *args, **kwargs)

    called._among_graphs = True  # type: ignore[attr-defined]
    return called


def _with_all_outputs(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return Keras's loop over the steps of a sequence, for graphs of TensorFlow 1 too.

    A loop that returns the last output alone writes each step's to the same place of a TensorArray,
    which raises in these graphs. A layer takes the last one out of all of them as well.
    """

    @functools.wraps(loop)
    def rnn(*args: Any, return_all_outputs: bool = True, **kwargs: Any) -> Any:
        in_graph = not executing_eagerly() and not inside_function()
        return loop(*args, return_all_outputs=return_all_outputs or in_graph, **kwargs)

    return rnn


def install(keras: Any) -> None:
    """Let Keras, once loaded, work among graphs and sessions."""
    if getattr(keras.Model.fit, "_among_graphs", False):
        return
    TF2_PACKAGES.add("keras")
    keras_weight_files.install(keras)
    for kind, names in ((keras.Model, _OF_MODELS), (keras.layers.Layer, _OF_LAYERS)):
        for name in names:
            # On the class that has the method: Keras asks whether a model overrides `compile`.
            owner = next(base for base in kind.__mro__ if name in vars(base))
            setattr(owner, name, _among_graphs(getattr(owner, name)))
    backend: Any = importlib.import_module("keras.src.backend")
    backend.rnn = _with_all_outputs(backend.rnn)
    load = keras.models.load_model

    @functools.wraps(load)
    def load_model(*args: Any, **kwargs: Any) -> Any:
        with eager_world():
            return load(*args, **kwargs)

    keras.models.load_model = load_model
    keras_learning_phase.install(keras)
    keras.backend.get_session, keras.backend.set_session = get_session, set_session
    keras_functions.install(keras, get_session, _read, with_values)
    config = keras.optimizers.Optimizer.get_config
    keras.optimizers.Optimizer.get_config = _among_graphs(config)
    _install_summaries(keras)


def _install_summaries(keras: Any) -> None:
    """Let the callback for TensorBoard write with TensorFlow 2's `tf.summary`."""
    callbacks: Any = importlib.import_module("keras.src.callbacks.tensorboard")
    summary = importlib.import_module("placewise.api.v2.summary")
    keras.callbacks.TensorBoard.summary = property(lambda callback: summary)
    # TensorFlow 1 wrote no layers; Keras would ask TensorFlow 1's `tf.summary` to.
    callbacks.keras_model_summary = lambda *args, **kwargs: None
