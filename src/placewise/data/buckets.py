"""`Dataset.bucket_by_sequence_length`: batches of elements of about the same length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes, nest
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_less
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_min

if TYPE_CHECKING:
    from placewise.data.dataset import DatasetV2


_MOST = 2**31 - 1


def bucketed(
    dataset: Any,
    length_of: Any,
    boundaries: Any,
    sizes: Any,
    padded_shapes: Any,
    padding_values: Any,
    to_boundary: bool,
    no_padding: bool,
    drop_remainder: bool,
) -> Any:
    """Return padded batches, each of elements whose lengths lie between the same boundaries."""
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(sizes)}` and "
            f"`len(bucket_boundaries)={len(boundaries)}`."
        )
    lows, highs = [0, *boundaries], [*boundaries, _MOST]

    def bucket_of(*element: Any) -> Any:
        length = cast(length_of(*element), dtypes.int32)
        lowest = convert_to_tensor(lows, dtypes.int32)
        highest = convert_to_tensor(highs, dtypes.int32)
        inside = (lowest <= length) & (length < highest)
        return reduce_min(where(inside))

    def size_of(bucket: Tensor) -> Any:
        return convert_to_tensor(sizes, dtypes.int64)[bucket]

    def batch_of(bucket: Tensor, elements: DatasetV2) -> Any:
        size = size_of(bucket)
        if no_padding:
            return elements.batch(size, drop_remainder=drop_remainder)
        shapes = padded_shapes
        if shapes is None:
            shapes = nest.map_structure(lambda spec: spec.shape, elements.element_spec)
        if to_boundary:
            assert_less(
                bucket,
                convert_to_tensor(len(boundaries), dtypes.int64),
                "When pad_to_bucket_boundary=True, elements must have length < "
                "max(bucket_boundaries).",
            )
            highest = convert_to_tensor([*boundaries, -1], dtypes.int64)[bucket] - 1
            shapes = nest.map_structure(lambda shape: _bounded(shape, highest), shapes)
        return elements.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return dataset.group_by_window(bucket_of, batch_of, window_size_func=size_of)


def _bounded(shape: TensorShape, limit: Tensor) -> Any:
    """Return a padded shape whose unknown sizes are the longest of a bucket."""
    dims = TensorShape(shape).as_list()
    return convert_to_tensor(
        [limit if d is None else convert_to_tensor(d, dtypes.int64) for d in dims], dtypes.int64
    )
