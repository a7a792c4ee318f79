"""Fully connected layers, and what flattens their inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.shapes import TensorShape
from placewise.layers.choices import ZEROS, activation_of, initializer_of
from placewise.layers.input_spec import InputSpec
from placewise.layers.layer import Layer, function_of
from placewise.layers.loss_weights import is_eager
from placewise.ops.array.shape import reshape, shape
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.einsum import tensordot
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.cast import cast
from placewise.ops.nn.bias import bias_add


class Dense(Layer):
    """A matrix times the inputs, plus a bias, through an activation."""

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.units, self.use_bias = int(units), use_bias
        self.activation = activation_of(activation)
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: ShapeLike) -> None:
        """Make the matrix and the bias."""
        kind = self._dtype or dtypes.float32
        if not (kind.is_floating or kind.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {kind!s}")
        width = TensorShape(input_shape).as_list()[-1]
        if width is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: width})
        self.kernel = self._add_part("kernel", [width, self.units])
        self.bias = self._add_part("bias", [self.units]) if self.use_bias else None
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Return activation(inputs · kernel + bias)."""
        rank = inputs.shape.rank
        if rank > 2:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            if not is_eager():
                outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            outputs = matmul(cast(inputs, self._dtype), self.kernel)
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """Return the shape with `units` as its last size."""
        dims = TensorShape(input_shape).with_rank_at_least(2).as_list()
        if dims[-1] is None:
            raise ValueError(
                "The innermost dimension of input_shape must be defined, but saw: "
                f"{TensorShape(input_shape)}"
            )
        return TensorShape([*dims[:-1], self.units])


class Flatten(Layer):
    """Rows of all that belongs to one case."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """Return the inputs as a matrix, channels last within a row."""
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        dims = inputs.shape.as_list()
        if None not in dims:
            return reshape(inputs, [dims[0], int(np.prod(dims[1:]))])
        outputs = reshape(inputs, (shape(inputs)[0], -1))
        if not is_eager():
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """Return the number of cases, and how many numbers each has."""
        dims = TensorShape(input_shape).as_list() or [1]
        inner: list[Any] = dims[1:]
        return TensorShape([dims[0], None if None in inner else int(np.prod(inner))])


for _kind in (Dense, Flatten):
    _kind.__module__ = "tensorflow.python.layers.core"

dense = function_of(
    Dense,
    "dense",
    """Return the outputs of a fully connected layer: activation(inputs @ kernel + bias).

    `inputs`: cases along the first axes, features along the last one.
    `units`: how many outputs a case has.
    `activation`: a function of the outputs; None leaves them as they are.
    `use_bias`: whether there is a bias.
    `kernel_initializer`, `bias_initializer`: what the variables begin with.
    `kernel_regularizer`, `bias_regularizer`, `activity_regularizer`: functions that make losses of
        the variables and the outputs; they join the regularization losses.
    `kernel_constraint`, `bias_constraint`: functions that optimizers apply after each update.
    `trainable`: whether optimizers change the variables.
    `name`: the name of the layer, and the scope of its variables.
    `reuse`: take the variables of a layer of the same name.

    Raises ValueError if the number of features is not known.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.dense(tf.zeros([4, 3]), 2).shape.as_list()
    [4, 2]
    """,
)


def flatten(inputs: TensorLike, name: str | None = None, data_format: str = "channels_last") -> Any:
    """Return the inputs as a matrix with one row per case."""
    return Flatten(name=name, data_format=data_format)(convert_to_tensor(inputs))
