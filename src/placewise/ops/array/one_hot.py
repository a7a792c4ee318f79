"""One value per row of a class table: one_hot."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, as_dtype
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text, moving, text_full
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, op
from placewise.ops.host_array import host_array
from placewise.ops.name_scopes import in_scope
from placewise.ops.work import fill_work


@op(
    "OneHot(indices: TI, depth: int32, on_value: T, off_value: T; axis: int = -1) -> output: T",
    host=("depth",),
    TI=INDEX | {dtypes.uint8, dtypes.int8},
    result="new",
    node_name="one_hot",
    work=fill_work,
)
def one_hot(
    indices: Any,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor that marks each index along a new axis of size `depth`.

    `indices`: integers, of any shape.
    `depth`: the size of the new axis, a number read on the host.
    `on_value`, `off_value`: what stands at the index, and elsewhere: 1 and 0 by default.
    `axis`: where the new axis stands, by default last.
    `dtype`: the dtype of the result, by default that of the values given, else float32.

    An index outside of [0, `depth`) marks nothing, on every device. Raises TypeError if the dtypes
    of `on_value`, `off_value` and `dtype` differ.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    wanted = None if dtype is None else as_dtype(dtype).base_dtype
    on_dtype = None if on_value is None else convert_to_tensor(on_value, dtype_hint=wanted).dtype
    off_dtype = None if off_value is None else convert_to_tensor(off_value, dtype_hint=wanted).dtype
    if wanted is not None:
        for given, which in ((on_dtype, "on_value"), (off_dtype, "off_value")):
            if given not in (None, wanted):
                raise TypeError(
                    f"dtype {given!r} of {which} does not match dtype parameter {wanted!r}"
                )
    elif on_dtype is not None and off_dtype is not None and on_dtype is not off_dtype:
        raise TypeError(
            f"dtype {on_dtype!r} of on_value does not match dtype {off_dtype!r} of off_value"
        )
    kind = wanted or on_dtype or off_dtype or dtypes.float32
    plain: tuple[Any, Any] = (True, False) if kind is dtypes.bool else (1, 0)
    at = -1 if axis is None else axis
    if current.interpreter is Scope.eager:
        make = convert_to_tensor if kind is dtypes.string else scalar
        on = make(plain[0], kind) if on_value is None else convert_to_tensor(on_value, kind)
        off = make(plain[1], kind) if off_value is None else convert_to_tensor(off_value, kind)
        return one_hot.bind(indices, depth, on, off, axis=at, name=name)
    with in_scope(name, "one_hot") as scope:
        on = plain[0] if on_value is None else on_value
        off = plain[1] if off_value is None else off_value
        on = convert_to_tensor(on, kind, name="on_value")
        off = convert_to_tensor(off, kind, name="off_value")
        return one_hot.bind(indices, depth, on, off, axis=at, name=scope)


@one_hot.shape
def one_hot_shape(
    indices: Static, depth: Static, on_value: Static, off_value: Static, *, axis: int
) -> Dims:
    if indices.shape is None:
        return None
    rank = len(indices.shape)
    if not -1 <= axis <= rank:
        raise ValueError(f"axis must be >= -1 and at most {rank}, got {axis}")
    axis = rank if axis == -1 else axis
    count = None if depth.value is None else int(np.asarray(depth.value))
    if count is not None and count < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {count}"
        )
    return (*indices.shape[:axis], count, *indices.shape[axis:])


# Up to so many elements, comparing all places is quicker than writing into few.
_SMALL = 4096


@one_hot.kernel
def one_hot_kernel(
    indices: Any, depth: np.ndarray[Any, Any], on_value: Any, off_value: Any, *, axis: int
) -> Any:
    rank = indices.dim()
    if not -1 <= axis <= rank:
        raise invalid(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}")
    if depth.ndim:
        raise invalid(f"depth must be a scalar, but got: {list(depth.shape)}")
    count = int(depth)
    if count < 0:
        raise invalid(f"depth must be non-negative, got: {count}")
    for value, which in ((on_value, "on_value"), (off_value, "off_value")):
        if value.shape != ():
            raise invalid(f"{which} must be a scalar, but got: {list(value.shape)}")
    axis = rank if axis == -1 else axis
    shape = [*indices.shape[:axis], count, *indices.shape[axis:]]
    index = indices.long().unsqueeze(axis)
    if is_text(on_value):
        texts = text_full(shape, off_value[()])
        texts[(index == _places(count, axis, rank, index)).numpy()] = on_value[()]
        return texts
    if count and indices.numel() * count <= _SMALL:
        return torch.where(index == _places(count, axis, rank, index), on_value, off_value)
    off = host_array(off_value, torch.float32, torch.int32, torch.int64)
    if indices.is_cpu and off is not None and not off.any():
        # Memory that the system hands out is zero already: it need not be written twice.
        made = torch.from_numpy(np.zeros(shape, off.dtype))
    else:
        made = torch.empty(shape, dtype=on_value.dtype, device=indices.device).fill_(off_value)
    if count == 0 or not made.numel():
        return made
    # An index out of range writes the off value at the nearest place of its own row.
    inside = (index >= 0) & (index < count)
    return made.scatter_(axis, index.clamp(0, count - 1), torch.where(inside, on_value, off_value))


one_hot.kernel(moving(one_hot_kernel), on="wide_unsigned")


def _places(count: int, axis: int, rank: int, index: Any) -> Any:
    return torch.arange(count, device=index.device).reshape(
        [-1 if i == axis else 1 for i in range(rank + 1)]
    )


@one_hot.gradient
def one_hot_gradient(call: Call, dy: Tensor) -> Any:
    return None, None, None, None
