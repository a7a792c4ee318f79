"""`tf.layers.Layer`: an object that makes its variables once and applies them to inputs.

Variables come from `get_variable` under a scope of the layer's own, so that names, sharing and
initializers follow `variable_scope`; ops go under the name scope that was opened with it.
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from placewise.core import dtypes, nest
from placewise.core.dtypes import as_dtype
from placewise.core.names import name_scope
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.collections import GraphKeys
from placewise.graph.defaults import get_default_graph
from placewise.graph.operation import Operation
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.layers.input_spec import check_inputs
from placewise.layers.loss_weights import is_eager
from placewise.ops.array.shape import shape as shape_of_tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization

# What Keras's layers take beside their own arguments: accepted here too.
_ACCEPTED = {
    "activity_regularizer",
    "autocast",
    "batch_input_shape",
    "batch_size",
    "dynamic",
    "experimental_autocast",
    "input_dim",
    "input_shape",
    "weights",
}


def snake_case(name: str) -> str:
    """Return a class's name as layers are named: `Conv2D` gives `conv2d`."""
    text = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    text = re.sub("([a-z])([A-Z])", r"\1_\2", text).lower()
    return f"private{text}" if text.startswith("_") else text


def _numbered(base: str) -> str:
    """Return a layer's name: the first of its kind in a graph is number 1."""
    graph = get_default_graph()
    counts = graph.__dict__.setdefault("layer_counts", {})
    counts[base] = counts.get(base, 0) + 1
    return f"{base}_{counts[base]}"


class Layer:
    """A layer: override `build` to make variables and `call` to apply them."""

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        for unknown in kwargs.keys() - _ACCEPTED:
            raise TypeError("Keyword argument not understood:", unknown)
        self.trainable, self.built = trainable, False
        self.input_spec: Any = None
        self._activity_regularizer = kwargs.get("activity_regularizer")
        self._base_name = name or snake_case(type(self).__name__)
        self._name = name or _numbered(self._base_name)
        self._dtype = None if dtype is None else as_dtype(dtype).base_dtype
        self._graph = None if is_eager() else get_default_graph()
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._losses: list[Any] = []
        self._weight_losses: list[Any] = []
        self._updates: list[Any] = []
        self._scope: Any = None
        self._current_scope: Any = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # What it is.

    @property
    def name(self) -> str:
        """The layer's name."""
        return self._name

    @property
    def scope_name(self) -> str:
        """The prefix of its variables' names."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name  is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        name: str = self._scope.name
        return name

    @property
    def dtype(self) -> str | None:
        """The name of the variables' dtype, if it is known yet."""
        return None if self._dtype is None else self._dtype.name

    @property
    def graph(self) -> Any:
        """The graph the layer belongs to."""
        if is_eager():
            raise RuntimeError("Layer.graph not supported when executing eagerly.")
        return self._graph

    @property
    def activity_regularizer(self) -> Any:
        """The function that makes a loss of the outputs, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Any) -> None:
        self._activity_regularizer = regularizer

    # Variables.

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that training changes."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that training leaves alone."""
        if self.trainable:
            return list(self._non_trainable_weights)
        return [*self._trainable_weights, *self._non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        """All variables, those that training changes first."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    @property
    def variables(self) -> list[Any]:
        """All variables."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that training changes."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that training leaves alone."""
        return self.non_trainable_weights

    def count_params(self) -> int:
        """Return the number of elements of all variables."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self._name}, but the layer isn't built. You "
                f"can build it manually via: `{self._name}.build(batch_input_shape)`."
            )
        return int(sum(np.prod(weight.shape.as_list()) for weight in self.weights))

    def _add_part(self, name: str, shape: Any, dtype: Any = None, part: str = "") -> Any:
        """Return a trained variable; attributes such as `kernel_initializer` say how it is made.

        `part` is their first word if it is not the variable's name.
        """
        part = part or name
        return self.add_weight(
            name,
            shape,
            dtype,
            initializer=getattr(self, f"{part}_initializer"),
            regularizer=getattr(self, f"{part}_regularizer"),
            constraint=getattr(self, f"{part}_constraint"),
            trainable=True,
        )

    def add_weight(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregationV2.NONE,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return a variable of the layer, found or made under its scope.

        A regularizer's loss joins the layer's losses and the graph's, once per variable.
        """
        for unknown in kwargs:
            if unknown not in ("collections", "experimental_autocast", "getter"):
                raise TypeError("Unknown keyword argument:", unknown)
        if synchronization is VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        trainable = True if trainable is None else trainable
        known: set[Any] = set()
        if regularizer is not None and not is_eager():
            known.update(_variables_of(get_default_graph()))
        self._set_scope(None)
        reuse = True if self.built else self._reuse
        with self._inside(reuse):
            made = get_variable(
                name,
                shape=None if shape is None else TensorShape(shape),
                dtype=as_dtype(dtype or self._dtype or dtypes.float32),
                initializer=initializer,
                trainable=trainable and self.trainable,
                constraint=constraint,
                use_resource=use_resource,
                synchronization=synchronization,
                aggregation=aggregation,
                partitioner=partitioner,
                collections=kwargs.get("collections"),
            )
            if regularizer is not None and (is_eager() or made not in known):
                self._regularize(name, made, regularizer)
        (self._trainable_weights if trainable else self._non_trainable_weights).append(made)
        return made

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """Return a variable of the layer: another name for `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def _regularize(self, name: str, variable: Any, regularizer: Any) -> None:
        def loss() -> Any:
            with name_scope(f"{name}/Regularizer"):
                return regularizer(variable)

        if is_eager():
            self._weight_losses.append(loss)
            return
        with get_default_graph().colocate_with(variable.op):
            made = loss()
        if made is not None:
            self.add_loss(made)

    # Losses and updates.

    @property
    def losses(self) -> list[Any]:
        """The losses that regularizers and `add_loss` gave."""
        return [*self._losses, *(loss() for loss in self._weight_losses)]

    @property
    def updates(self) -> list[Any]:
        """The operations to run beside training; none while the layer is frozen."""
        return list(self._updates) if self.trainable else []

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add losses to the layer's and to the graph's regularization losses."""
        new = [
            convert_to_tensor(each() if callable(each) else each)
            for each in nest.flatten(losses)
            if each is not None
        ]
        self._losses.extend(new)
        if not is_eager():
            _add_each(new, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add operations that should run beside training."""
        if is_eager():
            return
        for each in nest.flatten(updates):
            made = each() if callable(each) else each
            self._updates.append(made if isinstance(made, Operation) else made.op)

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Return the losses that depend on inputs; with None, those that depend on no call's."""
        return self._for(self.losses, inputs)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """Return the updates that depend on inputs; with None, those that depend on no call's."""
        return self._for(self.updates, inputs)

    def _for(self, made: list[Any], inputs: Any) -> list[Any]:
        if inputs is None:
            return [each for each in made if not depends_on(each, self._called_with)]
        return [each for each in made if depends_on(each, nest.flatten(inputs))]

    @property
    def _called_with(self) -> list[Any]:
        inputs: list[Any] = self.__dict__.setdefault("_inputs_seen", [])
        return inputs

    # Calling.

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of a shape."""
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for inputs: what a layer of one's own overrides."""
        return args[0]

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the outputs for inputs of a shape."""
        raise NotImplementedError

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for inputs: the same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def _set_scope(self, scope: Any) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            chosen = variable_scope(self._base_name if scope is None else scope)
        else:
            chosen = variable_scope(scope, default_name=self._base_name)
        with chosen as captured:
            self._scope = captured

    @contextmanager
    def _inside(self, reuse: Any) -> Iterator[Any]:
        """Enter the layer's scope for variables and for names."""
        before = self._current_scope
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            try:
                with name_scope(self._name_scope()):
                    yield scope
            finally:
                self._current_scope = before

    def _name_scope(self) -> str:
        found: str = self._current_scope.original_name_scope
        return found

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for inputs, making the variables at the first call."""
        scope = kwargs.pop("scope", None)
        inputs = nest.map_structure(_as_tensor, inputs)
        self._set_scope(scope)
        with self._inside(True if self.built else self._reuse) as entered:
            if _takes_scope(type(self).call):
                kwargs["scope"] = entered
            check_inputs(self.input_spec, inputs, self._name)
            self._maybe_build(inputs)
            outputs = self.call(inputs, *args, **kwargs)
            self._called_with.extend(nest.flatten(inputs))
            self._regularize_activity(outputs)
        if not is_eager():
            _add_each(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def _maybe_build(self, inputs: Any) -> None:
        if self.built:
            return
        if self._dtype is None:
            first = next((x for x in nest.flatten(inputs) if hasattr(x, "dtype")), None)
            self._dtype = None if first is None else as_dtype(first.dtype).base_dtype
        self.build(nest.map_structure(_shape, inputs))
        self.built = True
        check_inputs(self.input_spec, inputs, self._name)

    def _regularize_activity(self, outputs: Any) -> None:
        if self._activity_regularizer is None:
            return
        for output in nest.flatten(outputs):
            with name_scope("ActivityRegularizer"):
                loss = self._activity_regularizer(output)
                batch = cast(shape_of_tensor(output)[0], loss.dtype)
                self.add_loss(loss / batch)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for field, value in self.__dict__.items():
            if field == "_graph":
                made.__dict__[field] = value
            elif field in ("_scope", "_current_scope"):
                made.__dict__[field] = copy.copy(value)
            else:
                made.__dict__[field] = copy.deepcopy(value, memo)
        return made


Layer.__module__ = "tensorflow.python.layers.base"


@functools.cache
def _takes_scope(function: Any) -> bool:
    return "scope" in inspect.signature(function).parameters


def _as_tensor(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, int, float)) else value


def _shape(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) or hasattr(value, "shape") else None


def _variables_of(graph: Any) -> list[Any]:
    variables: list[Any] = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    return variables


def _add_each(items: list[Any], key: str) -> None:
    """Add what is not there yet to a collection of the default graph."""
    kept = get_default_graph().get_collection_ref(key)
    seen = {id(each) for each in kept}
    kept.extend(each for each in items if id(each) not in seen)


def depends_on(element: Any, inputs: list[Any]) -> bool:
    """Return whether an operation or tensor of a graph is computed from any of the inputs."""
    targets = {id(each) for each in inputs}
    pending, seen = [element if isinstance(element, Operation) else element.op], set()
    while pending:
        op = pending.pop()
        if op in seen:
            continue
        seen.add(op)
        if any(id(each) in targets for each in op.inputs):
            return True
        pending.extend(each.op for each in op.inputs)
    return False


def function_of(kind: Any, name: str, doc: str, can_reuse: bool = True) -> Any:
    """Return the function that makes a layer and applies it at once.

    It takes the inputs, the arguments of the layer's class, and `reuse`.
    """
    Parameter = inspect.Parameter  # noqa: N806 - a class
    own = [p for p in inspect.signature(kind).parameters.values() if p.kind != p.VAR_KEYWORD]
    first = Parameter("inputs", Parameter.POSITIONAL_OR_KEYWORD)
    last = Parameter("reuse", Parameter.POSITIONAL_OR_KEYWORD, default=None)
    signature = inspect.Signature([first, *own, last] if can_reuse else [first, *own])

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        inputs = convert_to_tensor(given.pop("inputs"))
        if can_reuse:
            given["_reuse"] = given.pop("reuse", None)
            given["_scope"], given["dtype"] = given.get("name"), inputs.dtype.base_dtype
        return kind(**given)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = inspect.cleandoc(doc)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function
