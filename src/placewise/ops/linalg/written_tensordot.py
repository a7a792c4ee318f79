"""`tensordot` as TensorFlow 1 writes it down: every transpose and reshape, needed or not.

What changes nothing is left out again when a plan is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import int32
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import reshape
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.name_scopes import in_scope
from placewise.ops.tf1_spelling import shape


def written_tensordot(
    a: Tensor, b: Tensor, a_axes: list[int], b_axes: list[int], name: str | None
) -> Any:
    """Return the sum of products of two tensors along these axes, in a scope of its own."""
    with in_scope(name, "Tensordot") as scope:
        left, a_free, a_known = _as_matrix(a, a_axes, last=True)
        right, b_free, b_known = _as_matrix(b, b_axes, last=False)
        product = matmul(left, right)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return reshape(product, np.asarray(a_free + b_free, np.int32), name=scope)
        a_free = convert_to_tensor(a_free, int32)
        b_free = convert_to_tensor(b_free, int32)
        made = reshape(product, concat([a_free, b_free], 0), name=scope)
        made.set_shape([*a_known, *b_known])
        return made


def _as_matrix(x: Tensor, axes: list[int], *, last: bool) -> tuple[Any, Any, list[Any]]:
    """Return `x` as a matrix whose columns (rows if not `last`) are summed over; and the rest."""
    static = x._shape_tuple
    rank = len(static)
    summed = [axis + rank if axis < 0 else axis for axis in axes]
    free = [axis for axis in range(rank) if axis not in summed]
    known = [static[axis] for axis in free]
    if None not in static:
        rows: Any = int(np.prod(known, dtype=np.int64))
        columns: Any = int(np.prod([static[axis] for axis in summed], dtype=np.int64))
        order = free + summed if last else summed + free
        moved = transpose(x, np.asarray(order, np.int32))
        target: Any = [rows, columns] if last else [columns, rows]
        return reshape(moved, np.asarray(target, np.int32)), known, known
    along = convert_to_tensor(np.asarray(summed, np.int32), name="axes")
    others = convert_to_tensor(np.asarray(free, np.int32), name="free")
    sizes = shape(x)
    free_sizes, summed_sizes = gather(sizes, others), gather(sizes, along)
    rows, columns = reduce_prod(free_sizes), reduce_prod(summed_sizes)
    permutation = concat([others, along] if last else [along, others], 0)
    target = stack([rows, columns] if last else [columns, rows])
    return reshape(transpose(x, permutation), target), free_sizes, known
