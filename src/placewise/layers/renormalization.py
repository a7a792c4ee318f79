"""Batch renormalization: a batch's statistics corrected towards slow averages of earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core.dtypes import DType
from placewise.layers.choices import ONES, ZEROS
from placewise.layers.dropout import smart_cond
from placewise.layers.loss_weights import after
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.exponential import sqrt
from placewise.ops.nn.activations import relu
from placewise.ops.state.variable import VariableAggregationV2, VariableSynchronization

if TYPE_CHECKING:
    from placewise.layers.normalization import BatchNormalization


KEYS = ("rmax", "rmin", "dmax")


class Corrected(NamedTuple):
    """Factor and shift that correct a normalized batch, and statistics for the moving averages."""

    factor: Any
    shift: Any
    mean: Any
    variance: Any


def check_clipping(clipping: Any) -> dict[str, Any]:
    """Return the limits of the correction, or raise ValueError for unknown ones."""
    unknown = [key for key in clipping or {} if key not in KEYS]
    if unknown:
        raise ValueError(f"renorm_clipping {clipping} contains keys not in {set(KEYS)}")
    return clipping or {}


def make_variables(layer: BatchNormalization, shape: tuple[int, ...], kind: DType) -> None:
    """Add the averages that a layer's correction needs."""
    variance = layer.moving_variance_initializer

    def deviation(shape: list[Any], dtype: DType | None = None, partition_info: Any = None) -> Any:
        return sqrt(variance(shape, dtype=dtype))

    for name, initializer in (
        ("moving_stddev", ONES if variance is None else deviation),
        ("renorm_mean", layer.moving_mean_initializer or ZEROS),
        ("renorm_stddev", ONES if variance is None else deviation),
    ):
        made = layer.add_weight(
            name,
            shape,
            kind,
            initializer,
            trainable=False,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregationV2.MEAN,
        )
        setattr(layer, name, made)


def corrected(layer: Any, mean: Any, variance: Any, training: Any) -> Corrected:
    """Return the correction of a batch; what it gives for the averages moves its own ones first."""
    deviation = sqrt(variance + layer.epsilon)
    usual = maximum(layer.renorm_stddev, sqrt(convert_to_tensor(layer.epsilon)))
    factor, shift = deviation / usual, (mean - layer.renorm_mean) / usual
    limits = layer.renorm_clipping
    if limits.get("rmin") is not None:
        factor = maximum(factor, limits["rmin"])
    if limits.get("rmax") is not None:
        factor = minimum(factor, limits["rmax"])
    if limits.get("dmax") is not None:
        shift = minimum(maximum(shift, -limits["dmax"]), limits["dmax"])
    factor = smart_cond(training, lambda: factor, lambda: ones_like(factor))
    shift = smart_cond(training, lambda: shift, lambda: zeros_like(shift))
    with after([factor, shift]):
        moved = [
            layer._moved(layer.renorm_mean, mean, layer.renorm_momentum, training),
            layer._moved(layer.renorm_stddev, deviation, layer.renorm_momentum, training),
        ]
    with after(moved):
        mean, variance = identity(mean), identity(variance)
    return Corrected(
        stop_gradient(factor, name="renorm_r"),
        stop_gradient(shift, name="renorm_d"),
        mean,
        variance,
    )


def move_variance(layer: Any, variance: Any, training: Any) -> Any:
    """Return the operation that moves the average deviation and sets the variance to its square."""
    moved = layer._moved(
        layer.moving_stddev, sqrt(variance + layer.epsilon), layer.momentum, training
    )
    return layer.moving_variance.assign(relu(moved * moved - layer.epsilon), name="AssignNewValue")
