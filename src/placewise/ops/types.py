"""Types to annotate with: what converts to a tensor, and what tracing may ask of a value."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, Union, runtime_checkable

import numpy as np

from placewise.core.tensor import Tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.sparse_tensor import SparseTensor

_T = TypeVar("_T")

# A real union object: programs use it with `typing.get_args` and in annotations.
TensorLike = Union[  # noqa: UP007
    Tensor,
    RaggedTensor,
    SparseTensor,
    IndexedSlices,
    int,
    float,
    bool,
    str,
    bytes,
    complex,
    tuple,  # type: ignore[type-arg]  # as `typing.get_args` shows them in TensorFlow
    list,  # type: ignore[type-arg]
    np.ndarray,
    np.generic,
]


class TraceType:
    """What of a value a traced function depends on."""

    def is_subtype_of(self, other: TraceType) -> bool:
        """Return True if every value of this type is one of `other`."""
        raise NotImplementedError

    def most_specific_common_supertype(self, others: Any) -> TraceType | None:
        """Return the narrowest type that holds all values of this one and `others`, or None."""
        raise NotImplementedError

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return a value to trace with."""
        raise NotImplementedError


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A value that says by itself what tracing depends on."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """Return the type to trace with."""
