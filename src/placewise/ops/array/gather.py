"""Elements by index: gather, gather_nd."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.scope import current
from placewise.core.shapes import Dims, Static, merge
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.contents import is_text, moving, product
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.out_of_range import are_inside, flat_places, zeroed_outside
from placewise.ops.array.shape import reshape, shape_of, squeeze
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.values import Content
from placewise.ops.work import gather_work

INDICES = INDEX | {dtypes.int16}


@op(
    "GatherV2(params: Tparams, indices: Tindices, axis: Taxis; batch_dims: int = 0)"
    " -> output: Tparams",
    host=("axis",),
    Tindices=INDICES,
    Taxis=INDEX,
    result="new",
    static="shapes",
    work=gather_work,
    default_types={"Taxis": None},
)
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Return the slices of `params` that `indices` names along `axis`.

    `params`: the tensor, or variable, to take from.
    `indices`: integers of any shape, which replaces the axis in the result.
    `validate_indices`: has no effect; TensorFlow ignores it as well.
    `axis`: the axis to take along, by default the first after the batch.
    `batch_dims`: how many leading dimensions of `params` and `indices` go together.

    An index out of range raises InvalidArgumentError on the CPU and gives zeros on a GPU.

    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    if batch_dims and _is_ragged(params, indices):
        return lazy.ragged_gather(params, indices, axis, batch_dims)
    if axis is None:
        axis = batch_dims
    if isinstance(axis, int) and axis == 0:
        batch_dims = 0  # TensorFlow looks at it only when there is another axis
        sparse_read = getattr(params, "sparse_read", None)
        if sparse_read is not None:
            try:
                return sparse_read(indices, name=name)
            except AttributeError:  # a reference variable, which has no such way
                pass
    return gather.bind(params, indices, axis, batch_dims=batch_dims, name=name)


def _is_ragged(*values: Any) -> bool:
    return any(isinstance(each, lazy.RaggedTensor) for each in values)


def _layout(
    params: tuple[Any, ...], indices: tuple[Any, ...], axis: int, batch_dims: int
) -> tuple[int, int]:
    """Return `axis` and `batch_dims` counted from the front, after checking the ranks."""
    p, i = len(params), len(indices)
    if p == 0:
        raise invalid("params must be at least 1 dimensional")
    least = axis + 1 if axis >= 0 else -axis
    if p < least:
        raise invalid(f"Shape must be at least rank {least} but is rank {p}")
    if not -i <= batch_dims <= i:
        raise invalid(f"Expected batch_dims in the range [{-i}, {i}], but got {batch_dims}")
    batch_dims += i if batch_dims < 0 else 0
    axis += p if axis < 0 else 0
    if batch_dims >= p:
        raise invalid(f"batch_dims ({batch_dims}) must be less than rank(params) ({p}).")
    if axis < batch_dims:
        raise invalid(f"batch_dims ({batch_dims}) must be less than or equal to axis ({axis}).")
    for d in range(batch_dims):
        if None not in (params[d], indices[d]) and params[d] != indices[d]:
            raise invalid(
                f"params.shape[{d}]: {params[d]} should be equal to indices.shape[{d}]: "
                f"{indices[d]}"
            )
    return axis, batch_dims


@gather.shape
def gather_shape(params: Static, indices: Static, axis: Static, *, batch_dims: int) -> Dims:
    if params.shape is None or indices.shape is None:
        return None
    if axis.value is None:
        rank = len(params.shape) + len(indices.shape) - 1 - batch_dims % max(len(indices.shape), 1)
        return (None,) * rank
    try:
        at, batch = _layout(params.shape, indices.shape, int(np.asarray(axis.value)), batch_dims)
    except Exception as failure:
        raise ValueError(str(failure)) from None
    shared = merge(params.shape[:batch], indices.shape[:batch]) or ()
    return (*shared, *params.shape[batch:at], *indices.shape[batch:], *params.shape[at + 1 :])


@gather.kernel
def gather_kernel(
    params: Any, indices: torch.Tensor, axis: np.ndarray[Any, Any], *, batch_dims: int
) -> Any:
    if axis.ndim:
        raise invalid("axis must be scalar")
    shape, where = tuple(params.shape), tuple(indices.shape)
    at, batch = _layout(shape, where, int(axis), batch_dims)
    if indices.dtype is torch.int16:
        indices = indices.int()
    if is_text(params):
        return _gather_text(params, indices, at, batch)
    if not params.is_cpu:
        return _gather_unchecked(params, indices, at, batch)
    if batch:
        _checked_range(indices, shape[at])
    return _gathered(params, indices, at, batch)


gather.kernel(moving(gather_kernel), on="wide_unsigned")


def _checked_range(indices: torch.Tensor, size: int) -> None:
    if indices.numel() and not (int(indices.min()) >= 0 and int(indices.max()) < size):
        raise IndexError


def _gathered(params: Any, indices: Any, at: int, batch: int) -> Any:
    if batch == 0 and indices.dim() == 1:
        return params.index_select(at, indices)
    shape = params.shape
    result = shape[:at] + indices.shape[batch:] + shape[at + 1 :]
    if batch == 0:
        return params.index_select(at, indices.reshape(-1)).reshape(result)
    batches, outer, inner = (
        product(shape[:batch]),
        product(shape[batch:at]),
        product(shape[at + 1 :]),
    )
    count = product(indices.shape[batch:])
    index = indices.reshape(batches, count).long()
    offset = torch.arange(batches, device=index.device).mul_(shape[at]).unsqueeze(1)
    rows = params.reshape(batches, outer, shape[at], inner).transpose(1, 2)
    taken = rows.reshape(batches * shape[at], outer, inner).index_select(
        0, (index + offset).reshape(-1)
    )
    return taken.reshape(batches, count, outer, inner).transpose(1, 2).reshape(result)


def _gather_text(params: np.ndarray[Any, Any], indices: torch.Tensor, at: int, batch: int) -> Any:
    index = indices.numpy()
    _checked_range(indices, params.shape[at])
    if batch == 0:
        return np.take(params, index, at)
    places = np.arange(params.size).reshape(params.shape)
    chosen = _gathered(torch.from_numpy(places), indices, at, batch)
    return params.reshape(-1)[chosen.numpy()]


@gather.kernel(on="GPU")
def gather_gpu_kernel(
    params: Any, indices: torch.Tensor, axis: np.ndarray[Any, Any], *, batch_dims: int
) -> Any:
    if is_text(params):
        return gather_kernel(params, indices, axis, batch_dims=batch_dims)
    at, batch = _layout(tuple(params.shape), tuple(indices.shape), int(axis), batch_dims)
    if indices.dtype is torch.int16:
        indices = indices.int()
    return _gather_unchecked(params, indices, at, batch)


def _gather_unchecked(params: Any, indices: Any, at: int, batch: int) -> Any:
    """Return the slices that are there, and zeros for the others."""
    shape, where = params.shape, indices.shape
    size = shape[at]
    if not size:
        return params.new_zeros(shape[:at] + where[batch:] + shape[at + 1 :])
    taken = _gathered(params, indices.clamp(0, size - 1), at, batch)
    spread = [*where[:batch], *[1] * (at - batch), *where[batch:], *[1] * (len(shape) - at - 1)]
    return zeroed_outside(taken, are_inside(indices, size).reshape(spread))


@gather.error
def gather_error(
    params: Content, indices: torch.Tensor, axis: np.ndarray[Any, Any], *, batch_dims: int
) -> str | None:
    size = params.shape[int(axis)]
    array = indices.cpu().numpy()
    wrong = np.argwhere((array < 0) | (array >= size))
    if not len(wrong):
        return None
    place = tuple(wrong[0])
    shown = f"[{','.join(map(str, place))}]" if place else ""
    return f"indices{shown} = {array[place]} is not in [0, {size})"


@gather.gradient
def gather_gradient(call: Call, dy: Tensor) -> Any:
    params, indices, axis = call.inputs
    batch_dims = call.attrs["batch_dims"]
    shape, where = shape_of(params), shape_of(indices)
    at = int(axis) if isinstance(axis, np.ndarray) else None
    if at == 0 and batch_dims == 0:
        values = reshape(dy, joined([-1], shape[1:]))
        return IndexedSlices(values, reshape(indices, [-1]), convert_to_tensor(shape)), None, None
    return _dense_gradient(dy, indices, shape, where, axis, batch_dims), None, None


def joined(*parts: Any) -> Any:
    """Return pieces of shapes as one: on the host when all are."""
    if any(hasattr(part, "_shape_tuple") for part in parts):
        return concat([convert_to_tensor(part, dtypes.int32) for part in parts], 0)
    return np.concatenate([np.asarray(part, np.int32) for part in parts])


def _count(dims: Any) -> Any:
    if isinstance(dims, np.ndarray):
        return int(np.prod(dims, dtype=np.int64))

    return reduce_prod(dims)


def _vector(*sizes: Any) -> Any:
    if all(isinstance(size, int) for size in sizes):
        return np.asarray(sizes, np.int32)

    return stack(list(sizes))


def _dense_gradient(
    dy: Tensor,
    indices: Tensor,
    shape: np.ndarray[Any, Any],
    where: np.ndarray[Any, Any],
    axis: np.ndarray[Any, Any],
    batch: int,
) -> Any:
    """Return the gradient added up in a tensor of the shape of params.

    Seen as [batches, outer, size, inner], the rows along the third axis are scattered.
    """
    at = int(axis)  # a negative one counts from the end, of which the rank may not be known
    if batch < 0:
        batch += len(where) if isinstance(where, np.ndarray) else where._shape_tuple[0]
    rest = shape[at:]
    batches, outer, inner = _count(shape[:batch]), _count(shape[batch:at]), _count(rest[1:])
    size, count = _count(rest[:1]), _count(where[batch:])
    index = cast(reshape(indices, _vector(batches, count)), dtypes.int32)
    if not isinstance(batches, int) or batches > 1:
        index = index + reshape(range_of(batches) * size, [-1, 1])
    rows = transpose(reshape(dy, _vector(batches, outer, count, inner)), [0, 2, 1, 3])
    added = lazy.scatter_nd(
        reshape(index, [-1, 1]),
        reshape(rows, _vector(batches * count, outer, inner)),
        _vector(batches * size, outer, inner),
    )
    back = transpose(reshape(added, _vector(batches, size, outer, inner)), [0, 2, 1, 3])
    return reshape(back, shape)


@op(
    "GatherNd(params: Tparams, indices: Tindices; bad_indices_policy: string = '')"
    " -> output: Tparams",
    Tindices=INDICES,
    work=gather_work,
)
def gather_nd(
    params: Any,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Return the elements or slices of `params` at the positions that `indices` lists.

    `params`: the tensor, or variable, to take from.
    `indices`: integers; each row of the last dimension is a position, whole or its first part.
    `batch_dims`: how many leading dimensions of both go together.
    `bad_indices_policy`: what a position out of range does. '' or 'DEFAULT' raises
        InvalidArgumentError on the CPU and gives zeros on a GPU; 'ERROR' and 'IGNORE' choose one.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    batch = int(batch_dims)
    if batch == 0:
        handle_read = getattr(params, "gather_nd", None)
        if handle_read is not None and not bad_indices_policy:
            return handle_read(indices, name=name)
        return gather_nd.bind(params, indices, bad_indices_policy=bad_indices_policy, name=name)
    if _is_ragged(params, indices):
        return lazy.ragged_gather_nd(params, indices, batch)
    return _batch_gather_nd(
        convert_to_tensor(params), convert_to_tensor(indices), batch, bad_indices_policy, name
    )


def _batch_gather_nd(params: Any, indices: Any, batch: int, policy: str, name: Any) -> Any:
    rank = indices.shape.rank
    if rank is not None and batch >= rank:
        raise ValueError(f"batch_dims = {batch} must be less than rank(indices) = {rank}.")
    shape, where = shape_of(params), shape_of(indices)
    batches = _count(shape[:batch])
    width = where[-1:]
    flat = reshape(params, joined([-1], shape[batch:]))
    index = reshape(indices, joined(_vector(batches), [-1], width))
    places = reshape(range_of(batches), [-1, 1, 1])
    rows = _count(where[batch:-1])

    index_of_batch = cast(broadcast_to(places, _vector(batches, rows, 1)), index.dtype)
    index = reshape(index, joined(_vector(batches, rows), width))
    taken = gather_nd.bind(
        flat, concat([index_of_batch, index], -1), bad_indices_policy=policy, name=name
    )
    return reshape(taken, joined(where[:-1], shape_of(taken)[2:]))


def nd_depth(params: tuple[Any, ...], indices: tuple[Any, ...]) -> int:
    """Return how many leading dimensions of `params` the rows of `indices` speak of."""
    if not len(indices):
        raise invalid("indices must be at least a vector")
    depth: int = indices[-1]
    if depth > len(params):
        raise invalid(
            "index innermost dimension length must be <= params rank; saw: "
            f"{depth} vs. {len(params)}"
        )
    return depth


@gather_nd.shape
def gather_nd_shape(params: Static, indices: Static, *, bad_indices_policy: str) -> Dims:
    if params.shape is None or indices.shape is None or indices.shape[-1] is None:
        return None
    try:
        depth = nd_depth(params.shape, indices.shape)
    except Exception as failure:
        raise ValueError(str(failure)) from None
    return (*indices.shape[:-1], *params.shape[depth:])


def first_outside(indices: torch.Tensor, inside: torch.Tensor) -> str:
    """Return the first row of positions that is out of range, as TensorFlow writes it."""
    place = int(torch.nonzero(~inside)[0])
    lead = tuple(indices.shape[:-1])
    where = ",".join(map(str, np.unravel_index(place, lead))) if lead else ""
    row = indices.reshape(-1, indices.shape[-1])[place].tolist()
    return f"indices[{where}] = {row}" if lead else f"indices = {row}"


@gather_nd.kernel
def gather_nd_kernel(params: Content, indices: torch.Tensor, *, bad_indices_policy: str) -> Any:
    if not indices.is_cpu:
        return gather_nd_gpu_kernel(params, indices, bad_indices_policy=bad_indices_policy)
    return _take_nd(params, indices, ignore=bad_indices_policy == "IGNORE")


def _take_nd(params: Any, indices: Any, ignore: bool) -> Any:
    shape = tuple(params.shape)
    if not shape:
        raise invalid("params must be at least a vector")
    depth = nd_depth(shape, indices.shape)
    rest = shape[depth:]
    result = (*indices.shape[:-1], *rest)
    count = product(indices.shape[:-1])
    if count and not product(shape[:depth]) and product(rest):
        raise invalid(
            f"Requested more than 0 entries, but params is empty.  Params shape: {bracketed(shape)}"
        )
    places, inside = flat_places(indices, shape[:depth])
    flat = params.reshape((product(shape[:depth]), *rest))
    if ignore and not is_text(params):
        return _take_unchecked(flat, places, inside).reshape(result)
    fine = (current.is_compiling and not ignore) or bool(inside.all())
    if not fine and not ignore:
        raise invalid(
            f"{first_outside(indices, inside)} does not index into param shape "
            f"{bracketed(shape)}, node name: GatherNd"
        )
    if is_text(params):
        taken = flat[torch.where(inside, places, 0).numpy()]
        taken[~inside.numpy()] = b""
        return taken.reshape(result)
    return flat.index_select(0, places).reshape(result)


def _take_unchecked(flat: Any, places: Any, inside: Any) -> Any:
    if not flat.shape[0]:
        return flat.new_zeros((*places.shape, *flat.shape[1:]))
    return zeroed_outside(flat.index_select(0, torch.where(inside, places, 0)), inside)


gather_nd.kernel(moving(gather_nd_kernel), on="wide_unsigned")


@gather_nd.kernel(on="GPU")
def gather_nd_gpu_kernel(params: Content, indices: torch.Tensor, *, bad_indices_policy: str) -> Any:
    # Who asks for the error waits for the device.
    return _take_nd(params, indices, ignore=bad_indices_policy != "ERROR")


@gather_nd.gradient
def gather_nd_gradient(call: Call, dy: Tensor) -> Any:
    params, indices = call.inputs
    shape = shape_of(params)
    where, policy = indices._shape_tuple, call.attrs["bad_indices_policy"]
    if where is not None and len(where) == 2 and where[-1] == 1 and not policy:
        return IndexedSlices(dy, squeeze(indices, -1), convert_to_tensor(shape)), None
    if isinstance(shape, np.ndarray):
        shape = shape.astype(np.int64 if indices.dtype is dtypes.int64 else np.int32)
    return lazy.scatter_nd(indices, dy, shape, policy), None


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Any:
    """Return, per batch, the rows of `params` that `indices` names along its last axis."""
    indices = convert_to_tensor(indices)
    rank = indices.shape.rank
    if rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return gather(params, indices, batch_dims=rank - 1, name=name)
