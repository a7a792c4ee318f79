"""How a dataset is made: an op call for its variant tensor, and a class that bears its kind."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.data.structure import Structure
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.random.streams import get_seed, op_seeds
from placewise.ops.values import EagerTensor

# The class of a kind, and the module TensorFlow has it in.
_MODULES = {
    "_TensorDataset": "from_tensors_op",
    "_TensorSliceDataset": "from_tensor_slices_op",
    "_RangeDataset": "range_op",
    "_BatchDataset": "batch_op",
    "_MapDataset": "map_op",
    "_ShuffleDataset": "shuffle_op",
    "_ZipDataset": "zip_op",
    "_PrefetchDataset": "prefetch_op",
    "_RepeatDataset": "repeat_op",
    "_TakeDataset": "take_op",
    "_SkipDataset": "skip_op",
    "_FlatMapDataset": "flat_map_op",
    "_FilterDataset": "filter_op",
    "CacheDataset": "cache_op",
    "_ConcatenateDataset": "concatenate_op",
    "_InterleaveDataset": "interleave_op",
}


def derived(
    base: Any,
    kind: str,
    engine: type[Any],
    spec: Any,
    *arguments: Any,
    sources: Sequence[Any] = (),
    name: str | None = None,
    **attrs: Any,
) -> Any:
    """Return a dataset: `engine`'s op on `arguments`, with elements of `spec`."""
    structure = Structure(spec)
    variant = engine.make(*arguments, structure=structure, name=name, **attrs)
    return of_kind(base._base(), kind)._of(variant, structure, tuple(sources))


@functools.cache
def of_kind(base: type[Any], kind: str) -> Any:
    """Return the class of datasets of a kind."""
    if base._is_v1:
        return base._adapter()
    made = type(kind, (base,), {"__doc__": f"A dataset: {kind}."})
    made.__module__ = f"tensorflow.python.data.ops.{_MODULES.get(kind, 'dataset_ops')}"
    return made


def int64(value: TensorLike, name: str | None = None) -> Any:
    """Return a number as an op that wants int64 takes it."""
    if isinstance(value, Tensor) and value.dtype is not dtypes.int64:
        return cast(value, dtypes.int64)
    if isinstance(value, (Tensor, int)):
        return value
    return convert_to_tensor(value, dtypes.int64, name=name)


def input_seeds(seed: Any) -> tuple[Any, Any]:
    """Return the two seeds of a dataset's op, which are inputs: a graph may know them later."""
    if isinstance(seed, Tensor) and not isinstance(seed, EagerTensor):
        first, second = get_seed(1)[0], int64(seed)
        if first == 0:  # two zeros would mean no seed
            other = convert_to_tensor(dtypes.int32.max, dtypes.int64)
            second = where(equal(second, 0), other, second)
        return first, second
    seeds = op_seeds(seed)
    return seeds["seed"], seeds["seed2"]


def known_int(value: Any) -> int | None:
    """Return a number that is known now, else None."""
    if isinstance(value, Tensor):
        return int(value) if isinstance(value, EagerTensor) else None
    return int(value)


def known_bool(value: bool) -> bool:
    """Return whether something is known to be true."""
    return known_int(value) == 1
