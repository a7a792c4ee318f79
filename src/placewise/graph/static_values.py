"""What is known of small integer tensors before a graph runs: sizes, and what is made of them.

`tf.reshape(x, [tf.shape(x)[0], 3])` has a last dimension of 3. Only what shapes are computed with
is followed; each operation is worked out once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.ops import graph_only
from placewise.ops.values import from_numpy, to_numpy

_CONSTANT = graph_only.const.op
_PASSING = frozenset({"Identity", "StopGradient", "PreventGradient", "Snapshot"})
# Computed now if all their inputs are known.
_COMPUTED = frozenset(
    {
        "StridedSlice",
        "Slice",
        "Pack",
        "ConcatV2",
        "Cast",
        "Range",
        "Fill",
        "Prod",
        "Sum",
        "Max",
        "Min",
        "AddV2",
        "Add",
        "Sub",
        "Mul",
        "FloorDiv",
        "FloorMod",
        "Maximum",
        "Minimum",
        "Neg",
        "GatherV2",
        "Squeeze",
        "ExpandDims",
        "Reshape",
        "Abs",
        "SelectV2",
        "Equal",
        "NotEqual",
        "Less",
        "Greater",
        "BroadcastArgs",
        "Tile",
        "ReverseV2",
        "Pad",
        "PadV2",
    }
)
# What TensorFlow itself follows when a program asks for a value.
_TOLD = frozenset(
    {
        "Pack",
        "ConcatV2",
        "Cast",
        "Range",
        "Fill",
        "Equal",
        "NotEqual",
        "Identity",
        "StopGradient",
    }
)
_LIMIT = 1024  # elements
_UNKNOWN = object()
_INT32, _INT64, _BOOL = dtypes.int32, dtypes.int64, dtypes.bool


def content(tensor: Any) -> np.ndarray[Any, Any] | None:
    """Return what a tensor holds, if that is known."""
    op = tensor.op
    if op.declaration is _CONSTANT:
        found: np.ndarray[Any, Any] = op.attrs["value"]
        return found
    if (
        op.type not in _COMPUTED
        and op.type not in _PASSING
        and op.type not in ("Shape", "Size", "Rank")
    ):
        return None
    if op.type in ("Shape", "Size", "Rank"):  # more may be known of a shape later
        return _of_shape(op)
    known = op.__dict__.get("known", _UNKNOWN)
    if known is _UNKNOWN:
        known = op.known = _worked_out(op)
    return None if known is None or tensor.value_index else known


def _worked_out(op: Any) -> np.ndarray[Any, Any] | None:
    kind = op.type
    if kind in _PASSING:
        return content(op.inputs[0])
    inputs = [content(tensor) for tensor in op.inputs]
    if kind == "StridedSlice" and inputs[0] is None:
        return _element(op)
    if any(value is None or value.size > _LIMIT or value.dtype == object for value in inputs):
        return None
    return _computed(op, inputs)


def _of_shape(op: Any) -> np.ndarray[Any, Any] | None:
    dims = op.inputs[0]._dims
    kind = op.outputs[0].dtype.base_dtype.as_numpy_dtype
    if dims is None:
        return None
    if op.type == "Rank":
        return np.array(len(dims), kind)
    if None in dims:
        return None
    return np.array(dims if op.type == "Shape" else int(np.prod(dims, dtype=np.int64)), kind)


def _element(op: Any) -> np.ndarray[Any, Any] | None:
    """Return the one element that a slice takes of a vector known in part."""
    source = parts(op.inputs[0])
    bounds = [content(tensor) for tensor in op.inputs[1:]]
    attrs = op.attrs
    if source is None or any(each is None or each.size != 1 for each in bounds):
        return None
    if attrs["shrink_axis_mask"] != 1 or attrs["ellipsis_mask"] or attrs["new_axis_mask"]:
        return None
    begin = int(bounds[0].reshape(-1)[0])  # type: ignore[union-attr]
    if not -len(source) <= begin < len(source) or source[begin] is None:
        return None
    return np.array(source[begin], op.outputs[0].dtype.base_dtype.as_numpy_dtype)


def _computed(op: Any, inputs: list[Any]) -> np.ndarray[Any, Any] | None:
    declaration = op.declaration
    values = iter(inputs)
    arguments = []
    for arg, item in zip(declaration.inputs, op.spread, strict=True):
        several = [next(values) for _ in (item if type(item) is list else [item])]
        if arg.name not in declaration.host:
            several = [from_numpy(value) for value in several]
        arguments.append(several if type(item) is list else several[0])
    dims = op.outputs[0]._dims
    if dims is not None and None not in dims and np.prod(dims, dtype=np.int64) > _LIMIT:
        return None
    try:
        made = declaration.kernels[None](*arguments, **op.attrs)
        found = to_numpy(made)
    except Exception:
        return None  # it fails again when it runs, where the error belongs
    return found if found.size <= _LIMIT else None


def parts(tensor: Any) -> tuple[int | None, ...] | None:
    """Return the elements of a vector of integers, None for those not known; None if none is."""
    if tensor._dims is None or len(tensor._dims) > 1:
        return None
    op = tensor.op
    whole = content(tensor)
    if whole is not None:
        return tuple(whole.reshape(-1).tolist()) if whole.ndim <= 1 else None
    kind = op.type
    if kind == "Shape":
        dims: tuple[int | None, ...] | None = op.inputs[0]._dims
        return dims
    if kind in _PASSING or kind == "Cast":
        return parts(op.inputs[0])
    if kind == "Pack" and len(tensor._dims or ()) == 1:
        return tuple(_scalar(each) for each in op.inputs)
    if kind == "ConcatV2":
        several = [parts(each) for each in op.inputs[:-1]]
        if any(each is None for each in several):
            return None
        return tuple(one for each in several if each is not None for one in each)
    if kind == "StridedSlice":
        return _part_of_vector(op)
    return None


def _scalar(tensor: Any) -> int | None:
    value = content(tensor)
    return None if value is None or value.size != 1 else int(value.reshape(-1)[0])


def _part_of_vector(op: Any) -> tuple[int | None, ...] | None:
    source = parts(op.inputs[0])
    begin, end, stride = (content(tensor) for tensor in op.inputs[1:])
    attrs = op.attrs
    if source is None or begin is None or end is None or stride is None or begin.size != 1:
        return None
    if attrs["shrink_axis_mask"] or attrs["ellipsis_mask"] or attrs["new_axis_mask"]:
        return None
    first = None if attrs["begin_mask"] & 1 else int(begin.reshape(-1)[0])
    last = None if attrs["end_mask"] & 1 else int(end.reshape(-1)[0])
    return source[first : last : int(stride.reshape(-1)[0])]


def is_told(tensor: Any) -> bool:
    """Return True if TensorFlow would tell a program what a tensor holds, were it known."""
    kind = tensor.op.type
    if kind in ("Const", "Shape", "Size", "Rank"):
        return True
    return kind in _TOLD and all(is_told(each) for each in tensor.op.inputs)


def is_followed(tensor: Any) -> bool:
    """Return True for tensors that sizes are computed with: few integers, or paddings in pairs."""
    dims, dtype = tensor._dims, tensor._dtype
    if dtype is not _INT32 and dtype is not _INT64 and dtype is not _BOOL:
        return False
    return dims is not None and (len(dims) <= 1 or (len(dims) == 2 and dims[1] == 2))
