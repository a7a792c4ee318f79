"""Long short-term memory: cells with a state of two parts."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from placewise.graph.initializers import Zeros
from placewise.layers.cells import LayerRNNCell
from placewise.layers.choices import activation_of, initializer_of
from placewise.layers.input_spec import InputSpec
from placewise.layers.loss_weights import is_eager
from placewise.ops.array.concat import concat
from placewise.ops.array.slice_ops import slice as part_of
from placewise.ops.array.split import split
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.arithmetic import multiply
from placewise.ops.math.clip import clip_by_value
from placewise.ops.math.exponential import sigmoid
from placewise.ops.math.trigonometric import tanh
from placewise.ops.nn.bias import bias_add
from placewise.ops.tf1_spelling import add_tf1

_Pair = namedtuple("_Pair", ("c", "h"))


class LSTMStateTuple(_Pair):
    """The state of an LSTM cell: its memory `c` and its last output `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype of both parts."""
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype!s} vs {h.dtype!s}")
        return c.dtype


LSTMStateTuple.__module__ = "tensorflow.python.ops.rnn_cell_impl"


class BasicLSTMCell(LayerRNNCell):
    """An LSTM without peepholes, clipping or projection."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Make the matrix and the bias of all four gates."""
        units = self._num_units
        width = self._depth(inputs_shape) + units
        self._kernel = self.add_variable("kernel", [width, 4 * units])
        self._bias = self.add_variable("bias", [4 * units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, and memory and output as the next state."""
        if self._state_is_tuple:
            memory, previous = state
        else:
            memory, previous = split(state, num_or_size_splits=2, axis=1)
        one = 1 if is_eager() else convert_to_tensor(1)
        gates = bias_add(matmul(concat([inputs, previous], 1), self._kernel), self._bias)
        enter, new, forget, leave = split(gates, num_or_size_splits=4, axis=one)
        forget = add_tf1(forget, convert_to_tensor(self._forget_bias, forget.dtype))
        memory = add_tf1(
            multiply(memory, sigmoid(forget)), multiply(sigmoid(enter), self._activation(new))
        )
        output = multiply(self._activation(memory), sigmoid(leave))
        if self._state_is_tuple:
            return output, LSTMStateTuple(memory, output)
        return output, concat([memory, output], 1)


class LSTMCell(LayerRNNCell):
    """An LSTM that may have peepholes, clipped memory, and a projected output."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        for option, given in (
            ("num_unit_shards", num_unit_shards),
            ("num_proj_shards", num_proj_shards),
        ):
            if given not in (None, 1):
                raise NotImplementedError(
                    f"LSTMCell: `{option}`={given} would cut variables into parts, which is not "
                    "supported here."
                )
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._use_peepholes, self._cell_clip = use_peepholes, cell_clip
        self._num_proj, self._proj_clip = num_proj, proj_clip
        self._initializer = initializer_of(initializer)
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        sizes = (self._num_units, self.output_size)
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The number of units, or of what they are projected to."""
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Make the matrix and the bias of all four gates, peepholes and projection."""
        units = self._num_units
        width = self._depth(inputs_shape) + self.output_size
        self._kernel = self.add_variable(
            "kernel", [width, 4 * units], initializer=self._initializer
        )
        zeros = None if self._dtype is None else Zeros(dtype=self._dtype)
        self._bias = self.add_variable("bias", [4 * units], initializer=zeros or Zeros())
        if self._use_peepholes:
            self._forget_peephole, self._enter_peephole, self._leave_peephole = (
                self.add_variable(f"w_{gate}_diag", [units], initializer=self._initializer)
                for gate in "fio"
            )
        if self._num_proj is not None:
            self._projection = self.add_variable(
                "projection/kernel", [units, self._num_proj], initializer=self._initializer
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, and memory and output as the next state."""
        before, previous = state if self._state_is_tuple else self._parts(state)
        gates = bias_add(matmul(concat([inputs, previous], 1), self._kernel), self._bias)
        enter, new, forget, leave = split(gates, num_or_size_splits=4, axis=1)
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget = forget + self._forget_peephole * before
        kept = sigmoid(forget) * before
        if self._use_peepholes:
            enter = enter + self._enter_peephole * before
        memory = kept + sigmoid(enter) * self._activation(new)
        if self._cell_clip is not None:
            memory = clip_by_value(memory, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            leave = leave + self._leave_peephole * memory
        output = sigmoid(leave) * self._activation(memory)
        if self._num_proj is not None:
            output = matmul(output, self._projection)
            if self._proj_clip is not None:
                output = clip_by_value(output, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return output, LSTMStateTuple(memory, output)
        return output, concat([memory, output], 1)

    def _parts(self, state: Any) -> tuple[Any, Any]:
        units = self._num_units
        return (
            part_of(state, [0, 0], [-1, units]),
            part_of(state, [0, units], [-1, self.output_size]),
        )


for _kind in (BasicLSTMCell, LSTMCell):
    _kind.__module__ = "tensorflow.python.ops.rnn_cell_impl"
