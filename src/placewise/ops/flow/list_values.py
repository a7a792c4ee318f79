"""Lists of tensors as values: the contents of tensors of dtype variant.

A list never changes; setting an item gives another list. The newest one has the items, and the one
before it takes down what stood there: a loop that fills a list, or replaces its items, takes time
in proportion to its steps. A list with at most one item set keeps that item alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims
from placewise.ops.families import bracketed
from placewise.ops.values import DTYPE, TORCH, Variant, c_name, dtype_of, from_numpy, shape_of


class TensorList(Variant):
    """Tensors of one dtype; None stands for one that was reserved and never set.

    `value` holds them, or is None: then either `_newer` is the list that took them over, from
    which `_before`, a place and what stood there, leads back; or `_only`, such a pair, is all.
    """

    __slots__ = ("_before", "_newer", "_only", "dims", "element", "length", "like", "limit")

    def __init__(
        self, element: Any, dims: Dims, items: list[Any] | None, length: int = 0, limit: int = -1
    ) -> None:
        self.value = items
        self.element = element
        self.dims = dims
        self.limit = limit
        self.length = length if items is None else len(items)
        self.like: TensorList | None = None  # whose items have the shapes of those not set here
        self._newer: TensorList | None = None
        self._only: tuple[int, Any] | None = None

    def _next(self, items: list[Any] | None, length: int) -> TensorList:
        made = TensorList(self.element, self.dims, items, length, self.limit)
        made.like = self.like
        return made

    # Reading.

    def items(self) -> list[Any]:
        """Return the tensors, in a list that the caller leaves as it is."""
        found: list[Any] | None = self.value
        if found is None:
            found = self.value = self._restored() if self._newer is not None else self._spread()
            self._newer = self._only = None
        return found

    def _spread(self) -> list[Any]:
        items: list[Any] = [None] * self.length
        if self._only is not None:
            items[self._only[0]] = self._only[1]
        return items

    def _restored(self) -> list[Any]:
        """Return a copy of the newest list's items, with all that was changed since put back."""
        older, node = [], self
        while node._newer is not None:
            older.append(node)
            node = node._newer
        items = node.items().copy()
        for each in reversed(older):
            del items[each.length :]
            items += [None] * (each.length - len(items))
            place, item = each._before
            if place < each.length:
                items[place] = item
        return items

    def seen(self, place: int) -> Any:
        """Return one tensor, None if it was never set."""
        node = self
        while node._newer is not None:
            if node._before[0] == place:
                return node._before[1]
            node = node._newer
        return node.items()[place]

    def at(self, place: int, dims: Dims, torch_device: str = "cpu") -> Any:
        """Return one tensor; zeros, made on a torch device, where none was set."""
        found = self.seen(place)
        return self.nothing(place, dims, torch_device) if found is None else found

    def nothing(self, place: int, dims: Dims, torch_device: str = "cpu") -> Any:
        """Return zeros, made on a torch device, that stand for a tensor never set."""
        like = self.like
        while like is not None:
            found = like.seen(place) if place < like.length else None
            if found is not None:
                if self.element is dtypes.variant:
                    return found.zeros_like()
                return self.zeros(shape_of(found), torch_device)
            like = like.like
        known = merged(dims, self.dims)
        if not is_known(known):
            known = self.first_shape(known)
        if not is_known(known):
            raise invalid(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{shown(known)} and no list element is set."
            )
        return self.zeros(known, torch_device)

    def first_shape(self, otherwise: Dims) -> Dims:
        """Return the shape of the first tensor that is set."""
        return next((shape_of(item) for item in self.items() if item is not None), otherwise)

    def zeros(self, dims: Any, torch_device: str = "cpu") -> Any:
        """Return zeros of a shape, of this list's dtype, on a torch device."""
        if self.element is dtypes.string:
            return np.full(dims, b"", object)
        return torch.zeros(dims, dtype=TORCH[self.element], device=torch_device)

    def _is_empty(self) -> bool:
        return self.value is None and self._newer is None and self._only is None

    # Making others.

    def with_item(self, place: int, item: Any) -> TensorList:
        """Return a list with an item replaced, longer if the place is beyond the end."""
        if self._is_empty():
            made = self._next(None, max(self.length, place + 1))
            made._only = (place, item)
            return made
        items = self.items()
        missing = place + 1 - len(items)
        if missing > 0:
            items += [None] * missing
        made = self._next(items, 0)
        self._newer, self._before, self.value = made, (place, items[place]), None
        items[place] = item
        return made

    def without_last(self) -> tuple[TensorList, Any]:
        """Return a list without the last item, and that item."""
        items = self.items()
        last = items.pop()
        made = self._next(items, 0)
        self._newer, self._before, self.value = made, (len(items), last), None
        return made, last

    def cut(self, length: int) -> TensorList:
        """Return a list of the first items, or with more that are yet to be set."""
        if length == self.length:
            return self
        if length == self.length - 1:
            return self.without_last()[0]
        items = self.items()
        return self._next([*items, *[None] * (length - len(items))][:length], 0)

    def zeros_like(self) -> TensorList:
        """Return a list of zeros like these, none of them set."""
        made = self._next(None, self.length)
        if not self._is_empty() and (self.element is dtypes.variant or not is_known(self.dims)):
            made.like = self
        return made

    def added(self, other: TensorList) -> TensorList:
        """Return the sums of the tensors of two lists; what was never set counts as zeros."""
        if (
            self.element is not other.element
            or self.length != other.length
            or (self.dims != other.dims)
        ):
            self._check_sum(other)
        if other.value is None and other._newer is None:
            return self._with_one(other)
        if self.value is None and self._newer is None:
            return other._with_one(self)
        both = zip(self.items(), other.items(), strict=True)
        return self._next([_sum(one, two) for one, two in both], 0)

    def _with_one(self, few: TensorList) -> TensorList:
        """Return the sum with a list in which at most one item is set."""
        if self.like is None:
            self.like = few.like
        if few._only is None:
            return self
        place, item = few._only
        before = self.seen(place)
        return self.with_item(place, item if before is None else _sum(before, item))

    def _check_sum(self, other: TensorList) -> None:
        if self.element is not other.element:
            raise invalid(
                "Trying to add two lists of tensors of different dtypes. One is "
                f"{c_name(self.element)} and the other is {c_name(other.element)}"
            )
        if self.length != other.length:
            raise invalid(
                "Trying to add two lists of tensors with different lengths. "
                f"One is {self.length} and the other is {other.length}"
            )
        if not _agree(self.dims, other.dims):
            raise invalid(
                "Trying to add two lists of tensors with incompatible element shapes. "
                f"One is {shown(self.dims)} and the other is {shown(other.dims)}"
            )

    # Checking.

    def checked(self, item: Any, doing: str) -> Any:
        """Return a tensor (a plain number of a loop as one) that may be part of this list."""
        if (
            type(item) is torch.Tensor
            and DTYPE[item.dtype] is self.element
            and (self.dims is None or item.shape == self.dims)
        ):
            return item
        if isinstance(item, (bool, int, float, complex)):
            item = torch.tensor(item, dtype=TORCH[self.element])
        elif isinstance(item, (np.ndarray, np.generic)) and item.dtype != object:
            item = from_numpy(np.asarray(item))  # a shape, say: kept on the host
        self.check_dtype(dtype_of(item))
        if not _agree(self.dims, shape_of(item)):
            raise invalid(f"{doing} {bracketed(shape_of(item))} list shape: {shown(self.dims)}")
        return item

    def check_dtype(self, asked: DType) -> None:
        """Raise an error unless the tensors have a dtype."""
        if asked is not self.element:
            raise invalid(
                f"Invalid data types; op elements {c_name(asked)} but list elements "
                f"{c_name(self.element)}"
            )


def _sum(one: Any, two: Any) -> Any:
    if one is None or two is None:
        return two if one is None else one
    return one.added(two) if isinstance(one, Variant) else one + two


def _agree(one: Dims, two: Dims) -> bool:
    if one is None or two is None:
        return True
    return len(one) == len(two) and all(
        a == b or a is None or b is None for a, b in zip(one, two, strict=True)
    )


def is_known(dims: Dims) -> bool:
    """Return True if all of a shape is known."""
    return dims is not None and None not in dims


def merged(one: Dims, two: Dims) -> Any:
    """Return what is known of a shape from two sides."""
    if one is None or two is None or one == two:
        return two if one is None else one
    if not _agree(one, two):
        raise invalid(
            f"PartialTensorShape: Incompatible shapes during merge: {shown(one)} vs. {shown(two)}"
        )
    return tuple([b if a is None else a for a, b in zip(one, two, strict=True)])


def shown(dims: Dims) -> str:
    """Return a shape as TensorFlow's messages show it."""
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def as_dims(given: np.ndarray[Any, Any]) -> Dims:
    """Return a shape given as an array: -1 alone is any shape, -1 among others any size."""
    if given.ndim == 0:
        if int(given) != -1:
            raise invalid(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return None
    return tuple([None if size < 0 else size for size in given.tolist()])


def as_array(dims: Dims) -> Any:
    """Return a shape as the array that ops on lists take."""
    if dims is None:
        return np.array(-1, np.int32)
    return np.array([-1 if size is None else size for size in dims], np.int32)
