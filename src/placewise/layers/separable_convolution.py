"""Convolutions in two steps: each channel by itself, then across channels."""

from __future__ import annotations

from typing import Any

from placewise.layers.choices import ZEROS, initializer_of
from placewise.layers.convolution import Conv
from placewise.layers.layer import function_of
from placewise.layers.windows import op_format
from placewise.ops.array.shape import expand_dims, squeeze
from placewise.ops.nn.depthwise import separable_conv2d as separable_function


class _SeparableConv(Conv):
    """What separable convolution layers share."""

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: Any,
        dilation_rate: Any,
        depth_multiplier: int,
        depthwise: tuple[Any, ...],
        pointwise: tuple[Any, ...],
        **kwargs: Any,
    ) -> None:
        super().__init__(
            rank, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializer_of(depthwise[0])
        self.depthwise_regularizer, self.depthwise_constraint = depthwise[1:]
        self.pointwise_initializer = initializer_of(pointwise[0])
        self.pointwise_regularizer, self.pointwise_constraint = pointwise[1:]

    def build(self, input_shape: Any) -> None:
        """Make the filters of both steps and the bias."""
        channels = self._channels(input_shape)
        self.depthwise_kernel = self._add_part(
            "depthwise_kernel",
            (*self.kernel_size, channels, self.depth_multiplier),
            part="depthwise",
        )
        self.pointwise_kernel = self._add_part(
            "pointwise_kernel",
            (1,) * self.rank + (self.depth_multiplier * channels, self.filters),
            part="pointwise",
        )
        self._add_bias()
        self.built = True

    def _convolved(self, inputs: Any, depthwise: Any, pointwise: Any, padding: str) -> Any:
        # A depthwise convolution has one stride and one padding for both dimensions.
        strides = self.strides if self.rank == 2 else self.strides * 2
        dilations = self.dilation_rate if self.rank == 2 else (1, *self.dilation_rate)
        return separable_function(
            inputs,
            depthwise,
            pointwise,
            self._sized_2d(strides),
            padding.upper(),
            data_format=op_format(self.data_format, 2),
            dilations=dilations,
        )

    def _sized_2d(self, values: tuple[int, ...]) -> list[int]:
        return [1, *values, 1] if self.data_format == "channels_last" else [1, 1, *values]


class SeparableConv1D(_SeparableConv):
    """A convolution along sequences in two steps."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
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
            depth_multiplier,
            (depthwise_initializer, depthwise_regularizer, depthwise_constraint),
            (pointwise_initializer, pointwise_regularizer, pointwise_constraint),
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )

    def call(self, inputs: Any) -> Any:
        """Return the activation of both steps, plus bias: a row of an image of height 1."""
        padding = self.padding
        if padding == "causal":
            inputs, padding = self._padded_left(inputs), "valid"
        axis = 1 if self.data_format == "channels_last" else 2
        outputs = self._convolved(
            expand_dims(inputs, axis),
            expand_dims(self.depthwise_kernel, 0),
            expand_dims(self.pointwise_kernel, 0),
            padding,
        )
        return self._activated(squeeze(self._with_bias(outputs), [axis]))


class SeparableConv2D(_SeparableConv):
    """A convolution over images in two steps."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
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
            depth_multiplier,
            (depthwise_initializer, depthwise_regularizer, depthwise_constraint),
            (pointwise_initializer, pointwise_regularizer, pointwise_constraint),
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )

    def call(self, inputs: Any) -> Any:
        """Return the activation of both steps, plus bias."""
        outputs = self._convolved(
            inputs, self.depthwise_kernel, self.pointwise_kernel, self.padding
        )
        return self._activated(self._with_bias(outputs))


for _kind in (SeparableConv1D, SeparableConv2D):
    _kind.__module__ = "tensorflow.python.layers.convolutional"

separable_conv1d = function_of(
    SeparableConv1D, "separable_conv1d", "Return a convolution along sequences in two steps."
)
separable_conv2d = function_of(
    SeparableConv2D, "separable_conv2d", "Return a convolution over images in two steps."
)
