"""Values put or added at given positions: scatter_nd and the tensor_scatter_nd family."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import INDEX, NUMBERS, DType
from placewise.core.errors import invalid
from placewise.core.scope import current
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text, product, signed, text_full
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.gather import INDICES, first_outside, gather_nd
from placewise.ops.array.out_of_range import flat_places, harmless
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Bind, Call, define, op
from placewise.ops.families import bracketed, merged_dims
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.values import Content
from placewise.ops.work import scatter_work

_POLICY = "bad_indices_policy: string = ''"


@op(
    f"ScatterNd(indices: Tindices, updates: T, shape: Tindices; {_POLICY}) -> output: T",
    host=("shape",),
    Tindices=INDICES,
    result="new",
    work=scatter_work,
)
def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Any:
    """Return zeros of `shape` to which `updates` are added at the positions in `indices`."""
    return scatter_nd.bind(
        indices, updates, shape, bad_indices_policy=bad_indices_policy, name=name
    )


@scatter_nd.shape
def scatter_nd_shape(
    indices: Static, updates: Static, shape: Static, *, bad_indices_policy: str
) -> Dims:
    target = from_value(shape)
    check_slices(target, indices.shape, updates.shape)
    return target


def check_slices(target: Dims, indices: Dims, updates: Dims) -> None:
    """Raise ValueError if `updates` cannot be the slices of `target` that `indices` names."""
    if not indices or not updates or indices[-1] is None:
        return
    outer, depth = len(indices) - 1, indices[-1]
    _must_match(
        f"Dimensions [0,{outer}) of indices[shape={bracketed(indices)}]",
        indices[:outer],
        f"dimensions [0,{outer}) of updates[shape={bracketed(updates)}]",
        updates[:outer],
    )
    if target is not None:
        _must_match(
            f"Dimensions [{depth},{len(target)}) of input[shape={bracketed(target)}]",
            target[depth:],
            f"dimensions [{outer},{len(updates)}) of updates[shape={bracketed(updates)}]",
            updates[outer:],
        )


def _must_match(what: str, mine: Any, other: str, theirs: Any) -> None:
    try:
        merged_dims(mine, theirs)
    except ValueError as error:
        raise ValueError(
            f"{what} = {bracketed(mine)} must match {other} = {bracketed(theirs)}: {error}"
        ) from None


@scatter_nd.kernel
def scatter_nd_kernel(
    indices: torch.Tensor, updates: Content, shape: np.ndarray[Any, Any], *, bad_indices_policy: str
) -> Any:
    if shape.ndim != 1:
        raise invalid(f"Shape must be rank 1 but is rank {shape.ndim}")
    target = shape.tolist()
    if target and min(target) < 0:
        raise invalid(f"Dimension {min(target)} must be >= 0")
    _check_nd(indices.shape, updates.shape, target)
    if is_text(updates):
        made: Any = text_full(target, b"")
    else:
        made = torch.zeros(target, dtype=updates.dtype, device=updates.device)
    return _combined(made, indices, updates, "add", _is_ignored(bad_indices_policy))


def _check_nd(indices: tuple[int, ...], updates: tuple[int, ...], target: list[Any]) -> None:
    outer, rank = len(indices) - 1, len(updates)
    depth = indices[-1] if len(indices) else 1
    outer = max(outer, 0)
    if tuple(indices[:outer]) != tuple(updates[:outer]):
        raise invalid(
            f"Dimensions [0,{outer}) of indices[shape={bracketed(indices)}] must match dimensions "
            f"[0,{outer}) of updates[shape={bracketed(updates)}]"
        )
    if depth > len(target) or tuple(target[depth:]) != tuple(updates[outer:]):
        raise invalid(
            f"Dimensions [{depth},{len(target)}) of input[shape={bracketed(target)}] must match "
            f"dimensions [{outer},{rank}) of updates[shape={bracketed(updates)}]"
        )


def _is_ignored(policy: str) -> bool:
    """Return whether indices beyond the shape are passed over."""
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise invalid(f"Unknown bad indices handling attribute: {policy}")
    return policy == "IGNORE"


def _combined(
    made: Content, indices: torch.Tensor, updates: Content, how: str, ignore: bool
) -> Any:
    """Return `made` itself, which nobody else has, with `updates` worked in."""
    shape = tuple(made.shape)
    if not len(indices.shape):
        indices = indices.reshape(1)
    depth = indices.shape[-1]
    rest = shape[depth:]
    places, inside = flat_places(indices, shape[:depth])
    rows = updates.reshape((places.shape[0], *rest))
    is_checked = is_text(made) or not (ignore or current.is_compiling)
    if is_checked and not bool(inside.all()):
        if not ignore:
            raise invalid(
                f"{first_outside(indices, inside)} does not index into shape {bracketed(shape)}"
            )
        places, rows = places[inside], rows[inside.numpy()]
    flat = made.reshape((product(shape[:depth]), *rest))
    if is_text(made):
        for place, row in zip(places.tolist(), rows, strict=True):
            flat[place] = flat[place] + row if how == "add" else row
    elif flat.shape[0]:
        is_wide_unsigned = flat.dtype in (torch.uint16, torch.uint32, torch.uint64)
        flat, rows = signed(flat), signed(rows)
        # What holds an unsigned number's bits is in its order once the top bit is turned over.
        top = torch.iinfo(flat.dtype).min if is_wide_unsigned and how in ("amax", "amin") else 0
        if top:
            flat.bitwise_xor_(top)
            rows = rows ^ top
        if ignore:
            places, rows = harmless(flat, places, rows, inside, how)
        _work_in(flat, places, rows, how)
        if top:
            flat.bitwise_xor_(top)
    return made


def _work_in(flat: torch.Tensor, places: torch.Tensor, rows: torch.Tensor, how: str) -> None:
    if how == "update":
        flat.index_copy_(0, places, rows)
    elif how in ("amax", "amin"):
        index = places.reshape([-1] + [1] * (rows.dim() - 1)).expand(rows.shape)
        flat.scatter_reduce_(0, index, rows, how, include_self=True)
    elif flat.dtype is torch.bool:
        chosen = places.reshape([-1] + [1] * (rows.dim() - 1)).expand(rows.shape)
        flat.copy_(flat.byte().scatter_reduce_(0, chosen, rows.byte(), "amax") > 0)
    else:
        flat.index_add_(0, places, rows, alpha=-1 if how == "sub" else 1)


@scatter_nd.kernel(on="GPU")
def scatter_nd_gpu_kernel(
    indices: torch.Tensor, updates: Content, shape: np.ndarray[Any, Any], *, bad_indices_policy: str
) -> Any:
    # Who asks for the error waits for the device.
    policy = "IGNORE" if bad_indices_policy in ("", "DEFAULT") else bad_indices_policy
    return scatter_nd_kernel(indices, updates, shape, bad_indices_policy=policy)


@scatter_nd.gradient
def scatter_nd_gradient(call: Call, dy: Tensor) -> Any:
    return None, gather_nd(dy, call.inputs[0]), None


def _tensor_scatter(
    name: str, how: str, types: frozenset[DType], indices: frozenset[DType], doc: str
) -> Bind:
    bind = define(
        f"{name}(tensor: T, indices: Tindices, updates: T; {_POLICY}) -> output: T",
        T=types,
        Tindices=indices,
        doc=doc,
        work=scatter_work,
    )

    @bind.shape
    def shape(tensor: Static, indices: Static, updates: Static, **_: object) -> Dims:
        check_slices(tensor.shape, indices.shape, updates.shape)
        return tensor.shape

    def kernel(tensor: Any, indices: Any, updates: Any, *, bad_indices_policy: str) -> Any:
        _check_outer(indices.shape, updates.shape, tensor.shape)
        made = (
            tensor.copy()
            if is_text(tensor)
            else tensor.clone(memory_format=torch.contiguous_format)
        )
        return _combined(made, indices, updates, how, _is_ignored(bad_indices_policy))

    def gpu_kernel(
        tensor: Content, indices: torch.Tensor, updates: Content, *, bad_indices_policy: str
    ) -> Any:
        policy = "IGNORE" if bad_indices_policy in ("", "DEFAULT") else bad_indices_policy
        return kernel(tensor, indices, updates, bad_indices_policy=policy)

    kernel.__name__ = f"{name}_kernel"
    bind.kernel(kernel)
    bind.kernel(gpu_kernel, on="GPU")
    return bind


def _check_outer(
    indices: tuple[int, ...], updates: tuple[int, ...], tensor: tuple[int, ...]
) -> None:
    if not len(tensor):
        raise invalid("Output must be at least 1-D, got shape: []")
    outer = max(len(indices) - 1, 0)
    depth = indices[-1] if len(indices) else 1
    if tuple(indices[:outer]) != tuple(updates[:outer]):
        raise invalid(
            "Outer dimensions of indices and update must match. Indices shape: "
            f"{bracketed(indices)}, updates shape:{bracketed(updates)}"
        )
    if depth > len(tensor) or tuple(tensor[depth:]) != tuple(updates[outer:]):
        raise invalid(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {bracketed(tensor)} updates: {bracketed(updates)}"
        )


_update = _tensor_scatter(
    "TensorScatterUpdate",
    "update",
    dtypes.ANY,
    INDICES | {dtypes.uint16},
    "Return `tensor` with `updates` at the positions in `indices`.",
)
_add = _tensor_scatter(
    "TensorScatterAdd",
    "add",
    NUMBERS | {dtypes.bool, dtypes.string},
    INDEX,
    "Return `tensor` with `updates` added at the positions in `indices`.",
)
_sub = _tensor_scatter(
    "TensorScatterSub",
    "sub",
    NUMBERS | dtypes.BOOL,
    INDEX,
    "Return `tensor` with `updates` subtracted at the positions in `indices`.",
)
_max = _tensor_scatter(
    "TensorScatterMax",
    "amax",
    dtypes.REAL,
    INDEX,
    "Return `tensor` with the larger of it and `updates` at the positions in `indices`.",
)
_min = _tensor_scatter(
    "TensorScatterMin",
    "amin",
    dtypes.REAL,
    INDEX,
    "Return `tensor` with the smaller of it and `updates` at the positions in `indices`.",
)


@_update.gradient
def tensor_scatter_update_gradient(call: Call, dy: Tensor) -> Any:
    _, indices, updates = call.inputs
    return _update(dy, indices, zeros_like(updates)), None, gather_nd(dy, indices)


@_add.gradient
def tensor_scatter_add_gradient(call: Call, dy: Tensor) -> Any:
    return dy, None, gather_nd(dy, call.inputs[1])


@_sub.gradient
def tensor_scatter_sub_gradient(call: Call, dy: Tensor) -> Any:
    return dy, None, -gather_nd(dy, call.inputs[1])


def _extreme_gradient(call: Call, dy: Tensor) -> Any:
    """Share the gradient among the values that are equal to the result."""
    tensor, indices, updates = call.inputs
    output = call.output
    own = cast(equal(output, tensor), dy.dtype)
    theirs = cast(equal(updates, gather_nd(output, indices)), dy.dtype)
    shape = shape_of(tensor)
    if isinstance(shape, np.ndarray) and indices.dtype is dtypes.int64:
        shape = shape.astype(np.int64)
    share = dy / (own + scatter_nd(indices, theirs, shape))
    return share * own, None, gather_nd(share, indices) * theirs


_max.gradient(_extreme_gradient)
_min.gradient(_extreme_gradient)


def tensor_scatter_nd_update(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Return `tensor` with `updates` at the positions that the rows of `indices` are."""
    return _update(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Any:
    """Return `tensor` with `updates` added at the positions that the rows of `indices` are."""
    return _add(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Any:
    """Return `tensor` with `updates` subtracted at the positions that the rows of `indices` are."""
    return _sub(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Any:
    """Return `tensor` with the larger of it and `updates` where the rows of `indices` say."""
    return _max(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Any:
    """Return `tensor` with the smaller of it and `updates` where the rows of `indices` say."""
    return _min(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)
