"""The ops that make, read and change a variable through its handle.

A tensor read from a variable does not change: a content is written into only while the variable
alone holds it, and replaced by another otherwise.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, NUMBERS, DType
from placewise.core.errors import FailedPreconditionError, InvalidArgumentError, hint, invalid
from placewise.core.runtime import State, runtime
from placewise.core.shapes import Dims, Static, TensorShape, known_sizes
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.contents import is_text, signed
from placewise.ops.array.gather import gather_kernel
from placewise.ops.array.out_of_range import are_inside, harmless
from placewise.ops.array.shape import reshape
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import bracketed, merged_dims
from placewise.ops.host_array import host_array
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.values import (
    ANONYMOUS,
    DTYPE,
    TORCH,
    Content,
    Handle,
    c_name,
    dtype_of,
    to_numpy,
)
from placewise.ops.values import shape_of as content_shape
from placewise.ops.work import assign_add_work, assign_work, gather_work, row_update_work, view_work

_locks = [threading.Lock() for _ in range(64)]


def variable_lock(handle: Handle) -> threading.Lock:
    """Return a lock for read-modify-write of one variable; a few share one."""
    return _locks[(id(handle) >> 4) % 64]


class VariableLocks:
    """Holds the locks of variables for a `with` block."""

    __slots__ = ("_locks",)

    def __init__(self, handles: Iterable[Handle]) -> None:
        # In one order everywhere, and each once: several variables may share a lock.
        # `variable_lock` written out: updates of many variables are mostly calls.
        locks = {_locks[(id(handle) >> 4) % 64] for handle in handles}
        self._locks = sorted(locks, key=id) if len(locks) > 1 else locks

    def __enter__(self) -> None:
        for lock in self._locks:
            lock.acquire()

    def __exit__(self, *exception: object) -> None:
        for lock in self._locks:
            lock.release()


# int32 variables have no GPU kernel in TensorFlow: they live on the CPU.
_ON_GPU = dtypes.ANY - {dtypes.int32, dtypes.string}

var_handle = define(
    "VarHandleOp(; dtype: type, shape: shape = None, container: string = '',"
    " shared_name: string = '') -> resource: resource",
    stateful=True,
    gpu_types=_ON_GPU,
    doc="Make a variable without a value.",
    differentiable=False,
    traceable=True,
    shape_attr="lists_checked",
    work=view_work,
)
var_handle.shape(lambda **_: ())


@dataclass(slots=True)
class SharedVariables(State):
    """The variables of eager programs that have a shared name, by container and name."""

    handles: dict[tuple[str, str], Handle] = field(default_factory=dict)


_shared = runtime.state(SharedVariables)


@var_handle.kernel
def var_handle_kernel(
    *, dtype: DType, shape: Sequence[Any] | None, container: str, shared_name: str
) -> Handle:
    is_shared = shared_name and not shared_name.startswith(ANONYMOUS)
    if is_shared and (kept := _shared.handles.get((container, shared_name))) is not None:
        return kept
    made = Handle("Var", shared_name, None, dtype, None if shape is None else TensorShape(shape))
    if is_shared:
        _shared.handles[container, shared_name] = made
    return made


def content_of(handle: Handle) -> Any:
    """Return the content of a variable, or raise what reading one without a value raises."""
    value = handle.value
    if value is None:
        if handle.kind == "Ref":
            raise FailedPreconditionError(
                None,
                None,
                hint(
                    f"Attempting to use uninitialized value {handle.name}",
                    "run tf.compat.v1.global_variables_initializer() in this session first, made "
                    "after all variables, or restore a checkpoint",
                ),
            )
        raise FailedPreconditionError(
            None,
            None,
            f"Could not find variable {handle.name}. This could mean that the variable has been "
            "deleted. In TF1, it can also mean the variable is uninitialized. Debug info: "
            "container=localhost, status error message=Resource "
            f"localhost/{handle.name}/N10tensorflow3VarE does not exist.",
        )
    return value


read_variable = define(
    "ReadVariableOp(resource: resource; dtype: type) -> value: dtype",
    stateful=True,
    doc="Return the value of a variable.",
    effects="reads",
    traceable=True,
    work=view_work,
)


@read_variable.shape
def read_variable_shape(resource: Static, *, dtype: DType) -> Dims:
    return resource.held


@read_variable.kernel
def read_variable_kernel(resource: Handle, *, dtype: DType) -> Any:
    value = resource.value
    if value is None:
        value = content_of(resource)  # raises
    if DTYPE.get(getattr(value, "dtype", None)) is not dtype and dtype_of(value) is not dtype:
        raise invalid(
            f"Trying to read variable with wrong dtype. Expected {c_name(dtype)} got "
            f"{c_name(dtype_of(value))}"
        )
    return value


@read_variable.gradient
def read_variable_gradient(call: Call, dy: Tensor) -> Any:
    return dy


assign_variable = define(
    "AssignVariableOp(resource: resource, value: dtype; validate_shape: bool = False)",
    assigns=True,
    stateful=True,
    differentiable=False,
    gpu_types=_ON_GPU,
    doc="Give a variable a value.",
    traceable=True,
    work=assign_work,
)


def _check_shape(resource: Static, value: Static, **_: object) -> list[Dims]:
    """Raise for a value that the variable cannot hold, where a graph knows both shapes."""
    merged_dims(resource.held, value.shape)
    return []


assign_variable.shape(_check_shape)


@assign_variable.kernel
def assign_variable_kernel(resource: Handle, value: Content, *, validate_shape: bool) -> None:
    if resource.dtype is not None and dtype_of(value) is not resource.dtype:
        raise invalid(
            f"Trying to assign variable with wrong dtype. Expected {c_name(resource.dtype)} got "
            f"{c_name(dtype_of(value))}"
        )
    if validate_shape and resource.value is not None:
        expected, got = content_shape(resource.value), content_shape(value)
        if expected != got:
            raise invalid(
                "Trying to assign to variable with tensor with wrong shape. Expected "
                f"{bracketed(expected)} got {bracketed(got)}"
            )
    resource.value = value


_users = torch._C._storage_Use_Count


def is_unshared(content: torch.Tensor) -> bool:
    """Return True if a variable alone holds its content: no tensor read from it, no view of it.

    Only then may an update write into it. Counts references, so call it with a local name that
    holds the content and nothing else.
    """
    # The handle, the caller's name, this argument and the question itself.
    return sys.getrefcount(content) <= 4 and _has_own_bytes(content)


def _has_own_bytes(content: torch.Tensor) -> bool:
    """Return True if no other tensor uses the bytes of a content."""
    # The tensor and the storage object just made.
    users = _users(content.untyped_storage()._cdata) - 2
    if not users:
        return True
    # Or what its kernel made it from, of which it is a view, and which only torch has.
    whole = content._base
    return users == 1 and whole is not None and sys.getrefcount(whole) <= 3


def is_own(content: torch.Tensor) -> bool:
    """Return True if a variable's content, given as `handle.value`, may be written into as it lies.

    Counts as `is_unshared` does, with the handle, this argument and the question.
    """
    if not isinstance(content, torch.Tensor) or sys.getrefcount(content) > 3:
        return False
    if not content.is_contiguous():
        return False
    # What `_has_own_bytes` asks first, without its call.
    return _users(content.untyped_storage()._cdata) == 2 or _has_own_bytes(content)


def own_content(handle: Handle, what: str) -> Any:
    """Return the content of a variable for an update to write into, under the variable's lock.

    Its own if nobody else holds that; otherwise the variable gets a copy, which counts as made by
    `what`. The caller must have no name for the content, and must have checked all that may fail.
    """
    if not is_own(handle.value):
        old = content_of(handle)
        if isinstance(old, torch.Tensor):
            handle.put(old.clone(memory_format=torch.contiguous_format), what)
        else:
            handle.put(old.copy(), what)
    return handle.value


def _updating(name: str, function: Callable[..., Any], inside: Callable[..., Any]) -> Bind:
    update = define(
        f"{name}(resource: resource, value: dtype)",
        stateful=True,
        differentiable=False,
        gpu_types=_ON_GPU,
        dtype=NUMBERS,
        doc=f"{name[6:9]} a value to a variable.",
        work=assign_add_work,
        traceable=True,
    )
    update.shape(_check_shape)

    @update.kernel
    def kernel(resource: Handle, value: Any) -> None:
        with variable_lock(resource):
            old = content_of(resource)
            _check_dtypes(old, value, "variable handle and value")
            if old.shape != value.shape:
                raise _unequal(old, value)
            if is_unshared(old):
                resource.value = inside(old, value)
            else:
                resource.put(function(old, value), name)

    # Sums of unsigned integers have the bits of those of signed ones, for which torch has kernels.
    @update.kernel(on="wide_unsigned")
    def wide_unsigned_kernel(resource: Handle, value: torch.Tensor) -> None:
        with variable_lock(resource):
            old = content_of(resource)
            _check_dtypes(old, value, "variable handle and value")
            if old.shape != value.shape:
                raise _unequal(old, value)
            resource.put(function(signed(old), signed(value)).view(old.dtype), name)

    return update


def _check_dtypes(content: Content, value: Content, what: str) -> None:
    if content.dtype != value.dtype and dtype_of(content) is not dtype_of(value):
        raise invalid(f"DType of {what} does not match.")


def _unequal(old: torch.Tensor, value: torch.Tensor) -> InvalidArgumentError:
    return invalid(
        f"Cannot update variable with shape {bracketed(old.shape)} using a Tensor with shape "
        f"{bracketed(value.shape)}, shapes must be equal."
    )


assign_add_variable = _updating("AssignAddVariableOp", torch.add, torch.Tensor.add_)
assign_sub_variable = _updating("AssignSubVariableOp", torch.sub, torch.Tensor.sub_)

is_initialized = define(
    "VarIsInitializedOp(resource: resource) -> is_initialized: bool",
    stateful=True,
    host=("is_initialized",),
    differentiable=False,
    doc="Has a variable a value?",
    effects="reads",
    traceable=True,
    work=view_work,
)
is_initialized.shape(lambda resource: ())


@is_initialized.kernel
def is_initialized_kernel(resource: Handle) -> Any:
    return torch.tensor(resource.value is not None)


destroy = define(
    "DestroyResourceOp(resource: resource; ignore_lookup_error: bool = True)",
    stateful=True,
    differentiable=False,
    doc="Take a variable's value away.",
    work=view_work,
)


@destroy.kernel
def destroy_kernel(resource: Handle, *, ignore_lookup_error: bool) -> None:
    if resource.value is None and not ignore_lookup_error:
        content_of(resource)
    resource.value = None


disable_copy_on_read = define(
    "DisableCopyOnRead(resource: resource)",
    stateful=True,
    differentiable=False,
    doc="Do nothing: a read of a variable is never a second copy here.",
    work=view_work,
)


@disable_copy_on_read.kernel
def disable_copy_on_read_kernel(resource: Handle) -> None:
    pass


variable_shape = define(
    "VariableShape(input: resource; out_type: type = int32) -> output: out_type",
    stateful=True,
    host=("output",),
    differentiable=False,
    doc="Return a variable's shape.",
    effects="reads",
    traceable=True,
    work=view_work,
    out_type=INDEX,
)
variable_shape.shape(lambda input, **_: (None if input.held is None else len(input.held),))


@variable_shape.kernel
def variable_shape_kernel(input: Handle, *, out_type: DType) -> Any:
    return torch.tensor(content_shape(content_of(input)), dtype=TORCH[out_type])


def checked_rows(indices: torch.Tensor, count: int) -> Any:
    """Return indices as int64 rows; raise TensorFlow's error for one out of range.

    On a device nobody looks at them.
    """
    rows = indices.to(torch.int64)
    if rows.numel() and rows.is_cpu:
        # NumPy looks at few numbers in less time; seen as unsigned, a negative one is above all.
        array = host_array(rows, torch.int64)
        if array is not None:
            is_inside = int(array.view(np.uint64).max()) < count
        else:
            is_inside = int(rows.min()) >= 0 and int(rows.max()) < count
        if not is_inside:
            flat = rows.reshape(-1)
            where = int(((flat < 0) | (flat >= count)).nonzero()[0])
            at = _position(where, rows.shape)
            raise invalid(f"indices{at} = {int(flat[where])} is not in [0, {count})")
    return rows


def _position(flat: int, shape: tuple[int, ...]) -> str:
    place = []
    for size in reversed(tuple(shape)):
        place.append(flat % size)
        flat //= size
    return "[" + ",".join(str(p) for p in reversed(place)) + "]" if place else ""


resource_gather = define(
    "ResourceGather(resource: resource, indices: Tindices; dtype: type, batch_dims: int = 0,"
    " validate_indices: bool = True) -> output: dtype",
    stateful=True,
    Tindices=INDEX,
    doc="Return rows of a variable.",
    effects="reads",
    traceable=True,
    work=gather_work,
)


@resource_gather.shape
def resource_gather_shape(
    resource: Static, indices: Static, *, dtype: DType, batch_dims: int, validate_indices: bool
) -> Dims:
    if resource.held is None or indices.shape is None:
        return None
    return (*indices.shape, *resource.held[1 + batch_dims :])


@resource_gather.kernel
def resource_gather_kernel(
    resource: Handle,
    indices: torch.Tensor,
    *,
    dtype: DType,
    batch_dims: int,
    validate_indices: bool,
) -> Any:
    value = content_of(resource)
    if dtype_of(value) is not dtype:
        raise invalid(
            f"Trying to read variable with wrong dtype. Expected {c_name(dtype)} got "
            f"{c_name(dtype_of(value))}"
        )
    if batch_dims < 0:
        raise invalid(f"batch_dims is negative ({batch_dims})")
    if batch_dims >= len(value.shape) and batch_dims:
        raise invalid(
            f"params must have at least {batch_dims} (batch_dims) dimensions but it has shape "
            f"{bracketed(value.shape)}"
        )
    if (
        not batch_dims
        and indices.dim() == 1
        and isinstance(value, torch.Tensor)
        and value.is_cpu
        and value.dim()
    ):
        try:
            return value.index_select(0, indices)
        except (IndexError, RuntimeError):
            pass  # the general way says what is wrong
    rows = checked_rows(indices, value.shape[0] if not batch_dims else value.shape[batch_dims])
    if not batch_dims and rows.is_cpu:
        return value[rows]

    return gather_kernel(value, indices, np.asarray(batch_dims), batch_dims=batch_dims)


@resource_gather.gradient
def resource_gather_gradient(call: Call, dy: Tensor) -> Any:
    handle, indices = call.inputs
    flat = reshape(indices, [-1])
    dims = _known_dims(handle)
    if dims is not None:
        return IndexedSlices(reshape(dy, [-1, *dims[1:]]), flat, list(dims)), None

    whole = variable_shape(handle)
    return IndexedSlices(reshape(dy, concat([[-1], whole[1:]], 0)), flat, whole), None


def _known_dims(handle: Tensor) -> tuple[int, ...] | None:
    """Return the shape of a variable: eager, of its content; in a graph, what was declared."""
    if hasattr(handle, "_value"):
        return content_shape(content_of(handle._value))
    made = handle.op
    if made.type == "Placeholder":  # of a function
        declared = TensorShape(getattr(made, "handle_shape", None))
    else:
        declared = TensorShape(made.attrs.get("shape"))
    return known_sizes(declared._dims)


def check_rows(params: Dims, indices: Dims, updates: Dims) -> None:
    """Raise ValueError if `updates` cannot be the rows of `params` that `indices` names."""
    if params and indices is not None and updates:
        merged_dims(updates, (*indices, *params[1:]))


Change = Callable[[Any, Any, Any], object]  # of rows of a content, which it writes into


def _row_update(name: str, how: str, change: Change, what: str) -> Bind:
    limits: dict[str, Any] = {} if how == "update" else {"dtype": NUMBERS}
    scatter = define(
        f"{name}(resource: resource, indices: Tindices, updates: dtype)",
        stateful=True,
        differentiable=False,
        Tindices=INDEX,
        doc=f"{what} rows of a variable.",
        work=row_update_work,
        **limits,
    )

    @scatter.shape
    def shape(resource: Static, indices: Static, updates: Static) -> list[Dims]:
        check_rows(resource.held, indices.shape, updates.shape)
        return []

    @scatter.kernel
    def kernel(resource: Handle, indices: Any, updates: Any) -> None:
        with variable_lock(resource):
            _check_dtypes(content_of(resource), updates, "scatter resource and updates")
            shape = tuple(content_of(resource).shape)
            _check_updates(tuple(updates.shape), tuple(indices.shape), shape)
            if how == "div" and updates.is_cpu and not bool((updates != 0).all()):
                raise invalid("updates must not contain 0")
            rows = checked_rows(indices, shape[0]).reshape(-1)
            spread = _spread(updates, (*indices.shape, *shape[1:]))
            values = spread.reshape(rows.numel(), *shape[1:])
            changed = own_content(resource, name)
            if not rows.is_cpu:
                if not shape[0]:
                    return
                rows, values = harmless(changed, rows, values, are_inside(rows, shape[0]), how)
            change(changed, rows, values)

    return scatter


def _check_updates(
    updates: tuple[int, ...], indices: tuple[int, ...], params: tuple[int, ...]
) -> None:
    if not updates or updates == (*indices, *params[1:]):
        return
    if len(updates) == len(indices) + len(params) - 1 and updates[: len(indices)] != indices:
        raise invalid(
            f"The shape of indices ({bracketed(indices)}) must be a prefix of the shape of "
            f"updates ({bracketed(updates)})"
        )
    raise invalid(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        f"updates.shape {bracketed(updates)}, indices.shape {bracketed(indices)}, params.shape "
        f"{bracketed(params)}"
    )


def _spread(updates: Any, shape: tuple[int, ...]) -> Any:
    if updates.shape:
        return updates
    return np.broadcast_to(updates, shape) if is_text(updates) else updates.expand(shape)


def _reduce(how: str) -> Change:
    def change(old: torch.Tensor, rows: torch.Tensor, values: torch.Tensor) -> None:
        index = rows.reshape(-1, *[1] * (old.dim() - 1)).expand(values.shape)
        old.scatter_reduce_(0, index, values, how)

    return change


def _divide(old: torch.Tensor, rows: torch.Tensor, values: torch.Tensor) -> None:
    if not old.is_cpu:
        # The rows that are not named are divided by one.
        divisors = torch.ones_like(old)
        _reduce("prod")(divisors, rows, values)
        is_whole = not (old.is_floating_point() or old.is_complex())
        old.div_(divisors, rounding_mode="trunc" if is_whole else None)
        return
    for row, value in zip(rows.tolist(), values, strict=True):
        old[row] = (
            old[row] / value
            if old.is_floating_point() or old.is_complex()
            else torch.div(old[row], value, rounding_mode="trunc")
        )


def _update(old: Any, rows: torch.Tensor, values: Any) -> None:
    if is_text(old):
        old[to_numpy(rows)] = values
        return
    old, values = signed(old), signed(values)
    # The last of repeated rows wins: all of them bring what the last one brings.
    if rows.numel() > 1:
        last = torch.full((old.shape[0],), -1, dtype=torch.int64, device=rows.device)
        numbers = torch.arange(rows.numel(), device=rows.device)
        last.scatter_reduce_(0, rows, numbers, "amax")
        values = values[last[rows]]
    old[rows] = values


scatter_update = _row_update("ResourceScatterUpdate", "update", _update, "Replace")
scatter_add = _row_update(
    "ResourceScatterAdd",
    "add",
    lambda old, rows, values: old.index_add_(0, rows, values),
    "Add to",
)
scatter_sub = _row_update(
    "ResourceScatterSub",
    "sub",
    lambda old, rows, values: old.index_add_(0, rows, values, alpha=-1),
    "Subtract from",
)
scatter_mul = _row_update("ResourceScatterMul", "prod", _reduce("prod"), "Multiply")
scatter_div = _row_update("ResourceScatterDiv", "div", _divide, "Divide")
scatter_min = _row_update("ResourceScatterMin", "amin", _reduce("amin"), "Take the smaller of")
scatter_max = _row_update("ResourceScatterMax", "amax", _reduce("amax"), "Take the larger of")
