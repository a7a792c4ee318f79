"""Lists of tensors as values, with gradients: what `tf.TensorArray` is made of in functions.

A list is the content of a tensor of dtype variant; every change gives another one, which shares the
items. The gradient of a list is `Entries` (see histories): values by their place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.scope import local
from placewise.core.shapes import Static, TensorShape
from placewise.ops.declare import REQUIRED, Arg, Attr, Op
from placewise.ops.flow.histories import Entries, entry, slot
from placewise.ops.values import TORCH, shape_of

_LIST = Arg("list", dtypes.variant, None)
_NEW_LIST = Arg("new_list", dtypes.variant, None)
_ENTRIES = Arg("entries", dtypes.variant, None)
_INDEX = Arg("index", dtypes.int32, None)
_INDICES = Arg("indices", dtypes.int32, None)
_DTYPE = Attr("dtype", "type", REQUIRED)
_DIMS = Attr("element_shape", "shape", None)


class _Shared:
    """The items that several lists have in common, and the version that set each."""

    __slots__ = ("items", "latest", "stamps")

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.stamps = [0] * len(items)
        self.latest = 0


class Items:
    """A list that never changes: what later versions added to the shared items, it does not see.

    Setting an item that is not set yet, in the newest version, takes no copy: a loop that fills a
    list takes time in proportion to its length.
    """

    __slots__ = ("_count", "_shared", "_version")

    def __init__(self, items: list[Any], shared: _Shared | None = None) -> None:
        self._shared = _Shared(items) if shared is None else shared
        self._version = self._shared.latest
        self._count = len(self._shared.items)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> Any:
        """Return the item in a place, or None."""
        shared = self._shared
        return shared.items[place] if shared.stamps[place] <= self._version else None

    def __iter__(self) -> Any:
        return iter(self.copy())

    def copy(self) -> list[Any]:
        """Return the items as a Python list."""
        shared = self._shared
        if shared.latest == self._version:
            return shared.items.copy()
        return [self[place] for place in range(self._count)]

    def with_item(self, place: int, item: Any) -> Items:
        """Return a list with an item replaced, longer if the place is beyond the end."""
        shared = self._shared
        newest = shared.latest == self._version
        if not newest or (place < self._count and shared.items[place] is not None):
            shared = _Shared(self.copy())
        missing = place + 1 - len(shared.items)
        if missing > 0:
            shared.items += [None] * missing
            shared.stamps += [0] * missing
        shared.latest += 1
        shared.items[place], shared.stamps[place] = item, shared.latest
        return Items([], shared)


def _op(name: str, inputs: Any, outputs: Any, attrs: Any = ()) -> Op:
    return Op(name, tuple(inputs), tuple(outputs), tuple(attrs), {})


def _run(op: Op, *inputs: Any, **attrs: Any) -> Any:
    return local.interpreter.run(op, inputs, attrs, None)


def _as_item(value: Any, dtype: Any) -> Any:
    """Return an item as a tensor; a loop may hand over a plain number."""
    if isinstance(value, torch.Tensor):
        return value
    if dtype is dtypes.string or dtype in (dtypes.variant, dtypes.resource):
        return value
    return torch.as_tensor(np.asarray(value)).to(TORCH[dtype])


def _indices(value: Any) -> list[int]:
    return [int(each) for each in np.asarray(value).reshape(-1)]


def _place(items: Any, index: Any, doing: str) -> int:
    place = int(index)
    if not 0 <= place < len(items):
        raise invalid(f"Trying to {doing} element {place} in a list with {len(items)} elements.")
    return place


def _missing(items: Any, dtype: Any, element_shape: Any) -> Any:
    """Return zeros for an item that was never set."""
    known = TensorShape(element_shape)
    for each in items:
        if each is not None:
            known = TensorShape(shape_of(each))
            break
    if not known.is_fully_defined():
        raise invalid(
            "Trying to read an uninitialized tensor but element_shape is not fully defined: "
            f"{known} and no list element is set."
        )
    if dtype is dtypes.string:
        return np.full(known.as_list(), b"", object)
    return torch.zeros(known.as_list(), dtype=TORCH[dtype])


def _whole(items: list[Any], dtype: Any, element_shape: Any) -> list[Any]:
    if None not in map(_none_or_zero, items):
        return items
    return [_missing(items, dtype, element_shape) if each is None else each for each in items]


def _none_or_zero(item: Any) -> Any:
    return None if item is None else 0


def _stacked(items: list[Any], dtype: Any, element_shape: Any) -> Any:
    if not items:
        known = TensorShape(element_shape)
        if not known.is_fully_defined():
            raise invalid(
                "Tried to stack elements of an empty list with non-fully-defined element_shape: "
                f"{known}"
            )
        return _missing([], dtype, element_shape)[None][:0]
    found = _whole(items, dtype, element_shape)
    if isinstance(found[0], torch.Tensor):
        shape = found[0].shape
        if any(each.shape != shape for each in found):
            raise invalid(
                "Tried to stack list which only contains tensors of one shape, but saw "
                f"{sorted({str(list(each.shape)) for each in found})}"
            )
        return torch.stack(found)
    return np.stack(found)


_reserve = _op("ListReserve", (Arg("size", dtypes.int32, None),), (_NEW_LIST,))
_reserve.shape_rule = lambda size: ()
_reserve.kernels[None] = lambda size: Items([None] * int(size))
_reserve.differentiable = False


def reserve(size: Any) -> Any:
    """Return a list of `size` items yet to be set."""
    return _run(_reserve, size)


_length = _op("ListLength", (_LIST,), (Arg("length", dtypes.int32, None),))
_length.shape_rule = lambda given: ()
_length.kernels[None] = lambda given: torch.tensor(len(given), dtype=torch.int32)
_length.differentiable = False


def length(items: Any) -> Any:
    """Return how many items a list has."""
    return _run(_length, items)


_set = _op(
    "ListSet", (_LIST, _INDEX, Arg("value", None, "T")), (_NEW_LIST,),
    (_DTYPE, Attr("grows", "bool", False)),
)  # fmt: skip
_set.shape_rule = lambda given, index, value, *, dtype, grows: ()


def _set_kernel(given: Items, index: Any, value: Any, *, dtype: Any, grows: bool) -> Any:
    place = int(index)
    if place < 0 or (place >= len(given) and not grows):
        _place(given, place, "modify")
    return given.with_item(place, _as_item(value, dtype))


_set.kernels[None] = _set_kernel


def set_item(items: Any, index: Any, value: Any, dtype: Any, grows: bool) -> Any:
    """Return a list with the item at `index` replaced."""
    return _run(_set, items, index, value, dtype=dtype, grows=grows)


def _set_gradient(call: Any, dy: Any) -> Any:
    given, index, value = call.inputs
    return without(dy, given, index), None, slot(dy, index, value)


_set.gradient_rule = _set_gradient

_get = _op("ListGet", (_LIST, _INDEX), (Arg("item", None, "dtype"),), (_DTYPE, _DIMS))
_get.shape_rule = lambda given, index, *, dtype, element_shape: element_shape


def _get_kernel(given: Items, index: Any, *, dtype: Any, element_shape: Any) -> Any:
    found = given[_place(given, index, "access")]
    return _missing(given, dtype, element_shape) if found is None else found


_get.kernels[None] = _get_kernel


def get_item(items: Any, index: Any, dtype: Any, element_shape: Any) -> Any:
    """Return the item at `index`; zeros if it was never set."""
    return _run(_get, items, index, dtype=dtype, element_shape=element_shape)


def _get_gradient(call: Any, dy: Any) -> Any:
    return entry(call.inputs[1], dy), None


_get.gradient_rule = _get_gradient

_gather = _op("ListGather", (_LIST, _INDICES), (Arg("rows", None, "dtype"),), (_DTYPE, _DIMS))


def _gather_shape(given: Static, indices: Static, *, dtype: Any, element_shape: Any) -> Any:
    if element_shape is None:
        return None
    return (None if indices.shape is None else indices.shape[0], *element_shape)


def _gather_kernel(given: Items, indices: Any, *, dtype: Any, element_shape: Any) -> Any:
    items = given.copy()
    chosen = [items[_place(items, each, "access")] for each in _indices(indices)]
    return _stacked(chosen, dtype, element_shape)


_gather.shape_rule, _gather.kernels[None] = _gather_shape, _gather_kernel


def gather(items: Any, indices: Any, dtype: Any, element_shape: Any) -> Any:
    """Return the items at `indices` as the rows of one tensor."""
    return _run(_gather, items, indices, dtype=dtype, element_shape=element_shape)


def _gather_gradient(call: Any, dy: Any) -> Any:
    return _run(_entries_at, call.inputs[1], dy), None


_gather.gradient_rule = _gather_gradient

_scatter = _op(
    "ListScatter", (_LIST, _INDICES, Arg("value", None, "T")), (_NEW_LIST,),
    (Attr("grows", "bool", False),),
)  # fmt: skip
_scatter.shape_rule = lambda given, indices, value, *, grows: ()


def _scatter_kernel(given: Items, indices: Any, value: Any, *, grows: bool) -> Any:
    places = _indices(indices)
    rows = list(value.unbind(0)) if isinstance(value, torch.Tensor) else [
        np.asarray(each, object) for each in value]  # fmt: skip
    items = given.copy()
    if grows and places and max(places) >= len(items):
        items += [None] * (max(places) + 1 - len(items))
    if len(places) == len(items) and places == list(range(len(places))):
        return Items(rows)
    for place, row in zip(places, rows, strict=True):
        items[_place(items, place, "modify")] = row
    return Items(items)


_scatter.kernels[None] = _scatter_kernel


def scatter(items: Any, indices: Any, value: Any, grows: bool) -> Any:
    """Return a list with the rows of `value` at `indices`."""
    return _run(_scatter, items, indices, value, grows=grows)


def _scatter_gradient(call: Any, dy: Any) -> Any:
    given, indices, value = call.inputs
    return without(dy, given, indices), None, _run(_rows_at, dy, indices, value)


_scatter.gradient_rule = _scatter_gradient

_split = _op(
    "ListSplit", (Arg("value", None, "T"), Arg("lengths", dtypes.int64, None)), (_NEW_LIST,)
)
_split.shape_rule = lambda value, lengths: ()


def _split_kernel(value: Any, lengths: Any) -> Any:
    sizes = _indices(lengths)
    if sum(sizes) != len(value):
        raise invalid(
            f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{sum(sizes)} and value's shape is: {list(shape_of(value))} "
        )
    return Items(list(torch.split(value, sizes)))


_split.kernels[None] = _split_kernel


def split(value: Any, lengths: Any) -> Any:
    """Return a list of pieces of a tensor."""
    return _run(_split, value, lengths)


_joined = _op(
    "ListEntriesJoined", (_ENTRIES, Arg("lengths", dtypes.int64, None), Arg("like", None, "T")),
    (Arg("whole", None, "T"),),
)  # fmt: skip
_joined.shape_rule = lambda entries, lengths, like: like.shape


def _joined_kernel(entries: Entries, lengths: Any, like: Any) -> Any:
    pieces = []
    for place, size in enumerate(_indices(lengths)):
        found = entries.at(place)
        pieces.append(
            sum(found[1:], found[0]) if found else like.new_zeros((size, *like.shape[1:]))
        )
    return torch.cat(pieces) if pieces else torch.zeros_like(like)


_joined.kernels[None] = _joined_kernel
_joined.differentiable = False


def _split_gradient(call: Any, dy: Any) -> Any:
    value, lengths = call.inputs
    return _run(_joined, dy, lengths, value), None


_split.gradient_rule = _split_gradient

# The gradients themselves.

_entries_at = _op("ListEntriesAt", (_INDICES, Arg("rows", None, "T")), (_ENTRIES,))
_entries_at.shape_rule = lambda indices, rows: ()
_entries_at.kernels[None] = lambda indices, rows: Entries(
    tuple(zip(_indices(indices), rows.unbind(0), strict=True))
)

_rows_at = _op(
    "ListRowsAt", (_ENTRIES, _INDICES, Arg("like", None, "T")), (Arg("rows", None, "T"),)
)
_rows_at.shape_rule = lambda entries, indices, like: like.shape


def _rows_at_kernel(entries: Entries, indices: Any, like: Any) -> Any:
    rows = []
    for place in _indices(indices):
        found = entries.at(place)
        rows.append(sum(found[1:], found[0]) if found else None)
    if not rows:
        return torch.zeros_like(like)
    nothing = torch.zeros_like(like[0])
    return torch.stack([nothing if each is None else each for each in rows])


_rows_at.kernels[None] = _rows_at_kernel


def _entries_at_gradient(call: Any, dy: Any) -> Any:
    indices, rows = call.inputs
    return None, _run(_rows_at, dy, indices, rows)


def _rows_at_gradient(call: Any, dy: Any) -> Any:
    return _run(_entries_at, call.inputs[1], dy), None, None


_entries_at.gradient_rule, _rows_at.gradient_rule = _entries_at_gradient, _rows_at_gradient

_without = _op(
    "ListEntriesWithout", (_ENTRIES, _LIST, _INDICES), (Arg("rest", dtypes.variant, None),)
)
_without.shape_rule = lambda entries, given, indices: ()


def _without_kernel(entries: Entries, given: Items, indices: Any) -> Any:
    places = _indices(indices)
    if all(place >= len(given) or given[place] is None for place in places):
        return entries  # nothing was there before: whatever goes there, goes nowhere
    entries.at(-1)
    made = Entries(())
    made._found = dict(entries._found or {})
    for place in places:
        made._found.pop(place, None)
    made.parts = tuple(
        [(place, value) for place, values in made._found.items() for value in values]
    )
    return made


_without.kernels[None] = _without_kernel


def without(entries: Any, given: Any, indices: Any) -> Any:
    """Return entries but for those at `indices`, where `given` has items that were replaced."""
    return _run(_without, entries, given, indices)


def _without_gradient(call: Any, dy: Any) -> Any:
    _, given, indices = call.inputs
    return without(dy, given, indices), None, None


_without.gradient_rule = _without_gradient
