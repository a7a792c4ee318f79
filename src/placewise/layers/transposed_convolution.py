"""Transposed convolution layers: what a convolution's gradient does, used to make things larger."""

from __future__ import annotations

from typing import Any

from placewise.core.shapes import TensorShape
from placewise.layers.choices import ZEROS
from placewise.layers.convolution import Conv
from placewise.layers.layer import function_of
from placewise.layers.loss_weights import is_eager
from placewise.layers.windows import checked_padding, joined, op_format, spread_size
from placewise.ops.array.concat import stack
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.nn.conv_functions import conv2d_transpose as transpose_2d
from placewise.ops.nn.conv_functions import conv3d_transpose as transpose_3d
from placewise.ops.tf1_spelling import shape


class _ConvTranspose(Conv):
    """What transposed convolution layers share."""

    def build(self, input_shape: Any) -> None:
        """Make the filters and the bias."""
        checked_padding(self.padding, ("valid", "same"))
        channels = self._channels(input_shape)
        self.kernel = self._add_part("kernel", (*self.kernel_size, self.filters, channels))
        self._add_bias()
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Return the activation of the transposed convolution, plus bias."""
        sizes = shape(inputs)
        batch = sizes[0]
        first = 1 if self.data_format == "channels_last" else 2
        given = [sizes[first + i] for i in range(self.rank)]
        space = [
            spread_size(size, self.kernel_size[i], self.padding, self.strides[i])
            for i, size in enumerate(given)
        ]
        wanted = stack(joined(batch, space, self.filters, self.data_format))
        if self.rank == 2 and is_tf1_graph():
            wanted[0]  # unread, but TensorFlow makes it and seeds count nodes
        outputs = (transpose_2d if self.rank == 2 else transpose_3d)(
            inputs,
            self.kernel,
            wanted,
            self._sized(self.strides),
            self.padding.upper(),
            data_format=op_format(self.data_format, self.rank),
            name=f"conv{self.rank}d_transpose",
        )
        if not is_eager():
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._activated(self._with_bias(outputs))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Return the shape of the outputs for inputs of a shape."""
        dims = TensorShape(input_shape).as_list()
        space = dims[1:-1] if self.data_format == "channels_last" else dims[2:]
        sizes = [
            spread_size(size, self.kernel_size[i], self.padding, self.strides[i])
            for i, size in enumerate(space)
        ]
        return TensorShape(joined(dims[0], sizes, self.filters, self.data_format))


class Conv2DTranspose(_ConvTranspose):
    """Filters that spread over larger images."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: Any = "channels_last",
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
            1,
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


class Conv3DTranspose(_ConvTranspose):
    """Filters that spread through larger volumes."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: Any = "channels_last",
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
            1,
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


for _kind in (Conv2DTranspose, Conv3DTranspose):
    _kind.__module__ = "tensorflow.python.layers.convolutional"

conv2d_transpose = function_of(
    Conv2DTranspose, "conv2d_transpose", "Return a transposed convolution over images."
)
conv3d_transpose = function_of(
    Conv3DTranspose, "conv3d_transpose", "Return a transposed convolution through volumes."
)
