"""Tensors that a task keeps for an eager program elsewhere, which knows them by numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import DType
from placewise.core.errors import AbortedError, hint
from placewise.core.runtime import State, runtime
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.ops.declare import define
from placewise.ops.values import Content

if TYPE_CHECKING:
    import numpy as np


@dataclass(slots=True)
class KeptTensors(State):
    """The contents that are kept, by number."""

    by_key: dict[int, Any] = field(default_factory=dict)


_kept = runtime.state(KeptTensors)

keep = define(
    "PlacewiseKeep(value: T, key: int64)",
    host=("key",),
    stateful=True,
    differentiable=False,
    doc="Keep a tensor under a number, until it is forgotten.",
)


@keep.kernel
def keep_kernel(value: Content, key: np.ndarray[Any, Any]) -> None:
    _kept.by_key[int(key)] = value


kept = define(
    "PlacewiseKept(key: int64; dtype: type, shape: shape = None) -> value: dtype",
    host=("key",),
    stateful=True,
    differentiable=False,
    doc="Return the tensor that is kept under a number.",
)


@kept.shape
def kept_shape(key: Static, *, dtype: DType, shape: Any) -> Dims:
    return None if shape is None else TensorShape(shape)._dims


@kept.kernel
def kept_kernel(key: np.ndarray[Any, Any], *, dtype: DType, shape: Any) -> Any:
    content = _kept.by_key.get(int(key))
    if content is None:
        raise AbortedError(
            None,
            None,
            hint("The tensor is not kept here any more", "its task was started again meanwhile"),
        )
    return content


forget = define(
    "PlacewiseForget(keys: int64)",
    host=("keys",),
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    doc="Let tensors go that are kept.",
)


@forget.kernel
def forget_kernel(keys: np.ndarray[Any, Any]) -> None:
    for key in keys.ravel().tolist():
        _kept.by_key.pop(key, None)
