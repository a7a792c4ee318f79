"""Arrays reshaped, joined, cut, turned and picked from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import placewise as tf
from placewise.core.arguments import AxisLike, DTypeLike, ShapeLike, TensorLike
from placewise.numpy_api.promotion import asarray, together


def copy(a: TensorLike) -> Any:
    """Return a copy."""
    return tf.identity(asarray(a))


def asanyarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Return `a` as a tensor."""
    return asarray(a, dtype)


def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Return `a` as a tensor of at least one dimension."""
    return atleast_1d(asarray(a, dtype))


def ndim(a: TensorLike) -> Any:
    """Return the number of dimensions."""
    made = asarray(a)
    return tf.rank(made) if made.shape.rank is None else made.shape.rank


def shape(a: Any) -> Any:
    """Return the shape, as a tensor where it is not known."""
    made = asarray(a)
    return made.shape if made.shape.is_fully_defined() else tf.shape(made)


def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Return `a` in another shape, read by rows, or by columns with order F."""
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}.")
    made = asarray(a)
    wanted = [newshape] if np.isscalar(newshape) else newshape
    if order == "C":
        return tf.reshape(made, wanted)
    return tf.transpose(tf.reshape(tf.transpose(made), list(wanted)[::-1]))


def ravel(a: TensorLike) -> Any:
    """Return all elements in a row."""
    return tf.reshape(asarray(a), [-1])


def flatten(a: TensorLike, order: str = "C") -> Any:
    """Return all elements in a row, read by rows, or by columns with order F."""
    return reshape(a, [-1], "C" if order in ("A", "K") else order)


def expand_dims(a: Any, axis: int) -> Any:
    """Return `a` with a dimension of size 1 at `axis`."""
    return tf.expand_dims(asarray(a), axis)


def squeeze(a: TensorLike, axis: AxisLike | None = None) -> Any:
    """Return `a` without dimensions of size 1."""
    return tf.squeeze(asarray(a), axis)


def _at_least(rank: int, arrays: Any, raised: Callable[..., Any]) -> Any:
    made = [raised(each) if each.shape.rank < rank else each for each in map(asarray, arrays)]
    return made[0] if len(made) == 1 else made


def atleast_1d(*arys: Any) -> Any:
    """Return arrays of at least one dimension."""
    return _at_least(1, arys, lambda each: tf.reshape(each, [1]))


def atleast_2d(*arys: Any) -> Any:
    """Return arrays of at least two dimensions, new ones first."""
    return _at_least(2, arys, lambda each: tf.reshape(each, [1, -1]))


def atleast_3d(*arys: Any) -> Any:
    """Return arrays of at least three dimensions; a matrix gets a last one."""
    return _at_least(
        3,
        arys,
        lambda each: each[..., None] if each.shape.rank == 2 else tf.reshape(each, [1, -1, 1]),
    )


def broadcast_to(array: TensorLike, shape: ShapeLike) -> Any:
    """Return `array` repeated to a shape."""
    return tf.broadcast_to(asarray(array), [shape] if np.isscalar(shape) else shape)


def place_of(axis: int, rank: int) -> int:
    """Return an axis counted from the front; raise ValueError if there is none."""
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis % rank


def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Any]:
    """Return arrays repeated to one shape."""
    if kwargs.pop("subok", False) or kwargs:
        raise ValueError(f"Unsupported arguments: {kwargs}")
    made = [asarray(each) for each in args]
    if not made:
        return []
    common = tf.shape(made[0])
    for each in made[1:]:
        common = tf.broadcast_dynamic_shape(common, tf.shape(each))
    return [tf.broadcast_to(each, common) for each in made]


def transpose(a: TensorLike, axes: AxisLike | None = None) -> Any:
    """Return `a` with its axes reversed, or in the order given."""
    return tf.transpose(asarray(a), axes)


def moveaxis(a: TensorLike, source: Any, destination: Any) -> Any:
    """Return `a` with axes moved to other places."""
    made = asarray(a)
    rank = made.shape.rank
    moved = [each % rank for each in np.atleast_1d(source)]
    places = [each % rank for each in np.atleast_1d(destination)]
    if len(moved) != len(places):
        raise ValueError("source and destination must have the same length")
    order = [each for each in range(rank) if each not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return made if order == list(range(rank)) else tf.transpose(made, order)


def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Any:
    """Return `a` with two axes exchanged."""
    made = asarray(a)
    order = list(range(made.shape.rank))
    first, second = place_of(axis1, len(order)), place_of(axis2, len(order))
    order[first], order[second] = order[second], order[first]
    return tf.transpose(made, order)


def flip(m: TensorLike, axis: AxisLike | None = None) -> Any:
    """Return `m` in reverse order along `axis`, or all axes."""
    made = asarray(m)
    rank = made.shape.rank
    if not rank:
        return made
    axes = range(rank) if axis is None else np.atleast_1d(axis)
    return tf.reverse(made, [place_of(int(each), rank) for each in axes])


def flipud(m: TensorLike) -> Any:
    """Return the rows in reverse order."""
    return flip(m, 0)


def fliplr(m: TensorLike) -> Any:
    """Return the columns in reverse order."""
    return flip(m, 1)


def rot90(m: TensorLike, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Return `m` turned k times by a right angle in the plane of two axes."""
    made = asarray(m)
    first, second = axes
    turns = k % 4
    if turns == 0:
        return made
    if turns == 2:
        return flip(flip(made, first), second)
    if turns == 1:
        return swapaxes(flip(made, second), first, second)
    return flip(swapaxes(made, first, second), second)


def roll(a: TensorLike, shift: TensorLike, axis: AxisLike | None = None) -> Any:
    """Return `a` with elements pushed round along `axis`, or as if flat."""
    made = asarray(a)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(made, [-1]), shift, 0), tf.shape(made))
    return tf.roll(made, shift, axis)


def concatenate(arys: Any, axis: int = 0) -> Any:
    """Return arrays joined along `axis`; flat if that is None."""
    made = together(*(arys if isinstance(arys, (list, tuple)) else asarray(arys)))
    if axis is None:
        made, axis = [tf.reshape(each, [-1]) for each in made], 0
    return tf.concat(made, axis)


def append(arr: TensorLike, values: TensorLike, axis: Any = None) -> Any:
    """Return `arr` with `values` after it."""
    return concatenate([asarray(arr), asarray(values)], axis)


def stack(arrays: Any, axis: int = 0) -> Any:
    """Return arrays on top of each other along a new axis."""
    if isinstance(arrays, (tf.Tensor, np.ndarray)):
        made = asarray(arrays)
        return made if axis == 0 else moveaxis(made, 0, axis)
    if isinstance(arrays, (list, tuple)) and not arrays:
        raise ValueError("need at least one array to stack")
    return tf.stack(together(*arrays), axis)


def vstack(tup: Any) -> Any:
    """Return arrays on top of each other, as rows."""
    made = atleast_2d(*tup)
    return concatenate(made if isinstance(made, list) else [made], 0)


def hstack(tup: Any) -> Any:
    """Return arrays beside each other."""
    made = atleast_1d(*tup)
    made = made if isinstance(made, list) else [made]
    return concatenate(made, 0 if made[0].shape.rank == 1 else 1)


def dstack(tup: Any) -> Any:
    """Return arrays behind each other, along a third axis."""
    made = atleast_3d(*tup)
    return concatenate(made if isinstance(made, list) else [made], 2)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Return equal parts, or the parts between indices."""
    made = asarray(ary)
    is_count: bool = np.isscalar(indices_or_sections)
    if is_count:
        pieces: list[Any] = tf.split(made, int(indices_or_sections), axis)
        return pieces
    axis = place_of(axis, made.shape.rank)
    total = made.shape[axis]
    cuts = [0, *(int(each) for each in indices_or_sections), total]
    whole = [slice(None)] * made.shape.rank
    parts = []
    for start, stop in itertools.pairwise(cuts):
        whole[axis] = slice(start, stop)
        parts.append(made[tuple(whole)])
    return parts


def vsplit(ary: TensorLike, indices_or_sections: Any) -> list[Any]:
    """Return parts along the first axis."""
    return split(ary, indices_or_sections, 0)


def hsplit(ary: TensorLike, indices_or_sections: Any) -> list[Any]:
    """Return parts along the second axis; along the only one of a vector."""
    made = asarray(ary)
    return split(made, indices_or_sections, 0 if made.shape.rank == 1 else 1)


def dsplit(ary: TensorLike, indices_or_sections: Any) -> list[Any]:
    """Return parts along the third axis."""
    return split(ary, indices_or_sections, 2)


def tile(a: Any, reps: Any) -> Any:
    """Return `a` repeated along each axis."""
    made, times = asarray(a), [reps] if np.isscalar(reps) else list(reps)
    times = [1] * (made.shape.rank - len(times)) + times
    made = tf.reshape(made, tf.concat([[1] * (len(times) - made.shape.rank), tf.shape(made)], 0))
    return tf.tile(made, times)


def repeat(a: TensorLike, repeats: TensorLike, axis: Any = None) -> Any:
    """Return every element repeated."""
    return tf.repeat(asarray(a), repeats, axis)


def pad(array: TensorLike, pad_width: Sequence[Any], mode: str, **kwargs: Any) -> Any:
    """Return an array with more around it: constant, reflected or mirrored."""
    filling = kwargs.get("constant_values", 0)
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(
            "Invalid mode value. Supported modes are constant, reflect and symmetric. "
            f"Received: mode={mode!r}"
        )
    made = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width), (made.shape.rank, 2))
    return tf.pad(made, widths.astype(np.int32), mode.upper(), filling)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return elements of `x` where a condition holds, else of `y`; alone, where it holds."""
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return tf.where(asarray(condition, bool), *together(x, y))


def nonzero(a: TensorLike) -> list[Any]:
    """Return the indices of what is not zero, an array for each axis."""
    made = atleast_1d(asarray(a, bool))
    places: list[Any] = tf.unstack(tf.where(made), made.shape.rank, axis=1)
    return places


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return each element from the choice whose condition holds first."""
    if len(condlist) != len(choicelist):
        raise ValueError("Arguments `condlist` and `choicelist` must have the same length.")
    if not condlist:
        raise ValueError("Argument `condlist` must be non-empty.")
    *choices, made = together(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        made = tf.where(asarray(condition, bool), choice, made)
    return made


def compress(condition: TensorLike, a: TensorLike, axis: AxisLike | None = None) -> Any:
    """Return the slices of `a` for which a condition holds."""
    keep, made = asarray(condition, bool), asarray(a)
    if axis is None:
        made, axis = tf.reshape(made, [-1]), 0
    indices = tf.where(keep)[:, 0]
    return tf.gather(made, indices, axis=axis)


def take(
    a: TensorLike,
    indices: TensorLike,
    axis: AxisLike | None = None,
    out: Any = None,
    mode: str = "clip",
) -> Any:
    """Return the slices of `a` that indices name along `axis`."""
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    made, at = asarray(a), asarray(indices)
    if axis is None:
        made, axis = tf.reshape(made, [-1]), 0
    count = tf.cast(tf.shape(made)[axis], at.dtype)
    at = (
        tf.math.floormod(at, count)
        if mode == "wrap"
        else tf.clip_by_value(at, 0 * count, count - 1)
    )
    return tf.gather(made, at, axis=axis)


def take_along_axis(arr: TensorLike, indices: TensorLike, axis: AxisLike) -> Any:
    """Return elements of `arr` at the indices given for each of the other axes' places."""
    made, at = asarray(arr), asarray(indices)
    if axis is None:
        return tf.gather(tf.reshape(made, [-1]), tf.reshape(at, [-1]))
    rank = made.shape.rank
    sizes = [1 if each == axis % rank else made.shape[each] for each in range(rank)]
    made = moveaxis(made, axis, -1)
    others = np.broadcast_shapes(
        tuple(s for e, s in enumerate(sizes) if e != axis % rank),
        tuple(s for e, s in enumerate(at.shape.as_list()) if e != axis % rank),
    )
    at = moveaxis(at, axis, -1)
    made = tf.broadcast_to(made, [*others, made.shape[-1]])
    at = tf.broadcast_to(at, [*others, at.shape[-1]])
    at = tf.where(at < 0, at + tf.cast(made.shape[-1], at.dtype), at)
    return moveaxis(tf.gather(made, at, batch_dims=rank - 1), -1, axis)


def ix_(*args: Any) -> list[Any]:
    """Return index arrays that pick the cross product of several lists."""
    found = []
    for place, each in enumerate(args):
        made = asarray(each)
        if made.shape.rank != 1:
            raise ValueError("Arguments must be 1-d.")
        if made.dtype.is_bool:
            made = nonzero(made)[0]
        found.append(tf.reshape(made, [-1 if at == place else 1 for at in range(len(args))]))
    return found
