"""`tfe.Network` and `tfe.Sequential`: models of the first eager execution, made of `tf.layers`.

A network names its variables under its own scope, which gets its name when the network is first
called. What `track_layer` was given counts as part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from itertools import count
from typing import Any

from placewise.core.errors import hint
from placewise.layers.layer import Layer


class Network(Layer):
    """A model of one's own: layers go through `track_layer`, `call` applies them."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self._asked_name, self._is_named = name, False
        self._layers: list[Layer] = []

    @property
    def name(self) -> str:
        """The last part of the scope of its variables, known from the first call on."""
        if not self._is_named:
            raise ValueError(
                hint(
                    "The network does not yet have a final name, but a name was requested for it.",
                    "call the network first",
                )
            )
        return self._name

    @property
    def layers(self) -> list[Layer]:
        """What `track_layer` was given, in order."""
        return list(self._layers)

    def track_layer(self, layer: Layer) -> Layer:
        """Count a layer or network as part of this one, and return it."""
        if not isinstance(layer, Layer):
            raise TypeError(
                f"Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer"
            )
        if layer._name != layer._base_name:  # nobody named it: numbers begin anew in each network
            layer._name = self._numbered(layer._base_name)
        self._layers.append(layer)
        return layer

    def _numbered(self, base: str) -> str:
        taken = {layer._name for layer in self._layers}
        names = (base if number == 0 else f"{base}_{number}" for number in count())
        return next(name for name in names if name not in taken)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """Return a layer by its name or its position."""
        if index is not None:
            if index >= len(self._layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(self._layers)} layers."
                )
            return self._layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}")

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of all layers that training changes."""
        if not self.trainable:
            return []
        return [weight for layer in self._layers for weight in layer.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of all layers that training leaves alone."""
        kept = [weight for layer in self._layers for weight in layer.non_trainable_weights]
        if self.trainable:
            return kept
        return [weight for layer in self._layers for weight in layer.trainable_weights] + kept

    @property
    def losses(self) -> list[Any]:
        """The losses of all layers."""
        return [loss for layer in self._layers for loss in layer.losses]

    @property
    def updates(self) -> list[Any]:
        """The operations of all layers to run beside training."""
        return [update for layer in self._layers for update in layer.updates]

    def get_weights(self) -> list[Any]:
        """Return the values of all variables as arrays."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assign arrays to all variables, in the order of `get_weights`."""
        for variable, value in zip(self.weights, weights, strict=True):
            variable.assign(value)

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: variables of a network are those of its layers."""
        raise RuntimeError(
            hint("a Network has no variables of its own", "make them in a tf.layers.Layer")
        )

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for inputs: what a network of one's own overrides."""
        raise NotImplementedError("Networks must override call().")

    def _set_scope(self, scope: Any) -> None:
        if self._scope is not None:
            return
        super()._set_scope(scope)
        self._take_name()

    def _take_name(self) -> None:
        found = self._scope.name.rpartition("/")[2]
        if self._asked_name not in (None, found):
            self._scope = None
            raise ValueError(
                f"A Network named '{self._asked_name}' already exists (or a variable_scope was "
                "created with this name). Names must be unique."
            )
        self._name, self._is_named = found, True

    @contextmanager
    def _inside(self, reuse: bool | None) -> Iterator[Any]:
        # Whether variables are made or reused is for each layer to say, at its own first call.
        with super()._inside(None) as scope:
            yield scope


class Sequential(Network):
    """Layers and functions, each applied to what the one before it returned."""

    def __init__(
        self, layers_funcs: Sequence[Callable[..., Any]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(name)
        self._steps: list[tuple[Callable[..., Any], bool]] = []
        for step in layers_funcs or ():
            self.add(step)

    def add(self, layer_func: Callable[..., Any]) -> None:
        """Add a layer or a function of one tensor."""
        if isinstance(layer_func, Layer):
            self.track_layer(layer_func)
            takes_training = "training" in signature(layer_func.call).parameters
            self._steps.append((layer_func, takes_training))
        elif callable(layer_func):
            self._steps.append((layer_func, False))
        else:
            raise TypeError(f"layer_func should be a callable, got {layer_func!r}")

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Return the outputs of the last step; `training` goes to the layers that take it."""
        outputs = inputs
        for step, takes_training in self._steps:
            outputs = step(outputs, training=training) if takes_training else step(outputs)
        return outputs


for _kind in (Network, Sequential):
    _kind.__module__ = "tensorflow.contrib.eager.python.network"
