"""Tensors that stay where they are between two runs of a session, known by a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.names import next_number
from placewise.core.runtime import State, runtime
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import define
from placewise.ops.values import Content, Handle, dtype_of

if TYPE_CHECKING:
    import numpy as np


class Store:
    """The tensors that one session keeps."""

    __slots__ = ("is_closed", "names")

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.is_closed = False

    def close(self) -> None:
        """Let them all go."""
        self.is_closed = True
        for name in list(self.names):
            forget(name)


class Kept(NamedTuple):
    """A content that is kept, and by whom."""

    content: Any
    store: Store


@dataclass(slots=True)
class SessionTensors(State):
    """The tensors that sessions keep, by text; a TensorHandle takes its entry away when it goes."""

    kept: dict[str, Kept] = field(default_factory=dict)


tensors = runtime.state(SessionTensors, lasting=True)


def forget(name: str) -> bool:
    """Let a tensor go; return False if it is not kept."""
    kept = tensors.kept.pop(name, None)
    if kept is None:
        return False
    kept.store.names.discard(name)
    return True


keep = define(
    "GetSessionHandleV2(value: T) -> handle: resource",
    stateful=True,
    differentiable=False,
    doc="Keep a tensor, and return what it can be found by.",
)
keep.shape(lambda value: ())


@keep.kernel
def keep_kernel(value: Content, store: Store | None = None) -> Any:
    number = next_number("session tensor")
    name = f"GetSessionHandle;{number};/job:localhost/replica:0/task:0/device:CPU:0"
    if store is None:
        store = Store()
    tensors.kept[name] = Kept(value, store)
    store.names.add(name)
    made = Handle("TensorHandle", name, None, dtype_of(value))
    made.value = store
    return made


kept = define(
    "GetSessionTensor(handle: string; dtype: type) -> value: dtype",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    doc="Return a tensor that was kept.",
)


@kept.shape
def kept_shape(handle: Static, *, dtype: DType) -> Dims:
    return None


@kept.kernel
def kept_kernel(handle: np.ndarray[Any, Any], *, dtype: DType) -> Any:
    found = tensors.kept.get(_text(handle))
    if found is None:
        raise invalid(f"The tensor with handle '{_text(handle)}' is not in the session store.")
    return found.content


drop = define(
    "DeleteSessionTensor(handle: string)",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    doc="Let a tensor go that was kept.",
)


@drop.kernel
def drop_kernel(handle: np.ndarray[Any, Any]) -> None:
    if not forget(_text(handle)):
        raise invalid(f"The tensor with handle '{_text(handle)}' is not in the session store.")


def _text(handle: np.ndarray[Any, Any]) -> str:
    if handle.shape:
        raise invalid("The handle must be a scalar string")
    given = handle[()]
    return given.decode() if isinstance(given, bytes) else str(given)
