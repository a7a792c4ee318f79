"""A tensor as a value of a Summary message, with what says which plugin shows it."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.ops.values import Content, dtype_of, to_numpy


def tensor_value(tag: str, tensor: Content, metadata: bytes | None) -> Any:
    """Return a Summary.Value; `metadata` is a serialized SummaryMetadata, empty for none."""
    value = messages.Summary.Value(tag=tag)
    dtype = dtype_of(tensor)
    array = to_numpy(tensor)
    value.tensor.dtype = dtype.as_datatype_enum
    value.tensor.tensor_shape.SetInParent()
    for size in array.shape:
        value.tensor.tensor_shape.dim.add().size = size
    if dtype is dtypes.string:
        value.tensor.string_val.extend(array.ravel().tolist())
    else:
        value.tensor.tensor_content = array.tobytes()
    if metadata is not None:
        try:
            value.metadata.ParseFromString(metadata)
        except Exception:
            raise invalid("Failed to parse SummaryMetadata") from None
        value.metadata.SetInParent()
    return value
