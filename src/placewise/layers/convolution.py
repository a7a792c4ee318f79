"""Convolution layers over one, two and three dimensions."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import TensorShape
from placewise.layers.choices import ZEROS, activation_of, initializer_of
from placewise.layers.input_spec import InputSpec
from placewise.layers.layer import Layer, function_of
from placewise.layers.loss_weights import is_eager
from placewise.layers.windows import (
    checked_format,
    checked_padding,
    joined,
    op_format,
    output_size,
    tupled,
)
from placewise.ops.array.creation import constant
from placewise.ops.array.padding import pad
from placewise.ops.nn.bias import bias_add
from placewise.ops.nn.conv_functions import conv1d as conv1d_function
from placewise.ops.nn.conv_functions import conv2d as conv2d_function
from placewise.ops.nn.conv_functions import conv3d as conv3d_function

_FUNCTIONS = {1: conv1d_function, 2: conv2d_function, 3: conv3d_function}


class Conv(Layer):
    """What convolution layers share: filters that slide over `rank` dimensions of space."""

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = 1,
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
        self.rank, self.filters, self.use_bias = rank, filters, use_bias
        self.kernel_size = tupled(kernel_size, rank, "kernel_size")
        self.strides = tupled(strides, rank, "strides")
        self.padding, self.data_format = checked_padding(padding), checked_format(data_format)
        if self.padding == "causal" and rank != 1:
            raise ValueError("Causal padding is only supported for `Conv1D`and ``SeparableConv1D`.")
        self.dilation_rate = tupled(dilation_rate, rank, "dilation_rate")
        self.activation = activation_of(activation)
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(ndim=rank + 2)

    @property
    def _channel_axis(self) -> int:
        return 1 if self.data_format == "channels_first" else -1

    def _channels(self, input_shape: Any) -> int:
        found: int | None = TensorShape(input_shape).as_list()[self._channel_axis]
        if found is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: found})
        return found

    def _add_bias(self) -> None:
        self.bias = self._add_part("bias", (self.filters,)) if self.use_bias else None

    def build(self, input_shape: Any) -> None:
        """Make the filters and the bias."""
        channels = self._channels(input_shape)
        self.kernel = self._add_part("kernel", (*self.kernel_size, channels, self.filters))
        self._add_bias()
        if not is_eager():
            # TensorFlow has this node here: with it, later ops get the seeds they get there.
            constant(self.dilation_rate, name="dilation_rate")
        self.built = True

    def _padded_left(self, inputs: Any) -> Any:
        """Return inputs with what a causal window sees before the first of them."""
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return pad(inputs, joined([0, 0], [[before, 0]], [0, 0], self.data_format))

    def _with_bias(self, outputs: Any) -> Any:
        if self.bias is None:
            return outputs
        form = "NHWC" if self.data_format == "channels_last" else "NCHW"
        return bias_add(outputs, self.bias, data_format=form)

    def _activated(self, outputs: Any) -> Any:
        return outputs if self.activation is None else self.activation(outputs)

    def call(self, inputs: Any) -> Any:
        """Return the activation of the convolution of inputs with the filters, plus bias."""
        padding = self.padding.upper()
        if self.padding == "causal":
            inputs, padding = self._padded_left(inputs), "VALID"
        outputs = _FUNCTIONS[self.rank](
            inputs,
            self.kernel,
            self._sized(self.strides),
            padding,
            data_format=op_format(self.data_format, self.rank),
            dilations=self._sized(self.dilation_rate),
            name="conv1d" if self.rank == 1 else None,
        )
        return self._activated(self._with_bias(outputs))

    def _sized(self, values: tuple[int, ...]) -> Any:
        if self.rank == 1:
            return values[0]
        return joined(1, list(values), 1, self.data_format)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Return the shape of the outputs for inputs of a shape."""
        dims = TensorShape(input_shape).as_list()
        space = dims[1:-1] if self.data_format == "channels_last" else dims[2:]
        sizes = [
            output_size(
                size, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i]
            )
            for i, size in enumerate(space)
        ]
        return TensorShape(joined(dims[0], sizes, self.filters, self.data_format))


class Conv1D(Conv):
    """Filters that slide along sequences: [batch, steps, channels]."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = 1,
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
            1,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )


class Conv2D(Conv):
    """Filters that slide over images: [batch, height, width, channels]."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = (1, 1),
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
            2,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )


class Conv3D(Conv):
    """Filters that slide through volumes: [batch, depth, height, width, channels]."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = (1, 1, 1),
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
            3,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )


for _kind in (Conv1D, Conv2D, Conv3D):
    _kind.__module__ = "tensorflow.python.layers.convolutional"

conv1d = function_of(Conv1D, "conv1d", "Return the outputs of a convolution along sequences.")
conv2d = function_of(
    Conv2D,
    "conv2d",
    """Return the outputs of a layer that convolves images with filters of its own.

    `inputs`: images, [batch, height, width, channels].
    `filters`: how many channels the outputs have.
    `kernel_size`: height and width of a filter, two numbers or one for both.
    `strides`: how far the filter moves at a time, given as `kernel_size` is.
    `padding`: 'valid' or 'same'; case does not matter.
    `data_format`: 'channels_last' or 'channels_first'.
    `dilation_rate`: the distance between the elements of a filter.
    `activation`: a function of the outputs; None leaves them as they are.
    `use_bias`: whether there is a bias.
    `kernel_initializer`, `bias_initializer`: what the variables begin with.
    `kernel_regularizer`, `bias_regularizer`, `activity_regularizer`: functions that make losses of
        the variables and the outputs; they join the regularization losses.
    `kernel_constraint`, `bias_constraint`: functions that optimizers apply after each update.
    `trainable`: whether optimizers change the variables.
    `name`: the name of the layer, and the scope of its variables.
    `reuse`: take the variables of a layer of the same name.

    Raises ValueError if the number of channels is not known, or for an unknown padding or format.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.conv2d(tf.zeros([1, 8, 8, 3]), 16, 3).shape.as_list()
    [1, 6, 6, 16]
    """,
)
conv3d = function_of(Conv3D, "conv3d", "Return the outputs of a convolution through volumes.")
