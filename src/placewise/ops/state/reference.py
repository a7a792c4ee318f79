"""TensorFlow 1's reference variables: made by VariableV2, changed through their reference.

In a plan a reference is the variable's handle; an op that declares no reference reads the content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, NUMBERS, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.ops.array.scatter import check_slices
from placewise.ops.declare import REGISTRY, Bind, define
from placewise.ops.families import bracketed, merged_dims
from placewise.ops.state import resource, scatter
from placewise.ops.state.resource import check_rows, content_of, is_unshared, variable_lock
from placewise.ops.values import Handle
from placewise.ops.work import assign_add_work, assign_work, row_update_work, view_work

_ON_GPU = frozenset({dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int64, dtypes.bfloat16})

variable = define(
    "VariableV2(; shape: shape, dtype: type, container: string = '', shared_name: string = '')"
    " -> ref: dtype",
    stateful=True,
    differentiable=False,
    refs=("ref",),
    gpu_types=_ON_GPU,
    doc="Make a reference variable without a value.",
    traceable=True,
    work=view_work,
)


@variable.shape
def variable_shape(
    *, shape: tuple[int, ...] | None, dtype: DType, container: str, shared_name: str
) -> Dims:
    return TensorShape(shape)._dims


@variable.kernel
def variable_kernel(
    *, shape: tuple[int, ...], dtype: DType, container: str, shared_name: str
) -> Handle:
    return Handle("Ref", shared_name, None, dtype, TensorShape(shape))


assign = define(
    "Assign(ref: T, value: T; validate_shape: bool = True, use_locking: bool = True)"
    " -> output_ref: T",
    assigns=True,
    stateful=True,
    differentiable=False,
    refs=("ref", "output_ref"),
    gpu_types=_ON_GPU,
    doc="Give a reference variable a value.",
    traceable=True,
    work=assign_work,
)


@assign.shape
def assign_shape(ref: Static, value: Static, *, validate_shape: bool, use_locking: bool) -> Dims:
    if not validate_shape:
        return value.shape
    return merged_dims(ref.shape, value.shape)


@assign.kernel
def assign_kernel(ref: Handle, value: Any, *, validate_shape: bool, use_locking: bool) -> Handle:
    fixed = ref.shape
    if validate_shape and fixed is not None and not fixed.is_compatible_with(tuple(value.shape)):
        raise invalid(
            "Assign requires shapes of both tensors to match. lhs shape= "
            f"{bracketed(fixed.as_list())} rhs shape= {bracketed(value.shape)}"
        )
    ref.value = value
    return ref


def _updating(
    name: str, function: Callable[..., Any], inside: Callable[..., Any], what: str
) -> Bind:
    update = define(
        f"{name}(ref: T, value: T; use_locking: bool = False) -> output_ref: T",
        stateful=True,
        differentiable=False,
        refs=("ref", "output_ref"),
        T=NUMBERS,
        gpu_types=_ON_GPU,
        doc=f"{what} a reference variable.",
        work=assign_add_work,
        traceable=True,
    )
    update.shape(lambda ref, value, **_: merged_dims(ref.shape, value.shape))

    @update.kernel
    def kernel(ref: Handle, value: Any, *, use_locking: bool) -> Handle:
        with variable_lock(ref):
            old = content_of(ref)
            if old.shape != value.shape:
                raise invalid(
                    f"shapes of both tensors must match. lhs shape= {bracketed(old.shape)} rhs "
                    f"shape= {bracketed(value.shape)}"
                )
            if is_unshared(old):
                ref.value = inside(old, value)
            else:
                ref.put(function(old, value), name)
        return ref

    return update


assign_add = _updating("AssignAdd", torch.add, torch.Tensor.add_, "Add to")
assign_sub = _updating("AssignSub", torch.sub, torch.Tensor.sub_, "Subtract from")

is_initialized = define(
    "IsVariableInitialized(ref: dtype) -> is_initialized: bool",
    stateful=True,
    host=("is_initialized",),
    differentiable=False,
    refs=("ref",),
    doc="Has a variable a value?",
    effects="reads",
    traceable=True,
    work=view_work,
)
is_initialized.shape(lambda ref: ())


@is_initialized.kernel
def is_initialized_kernel(ref: Handle) -> Any:
    return torch.tensor(ref.value is not None)


def _row_update(name: str, same_as: Any) -> Bind:
    """Declare the reference form of an update of rows, with the kernel of the resource form."""
    kernel_of = REGISTRY[same_as.op.name].kernels[None]
    locks = name.endswith("Update")  # TensorFlow's defaults differ so
    policy = ", bad_indices_policy: string = ''" if "Nd" in name else ""
    update = define(
        f"{name}(ref: T, indices: Tindices, updates: T; use_locking: bool = {locks}{policy})"
        " -> output_ref: T",
        stateful=True,
        differentiable=False,
        refs=("ref", "output_ref"),
        Tindices=INDEX,
        doc=same_as.op.doc,
        work=row_update_work,
    )
    check = check_slices if "Nd" in name else check_rows

    @update.shape
    def checked_shape(ref: Static, indices: Static, updates: Static, **_: object) -> Dims:
        check(ref.shape, indices.shape, updates.shape)
        return ref.shape

    @update.kernel
    def kernel(
        ref: Handle, indices: Any, updates: Any, *, use_locking: bool, **policy: str
    ) -> Handle:
        if policy:
            kernel_of(ref, indices, updates, use_locking=use_locking, **policy)
        else:
            kernel_of(ref, indices, updates)
        return ref

    return update


scatter_update = _row_update("ScatterUpdate", resource.scatter_update)
scatter_add = _row_update("ScatterAdd", resource.scatter_add)
scatter_sub = _row_update("ScatterSub", resource.scatter_sub)
scatter_mul = _row_update("ScatterMul", resource.scatter_mul)
scatter_div = _row_update("ScatterDiv", resource.scatter_div)
scatter_min = _row_update("ScatterMin", resource.scatter_min)
scatter_max = _row_update("ScatterMax", resource.scatter_max)
scatter_nd_update = _row_update("ScatterNdUpdate", scatter.scatter_nd_update)
scatter_nd_add = _row_update("ScatterNdAdd", scatter.scatter_nd_add)
scatter_nd_sub = _row_update("ScatterNdSub", scatter.scatter_nd_sub)
