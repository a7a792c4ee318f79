"""Batch normalization: activations with mean 0 and variance 1 over a batch, then scaled again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, ShapeLike, TensorLike
from placewise.core.dtypes import DType
from placewise.core.names import name_scope
from placewise.core.scope import current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.layers.choices import ONES, ZEROS, initializer_of
from placewise.layers.dropout import smart_cond
from placewise.layers.input_spec import InputSpec
from placewise.layers.layer import Layer
from placewise.layers.loss_weights import is_eager
from placewise.layers.renormalization import (
    check_clipping,
    corrected,
    make_variables,
    move_variance,
)
from placewise.ops.array.creation import constant, zeros_like
from placewise.ops.array.shape import reshape, size
from placewise.ops.array.static import get_static_value
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import multiply, subtract
from placewise.ops.math.cast import cast
from placewise.ops.nn.batch_norm import batch_normalization as normalized
from placewise.ops.nn.batch_norm import fused_batch_norm
from placewise.ops.nn.moments import moments
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization

if TYPE_CHECKING:
    from placewise.graph.variables import RefVariable


_HALVES = (dtypes.float16, dtypes.bfloat16)


class BatchNormalization(Layer):
    """Normalizes by the statistics of the batch while training, else by their moving averages.

    The averages move by operations in the collection `UPDATE_OPS`: run them beside the training
    step.
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        for option, given in (
            ("virtual_batch_size", virtual_batch_size),
            ("adjustment", adjustment),
        ):
            if given is not None:
                raise NotImplementedError(f"BatchNormalization: `{option}` is not supported here.")
        if not isinstance(axis, (list, tuple, int)):
            raise TypeError(f"axis must be int or list, type given: {type(axis)}")
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self.beta_initializer = initializer_of(beta_initializer)
        self.gamma_initializer = initializer_of(gamma_initializer)
        self.moving_mean_initializer = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer = initializer_of(moving_variance_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.renorm, self.renorm_momentum = renorm, renorm_momentum
        self.renorm_clipping = check_clipping(renorm_clipping)
        if renorm and fused:
            raise ValueError("Passing both fused=True and renorm=True is unsupported")
        self.fused = False if renorm else fused

    def build(self, input_shape: ShapeLike) -> None:
        """Make scale, offset and moving averages."""
        dims = TensorShape(input_shape)
        if dims.rank is None:
            raise ValueError(f"Input has undefined rank:{dims}")
        sizes = self._sizes(dims.as_list())
        one_axis = len(self.axis) == 1
        if self.fused in (None, True):
            self.fused = (
                dims.rank == 4
                and self.axis in ([1], [3])
                and self._dtype in (*_HALVES, dtypes.float32)
            )
        self._data_format = "NCHW" if self.axis == [1] else "NHWC"
        self.input_spec = InputSpec(ndim=dims.rank, axes=sizes)
        if one_axis:
            shape: tuple[int, ...] = (sizes[self.axis[0]],)
        else:
            shape = tuple(sizes.get(place, 1) for place in range(dims.rank))
        kind = dtypes.float32 if self._dtype in _HALVES else (self._dtype or dtypes.float32)
        self._make(shape, kind)
        self.built = True

    def _sizes(self, dims: list[Any]) -> dict[int, Any]:
        for place, axis in enumerate(self.axis):
            self.axis[place] = axis + len(dims) if axis < 0 else axis
        for axis in self.axis:
            if axis < 0 or axis >= len(dims):
                raise ValueError(f"Invalid axis: {axis}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {self.axis}")
        for axis in self.axis:
            if dims[axis] is None:
                raise ValueError(
                    "Axis has undefined dimension (Dimension(None)): Input shape: "
                    f"{TensorShape(dims)}"
                )
        return {axis: dims[axis] for axis in self.axis}

    def _make(self, shape: tuple[int, ...], kind: DType) -> None:
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self._add_part("gamma", shape, kind)
        elif self.fused:
            self.gamma = constant(1.0, dtype=kind, shape=shape)
        if self.center:
            self.beta = self._add_part("beta", shape, kind)
        elif self.fused:
            self.beta = constant(0.0, dtype=kind, shape=shape)
        kept: dict[str, Any] = {
            "trainable": False,
            "synchronization": VariableSynchronization.ON_READ,
            "aggregation": VariableAggregationV2.MEAN,
        }
        self.moving_mean = self.add_weight(
            "moving_mean", shape, kind, self.moving_mean_initializer, **kept
        )
        self.moving_variance = self.add_weight(
            "moving_variance", shape, kind, self.moving_variance_initializer, **kept
        )
        if self.renorm:
            make_variables(self, shape, kind)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Return the normalized inputs; `training` may be a tensor."""
        if self.fused:
            return self._with_fused_op(inputs, training)
        rank = inputs.shape.rank
        reduced = [place for place in range(rank) if place not in self.axis]
        scale, offset = self._spread(self.gamma, reduced), self._spread(self.beta, reduced)
        known = _known(training)
        if known is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            wide = cast(inputs, dtypes.float32) if self._dtype in _HALVES else inputs
            with name_scope("moments"):
                mean, variance = moments(wide, reduced, keepdims=len(self.axis) > 1)
                rows = _rows_or_none(inputs)
                if rows is not None:
                    mean, variance = (
                        where(rows > 0, value, zeros_like(value)) for value in (mean, variance)
                    )
            if known is None:
                mean, variance = self._chosen(training, mean, variance)
            if self.renorm:
                found = corrected(self, mean, variance, training)
                scale, offset = _composed(
                    self._spread(found.factor, reduced),
                    self._spread(found.shift, reduced),
                    scale,
                    offset,
                )
                self.add_update(self._moved(self.moving_mean, found.mean, self.momentum, training))
                self.add_update(move_variance(self, found.variance, training))
            else:
                for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
                    self.add_update(self._moved(variable, value, self.momentum, rows=rows))
        kind = inputs.dtype.base_dtype
        with name_scope("batchnorm"):
            outputs = normalized(
                inputs,
                _as(self._spread(mean, reduced), kind),
                _as(self._spread(variance, reduced), kind),
                _as(offset, kind),
                _as(scale, kind),
                self.epsilon,
            )
        if not is_eager():
            outputs.set_shape(inputs.shape)
        return outputs

    def _chosen(self, training: Tensor, mean: Tensor, variance: Tensor) -> tuple[Any, Any]:
        """Return the statistics of the batch, or the averages: which then do not move."""
        pairs = ((mean, self.moving_mean), (variance, self.moving_variance))
        first, second = (
            smart_cond(training, lambda new=new: new, lambda old=old: convert_to_tensor(old))
            for new, old in pairs
        )
        return first, second

    def _spread(self, value: Any, reduced: list[int]) -> Any:
        """Return a parameter in a shape that broadcasts against the inputs."""
        rank = len(reduced) + len(self.axis)
        if value is None or len(value.shape) == rank or reduced == list(range(rank - 1)):
            return value
        sizes = [1] * rank
        sizes[self.axis[0]] = value.shape.as_list()[0]
        return reshape(value, sizes)

    def _with_fused_op(self, inputs: Any, training: Any) -> Any:
        options: dict[str, Any] = {"epsilon": self.epsilon, "data_format": self._data_format}

        def of_batch() -> Any:
            return fused_batch_norm(inputs, self.gamma, self.beta, **options)

        def of_averages() -> Any:
            return fused_batch_norm(
                inputs,
                self.gamma,
                self.beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                is_training=False,
                **options,
            )

        outputs, mean, variance = smart_cond(training, of_batch, of_averages)
        known = _known(training)
        if known is False:
            if not is_eager():
                constant(1.0)  # the momentum of averages that do not move
            return outputs
        if known is None:
            momentum = smart_cond(training, lambda: constant(self.momentum), lambda: constant(1.0))
        else:
            momentum = convert_to_tensor(self.momentum)
        rows = _rows_or_none(inputs)
        for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update(self._moved(variable, value, momentum, rows=rows))
        return outputs

    def _moved(
        self, variable: Any, value: Any, momentum: Any, training: Any = True, rows: Any = None
    ) -> Any:
        """Return a moving average after a step towards a value.

        It stays where it is without training, and where a batch has no rows.
        """
        with name_scope("AssignMovingAvg") as scope:
            kind = variable.dtype.base_dtype
            if isinstance(momentum, float):
                decay = constant(1.0 - momentum, kind, name="decay")
            else:
                decay = cast(subtract(1.0, momentum, name="sub"), kind)
            if _known(training) is None:
                decay = smart_cond(training, lambda: decay, lambda: zeros_like(decay))
            difference = subtract(variable, cast(value, kind), name="sub")
            step = multiply(difference, decay, name="mul")
            if rows is not None:
                step = where(rows > 0, step, zeros_like(step))
            return variable.assign_sub(step, name=scope)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape as it is."""
        return TensorShape(input_shape)


BatchNormalization.__module__ = "tensorflow.python.layers.normalization"


def _known(training: TensorLike) -> bool | None:
    """Return what `training` is, or None if only a run of the graph will tell."""
    if isinstance(training, (bool, int)):
        return bool(training)
    value = get_static_value(convert_to_tensor(training))
    return None if value is None else bool(value)


def _rows_or_none(inputs: Tensor) -> Any:
    """Return how many rows a batch has if a strategy may give a replica none; else None."""
    if not current.distribution:
        return None
    extended = current.distribution[-1].strategy.extended
    if not getattr(extended, "experimental_enable_get_next_as_optional", False):
        return None
    return size(inputs)


def _composed(
    factor: Tensor, shift: Tensor, scale: Any, offset: RefVariable | None
) -> tuple[Any, Any]:
    """Return scale and offset of a correction that comes before another scale and offset."""
    if scale is not None:
        factor, shift = factor * scale, shift * scale
    return factor, shift if offset is None else shift + offset


def _as(value: Any, kind: DType) -> Any:
    return value if value is None or value.dtype.base_dtype is kind else cast(value, kind)


def batch_normalization(
    inputs: TensorLike,
    axis: AxisLike = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = ZEROS,
    gamma_initializer: Any = ONES,
    moving_mean_initializer: Any = ZEROS,
    moving_variance_initializer: Any = ONES,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: TensorLike = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Mapping[Any, Any] | None = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Any:
    """Return the inputs, normalized by the batch if `training`, else by moving averages."""
    inputs = convert_to_tensor(inputs)
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        moving_mean_initializer,
        moving_variance_initializer,
        beta_regularizer,
        gamma_regularizer,
        beta_constraint,
        gamma_constraint,
        renorm,
        renorm_clipping,
        renorm_momentum,
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _reuse=reuse,
        _scope=name,
    )
    return layer(inputs, training=training)
