"""Changing variables through functions: `tf.assign`, `tf.scatter_add`, … of TensorFlow 1.

Each takes a variable or a reference; a variable with a handle is changed by its own method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.names import name_scope
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.state import parts, reference, resource
from placewise.ops.state.scatter import batch_rows

if TYPE_CHECKING:
    from placewise.graph.variable import VariableV1
    from placewise.graph.variables import RefVariable


def _is_reference(ref: Any) -> bool:
    return bool(getattr(ref.dtype, "_is_ref", False))


def _reference(ref: RefVariable) -> Any:
    return ref._ref() if hasattr(ref, "_ref") else ref


def assign(
    ref: Any,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return the variable after giving it a value; in a graph, an operation's result that does so.

    `ref`: the variable to change.
    `value`: the new content, of its dtype.
    `validate_shape`: with False the content may have another shape.
    `use_locking`: TensorFlow's way to keep updates apart; here updates of a variable never overlap.

    Raises ValueError if the shapes do not fit.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", [])
    ...     session.run(tf.compat.v1.assign(v, 3.0))
    np.float32(3.0)
    """
    if not _is_reference(ref):
        return ref.assign(value, name=name)
    return reference.assign(
        _reference(ref),
        value,
        validate_shape=validate_shape is not False,
        use_locking=use_locking is not False,
        name=name,
    )


def assign_add(
    ref: Any, value: TensorLike, use_locking: bool | None = None, name: Any = None
) -> Any:
    """Return a variable after adding a value to it."""
    if not _is_reference(ref):
        return ref.assign_add(value, name=name)
    return reference.assign_add(_reference(ref), value, use_locking=bool(use_locking), name=name)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: Any = None) -> Any:
    """Return a variable after subtracting a value from it."""
    if not _is_reference(ref):
        return ref.assign_sub(value, name=name)
    return reference.assign_sub(_reference(ref), value, use_locking=bool(use_locking), name=name)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Return a variable's value before one is added; OutOfRangeError at `limit`."""
    if not _is_reference(ref):
        return ref.count_up_to(limit)
    return parts.count_up_to(_reference(ref), limit=limit, name=name)


def _rows(kind: str, what: str) -> Any:
    """Return the function that changes rows of a variable in one way."""
    update = getattr(reference, f"scatter_{kind}")
    on_handle = getattr(resource, f"scatter_{kind}")
    method = f"scatter_{kind}"
    locks = kind == "update"

    def scatter(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locks, name: str | None = None
    ) -> Any:
        if hasattr(ref, "_lazy_read"):
            values = convert_to_tensor(updates, ref.dtype)
            return ref._lazy_read(on_handle(ref.handle, indices, values, name=name))
        if not _is_reference(ref):
            values = convert_to_tensor(updates, ref.dtype)
            return getattr(ref, method)(IndexedSlices(values, indices), name=name)
        return update(_reference(ref), indices, updates, use_locking=use_locking, name=name)

    scatter.__name__ = scatter.__qualname__ = method
    scatter.__doc__ = f"Return a variable after {what} `updates` in the rows `indices` names."
    return scatter


scatter_add = _rows("add", "adding")
scatter_sub = _rows("sub", "subtracting")
scatter_update = _rows("update", "putting")
scatter_mul = _rows("mul", "multiplying by")
scatter_div = _rows("div", "dividing by")
scatter_min = _rows("min", "keeping the smaller of old values and")
scatter_max = _rows("max", "keeping the larger of old values and")


def _slices(kind: str, what: str) -> Any:
    """Return the function that changes slices of a variable in one way."""
    update = getattr(reference, f"scatter_nd_{kind}")
    method = f"scatter_nd_{kind}"
    locks = kind == "update"

    def scatter(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locks, name: str | None = None
    ) -> Any:
        if not _is_reference(ref):
            return getattr(ref, method)(indices, updates, name=name)
        return update(_reference(ref), indices, updates, use_locking=use_locking, name=name)

    scatter.__name__ = scatter.__qualname__ = method
    scatter.__doc__ = f"Return a variable after {what} `updates` in the slices `indices` names."
    return scatter


scatter_nd_add = _slices("add", "adding")
scatter_nd_sub = _slices("sub", "subtracting")
scatter_nd_update = _slices("update", "putting")


def batch_scatter_update(
    ref: VariableV1,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Return a variable after putting `updates` in rows of every batch entry."""
    with name_scope(name or "batch_scatter_update"):
        places = batch_rows(convert_to_tensor(indices, name="indices"))
        return scatter_nd_update(ref, places, updates, use_locking)
