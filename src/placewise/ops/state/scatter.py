"""Changing the slices of a variable that n-dimensional indices name, and counting up."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import OutOfRangeError, invalid
from placewise.core.scope import current
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.contents import is_text
from placewise.ops.array.creation import range as counted
from placewise.ops.array.out_of_range import flat_places, harmless
from placewise.ops.array.scatter import check_slices
from placewise.ops.array.shape import reshape, shape
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.math.cast import cast
from placewise.ops.state.resource import content_of, own_content, variable_lock
from placewise.ops.values import Handle, to_numpy
from placewise.ops.work import row_update_work


def _flat_index(
    indices: torch.Tensor, shape: tuple[int, ...], updates: torch.Tensor
) -> tuple[Any, Any, tuple[int, ...]]:
    """Return one flat row number per index vector, which are there, and the shape of a slice."""
    depth = indices.shape[-1] if indices.dim() else 1
    outer_rank = max(indices.dim() - 1, 0)
    if tuple(updates.shape[outer_rank:]) != tuple(shape[depth:]) or depth > len(shape):
        raise invalid(
            f"Dimensions [{depth},{len(shape)}) of input[shape={bracketed(shape)}] must match "
            f"dimensions [{outer_rank},{len(updates.shape)}) of updates[shape="
            f"{bracketed(updates.shape)}]"
        )
    flat, inside = flat_places(indices.reshape(-1, depth), shape[:depth])
    return flat, inside, tuple(shape[depth:])


def _check_inside(indices: torch.Tensor, inside: torch.Tensor, shape: tuple[int, ...]) -> None:
    if bool(inside.all()):
        return
    where = int(inside.to(torch.uint8).argmin())
    rows = indices.reshape(len(inside), -1)
    named = ",".join(str(i) for i in rows[where].tolist())
    sizes = ",".join(str(d) for d in shape)
    raise invalid(f"indices[{where}] = [{named}] does not index into shape [{sizes}]")


_KINDS: dict[Any, str] = {None: "update", "sum": "add"}


def _scatter_nd(name: str, how: str | None, sign: int = 1) -> Bind:
    scatter = define(
        f"{name}(ref: resource, indices: Tindices, updates: T; use_locking: bool = True,"
        " bad_indices_policy: string = '')",
        stateful=True,
        differentiable=False,
        Tindices=INDEX,
        doc="Change the slices of a variable.",
        work=row_update_work,
    )

    @scatter.shape
    def shape(ref: Static, indices: Static, updates: Static, **_: object) -> list[Dims]:
        check_slices(ref.held, indices.shape, updates.shape)
        return []

    @scatter.kernel
    def kernel(
        ref: Handle, indices: Any, updates: Any, *, use_locking: bool, bad_indices_policy: str
    ) -> None:
        with variable_lock(ref):
            shape = tuple(content_of(ref).shape)
            flat, inside, inner = _flat_index(indices, shape, updates)
            values = updates.reshape(flat.numel(), *inner)
            # Who asks for the error waits for the device; else what is not there is dropped.
            drops = bad_indices_policy == "IGNORE" or (
                not flat.is_cpu and bad_indices_policy != "ERROR"
            )
            if not drops and not current.is_compiling:
                _check_inside(indices, inside, shape)
            content = own_content(ref, name)
            if how is None and is_text(content):
                kept = to_numpy(inside)
                content.reshape(-1, *inner)[to_numpy(flat)[kept]] = values[kept]
                return
            rows = content.view(-1, *inner)
            if not len(rows):
                return
            if drops:
                flat, values = harmless(rows, flat, values, inside, _KINDS.get(how, how or ""))
            if how is None:
                rows[flat] = values
            elif how == "sum":
                rows.index_add_(0, flat, values, alpha=sign)
            else:
                index = flat.reshape(-1, *[1] * len(inner)).expand(values.shape)
                rows.scatter_reduce_(0, index, values, how)

    return scatter


scatter_nd_update = _scatter_nd("ResourceScatterNdUpdate", None)
scatter_nd_add = _scatter_nd("ResourceScatterNdAdd", "sum")
scatter_nd_sub = _scatter_nd("ResourceScatterNdSub", "sum", -1)
scatter_nd_min = _scatter_nd("ResourceScatterNdMin", "amin")
scatter_nd_max = _scatter_nd("ResourceScatterNdMax", "amax")


def batch_rows(indices: Tensor) -> Any:
    """Return n-dimensional indices for a batch of row numbers: batch position, then row."""
    rank = indices.shape.rank
    whole = shape(indices)
    positions = []
    for axis in range(rank - 1):
        column = reshape(
            counted(whole[axis]), [-1 if other == axis else 1 for other in range(rank)]
        )
        positions.append(broadcast_to(column, whole))
    columns = [cast(part, indices.dtype)[..., None] for part in (*positions, indices)]
    return concat(columns, -1)


count_up_to = define(
    "ResourceCountUpTo(resource: resource; limit: int, T: type) -> output: T",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    doc="Return a variable's value, then add one.",
    T=INDEX,
)
count_up_to.shape(lambda resource, **_: ())


@count_up_to.kernel
def count_up_to_kernel(resource: Handle, *, limit: int, T: DType) -> Any:  # noqa: N803 - TF's name
    with variable_lock(resource):
        old = content_of(resource)
        if int(old) >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        resource.value = old + 1
    return old
