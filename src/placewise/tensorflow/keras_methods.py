"""Methods and attributes that models and layers had in TensorFlow 1: `fit_generator` and others."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from placewise.ops.values import EagerTensor

# How a generator is read in threads; the data pipelines of Keras 3 say it otherwise.
_OF_READING = ("max_queue_size", "workers", "use_multiprocessing")


def install(keras: Any) -> None:
    """Give them to Keras's classes, once loaded."""
    model, layer = keras.Model, keras.layers.Layer
    for name in ("fit", "evaluate", "predict"):
        method = _without_reading(getattr(model, name))
        setattr(model, name, method)
        setattr(model, f"{name}_generator", _of_generator(method))
    keras.Sequential.predict_proba = model.predict
    keras.Sequential.predict_classes = _predict_classes
    keras.Sequential.input = property(lambda self: self.inputs[0])
    keras.Sequential.output = property(lambda self: self.outputs[0])
    for name, side in (("input_shape", "input"), ("output_shape", "output")):
        if not hasattr(layer, name):
            setattr(layer, name, property(functools.partial(_shape, side=side)))
    _record_updates()
    images = keras.preprocessing.image.Iterator
    images.next = images.__next__
    layer.updates = property(_updates)
    layer.get_updates_for = _updates_for


def _without_reading(method: Any) -> Any:
    @functools.wraps(method)
    def called(self: Any, *args: Any, **options: Any) -> Any:
        for name in _OF_READING:
            options.pop(name, None)
        if method.__name__ == "predict" and len(args) < 3:
            options.setdefault("verbose", 0)
        return method(self, *args, **options)

    return called


def _of_generator(method: Any) -> Any:
    """Return the method under its name for generators; its second argument is a number of steps."""
    steps_name = "steps_per_epoch" if method.__name__ == "fit" else "steps"

    def called(self: Any, generator: Any, steps: Any = None, *args: Any, **options: Any) -> Any:
        if steps is not None:
            options[steps_name] = steps
        if method.__name__ != "fit":
            options.setdefault("verbose", 0)
        if method.__name__ == "predict" and isinstance(generator, Iterator):
            generator = (x if isinstance(x, tuple) else (x,) for x in generator)
        if args:  # `epochs`, or the size of a queue
            options.setdefault("epochs" if method.__name__ == "fit" else _OF_READING[0], args[0])
        return method(self, generator, **options)

    called.__name__ = f"{method.__name__}_generator"
    return called


def _predict_classes(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Return the class with the largest output of each example."""
    outputs = model.predict(x, batch_size=batch_size, verbose=verbose)
    if outputs.shape[-1] > 1:
        return outputs.argmax(axis=-1)
    return (outputs > 0.5).astype("int32")


def _shape(layer: Any, side: str) -> Any:
    """Return the shape of what the layer takes or gives; a list where those are several."""
    tensors = getattr(layer, side)
    if isinstance(tensors, (list, tuple)):
        return [tuple(tensor.shape) for tensor in tensors]
    return tuple(tensors.shape)


# Updates: what layers called in a graph assign, such as moving averages.


def _record_updates() -> None:
    """Note on each variable the assignments written into graphs, for the program to run."""
    variable = _variable_class()
    plain = variable._direct_assign

    def assign(self: Any, value: Any) -> None:
        if isinstance(getattr(self._value, "handle", None), EagerTensor):
            plain(self, value)
            return
        before = len(self._value.graph.get_operations())
        plain(self, value)
        made = self._value.graph.get_operations()[before:]
        assigning = [op for op in made if op.type.startswith("Assign")]
        self.__dict__.setdefault("_graph_updates", []).extend(assigning)

    variable._direct_assign = assign


def _variable_class() -> Any:
    import keras.src.backend.tensorflow.core as core  # noqa: PLC0415 - keeps keras out

    return core.Variable


def _updates(layer: Any) -> list[Any]:
    """Operations that update moving averages and the like; run them with a training step."""
    found = [variable.__dict__.get("_graph_updates", ()) for variable in layer.variables]
    return [operation for operations in found for operation in operations]


def _updates_for(layer: Any, inputs: Any) -> list[Any]:
    """Return the updates that depend on `inputs`; None: those on no inputs, which Keras has not."""
    return [] if inputs is None else _updates(layer)
