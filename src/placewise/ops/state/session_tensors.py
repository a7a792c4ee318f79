"""Tensors that stay where they are between two runs of a session, known by a text."""

from __future__ import annotations

import itertools
from typing import Any

from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import define
from placewise.ops.values import Handle, dtype_of

# Text → content. A TensorHandle takes its entry away when it goes.
KEPT: dict[str, Any] = {}
_numbers = itertools.count()

keep = define(
    "GetSessionHandleV2(value: T) -> handle: resource", stateful=True, differentiable=False,
    doc="Keep a tensor, and return what it can be found by.",
)  # fmt: skip
keep.shape(lambda value: ())


@keep.kernel
def keep_kernel(value: Any) -> Any:
    name = f"GetSessionHandle;{next(_numbers)};/job:localhost/replica:0/task:0/device:CPU:0"
    KEPT[name] = value
    made = Handle("TensorHandle", name, None, dtype_of(value))
    made.value = value
    return made


kept = define(
    "GetSessionTensor(handle: string; dtype: type) -> value: dtype",
    stateful=True, differentiable=False, devices=("CPU",), doc="Return a tensor that was kept.",
)  # fmt: skip


@kept.shape
def kept_shape(handle: Static, *, dtype: Any) -> Dims:
    return None


@kept.kernel
def kept_kernel(handle: Any, *, dtype: Any) -> Any:
    found = KEPT.get(_text(handle))
    if found is None:
        raise invalid(f"The tensor with handle '{_text(handle)}' is not in the session store.")
    return found


drop = define(
    "DeleteSessionTensor(handle: string)", stateful=True, differentiable=False, devices=("CPU",),
    doc="Let a tensor go that was kept.",
)  # fmt: skip


@drop.kernel
def drop_kernel(handle: Any) -> None:
    if KEPT.pop(_text(handle), None) is None:
        raise invalid(f"The tensor with handle '{_text(handle)}' is not in the session store.")


def _text(handle: Any) -> str:
    if handle.shape:
        raise invalid("The handle must be a scalar string")
    given = handle[()]
    return given.decode() if isinstance(given, bytes) else str(given)
