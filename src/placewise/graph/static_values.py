"""What is known of small integer tensors before a graph runs: sizes, and what is made of them.

`tf.reshape(x, [tf.shape(x)[0], 3])` has a last dimension of 3. Only what shapes are computed with
is followed; each operation is worked out once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.shapes import Static
from placewise.core.tensor import Tensor
from placewise.ops import graph_only
from placewise.ops.values import from_numpy, to_numpy

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


_CONSTANT = graph_only.const.op
_LIMIT = 1024  # elements
_UNKNOWN = object()
_INT32, _INT64, _BOOL = dtypes.int32, dtypes.int64, dtypes.bool


def content(tensor: Any) -> np.ndarray[Any, Any] | None:
    """Return what a tensor holds, if that is known."""
    op = tensor.op
    declaration = op.declaration
    if declaration is _CONSTANT:
        value: np.ndarray[Any, Any] = op.attrs["value"]
        return value
    if declaration.static == "unknown":
        return None
    if declaration.metadata:  # more may be known of a shape later
        return _of_elements(op)
    if declaration.outputs[0].is_list:
        return _one_of_several(tensor)
    known = op.__dict__.get("known", _UNKNOWN)
    if known is _UNKNOWN:
        known = op.known = _worked_out(op)
    return None if known is None or tensor.value_index else known


def _one_of_several(tensor: Any) -> np.ndarray[Any, Any] | None:
    """Return an output of an operation that takes a vector apart, a scalar an element."""
    elements = _elements(tensor.op) if tensor._dims == () else None
    element = None if elements is None else elements[tensor.value_index]
    return None if element is None else np.array(element, tensor.dtype.base_dtype.as_numpy_dtype)


def _worked_out(op: Operation) -> np.ndarray[Any, Any] | None:
    declaration = op.declaration
    if declaration.result == "input":
        return content(op.inputs[0])
    inputs = [content(tensor) for tensor in op.inputs]
    if inputs[0] is None and declaration.static_rule is not None and op.outputs[0]._dims == ():
        return _of_elements(op)  # a known element of a vector that is known in part
    if any(value is None or value.size > _LIMIT or value.dtype == object for value in inputs):
        return None
    return computed(op, inputs)


def _of_elements(op: Any) -> np.ndarray[Any, Any] | None:
    """Return what an operation's rule says of its elements, if all of them are known."""
    elements = _elements(op)
    if elements is None or None in elements:
        return None
    output = op.outputs[0]
    kind = output.dtype.base_dtype.as_numpy_dtype
    return np.array(elements[0] if output._dims == () else elements, kind)


def _elements(op: Any) -> tuple[int | None, ...] | None:
    """Return the elements of an operation's result, None for those not known; None if none is."""
    declaration = op.declaration
    rule = declaration.static_rule
    if rule is None:
        return None
    read = _shape_of if declaration.metadata else _known_of
    inputs = [
        [read(tensor) for tensor in item] if type(item) is list else read(item)
        for item in op.spread
    ]
    elements: tuple[int | None, ...] | None = rule(*inputs, **op.attrs)
    return elements


def _shape_of(tensor: Any) -> Static:
    return Static(tensor._dims, tensor.dtype)


def _known_of(tensor: Any) -> Static:
    return Static(tensor._dims, tensor.dtype, content(tensor), parts(tensor))


def computed(op: Any, inputs: list[Any]) -> np.ndarray[Any, Any] | None:
    """Return the small result of an operation on known contents; None if it has none."""
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
        contents = declaration.kernels[None](*arguments, **op.attrs)
        numpy = to_numpy(contents)
    except Exception:
        return None  # it fails again when it runs, where the error belongs
    return numpy if numpy.size <= _LIMIT else None


def parts(tensor: Tensor) -> tuple[int | None, ...] | None:
    """Return the elements of a vector of integers, None for those not known; None if none is."""
    if tensor._dims is None or len(tensor._dims) > 1:
        return None
    whole = content(tensor)
    if whole is not None:
        return tuple(whole.reshape(-1).tolist()) if whole.ndim <= 1 else None
    op = tensor.op
    if op.declaration.static == "unknown" or tensor._dims == ():
        return None
    return parts(op.inputs[0]) if op.declaration.result == "input" else _elements(op)


def partial_content(tensor: Any) -> np.ndarray[Any, Any] | None:
    """Return the known elements of what was stacked along the first dimension, None for others."""
    op = tensor.op
    if op.declaration.result == "input":
        return partial_content(op.inputs[0])
    if op.type != "Pack" or op.attrs["axis"] != 0:
        return None
    rows: list[Any] = []
    for source in op.inputs:
        row = content(source)
        if row is None:
            row = partial_content(source)
        if row is None and source._dims != ():
            return None
        rows.append(row if row is None or row.ndim == 0 else row.tolist())
    stacked = np.empty((len(rows), *(op.outputs[0]._dims or ())[1:]), object)
    for index, row in enumerate(rows):
        stacked[index] = row
    return stacked


def is_told(tensor: Tensor) -> bool:
    """Return True if TensorFlow shows a program the value of such a tensor when it is known."""
    op = tensor.op
    if op.declaration.static != "users":
        return False
    return op.declaration.metadata or all(is_told(source) for source in op.inputs)


def is_followed(tensor: Any) -> bool:
    """Return True for tensors that sizes are computed with: few integers, or paddings in pairs.

    An integer that was cast to a float is one too: the bounds of a range are cast.
    """
    dims, dtype = tensor._dims, tensor._dtype
    if dtype._kind == "f":
        return dims == () and tensor.op.type == "Cast" and is_followed(tensor.op.inputs[0])
    if dtype is not _INT32 and dtype is not _INT64 and dtype is not _BOOL:
        return False
    return dims is not None and (len(dims) <= 1 or (len(dims) == 2 and dims[1] == 2))
