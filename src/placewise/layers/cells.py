"""Recurrent cells: one step from an input and a state to an output and the next state."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.core.names import name_scope
from placewise.core.shapes import TensorShape
from placewise.graph.defaults import get_default_graph
from placewise.graph.initializers import Constant
from placewise.graph.variable_scope import get_variable_scope, variable_scope
from placewise.layers.choices import activation_of, initializer_of
from placewise.layers.input_spec import InputSpec
from placewise.layers.layer import Layer
from placewise.layers.loss_weights import is_eager
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import expand_dims, shape
from placewise.ops.array.split import split
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.exponential import sigmoid
from placewise.ops.math.trigonometric import tanh
from placewise.ops.nn.bias import bias_add
from placewise.ops.tf1_spelling import zeros


def check_cell(name: str, cell: Any) -> None:
    """Raise TypeError for what is no cell."""
    problems = [
        f"'{needed}' property is missing"
        for needed in ("output_size", "state_size")
        if not hasattr(cell, needed)
    ]
    if not hasattr(cell, "zero_state") and not hasattr(cell, "get_initial_state"):
        problems.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        problems.append("is not callable")
    if problems:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(problems)}.")


def sizes_of(size: Any) -> list[Any]:
    """Return a state's or output's size as a list of dimensions."""
    dims = TensorShape(size).as_list() if isinstance(size, (TensorShape, list, tuple)) else [size]
    return [None if each is None else int(each) for each in dims]


def _rows_and(batch_size: Any, dims: list[Any]) -> list[Any]:
    known = isinstance(batch_size, int)
    return [constant([batch_size]) if known else expand_dims(batch_size, 0), constant(dims)]


def zero_state_of(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Return zeros in the structure of `state_size`, one row per batch entry."""

    def zeros_for(size: Any) -> Any:
        dims = sizes_of(size)
        made = zeros(concat(_rows_and(batch_size, dims), 0), dtype)
        if not is_eager():
            # TensorFlow makes these nodes once more: with them, later ops get the seeds they get
            # there.
            _rows_and(batch_size, dims)
            made.set_shape([batch_size if isinstance(batch_size, int) else None, *dims])
        return made

    return nest.map_structure(zeros_for, state_size)


class RNNCell(Layer):
    """A step of a recurrent network; `state_size` and `output_size` say what it gives."""

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._rnncell_scope: Any = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return the output and the next state."""
        if scope is not None:
            with variable_scope(scope, custom_getter=self._kept) as inside:
                return super().__call__(inputs, state, scope=inside)
        if self._rnncell_scope is None:
            self._rnncell_scope = variable_scope(get_variable_scope(), custom_getter=self._kept)
        with self._rnncell_scope:
            return super().__call__(inputs, state)

    def _kept(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Take down a variable that `call` asked for with `get_variable`."""
        found = getter(*args, **kwargs)
        if is_eager():
            trainable = found.trainable
        else:
            trainable = found in get_default_graph().get_collection("trainable_variables")
        kept = self._trainable_weights if trainable else self._non_trainable_weights
        if not any(each is found for each in kept):
            kept.append(found)
        return found

    @property
    def state_size(self) -> Any:
        """The size of the state: a number, a shape, or a structure of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def build(self, _: Any) -> None:
        """Make nothing: cells may make their variables when called."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Return the state to begin with, for inputs or for a batch size and a dtype."""
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            if batch_size is None:
                batch_size = inputs.shape.as_list()[0] or shape(inputs)[0]
            dtype = dtype or inputs.dtype.base_dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return zero_state_of(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as layers do."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Return the output and the next state."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth(self, inputs_shape: Any) -> int:
        depth: int | None = TensorShape(inputs_shape).as_list()[-1]
        if depth is None:
            raise ValueError(
                f"Expected inputs.shape[-1] to be known, saw shape: {TensorShape(inputs_shape)}"
            )
        return depth


class BasicRNNCell(LayerRNNCell):
    """The simplest cell: output = state = activation(W · [input, state] + b)."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._activation = num_units, activation_of(activation) or tanh

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Make the matrix and the bias."""
        width = self._depth(inputs_shape) + self._num_units
        self._kernel = self.add_variable("kernel", [width, self._num_units])
        self._bias = self.add_variable(
            "bias", [self._num_units], initializer=initializer_of("zeros")
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, which is the next state too."""
        gate = matmul(concat([inputs, state], 1), self._kernel)
        output = self._activation(bias_add(gate, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """The gated recurrent unit."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._activation = num_units, activation_of(activation) or tanh
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Make the matrices and biases of the gates and of the candidate."""
        units, width = self._num_units, self._depth(inputs_shape) + self._num_units
        self._gate_kernel = self.add_variable(
            "gates/kernel", [width, 2 * units], initializer=self._kernel_initializer
        )
        self._gate_bias = self.add_variable(
            "gates/bias", [2 * units], initializer=self._bias_initializer or Constant(1.0)
        )
        self._candidate_kernel = self.add_variable(
            "candidate/kernel", [width, units], initializer=self._kernel_initializer
        )
        self._candidate_bias = self.add_variable(
            "candidate/bias", [units], initializer=self._bias_initializer or initializer_of("zeros")
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, which is the next state too."""
        gates = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        reset, update = split(sigmoid(gates), num_or_size_splits=2, axis=1)
        candidate = matmul(concat([inputs, reset * state], 1), self._candidate_kernel)
        candidate = self._activation(bias_add(candidate, self._candidate_bias))
        output = update * state + (1 - update) * candidate
        return output, output


for _kind in (RNNCell, LayerRNNCell, BasicRNNCell, GRUCell):
    _kind.__module__ = "tensorflow.python.ops.rnn_cell_impl"
