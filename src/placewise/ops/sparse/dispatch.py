"""What each op gives when an input is sparse: functions that keep zero at zero act on the values.

`run` is asked by the eager runtime after an input turned out to be no tensor. Ops that are not
named here take no sparse tensors, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

from placewise.ops.array.shape import size
from placewise.ops.declare import REGISTRY
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.sparse.arrangement import expand_dims, reshape
from placewise.ops.sparse.sparse_tensor import SparseTensor

# What TensorFlow lets act on the values alone; f(0) = 0 for all but one.
ON_VALUES = frozenset(
    {
        "Abs",
        "Asin",
        "Asinh",
        "Atan",
        "Atanh",
        "BesselI0e",
        "BesselI1e",
        "Cast",
        "ComplexAbs",
        "Erf",
        "Identity",
        "Neg",
        "Sign",
        "Sin",
        "Sqrt",
        "Square",
        "StopGradient",
        "Tan",
        "Tanh",
    }
)


def run(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    """Return what `op` gives on these inputs, or NotImplemented."""
    sp = inputs[0]
    if not isinstance(sp, SparseTensor):
        return NotImplemented
    if op.name in ON_VALUES:
        return sp.with_values(op.bind(sp.values, **attrs, name=name))
    if op.name == "Shape":
        return _as(sp.dense_shape, attrs["out_type"])
    if op.name == "Size":
        return reduce_prod(_as(sp.dense_shape, attrs["out_type"]))
    if op.name == "Rank":
        return size(sp.dense_shape)
    if op.name == "DenseBincount":
        bins, weights = inputs[1:]
        if isinstance(weights, SparseTensor):
            weights = weights.values
        count = REGISTRY["SparseBincount"].bind
        return count(sp.indices, sp.values, sp.dense_shape, bins, weights, **attrs, name=name)
    if op.name == "ExpandDims":
        return expand_dims(sp, inputs[1])
    if op.name == "Reshape":
        return reshape(sp, inputs[1])
    return NotImplemented


def _as(value: Any, dtype: Any) -> Any:
    return cast(value, dtype)
