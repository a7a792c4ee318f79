"""`tf.get_session_handle` and its companions: tensors kept in a session, not brought to Python."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.graph.defaults import get_default_graph
from placewise.graph.inputs import placeholder
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state import session_tensors
from placewise.ops.values import to_numpy
from placewise.session.closed import closed_session


class TensorHandle:
    """Stands for a tensor that a session keeps, until this object or the session is deleted."""

    def __init__(self, handle: Any, dtype: Any, session: Any) -> None:
        self._handle: str = handle.name
        self._resource_handle = handle
        self._dtype = dtype
        self._session = session
        self._is_collected = True

    def __del__(self) -> None:
        if self._is_collected:
            session_tensors.forget(self._handle)

    def __str__(self) -> str:
        return self._handle

    @property
    def handle(self) -> str:
        """The text by which the tensor is found."""
        return self._handle

    def eval(self) -> Any:
        """Return the tensor as an array."""
        kept = session_tensors.tensors.kept.get(self._handle)
        if kept is None:
            raise self._gone()
        array = to_numpy(kept.content)
        return array.copy() if array.ndim else array[()]

    def delete(self) -> None:
        """Free the tensor."""
        self._is_collected = False
        if not session_tensors.forget(self._handle):
            raise self._gone()

    def _gone(self) -> Exception:
        if self._resource_handle.value.is_closed:
            return closed_session()
        return TypeError(f"Persistent tensor {self._handle} may have already been deleted.")

    def get_raw_handle(self) -> str:
        """Return the text by which the tensor is found; the tensor stays until it is deleted."""
        self._is_collected = False
        return self._handle


TensorHandle.__module__ = "tensorflow.python.ops.session_ops"


def get_session_handle(data: TensorLike, name: str | None = None) -> Any:
    """Return an operation that keeps a tensor in the session; fetched, it is a `TensorHandle`."""
    tensor = convert_to_tensor(data)
    with get_default_graph().colocate_with(tensor):
        return session_tensors.keep(tensor, name=name or "GetSessionHandle")


def get_session_tensor(handle: str, dtype: DTypeLike, name: str | None = None) -> tuple[Any, Any]:
    """Return a placeholder for the text of a handle, and the tensor it stands for."""
    with get_default_graph().device(_device(handle)):
        holder = placeholder(dtypes.string)
        return holder, session_tensors.kept(holder, dtype=dtype, name=name)


def delete_session_tensor(handle: str, name: str | None = None) -> tuple[Any, Any]:
    """Return a placeholder for the text of a handle, and an operation that frees its tensor."""
    with get_default_graph().device(_device(handle)):
        holder = placeholder(dtypes.string)
        return holder, session_tensors.drop(holder, name=name)


def _device(handle: str) -> str:
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    parts = text.split(";")
    if len(parts) != 3:
        raise ValueError(f"'{text}' is not a handle of a tensor that a session keeps.")
    return parts[2]
