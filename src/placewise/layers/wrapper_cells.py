"""Cells made of cells: stacked, with dropout, with a way around, on a device."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.names import name_scope
from placewise.core.tensor import Tensor
from placewise.eager.device_scope import device as device_scope
from placewise.graph.random_values import random_uniform
from placewise.graph.variable_scope import variable_scope
from placewise.layers.cells import RNNCell, check_cell, sizes_of
from placewise.layers.dropout import dropped
from placewise.layers.lstm_cells import LSTMStateTuple
from placewise.ops.array.concat import concat
from placewise.ops.array.slice_ops import slice as part_of
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.division import div
from placewise.ops.math.rounding import floor


class MultiRNNCell(RNNCell):
    """Cells stacked: the output of each is the input of the next."""

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  "
                f"State sizes are: {[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> Any:
        """The sizes of all states: a tuple, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return states of zeros."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
        return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of all cells that training changes."""
        if not self.trainable:
            return []
        return [weight for cell in self._cells for weight in cell.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of all cells that training leaves alone."""
        found = [weight for cell in self._cells for weight in cell.non_trainable_weights]
        if self.trainable:
            return found
        return [weight for cell in self._cells for weight in cell.trainable_weights] + found

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the last cell's output, and the next states of all."""
        position, new_states = 0, []
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    if not nest.is_nested(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but "
                            f"received: {state}"
                        )
                    current = state[number]
                else:
                    current = part_of(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                inputs, new_state = cell(inputs, current)
                new_states.append(new_state)
        return inputs, tuple(new_states) if self._state_is_tuple else concat(new_states, 1)


class _Wrapper(RNNCell):
    """A cell that changes what goes into another cell or comes out of it."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell

    @property
    def state_size(self) -> Any:
        """The size of the inner cell's state."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the inner cell's output."""
        return self.cell.output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """The inner cell's variables that training changes."""
        return self.cell.trainable_weights if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The inner cell's variables that training leaves alone."""
        weights: list[Any] = (
            self.cell.non_trainable_weights if self.trainable else self.cell.weights
        )
        return weights

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the inner cell's state of zeros."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return the output and the next state."""
        return self._wrapped(inputs, state, scope)

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        raise NotImplementedError


def _keep_all_but_memory(substate: Any) -> Any:
    """Say what dropout may touch of a state: not the memory of an LSTM."""
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return True


class DropoutWrapper(_Wrapper):
    """Drops parts of a cell's inputs, states and outputs."""

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: Any = None,
        dropout_state_filter_visitor: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._visitor = dropout_state_filter_visitor or _keep_all_but_memory
        self._seed, self._variational = seed, variational_recurrent
        with name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability("input_keep_prob", input_keep_prob)
            self._state_keep_prob = _probability("state_keep_prob", state_keep_prob)
            self._output_keep_prob = _probability("output_keep_prob", output_keep_prob)
        self._noise: dict[str, list[Any]] = {}
        if variational_recurrent:
            self._make_noise(input_size, dtype)

    @property
    def wrapped_cell(self) -> Any:
        """The inner cell."""
        return self.cell

    def _make_noise(self, input_size: Any, dtype: Any) -> None:
        """Draw once what is dropped at every step."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _drops(self._input_keep_prob):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}
        for salt, size in sizes.items():
            self._noise[salt] = [
                random_uniform([1, *sizes_of(each)], dtype=dtype, seed=self._seed_for(salt, place))
                for place, each in enumerate(nest.flatten(size))
            ]

    def _seed_for(self, salt: str, place: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{place}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, values: Any, salt: str, keep: float, chosen: list[Any] | None = None) -> Any:
        flat = nest.flatten(values)
        wanted = [True] * len(flat) if chosen is None else chosen
        result = []
        for place, (value, may) in enumerate(zip(flat, wanted, strict=True)):
            if not may:
                result.append(value)
            elif self._variational:
                kept = floor(keep + self._noise[salt][place])
                result.append(div(value, keep) * kept)
            else:
                result.append(dropped(value, 1.0 - keep, seed=self._seed_for(salt, place)))
        return nest.pack_sequence_as(values, result)

    def _wrapped(self, inputs: Tensor, state: Any, scope: Any) -> Any:
        if _drops(self._input_keep_prob):
            inputs = self._dropped(inputs, "input", self._input_keep_prob)
        output, state = self.cell(inputs, state, scope=scope)
        if _drops(self._state_keep_prob):
            chosen = _chosen(state, self._visitor)
            state = self._dropped(state, "state", self._state_keep_prob, chosen)
        if _drops(self._output_keep_prob):
            output = self._dropped(output, "output", self._output_keep_prob)
        return output, state


def _chosen(state: Any, visitor: Callable[..., Any]) -> list[bool]:
    """Return for each part of a state whether the visitor lets it be dropped."""
    answer = visitor(state)
    if isinstance(answer, bool):
        if answer and nest.is_nested(state) and not isinstance(state, LSTMStateTuple):
            return [each for part in state for each in _chosen(part, visitor)]
        return [answer] * len(nest.flatten(state))
    return [
        each
        for part, said in zip(state, answer, strict=True)
        for each in ([said] * len(nest.flatten(part)) if isinstance(said, bool) else said)
    ]


def _drops(keep: float) -> bool:
    return not isinstance(keep, float) or keep < 1


def _probability(name: str, given: Any) -> Any:
    # A number becomes a constant of the graph too, as in TensorFlow 1: where nobody gave one, the
    # seed of a random op made later is the number of ops before it.
    tensor = convert_to_tensor(given)
    known = get_static_value(tensor)
    if known is None:
        return tensor
    value = float(known if not isinstance(given, (int, float)) else given)
    if value < 0 or value > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {int(value)}")
    return value


class ResidualWrapper(_Wrapper):
    """Adds a cell's inputs to its outputs."""

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _wrapped(self, inputs: Tensor, state: Tensor, scope: Any) -> Any:
        outputs, state = self.cell(inputs, state, scope=scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), state
        nest.assert_same_structure(inputs, outputs)
        for one, other in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
            one.shape.assert_is_compatible_with(other.shape)
        return nest.map_structure(lambda one, other: one + other, inputs, outputs), state


class DeviceWrapper(_Wrapper):
    """Runs a cell on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the inner cell's state of zeros, on the device."""
        with name_scope(f"{type(self).__name__}ZeroState"), device_scope(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _wrapped(self, inputs: Tensor, state: Tensor, scope: Any) -> Any:
        with device_scope(self._device):
            return self.cell(inputs, state, scope=scope)


for _kind in (MultiRNNCell, DropoutWrapper, ResidualWrapper, DeviceWrapper):
    _kind.__module__ = "tensorflow.python.ops.rnn_cell_impl"
