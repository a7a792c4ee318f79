"""Rows of sparse and ragged tensors, taken apart and put together again for `tf.map_fn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.ops.array.concat import concat
from placewise.ops.array.gather import gather
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.arrangement import stack
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.sparse_tensor import SparseTensor


def sparse_rows(value: Any, count: int) -> list[Any]:
    """Return the slices of a sparse tensor along its first dimension."""
    indices, shape = value.indices.numpy(), value.dense_shape.numpy()
    rows = []
    for index in range(count):
        places = np.flatnonzero(indices[:, 0] == index)
        rows.append(type(value)(indices[places, 1:], gather(value.values, places), shape[1:]))
    return rows


def stacked(spec: Any, items: list[Any]) -> Any:
    """Return rows as one sparse or ragged tensor, as `spec`, a spec or an example, tells."""
    if _is_sparse(spec):
        return _stacked_sparse(spec, items)
    for index, item in enumerate(items):
        if item.shape.rank == 0:
            raise invalid(
                f"Ragged values must have rank >= 1; encoded scalar element at index {index}"
            )

    if not items:
        return RaggedTensor.from_row_splits(convert_to_tensor([], spec.dtype), [0])
    made = stack(items)
    return made if isinstance(made, RaggedTensor) else RaggedTensor.from_tensor(made)


def _is_sparse(spec: Any) -> bool:
    return type(spec).__name__ in ("SparseTensor", "SparseTensorSpec")


def _stacked_sparse(spec: Any, items: list[Any]) -> Any:
    if not items:
        shape = [0, *(d or 0 for d in spec.shape.as_list())]
        return SparseTensor(
            np.zeros((0, len(shape)), np.int64), convert_to_tensor([], spec.dtype), shape
        )
    indices = [
        np.insert(item.indices.numpy(), 0, index, axis=1) for index, item in enumerate(items)
    ]
    shape = np.max([item.dense_shape.numpy() for item in items], axis=0)
    values = concat([item.values for item in items], 0)
    return SparseTensor(np.concatenate(indices), values, [len(items), *shape.tolist()])
