"""Python's `tensor[key]`: ints, slices, ellipsis, new axes, scalar tensors, masks."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import hint
from placewise.core.scope import current, watch
from placewise.core.shapes import Dimension
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import stack
from placewise.ops.array.slice_ops import PYTHON_SLICE, WIDE_INDEX, strided_slice
from placewise.ops.array.slice_ops import slice as slice
from placewise.ops.array.slicing_rules import Masks
from placewise.ops.array.where import boolean_mask
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.values import EagerTensor, to_numpy, wrap_new

newaxis = None

_INDEX_WORDS = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


def _check_index(index: Any) -> None:
    if isinstance(index, (numbers.Integral, Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    try:
        is_fine = dtype is not None and dtypes.as_dtype(dtype) in WIDE_INDEX
    except TypeError:
        is_fine = False
    if not is_fine or (index.shape and len(index.shape) == 1):
        raise TypeError(
            hint(
                f"{_INDEX_WORDS}, got {index!r}",
                "tf.gather takes indices from a tensor, tf.boolean_mask a mask",
            )
        )


def _entry(index: Any) -> Any:
    """Return one bound as an int where its value is at hand, else as the tensor it is."""
    _check_index(index)
    if isinstance(index, EagerTensor):
        return int(to_numpy(index._value))
    if isinstance(index, (Tensor, bool)):
        return index
    return index if hasattr(type(index), "__tf_tensor__") else int(index)


def spec_of(key: Any) -> tuple[list[Any], list[Any], list[Any], Masks]:
    """Return begin, end, strides and masks of a Python index."""
    parts = key if isinstance(key, (list, tuple)) else (key,)
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = [0, 0, 0, 0, 0]
    for i, part in enumerate(parts):
        first: Any = 0
        last: Any = 0
        step: Any = 1
        if isinstance(part, PYTHON_SLICE):
            if part.start is None:
                masks[0] |= 1 << i
            else:
                first = _entry(part.start)
            if part.stop is None:
                masks[1] |= 1 << i
            else:
                last = _entry(part.stop)
            if part.step is not None:
                step = _entry(part.step)
        elif part is Ellipsis:
            masks[2] |= 1 << i
        elif part is None:
            masks[3] |= 1 << i
        else:
            first = _entry(part)
            last = first + 1
            masks[4] |= 1 << i
        begin.append(first)
        end.append(last)
        strides.append(step)
    return begin, end, strides, Masks(*masks)


def _is_plain(key: Any) -> bool:
    """Return True for an index that torch reads as TensorFlow does."""
    seen = False
    for part in key if type(key) is tuple else (key,):
        kind = type(part)
        if kind is PYTHON_SLICE:
            for bound in (part.start, part.stop, part.step):
                if bound is not None and type(bound) is not int:
                    return False
            if part.step is not None and part.step < 1:
                return False
        elif part is Ellipsis:
            if seen:
                return False
            seen = True
        elif kind is not int and part is not None:
            return False
    return True


def getitem(tensor: Tensor, key: Any) -> Any:
    """Return `tensor[key]`: ints, slices, ellipsis, None, scalar integer tensors, boolean masks."""
    if (
        type(tensor) is EagerTensor
        and tensor._device is current.fast
        and not watch.on
        and not current.tapes
    ):
        value = tensor._value
        if type(value) is torch.Tensor and _is_plain(key):
            try:
                return wrap_new(value[key], tensor._device, "StridedSlice")
            except (IndexError, ValueError, TypeError):
                pass  # too far, backwards, two ellipses: told or done below
    if _is_mask(key):
        return boolean_mask(tensor, key)
    begin, end, strides, masks = spec_of(key)
    lists = [begin, end, strides]
    symbolic = [v for each in lists for v in each if not isinstance(v, int)]
    kind = None if symbolic else _index_type(lists)
    bounds = [_packed(each, symbolic) if kind is None else np.asarray(each, kind) for each in lists]
    if (graph := current.interpreter.graph) is None:
        return strided_slice.bind(tensor, *bounds, **masks._asdict())
    with graph.name_scope("strided_slice") as scope:
        bounds = [convert_to_tensor(each, name="stack") for each in bounds]
        return strided_slice.bind(tensor, *bounds, **masks._asdict(), name=scope)


def _index_type(lists: list[list[Any]]) -> Any:
    if lists[0] and all(isinstance(v, bool) for v in lists[0]):
        return np.bool_  # TensorFlow refuses these by their dtype
    largest = max((abs(v) for each in lists for v in each), default=0)
    return np.int32 if largest < 2**31 else np.int64


def _packed(values: list[Any], symbolic: list[Any]) -> Any:
    """Return bounds of which some are graph tensors as one vector of a common dtype."""
    tensors = [convert_to_tensor(v) for v in symbolic]
    kind = dtypes.int64 if any(t.dtype is dtypes.int64 for t in tensors) else dtypes.int32
    return stack([cast(convert_to_tensor(v), kind) for v in values])


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        return True
    dtype = getattr(key, "dtype", None)
    return dtype is not None and (dtype is dtypes.bool or dtype == np.bool_)
