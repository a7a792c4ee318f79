"""Ids and values in two sparse tensors merged into one (`tf.compat.v1.sparse_merge`)."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import expand_dims
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.sparse.arrangement import reorder
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> Any:
    """Return `sp_values` with the ids as its last dimension, of size `vocab_size`."""
    ids_list = list(sp_ids) if isinstance(sp_ids, (list, tuple)) else [sp_ids]
    sizes = list(vocab_size) if isinstance(vocab_size, (list, tuple)) else [vocab_size]
    values = as_sparse(sp_values)
    columns = [expand_dims(cast(as_sparse(each).values, dtypes.int64), 1) for each in ids_list]
    first = as_sparse(ids_list[0])
    indices = concat([first.indices[:, :-1], *columns], 1)
    last = convert_to_tensor([int(size) for size in sizes], dtypes.int64)
    shape = concat([first.dense_shape[:-1], last], 0)
    result = SparseTensor(indices, values.values, shape)
    return result if already_sorted else reorder(result)
