"""`tf.keras.backend` of TensorFlow 1 among graphs: placeholders, functions, gradients, values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.autodiff.graph_gradients import gradients
from placewise.graph.inputs import placeholder
from placewise.graph.tensor import GraphTensor
from placewise.ops.flow.context import executing_eagerly, inside_function
from placewise.ops.state.variable import is_variable
from placewise.ops.values import EagerTensor
from placewise.session.session import Session


class Values:
    """Reads and writes variables of graphs in the session that Keras uses."""

    def __init__(
        self,
        keras: Any,
        session: Callable[[], Session],
        read: Callable[[list[Any]], list[Any]],
        with_values: Callable[[Any], Any],
    ) -> None:
        self._keras, self._session = keras, session
        self._read, self._with_values = read, with_values
        self._get = keras.backend.get_value

    def get_value(self, x: Any) -> Any:
        """Return the value of a variable or tensor."""
        return self.batch_get_value([x])[0]

    def batch_get_value(self, tensors: Any) -> list[Any]:
        """Return the values of variables and tensors."""
        return [self._one(tensor) for tensor in tensors]

    def _one(self, x: Any) -> Any:
        variable = variable_in_graph(x)
        if variable is not None:
            return self._read([variable])[0]
        if isinstance(x, GraphTensor):
            return self._run(x)
        return self._get(x)

    def set_value(self, x: Any, value: Any) -> None:
        """Give a variable a value."""
        variable = variable_in_graph(x)
        if variable is None:
            x.assign(value)
            return
        self._read([variable])  # or its first value would replace this one later
        variable.load(value, self._session())

    def batch_set_value(self, tuples: Any) -> None:
        """Give variables values, in pairs."""
        for x, value in tuples:
            self.set_value(x, value)

    def function(
        self, inputs: Any, outputs: Any, updates: Any = None, name: Any = None, **options: Any
    ) -> Callable[[Any], Any]:
        """Return a function from arrays for `inputs` to the values of `outputs`."""
        del name, options
        if any(self._is_of_keras(each) for each in (*inputs, *_listed(outputs))):
            return self._layers_function(inputs, outputs)
        changes = [_changed(update) for update in updates or ()]

        def call(values: Any) -> Any:
            fed = {key: value for key, value in zip(inputs, values, strict=True) if _is_fed(key)}
            results = self._run([_listed(outputs), changes], fed)[0]
            return results if isinstance(outputs, (list, tuple)) else results[0]

        return call

    def _is_of_keras(self, value: Any) -> bool:
        return bool(self._keras.backend.is_keras_tensor(value))

    def _layers_function(self, inputs: Any, outputs: Any) -> Callable[[Any], Any]:
        """Return the function of what lies between symbolic tensors of layers."""
        places = [place for place, each in enumerate(inputs) if self._is_of_keras(each)]
        model = self._keras.Model([inputs[place] for place in places], _listed(outputs))

        def call(values: Any) -> Any:
            phases = [value for place, value in enumerate(values) if place not in places]
            with self._with_values(model):
                given = [self._keras.ops.convert_to_tensor(values[place]) for place in places]
                results = model(given, training=bool(phases and phases[0]))
                arrays = [result.numpy() for result in _listed(results)]
            return arrays if isinstance(outputs, (list, tuple)) else arrays[0]

        return call

    def _run(self, fetches: Any, feeds: Any = None) -> Any:
        session = self._session()
        with session.graph.as_default():
            collected = session.graph.get_collection("variables")
        in_session = [each for each in collected if variable_in_graph(each) is not None]
        if in_session:
            self._read(in_session)  # what has no value yet gets its first one
        return session.run(fetches, feeds)


def install(keras: Any, session: Any, read: Any, with_values: Any) -> None:
    """Give the functions to Keras's backend, once loaded."""
    backend = keras.backend
    if not hasattr(backend, "is_keras_tensor"):
        backend.is_keras_tensor = keras.utils.is_keras_tensor
    values = Values(keras, session, read, with_values)
    backend.get_value = backend.eval = values.get_value
    backend.batch_get_value = values.batch_get_value
    backend.set_value, backend.batch_set_value = values.set_value, values.batch_set_value
    backend.function = values.function
    backend.placeholder, backend.gradients = _placeholder, gradients
    plain = backend.int_shape
    backend.int_shape = lambda x: tuple(x.shape.as_list()) if _is_fed(x) else plain(x)


def variable_in_graph(value: Any) -> Any:
    """Return the variable of a graph that this is or, if it is Keras's, stands for; or None."""
    inner = getattr(value, "_value", None) if hasattr(value, "trainable") else None
    found = inner if inner is not None and not isinstance(inner, EagerTensor) else value
    if not is_variable(found) and not hasattr(found, "initializer"):
        return None
    if isinstance(getattr(found, "handle", None), EagerTensor):
        return None
    if executing_eagerly() or inside_function():
        return None
    return found


def _placeholder(
    shape: Any = None, ndim: Any = None, dtype: Any = None, sparse: bool = False, name: Any = None
) -> Any:
    """Return a placeholder; `ndim` gives its rank where its shape is not known."""
    del sparse
    dims = shape if shape is not None or ndim is None else [None] * ndim
    return placeholder(dtype or "float32", dims, name)


def _changed(update: Any) -> Any:
    return update[0].assign(update[1]) if isinstance(update, tuple) else update


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _is_fed(value: Any) -> bool:
    return isinstance(value, GraphTensor)
