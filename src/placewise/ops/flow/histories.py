"""What a loop went through: the values of a tensor, one per iteration, for the backward loop.

A history is a Python list, the content of a tensor of dtype variant. Its gradient, and the gradient
of that, are `Entries`: values by iteration, joined without copying.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.scope import local
from placewise.core.shapes import Static
from placewise.ops.declare import REQUIRED, Arg, Attr, Op


class Entries:
    """Values by iteration; several for one iteration add up."""

    __slots__ = ("_found", "parts")

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts  # Entries, or pairs of an iteration and a value
        self._found: dict[int, list[Any]] | None = None

    def at(self, index: int) -> list[Any]:
        """Return the values of one iteration."""
        if self._found is None:
            self._found = {}
            waiting: list[Any] = [self]
            while waiting:
                for part in waiting.pop().parts:
                    if type(part) is Entries:
                        waiting.append(part)
                    else:
                        self._found.setdefault(part[0], []).append(part[1])
        return self._found.get(index, [])


def _op(name: str, inputs: Any, outputs: Any, attrs: Any = ()) -> Op:
    return Op(name, tuple(inputs), tuple(outputs), tuple(attrs), {})


_VARIANT = dtypes.variant
_INDEX = Arg("index", dtypes.int32, None)

_item = _op(
    "HistoryItem", (Arg("history", _VARIANT, None), _INDEX), (Arg("item", None, "dtype"),),
    (Attr("dtype", "type", REQUIRED),),
)  # fmt: skip
_item.shape_rule = lambda history, index, *, dtype: None
_item.kernels[None] = lambda history, index, *, dtype: history[index]


def item(history: Any, index: Any, dtype: Any) -> Any:
    """Return what a history holds for one iteration."""
    return local.interpreter.run(_item, (history, index), {"dtype": dtype}, None)


def _item_gradient(call: Any, dy: Any) -> Any:
    return entry(call.inputs[1], dy), None


_item.gradient_rule = _item_gradient

_entry = _op("HistoryEntry", (_INDEX, Arg("value", None, "T")), (Arg("entries", _VARIANT, None),))
_entry.shape_rule = lambda index, value: ()
_entry.kernels[None] = lambda index, value: Entries(((int(index), value),))


def entry(index: Any, value: Any) -> Any:
    """Return the entries that hold one value, for one iteration."""
    return local.interpreter.run(_entry, (index, value), {}, None)


def _entry_gradient(call: Any, dy: Any) -> Any:
    return None, slot(dy, call.inputs[0], call.inputs[1])


_entry.gradient_rule = _entry_gradient

_join = _op("HistoryJoin", (Arg("entries", _VARIANT, None, "N"),), (Arg("joined", _VARIANT, None),))
_join.shape_rule = lambda entries: ()
_join.kernels[None] = lambda entries: Entries(tuple(entries))


def join(several: list[Any]) -> Any:
    """Return the entries of all that are given."""
    return local.interpreter.run(_join, (several,), {}, None)


def _join_gradient(call: Any, dy: Any) -> Any:
    return [[dy] * len(call.inputs[0])]


_join.gradient_rule = _join_gradient

_no_entries = _op("HistoryEmpty", (), (Arg("entries", _VARIANT, None),))
_no_entries.shape_rule = lambda: ()
_no_entries.kernels[None] = lambda: Entries(())
_no_entries.differentiable = False


def no_entries() -> Any:
    """Return entries that hold nothing."""
    return local.interpreter.run(_no_entries, (), {}, None)


_slot = _op(
    "HistorySlot", (Arg("entries", _VARIANT, None), _INDEX, Arg("like", None, "T")),
    (Arg("total", None, "T"),),
)  # fmt: skip


def _slot_shape(entries: Static, index: Static, like: Static) -> Any:
    return like.shape


def _slot_kernel(entries: Entries, index: Any, like: Any) -> Any:
    found = entries.at(int(index))
    if not hasattr(like, "dtype"):  # a history itself
        return Entries(tuple(found))
    if not found:
        return torch.zeros_like(torch.as_tensor(like))  # a loop over scalars kept plain numbers
    total = found[0]
    for each in found[1:]:
        total = total + each
    return total


_slot.shape_rule, _slot.kernels[None] = _slot_shape, _slot_kernel


def slot(entries: Any, index: Any, like: Any) -> Any:
    """Return the sum of the entries for one iteration: zeros like `like` if there are none."""
    return local.interpreter.run(_slot, (entries, index, like), {}, None)


def _slot_gradient(call: Any, dy: Any) -> Any:
    return entry(call.inputs[1], dy), None, None


_slot.gradient_rule = _slot_gradient

_concat = _op(
    "HistoryConcat", (Arg("history", _VARIANT, None), Arg("empty", None, "T")),
    (Arg("joined", None, "T"),),
)  # fmt: skip


def _concat_shape(history: Static, empty: Static) -> Any:
    return None if empty.shape is None else (None, *empty.shape[1:])


_concat.shape_rule = _concat_shape
_concat.kernels[None] = lambda history, empty: torch.cat([empty, *history])


def concat(history: Any, empty: Any) -> Any:
    """Return all values of a history along their first dimension; `empty` has none of them."""
    return local.interpreter.run(_concat, (history, empty), {}, None)


_split = _op(
    "HistorySplit", (Arg("history", _VARIANT, None), Arg("value", None, "T")),
    (Arg("entries", _VARIANT, None),),
)  # fmt: skip
_split.shape_rule = lambda history, value: ()
_split.differentiable = False


def _split_kernel(history: Any, value: Any) -> Any:
    pieces = torch.split(value, [len(each) for each in history])
    return Entries(tuple(enumerate(pieces)))


_split.kernels[None] = _split_kernel


def _concat_gradient(call: Any, dy: Any) -> Any:
    return local.interpreter.run(_split, (call.inputs[0], dy), {}, None), None


_concat.gradient_rule = _concat_gradient
