"""Shapes whose dimensions, and even number of dimensions, may be unknown.

Also what a shape rule sees of an input (`Static`) and the small algebra the rules share.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from placewise.core.errors import hint
from placewise.core.scope import era

if TYPE_CHECKING:
    from placewise.core.arguments import ShapeLike, TensorLike


# A shape inside placewise: a tuple of int or None, or None when not even the rank is known.
Dims = tuple[int | None, ...] | None


# Packages that are written for TensorFlow 2 and get numbers from shapes in every program. Keras 3
# is one: to it an unknown dimension is None, which `Dimension(None)` is not.
TF2_PACKAGES: set[str] = set()


def _is_tf2_caller() -> bool:
    """Is the code that indexes or iterates a shape one of `TF2_PACKAGES`?"""
    module = str(sys._getframe(2).f_globals.get("__name__", ""))
    return module.partition(".")[0] in TF2_PACKAGES


class Dimension:
    """One dimension as TensorFlow 1 shows it: `.value` is an int or None."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            value = value.value
        if value is not None:
            value = operator.index(value)
            if value < 0:
                raise ValueError(f"Dimension {value} must be >= 0")
        self.value: int | None = value

    def _other(self, other: Any) -> int | None:
        return as_dimension(other).value

    def __eq__(self, other: object) -> Any:
        try:
            theirs = self._other(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self.value is None or theirs is None else self.value == theirs

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same in (None, NotImplemented) else not same

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        if self.value is None:
            raise TypeError("__int__ returned non-int (type NoneType)")
        return self.value

    __index__ = __int__

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def _combine(self, other: Any, function: Any, swapped: bool = False) -> Dimension:
        theirs = self._other(other)
        if self.value is None or theirs is None:
            return Dimension(None)
        return Dimension(function(theirs, self.value) if swapped else function(self.value, theirs))

    def __add__(self, other: Any) -> Dimension:
        return self._combine(other, operator.add)

    def __radd__(self, other: Any) -> Dimension:
        return self._combine(other, operator.add, swapped=True)

    def __sub__(self, other: Any) -> Dimension:
        return self._combine(other, operator.sub)

    def __rsub__(self, other: Any) -> Dimension:
        return self._combine(other, operator.sub, swapped=True)

    def __mul__(self, other: Any) -> Any:
        try:
            return self._combine(other, operator.mul)
        except (TypeError, ValueError):
            return NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Dimension:
        return self._combine(other, operator.floordiv)

    def __rfloordiv__(self, other: Any) -> Dimension:
        return self._combine(other, operator.floordiv, swapped=True)

    __div__ = __floordiv__
    __truediv__ = __floordiv__

    def __mod__(self, other: Any) -> Dimension:
        return self._combine(other, operator.mod)

    def __rmod__(self, other: Any) -> Dimension:
        return self._combine(other, operator.mod, swapped=True)

    def _compare(self, other: Any, function: Any) -> bool | None:
        theirs = self._other(other)
        if self.value is None or theirs is None:
            return None
        return bool(function(self.value, theirs))

    def __lt__(self, other: Any) -> bool | None:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> bool | None:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> bool | None:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> bool | None:
        return self._compare(other, operator.ge)

    def is_compatible_with(self, other: Any) -> bool:
        """Return True if both can be the same dimension."""
        theirs = self._other(other)
        return self.value is None or theirs is None or self.value == theirs

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if the two cannot be the same dimension."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {as_dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Return the dimension known from both."""
        self.assert_is_compatible_with(other)
        return self if self.value is not None else as_dimension(other)

    def __reduce__(self) -> Any:
        return (Dimension, (self.value,))


def as_dimension(value: Any) -> Dimension:
    """Return `value` as a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def _dimension_value(value: int | None) -> int | None:
    if value is None or type(value) is int:
        dimension: int | None = value
    elif isinstance(value, Dimension):
        return value.value
    elif hasattr(value, "__tf_dim__"):
        dimension = value.__tf_dim__()
    else:
        try:
            dimension = operator.index(value)
        except TypeError:
            raise TypeError(
                f"Dimension value must be integer or None or have an __index__ method, "
                f"got value '{value!r}' with type '{type(value)!r}'"
            ) from None
    if dimension is not None and dimension < 0:
        raise ValueError(f"Dimension {dimension} must be >= 0")
    return dimension


def _from_iterable(dims: Any) -> Dims:
    """Return the dimensions in an iterable, or one dimension by itself."""
    try:
        remaining = iter(dims)
    except TypeError:
        return (_dimension_value(dims),)
    merged: list[int | None] = []
    for one in remaining:
        try:
            merged.append(_dimension_value(one))
        except TypeError:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{one!r}'could not be converted to a "
                "dimension. A shape should either be single dimension (e.g. 10), or an iterable "
                "of dimensions (e.g. [1, 10, None])."
            ) from None
    return tuple(merged)


class TensorShape:
    """The shape of a tensor: sizes, each an int or None for unknown, or wholly unknown.

    `dims`: a list of sizes, another shape, one size, or None if even the rank is unknown.

    `rank`, `as_list()`, `num_elements()` and `is_fully_defined()` read it, `merge_with` and
    `is_compatible_with` compare two. It works like a tuple where the rank is known; else that
        raises ValueError.

    >>> shape = TensorShape([None, 3])
    >>> shape.as_list(), shape.is_compatible_with([2, 3])
    ([None, 3], True)
    """

    __slots__ = ("__weakref__", "_dims")
    _dims: Dims

    # TensorFlow 1 programs read `shape[0].value`; its namespace turns this on.

    def __init__(self, dims: Any) -> None:
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, (tuple, list)):
            self._dims = tuple([_dimension_value(d) for d in dims])
        elif hasattr(dims, "unknown_rank") and hasattr(dims, "dim"):  # a TensorShapeProto
            self._dims = (
                None
                if dims.unknown_rank
                else tuple(d.size if d.size != -1 else None for d in dims.dim)
            )
        else:
            self._dims = _from_iterable(dims)

    @classmethod
    def _of(cls, dims: Dims) -> TensorShape:
        """Make a shape of known-good dimensions."""
        result = object.__new__(cls)
        result._dims = dims
        return result

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as TensorFlow 1 objects, or None."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """Return the dimensions as a list; the rank must be known."""
        if self._dims is None:
            raise ValueError(
                hint(
                    "as_list() is not defined on an unknown TensorShape.",
                    "ask shape.rank first; set_shape or tf.ensure_shape states the shape",
                )
            )
        return list(self._dims)

    def as_proto(self) -> Any:
        """Return the shape as a TensorShapeProto."""
        # The messages stand above core in the layers and are loaded only when asked for.
        proto = importlib.import_module("placewise.messages").TensorShapeProto()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for d in self._dims:
                proto.dim.add(size=-1 if d is None else d)
        return proto

    def num_elements(self) -> int | None:
        """Return how many elements a tensor of this shape has, or None."""
        if self._dims is None or None in self._dims:
            return None
        count = 1
        for d in self._dims:
            count *= d  # type: ignore[operator]  # None was excluded above
        return count

    def is_fully_defined(self) -> bool:
        """Return True if every dimension is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every dimension is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Return True if one tensor can have both shapes."""
        theirs = as_shape(other)._dims
        if self._dims is None or theirs is None:
            return True
        return len(self._dims) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raise ValueError unless one tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def assert_same_rank(self, other: ShapeLike) -> None:
        """Raise ValueError if the ranks are known and differ."""
        theirs = as_shape(other)
        if self.rank is not None and theirs.rank is not None and self.rank != theirs.rank:
            raise ValueError(f"Shapes {self} and {theirs} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError if the rank is known and another."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """Return what is known from both; ValueError if they contradict each other."""
        theirs = as_shape(other)
        if self._dims is None:
            return theirs
        if theirs._dims is None or self._dims == theirs._dims:
            return self
        self.assert_same_rank(theirs)
        if not self.is_compatible_with(theirs):
            raise ValueError(f"Shapes {self} and {theirs} are not compatible")
        return TensorShape._of(
            tuple(b if a is None else a for a, b in zip(self._dims, theirs._dims, strict=True))
        )

    def concatenate(self, other: Any) -> TensorShape:
        """Return the dimensions of this shape followed by those of `other`."""
        theirs = as_shape(other)._dims
        if self._dims is None or theirs is None:
            return TensorShape(None)
        return TensorShape._of(self._dims + theirs)

    def with_rank(self, rank: int) -> TensorShape:
        """Return this shape, known to have `rank` dimensions."""
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape if it can have at least `rank` dimensions."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape if it can have at most `rank` dimensions."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """Return the most specific shape that both are instances of."""
        theirs = as_shape(other)._dims
        if self._dims is None or theirs is None or len(self._dims) != len(theirs):
            return TensorShape(None)
        return TensorShape._of(
            tuple(a if a == b else None for a, b in zip(self._dims, theirs, strict=True))
        )

    def is_subtype_of(self, other: TensorLike) -> bool:
        """Return True if every tensor of this shape also has shape `other`."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        return (
            self._dims is not None
            and len(self._dims) == len(other._dims)
            and all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """Return the most specific shape that this and all `others` are instances of."""
        result = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            result = result.most_specific_compatible_shape(other)
        return result

    def placeholder_value(self, _context: Any) -> TensorShape:
        """Return itself: a shape has no run-time part."""
        return self

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if era.dimensions_are_objects and not _is_tf2_caller():
            return iter([Dimension(d) for d in self._dims])
        return iter(self._dims)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape._of(self._dims[key])
            dim = self._dims[key]
            is_object = era.dimensions_are_objects and not _is_tf2_caller()
            return Dimension(dim) if is_object else dim
        if isinstance(key, slice):
            start, stop = key.start or 0, key.stop
            if key.step is not None:
                raise ValueError("Steps are not yet handled")
            if stop is None or start < 0 or stop < 0:
                return TensorShape(None)
            return unknown_shape(max(0, stop - start))
        is_object = era.dimensions_are_objects and not _is_tf2_caller()
        return Dimension(None) if is_object else None

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        try:
            return self._dims == TensorShape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: object) -> bool:
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        unknown = "?" if era.dimensions_are_objects else "None"
        sizes = [unknown if d is None else str(d) for d in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __reduce__(self) -> Any:
        return (TensorShape, (None if self._dims is None else list(self._dims),))

    def __copy__(self) -> TensorShape:
        return self

    def __deepcopy__(self, _memo: object) -> TensorShape:
        return self


def as_shape(shape: ShapeLike) -> TensorShape:
    """Return `shape` as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Return a shape of which at most the rank is known."""
    return TensorShape._of(None if rank is None else (None,) * rank)


def known_sizes(shape: Dims) -> tuple[int, ...] | None:
    """Return a shape of which every dimension is known, else None."""
    if shape is None or None in shape:
        return None
    return cast("tuple[int, ...]", shape)


class Static(NamedTuple):
    """What is known of an input before anything runs: all a shape rule may look at."""

    shape: Dims
    dtype: Any
    value: np.ndarray[Any, Any] | None = None  # the content, where it is known
    parts: tuple[int | None, ...] | None = None  # of a vector, the elements that are known
    held: Dims = None  # of a variable's handle, the shape of the variable


def broadcast(*shapes: Dims) -> Dims:
    """Return the shape that all `shapes` broadcast to; ValueError if they do not."""
    if len(shapes) == 2:
        left, right = shapes
        if left == right or right == ():
            return left
        if left == ():
            return right
    known: list[tuple[int | None, ...]] = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    result: list[int | None] = []
    for axis in range(-max(map(len, known), default=0), 0):
        size: int | None = 1
        for shape in known:
            other = shape[axis] if -axis <= len(shape) else 1
            if other == size or other == 1:
                continue
            if size == 1 or size is None:
                size = other
            elif other is not None:
                raise ValueError(f"Dimensions must be equal, but are {size} and {other}")
        result.append(size)
    return tuple(result)


def merge(a: Dims, b: Dims) -> Dims:
    """Return what is known from both shapes; ValueError if they contradict each other."""
    return TensorShape._of(a).merge_with(TensorShape._of(b))._dims


def from_value(static: Static) -> Dims:
    """Return the shape that a shape-valued input holds, as far as it is known."""
    if static.value is not None:
        return tuple([_size(d) for d in np.asarray(static.value).reshape(-1).tolist()])
    if static.parts is not None:
        return tuple([_size(d) for d in static.parts])
    if static.shape is not None and len(static.shape) == 1 and static.shape[0] is not None:
        return (None,) * static.shape[0]
    return None


def _size(size: int | None) -> int | None:
    """Return a size of a shape that a tensor holds; -1 is one that is not known."""
    if size is not None and size < -1:
        raise ValueError(f"Invalid value in tensor used for shape: {size}")
    return None if size == -1 else size


def divided(size: int | None, parts: int) -> int | None:
    """Return a size divided into equal parts, or None while it is unknown; for shape rules."""
    if size is not None and size % parts:
        raise ValueError(f"Dimension size must be evenly divisible by {parts} but is {size}")
    return None if size is None else size // parts


def lessened(size: int | None, by: int | None) -> int | None:
    """Return a size less another, or None while one is unknown; for shape rules."""
    if size is None or by is None:
        return None
    if by > size:
        raise ValueError(f"Negative dimension size caused by subtracting {by} from {size}")
    return size - by


def dimension_value(dimension: Any) -> Any:
    """Return the size of a dimension as a number, or None."""
    return getattr(dimension, "value", dimension)
