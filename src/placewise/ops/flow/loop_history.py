"""What a loop went through: the values of a tensor, one per iteration, for the backward loop.

A history is a list of tensors (see `list_values`) that is never changed; its gradient is a list.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.ops.declare import REQUIRED, Arg, Attr, Op
from placewise.ops.flow.tensor_lists import only_item
from placewise.ops.work import view_work

# TensorListGetItem of an item that is known to be there: a plan looks it up without a call.
_item = Op(
    "HistoryItem",
    (Arg("history", dtypes.variant, None), Arg("index", dtypes.int32, None)),
    (Arg("item", None, "dtype"),),
    (Attr("dtype", "type", REQUIRED),),
    {},
    work=view_work,
)
_item.shape_rule = lambda history, index, *, dtype: None
_item.kernels[None] = lambda history, index, *, dtype: history.items()[index]


def item(history: Any, index: Any, dtype: Any) -> Any:
    """Return what a history holds for one iteration."""
    return current.interpreter.run(_item, (history, index), {"dtype": dtype}, None)


def _item_gradient(call: Any, dy: Tensor) -> Any:
    history, index = call.inputs
    return only_item(history, index, dy), None


_item.gradient_rule = _item_gradient
