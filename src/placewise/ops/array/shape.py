"""Shapes asked for and changed: shape, size, rank, reshape, expand_dims, squeeze, identity."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.nest import Composite
from placewise.core.shapes import Dims, Static, divided, from_value
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.contents import product
from placewise.ops.convert import host_constant
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.math.cast import cast
from placewise.ops.values import Content, EagerTensor
from placewise.ops.values import shape_of as content_shape


def shape_of(x: Any) -> Any:
    """Return the shape of a tensor for use as an op's argument: known ones as host integers."""
    static = x._shape_tuple
    if static is None or None in static:
        return shape.bind(x)
    return np.asarray(static, np.int32)


def last_size(x: Any) -> Any:
    """Return the last dimension of a tensor of any rank: an int if it is known, else a scalar."""
    dims = x._shape_tuple
    return shape(x)[-1] if dims is None or dims[-1] is None else dims[-1]


def as_matrix(x: Any) -> tuple[Any, Any]:
    """Return a tensor of unknown rank as a matrix of its last dimension, and what undoes that."""
    whole = shape(x)

    def restored(result: Any) -> Any:
        return reshape(result, lazy.concat([whole[:-1], shape(result)[1:]], 0))

    return reshape(x, [-1, whole[-1]]), restored


def sizes_of(x: Any, dtype: Any = None) -> list[Any]:
    """Return the dimensions of a tensor of known rank: ints where they are known, else scalars."""
    dims = list(x._shape_tuple)
    if None in dims:
        whole = shape(x, dtype)
        dims = [whole[axis] if size is None else size for axis, size in enumerate(dims)]
    return dims


@op(
    "Shape(input: T; out_type: type = int32) -> output: out_type",
    host=("output",),
    metadata=True,
    differentiable=False,
    result="new",
    static="users",
    placement="with_input",
    out_type=INDEX,
)
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the shape of `input` as an integer vector.

    `input`: any tensor, sparse and ragged ones included.
    `out_type`: int32 (the default) or int64.

    Use it where `input.shape` has unknown sizes: the vector has the sizes of the run. It lies in
    host memory, whatever the device of `input`.

    >>> tf.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    if isinstance(input, Composite) and hasattr(input, "dense_shape"):  # a sparse tensor
        return cast(input.dense_shape, _index_type(out_type), name)
    return shape.bind(input, out_type=_index_type(out_type), name=name)


def _index_type(out_type: Any) -> Any:
    if out_type is None:
        return dtypes.int32
    return dtypes.as_dtype(out_type)


@shape.shape
def shape_shape(input: Static, *, out_type: DType) -> Dims:
    return (None,) if input.shape is None else (len(input.shape),)


@shape.static_value
def shape_static_value(input: Static, *, out_type: Any) -> tuple[int | None, ...] | None:
    return input.shape


@shape.kernel
def shape_kernel(input: Content, *, out_type: DType) -> Any:
    return torch.from_numpy(np.array(content_shape(input), out_type._numpy))


@op(
    "ShapeN(input: N*T >= 1; out_type: type = int32) -> output: N*out_type",
    host=("output",),
    metadata=True,
    differentiable=False,
    out_type=INDEX,
)
def shape_n(input: TensorLike, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """Return the shapes of several tensors as a list of integer vectors."""
    return shape_n.bind(input, out_type=_index_type(out_type), name=name)


@shape_n.shape
def shape_n_shape(input: list[Static], *, out_type: DType) -> list[Dims]:
    return [shape_shape(each, out_type=out_type) for each in input]


@shape_n.kernel
def shape_n_kernel(input: list[Content], *, out_type: DType) -> Any:
    return [shape_kernel(each, out_type=out_type) for each in input]


@op(
    "Size(input: T; out_type: type = int32) -> output: out_type",
    host=("output",),
    metadata=True,
    differentiable=False,
    result="new",
    static="users",
    placement="with_input",
    out_type=INDEX,
)
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Return the number of elements of `input` as a scalar.

    `input`: any tensor. Of a sparse tensor, elements that are not stored count too.
    `out_type`: int32 (the default) or int64.

    >>> int(tf.size(tf.zeros([2, 3])))
    6
    """
    if isinstance(input, Composite) and hasattr(input, "dense_shape"):
        return lazy.reduce_prod(shape(input, out_type), 0, name=name)
    return size.bind(input, out_type=_index_type(out_type), name=name)


@size.shape
def size_shape(input: Static, *, out_type: DType) -> Dims:
    return ()


@size.static_value
def size_static_value(input: Static, *, out_type: Any) -> tuple[int, ...] | None:
    if input.shape is None or None in input.shape:
        return None
    return (product(input.shape),)


@size.kernel
def size_kernel(input: Content, *, out_type: DType) -> Any:
    return torch.from_numpy(np.array(product(content_shape(input)), out_type._numpy))


@op(
    "Rank(input: T) -> output: int32",
    host=("output",),
    metadata=True,
    differentiable=False,
    result="new",
    static="users",
    placement="with_input",
)
def rank(input: Any, name: str | None = None) -> Any:
    """Return the number of dimensions of `input`."""
    if isinstance(input, Composite) and hasattr(input, "dense_shape"):
        return size(input.dense_shape, name=name)
    return rank.bind(input, name)


@rank.shape
def rank_shape(input: Static) -> Dims:
    return ()


@rank.static_value
def rank_static_value(input: Static) -> tuple[int, ...] | None:
    return None if input.shape is None else (len(input.shape),)


@rank.kernel
def rank_kernel(input: Content) -> Any:
    return torch.from_numpy(np.array(len(content_shape(input)), np.int32))


@op(
    "Reshape(tensor: T, shape: Tshape) -> output: T",
    host=("shape",),
    Tshape=INDEX,
    result="reshaped",
    static="shapes",
    numerics="none",
)
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return the elements of `tensor`, in row-major order, in another shape.

    `tensor`: any tensor.
    `shape`: the new sizes, a list or an integer vector. One of them may be -1, which stands for the
        size that uses all elements.

    The result shares memory with `tensor` where that is possible. `shape` is read on the host, so
    shapes computed on a real GPU have to be waited for.

    Raises InvalidArgumentError if the number of elements differs; in graphs and functions
    ValueError, as soon as that can be known.

    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy()
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    """
    return reshape.bind(tensor, shape, name)


@reshape.shape
def reshape_shape(tensor: Static, shape: Static) -> Dims:
    target = from_value(shape)
    if target is None or tensor.shape is None:
        return target
    count = product(d for d in tensor.shape if d is not None)
    known = product(d for d in target if d is not None)
    unknown = target.count(None)
    if None in tensor.shape:
        if not unknown and count:
            divided(known, count)
        return target
    if known != count and (not unknown or not known):
        raise ValueError(
            f"Cannot reshape a tensor with {count} elements to shape {bracketed(target)} "
            f"({known} elements)"
        )
    if unknown == 1 and known:
        return tuple([divided(count, known) if d is None else d for d in target])
    return target


@reshape.kernel
def reshape_kernel(tensor: Content, shape: np.ndarray[Any, Any]) -> Any:
    if shape.ndim > 1:
        raise invalid(f"sizes input must be 1-D, not {bracketed(shape.shape)}")
    return tensor.reshape(_resolved(content_shape(tensor), shape.reshape(-1).tolist()))


def _resolved(given: tuple[int, ...], target: list[int]) -> list[int]:
    """Return the sizes with the one that is -1 worked out."""
    count, known, unknown = product(given), 1, -1
    for index, d in enumerate(target):
        if d == -1:
            if unknown >= 0:
                raise invalid(f"Only one input size may be -1, not both {unknown} and {index}")
            unknown = index
        elif d < 0:
            raise invalid(f"Size {index} must be non-negative, not {d}")
        else:
            known *= d
    if unknown >= 0:
        # With a size of 0 on both sides, what is missing follows from the other sizes.
        nonzero = product(d for d in target if d > 0)
        whole = count if known else product(d for d in given if d)
        if (known or 0 not in given) and whole % nonzero:
            raise invalid(
                f"Input to reshape is a tensor with {count} values, but the requested shape "
                f"requires a multiple of {nonzero}"
            )
        target = [whole // nonzero if d == -1 else d for d in target]
        known = product(target)
    if known != count:
        raise invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape has {known}"
        )
    return target


@reshape.gradient
def reshape_gradient(call: Call, dy: Tensor) -> Any:
    if type(dy) is EagerTensor:
        return reshape(dy, shape_of(call.inputs[0])), None

    made = reshape(dy, lazy.tf1_known_shape(call.inputs[0]))
    made.op.keeps_shape = call.output.op.keeps_shape
    return made, None


@op(
    "ExpandDims(input: T, dim: Tdim) -> output: T",
    host=("dim",),
    Tdim=INDEX,
    result="reshaped",
    static="shapes",
    numerics="none",
    argument_names={"dim": "axis"},
)
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return `input` with one more dimension, of size 1, at `axis`.

    `input`: any tensor.
    `axis`: where the new dimension stands in the result; -1 appends it.

    The result shares the memory of `input`. Raises InvalidArgumentError if `axis` is beyond the
    rank.

    >>> tf.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    if type(axis) is float:
        axis = host_constant(axis, dtypes.int32)  # says in TensorFlow's words that it cannot be
    return expand_dims.bind(input, axis, name)


def _expanded(rank: int, axis: int) -> int:
    if not -rank - 1 <= axis <= rank:
        raise invalid(f"Tried to expand dim index {axis} for tensor with {rank} dimensions.")
    return axis + rank + 1 if axis < 0 else axis


@expand_dims.shape
def expand_dims_shape(input: Static, dim: Static) -> Dims:
    if input.shape is None:
        return None
    count = len(input.shape)
    if dim.value is None:
        return (None,) * (count + 1)
    axis = int(np.asarray(dim.value).reshape(-1)[0])
    if not -count - 1 <= axis <= count:
        raise ValueError(f"dim {axis} not in the interval [{-count - 1}, {count}].")
    axis %= count + 1
    return (*input.shape[:axis], 1, *input.shape[axis:])


@expand_dims.kernel
def expand_dims_kernel(input: Content, dim: np.ndarray[Any, Any]) -> Any:
    if dim.size != 1:
        raise invalid("'dim' must be a tensor with a single value")
    axis = _expanded(len(input.shape), int(dim.reshape(-1)[0]))
    return np.expand_dims(input, axis) if isinstance(input, np.ndarray) else input.unsqueeze(axis)


@expand_dims.gradient
def expand_dims_gradient(call: Call, dy: Tensor) -> Any:
    return reshape(dy, shape_of(call.inputs[0])), None


@op(
    "Squeeze(input: T; squeeze_dims: list(int) = []) -> output: T",
    result="reshaped",
    static="shapes",
    numerics="none",
    argument_names={"squeeze_dims": "axis"},
)
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Return `input` without its dimensions of size 1.

    `input`: any tensor.
    `axis`: the dimensions to drop, a number or a list; by default all of size 1.

    The result shares the memory of `input`. Raises InvalidArgumentError if a dimension that `axis`
    names has another size than 1.

    >>> tf.squeeze(tf.zeros([1, 2, 1])).shape
    TensorShape([2])
    """
    if axis is None:
        axis = ()
    elif isinstance(axis, Tensor):
        raise TypeError(f"Expected list for 'axis' argument to 'squeeze' Op, not {axis!r}.")
    elif not isinstance(axis, (list, tuple)):
        axis = (axis,)
    return squeeze.bind(input, squeeze_dims=tuple(map(int, axis)), name=name)


@squeeze.shape
def squeeze_shape(input: Static, *, squeeze_dims: tuple[int, ...]) -> Dims:
    if input.shape is None:
        return None
    count = len(input.shape)
    if not squeeze_dims:
        return None if None in input.shape else tuple(d for d in input.shape if d != 1)
    axes = set()
    for axis in squeeze_dims:
        if not -count <= axis < count:
            raise ValueError(f"{axis} not in [{-count}, {count})")
        axis %= count
        if input.shape[axis] not in (None, 1):
            raise ValueError(
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {input.shape[axis]}"
            )
        axes.add(axis)
    return tuple(d for i, d in enumerate(input.shape) if i not in axes)


@squeeze.kernel
def squeeze_kernel(input: Content, *, squeeze_dims: tuple[int, ...]) -> Any:
    if not squeeze_dims:
        return input.squeeze()
    count = len(input.shape)
    axes = []
    for axis in squeeze_dims:
        if not -count <= axis < count:
            raise invalid(f"Tried to squeeze dim index {axis} for tensor with {count} dimensions.")
        axis %= count
        if input.shape[axis] != 1:
            raise invalid(
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {input.shape[axis]}"
            )
        axes.append(axis)
    return input.squeeze(tuple(dict.fromkeys(axes)))


@squeeze.gradient
def squeeze_gradient(call: Call, dy: Tensor) -> Any:
    return reshape(dy, shape_of(call.inputs[0]))


@op(
    "Identity(input: T) -> output: T",
    result="input",
    static="users",
    placement="with_neighbours",
    numerics="none",
    elementwise=True,
    sparse_values=True,
)
def identity(input: Any, name: str | None = None) -> Tensor:
    """Return a tensor with the content of `input`.

    `input`: a tensor, or a structure whose tensors are one composite (sparse, ragged).

    Under `tf.device` of another device the content is copied there, which makes this the way to
    move a tensor. `placewise.copies("forbid")` allows that copy, since it was asked for.

    >>> tf.identity([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return identity.bind(input, name)


identity.shape(same_shape)


@identity.kernel
def identity_kernel(input: Content) -> Any:
    return input


@identity.gradient
def identity_gradient(call: Call, dy: Tensor) -> Any:
    return dy
