"""Ragged tensors as dense ones: rows padded to one length."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.core.tensor import Tensor
from placewise.memory.transfer import move
from placewise.ops.array.concat import concat
from placewise.ops.array.gather import gather
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import reshape, shape, shape_of
from placewise.ops.array.static import get_static_value
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod, reduce_sum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.values import Content, EagerTensor

ragged_tensor_to_tensor = define(
    "RaggedTensorToTensor(shape: Tshape, values: T, default_value: T,"
    " row_partition_tensors: num_row_partition_tensors*Tindex >= 1;"
    " row_partition_types: list(string))"
    " -> result: T",
    host=("shape", "row_partition_tensors"),
    Tindex=INDEX,
    Tshape=INDEX,
    doc="Return nested rows as a dense tensor, padded with a default.",
    default_types={"Tshape": None},
)


@ragged_tensor_to_tensor.shape
def ragged_tensor_to_tensor_shape(
    shape: Static,
    values: Static,
    default_value: Static,
    row_partition_tensors: list[Static],
    *,
    row_partition_types: tuple[str, ...],
) -> Dims:
    ranks = len([kind for kind in row_partition_types if _text(kind) != "FIRST_DIM_SIZE"])
    if shape.value is not None and np.asarray(shape.value).ndim:
        return tuple(None if d < 0 else int(d) for d in np.asarray(shape.value))
    if shape.shape != ():
        rank = None if shape.shape is None else shape.shape[0]
        return None if rank is None else (None,) * rank
    if values.shape is None:
        return None
    first = row_partition_tensors[0].shape if row_partition_tensors else None
    splits = _text(row_partition_types[0]) == "ROW_SPLITS" and first and first[0]
    return (splits - 1 if splits else None, *[None] * ranks, *values.shape[1:])


def _text(kind: str) -> str:
    return kind.decode() if isinstance(kind, bytes) else kind


def _splits_of(tensors: list[Any], kinds: tuple[str, ...]) -> list[np.ndarray[Any, Any]]:
    """Return the row splits of each level from whichever encodings the op was given."""
    found: list[np.ndarray[Any, Any]] = []
    first: int | None = None
    for index, (tensor, kind) in enumerate(zip(tensors, map(_text, kinds), strict=True)):
        if kind == "ROW_SPLITS":
            if not tensor.size:
                raise invalid("Row splits must have at least one element.")
            found.append(tensor)
        elif kind == "FIRST_DIM_SIZE":
            first = int(tensor)
        elif kind == "VALUE_ROWIDS":
            if first is not None and index == 1:
                count = first
            elif found:
                count = int(found[-1][-1])
            else:
                count = int(tensor[-1]) + 1 if tensor.size else 0
            lengths = np.bincount(tensor, minlength=count)
            found.append(np.concatenate([[0], np.cumsum(lengths)]))
        else:
            raise invalid(f"Unsupported row partition type: {kind}")
    return found


@ragged_tensor_to_tensor.kernel
def ragged_tensor_to_tensor_kernel(
    shape: np.ndarray[Any, Any],
    values: Content,
    default_value: Content,
    row_partition_tensors: list[np.ndarray[Any, Any]],
    *,
    row_partition_types: tuple[str, ...],
) -> Any:
    _check_default(values.shape, default_value.shape)
    levels = _splits_of(row_partition_tensors, row_partition_types)
    if len(values.shape) and values.shape[0] < levels[-1][-1]:
        raise invalid(
            f"There are {int(levels[-1][-1])} values in the row partitions, but {values.shape[0]} "
            "in values"
        )
    sizes = [len(levels[0]) - 1]
    sizes += [int(np.diff(splits).max()) if len(splits) > 1 else 0 for splits in levels]
    inner = list(values.shape[1:])
    if shape.ndim:
        wanted = shape.tolist()
        if len(wanted) != len(sizes) + len(inner):
            raise invalid(
                f"rt_input.shape and shape={bracketed(wanted)} are incompatible: "
                f"rt_input.rank = {len(sizes) + len(inner)} but shape.rank = {len(wanted)}"
            )
        sizes = [
            own if asked < 0 else asked
            for own, asked in zip(sizes, wanted[: len(sizes)], strict=True)
        ]
        for axis, (own, asked) in enumerate(zip(inner, wanted[len(sizes) :], strict=True)):
            if asked >= 0 and asked != own:
                raise invalid(
                    f"rt_input.shape and shape={bracketed(wanted)} are incompatible: "
                    f"rt_input.shape[{axis + len(sizes)}] = {own} but "
                    f"shape[{axis + len(sizes)}] = {asked}"
                )
    if len(levels) == 1:
        padded = _padded_in_c(levels[0], values, default_value, sizes)
        if padded is not None:
            return padded
    places, kept = _places(levels, sizes)
    return _placed(values, default_value, places, kept, sizes, inner)


def _padded_in_c(
    splits: np.ndarray[Any, Any], values: Content, default_value: Content, sizes: list[int]
) -> Any:
    """Return rows padded by the native module; None where it has not the loop."""
    if native.code is None or isinstance(values, np.ndarray):
        return None
    if isinstance(default_value, np.ndarray) or default_value.dim():
        return None
    flat, default = (_bytes(each, values.dtype) for each in (values, default_value))
    if flat is None or default is None or not flat.size or values.shape[0] != splits[-1]:
        return None
    result = torch.empty((*sizes, *values.shape[1:]), dtype=values.dtype)
    unit = flat.size // values.shape[0]
    default = np.tile(default, unit // default.size)
    lines = result.view(torch.uint8).numpy().reshape(-1)
    splits = np.ascontiguousarray(splits)
    try:
        native.code.pad_rows(splits, flat, default, lines, splits.itemsize, unit, sizes[1])
    except ValueError:  # splits that are not in order, for which NumPy has words
        return None
    return result


def _bytes(x: torch.Tensor, dtype: torch.dtype) -> Any:
    """Return the memory of a host tensor as bytes; None if it has none that the host can read."""
    array = host_array(x, dtype) if dtype in _WITH_BYTES else None
    return None if array is None else array.reshape(-1).view(np.uint8)


_WITH_BYTES = frozenset(
    {torch.bool, torch.int32, torch.int64, torch.uint8, torch.float32, torch.float64}
)


def _places(levels: list[Any], sizes: list[int]) -> tuple[Any, Any]:
    """Return each value's place in the flat result, and whether it is within its bounds."""
    places = np.arange(len(levels[0]) - 1, dtype=np.int64)
    kept = places < sizes[0]
    for splits, size in zip(levels, sizes[1:], strict=True):
        starts, lengths = np.asarray(splits)[:-1], np.diff(splits)
        places = np.repeat(places * size - starts, lengths)
        numbers = np.arange(len(places))
        places += numbers
        kept = np.repeat(kept, lengths)
        if lengths.size and lengths.max() > size:
            kept &= numbers - np.repeat(starts, lengths) < size
    return places, kept


def _placed(
    values: Content,
    default_value: Any,
    places: np.ndarray[Any, Any],
    kept: np.ndarray[Any, Any],
    sizes: list[int],
    inner: list[int],
) -> Any:
    count = int(np.prod(sizes, dtype=np.int64))
    whole = bool(kept.all())
    if isinstance(values, np.ndarray):
        result = np.empty((count, *inner), dtype=object)
        result[...] = default_value
        result[places[kept]] = values[: len(places)][kept]
        return result.reshape(*sizes, *inner)
    if len(places) != values.shape[0]:
        values = values[: len(places)]
    base = default_value.expand(count, *inner)
    # The rows are known to the host alone, here and in TensorFlow: the places go to the device.
    if whole:
        where = move(torch.from_numpy(places), values.device)
    else:
        chosen = np.stack([places[kept], np.flatnonzero(kept)])
        where, rows = move(torch.from_numpy(chosen), values.device)
        values = values.index_select(0, rows)
    return base.index_put((where,), values).reshape(*sizes, *inner)


@ragged_tensor_to_tensor.gradient
def ragged_tensor_to_tensor_gradient(call: Call, dy: Tensor) -> Any:
    _, values, default, partitions = call.inputs
    if not row_splits.is_known(*map(row_splits.content, partitions)) or None in (
        dy._shape_tuple or (None,)
    ):
        return _gradient_when_run(call, dy)
    levels = _splits_of(
        [np.asarray(each) for each in partitions], call.attrs["row_partition_types"]
    )
    dims = dy.shape.as_list()
    sizes, inner = dims[: len(levels) + 1], dims[len(levels) + 1 :]
    places, kept = _places(levels, sizes)
    flat = reshape(dy, [int(np.prod(sizes, dtype=np.int64)), *inner])
    slices = gather(flat, convert_to_tensor(places[kept].astype(np.int64)))
    dense_shape = convert_to_tensor(shape_of(values), dtypes.int32)
    own = convert_to_tensor(np.flatnonzero(kept).astype(np.int32))
    rest = np.ones(flat.shape[0], bool)
    rest[places[kept]] = False
    padding = gather(flat, convert_to_tensor(np.flatnonzero(rest)))
    by_default = sum_to_shape_of(reduce_sum(padding, 0), default)
    return None, IndexedSlices(slices, own, dense_shape), by_default, [None] * len(partitions)


def _gradient_when_run(call: Any, dy: Any) -> Any:
    """Return the gradients where the partitions are tensors; each value takes its place's."""
    _, values, default, partitions = call.inputs
    kinds = [_text(kind) for kind in call.attrs["row_partition_types"]]
    if any(kind != "ROW_SPLITS" for kind in kinds):
        raise NotImplementedError("Gradients of RaggedTensorToTensor need row splits in graphs")
    levels = [row_splits.tensor(each, dtypes.int64) for each in partitions]
    dims = shape(dy, dtypes.int64)
    sizes, inner = dims[: len(levels) + 1], dims[len(levels) + 1 :]
    places = row_splits.arange(shape(levels[0], dtypes.int64)[0] - 1, levels[0])
    kept = places < sizes[0]
    for level, splits in enumerate(levels):
        lengths = row_splits.diff(splits)
        rows = row_splits.repeat(row_splits.arange(row_splits.count(lengths), lengths), lengths)
        offsets = row_splits.offsets(lengths)
        size = sizes[level + 1]
        places = gather(places, rows) * size + offsets
        kept = gather(kept, rows) & (offsets < size)
    flat = reshape(dy, concat([[-1], inner], 0))
    total = reduce_prod(sizes)
    own = where(kept)[:, 0]
    slices = gather(flat, gather(places, own))
    by_values = IndexedSlices(slices, cast(own, dtypes.int32), shape(values))
    # What was cut off counts in one place more, which is dropped: the result may be empty.
    spots = where(kept, places, total)[:, None]
    taken = scatter_nd(spots, cast(kept, dy.dtype), total[None] + 1)[:-1]
    left = reshape(1 - taken, concat([[-1], inner * 0 + 1], 0))
    by_default = sum_to_shape_of(reduce_sum(flat * left, 0), default)
    return None, by_values, by_default, [None] * len(partitions)


def to_tensor(
    rt: RaggedTensor, default_value: TensorLike | None, shape: ShapeLike | None, name: str | None
) -> Any:
    """Return `rt` as a dense tensor of `shape` (None or -1: as large as needed)."""
    values = rt.flat_values
    if default_value is None:
        default_value = (
            b"" if values.dtype is dtypes.string else (False if values.dtype is dtypes.bool else 0)
        )
    is_tensor = hasattr(default_value, "dtype") and not isinstance(default_value, np.generic)
    default = convert_to_tensor(default_value, None if is_tensor else values.dtype)
    if shape is None or (isinstance(shape, TensorShape) and shape.rank is None):
        target: Any = np.asarray(-1, np.int64)
    elif isinstance(shape, (list, tuple, TensorShape)) and not _has_tensor(shape):
        static = TensorShape(shape)
        if static.rank is None:
            target = np.asarray(-1, np.int64)
        else:
            target = np.asarray([-1 if d is None else d for d in static.as_list()], np.int64)
    else:
        target = np.asarray(shape, np.int64) if isinstance(shape, int) else shape
    if isinstance(shape, (list, tuple)) and _has_tensor(shape):
        target = convert_to_tensor([-1 if d is None else d for d in shape])
    _check_fits(rt, target)
    if values.shape.rank is not None and default.shape.rank is not None:
        _check_default(values.shape, default.shape)
    partitions = rt._nested_row_partitions
    result = ragged_tensor_to_tensor(
        target,
        values,
        default,
        [each.row_splits() for each in partitions],
        row_partition_types=("ROW_SPLITS",) * len(partitions),
        name=name,
    )
    if not isinstance(result, EagerTensor):
        result.set_shape(_padded_shape(rt, target))
    return result


def _check_fits(rt: RaggedTensor, target: Any) -> None:
    """Raise InvalidArgumentError if a shape that is known has not the rank of the rows."""
    array, rank = get_static_value(target), rt.shape.rank
    if array is None or rank is None or (array.ndim == 0 and array == -1):
        return
    sizes = np.atleast_1d(array).tolist()
    if array.ndim == 0 or len(sizes) != rank:
        shown = ",".join("?" if size == -1 else str(size) for size in sizes)
        raise InvalidArgumentError(
            None,
            None,
            f"rt_input.shape and shape=[{shown}] are incompatible: rt_input.rank = {rank} but "
            f"shape.rank = {len(sizes)}",
        )


def _check_default(values: Any, default: Any) -> None:
    """Raise InvalidArgumentError if padding of the shape `default` does not fit into the values.

    It has fewer dimensions than the values, each of them 1 or theirs. Shapes may be known in part.
    """
    own, other = TensorShape(tuple(values)).as_list(), TensorShape(tuple(default)).as_list()
    reason = ""
    if other and len(other) >= len(own):
        reason = (
            f"default_value.rank = {len(other)}  must be less than rt_input.flat_values.rank = "
            f"{len(own)}"
        )
    for axis in range(-len(other), 0) if not reason else ():
        mine, theirs = own[axis], other[axis]
        if theirs not in (None, 1, mine) and mine is not None:
            reason = (
                f"default_value.shape[{axis}] = {theirs} but rt_input.flat_values.shape[{axis}] = "
                f"{mine}"
            )
    if reason:
        raise invalid(
            f"default_value.shape={bracketed(other)} and rt_input.flat_values.shape="
            f"{bracketed(own)} are incompatible: {reason}"
        )


def _padded_shape(rt: RaggedTensor, target: Any) -> TensorShape:
    """Return what is known of the shape of a padded tensor: sizes asked for, or of the rows."""
    array, own = get_static_value(target), rt.shape
    if own.rank is None:
        return TensorShape(None)
    if array is None or array.ndim == 0:
        return own if array is not None else TensorShape([None] * own.rank)
    pairs = zip(array.tolist(), own.as_list(), strict=True)
    return TensorShape([mine if size == -1 else size for size, mine in pairs])


def _has_tensor(shape: Any) -> bool:
    return any(hasattr(d, "dtype") and not isinstance(d, np.generic) for d in shape)
