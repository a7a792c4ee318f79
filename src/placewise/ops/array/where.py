"""Elements by condition: where, boolean_mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes, nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import NUMBERS
from placewise.core.errors import invalid
from placewise.core.scope import current
from placewise.core.shapes import Dims, Static, TensorShape, broadcast
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.concat import concat
from placewise.ops.array.contents import is_text, signed
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.gather import gather, joined
from placewise.ops.array.shape import reshape, shape_of, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.ragged.value import RaggedTensorValue
from placewise.ops.values import Content, EagerTensor
from placewise.ops.work import sort_work

select_op = define(
    "SelectV2(condition: bool, t: T, e: T) -> output: T",
    doc="Return `t` where `condition` holds and `e` elsewhere; all three broadcast.",
    result="new",
    static="shapes",
)
where_op = define(
    "Where(input: T) -> index: int64",
    T=NUMBERS | dtypes.BOOL,
    differentiable=False,
    doc="Return the positions of the elements that are true or not zero, one per row.",
    argument_names={"input": "condition"},
    work=sort_work,
    default_types={"T": dtypes.bool},
)


def _whole(condition: Any) -> Any:
    """Return a condition as a tensor; ragged ones are left to what they say of this op."""
    is_ragged = isinstance(condition, (nest.Composite, RaggedTensorValue))
    return condition if is_ragged else convert_to_tensor(condition)


def _one_alone(*given: Any) -> ValueError:
    if any(isinstance(one, (nest.Composite, RaggedTensorValue)) for one in given):
        return ValueError("x and y must be either both None or both non-None")
    return ValueError("x and y must both be non-None or both be None.")


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Return `x` where `condition` holds and `y` elsewhere, or the positions where it holds.

    `condition`: booleans. Without `x` and `y`, numbers count too: all but 0 hold.
    `x`, `y`: tensors of one dtype, either both or none. All three broadcast to one shape.

    Positions come as rows of int64 in row-major order. Their number is in the data: on a real GPU
    that call waits for the device. Raises ValueError if only one of `x` and `y` is there.

    >>> tf.where([True, False, True], [1, 2, 3], 0).numpy()
    array([1, 0, 3], dtype=int32)
    >>> tf.where([True, False, True]).numpy()
    array([[0],
           [2]])
    """
    if x is None and y is None:
        return where_op(_whole(condition), name)
    if x is None or y is None:
        raise _one_alone(condition, x, y)
    return select_op(condition, x, y, name)


@select_op.shape
def select_shape(condition: Static, t: Static, e: Static) -> Dims:
    return broadcast(condition.shape, t.shape, e.shape)


@select_op.kernel
def select_kernel(condition: torch.Tensor, t: Any, e: Any) -> Any:
    if is_text(t):
        return np.where(condition.numpy(), t, e)
    if condition.numel() == 1 and t.shape == e.shape and condition.dim() <= t.dim():
        choice = host_array(condition, torch.bool)
        if choice is not None and t.dtype is e.dtype:
            return (t if choice.item() else e).clone(memory_format=torch.contiguous_format)
    if condition.numel() >= _MANY and native.code is not None:
        chosen = _chosen_in_c(condition, t, e)
        if chosen is not None:
            return chosen
    return torch.where(condition, t, e)


# From so many elements on, torch's branch an element costs more than a call of C.
_MANY = 4096
_TYPES = torch.float32, torch.float64, torch.int32, torch.int64


def _chosen_in_c(condition: torch.Tensor, t: torch.Tensor, e: torch.Tensor) -> Any:
    """Return the choice made by the native module; None for other memory, dtypes or shapes."""
    if t.dtype is not e.dtype or any(x.dim() and x.shape != condition.shape for x in (t, e)):
        return None
    mask = host_array(condition, torch.bool)
    first, second = host_array(t, *_TYPES), host_array(e, *_TYPES)
    if mask is None or first is None or second is None:
        return None
    out = torch.empty(condition.shape, dtype=t.dtype)
    native.code.select_by_mask(mask, first, second, out.numpy(), t.element_size())
    return out


@select_op.error
def select_error(condition: torch.Tensor, t: Content, e: Content) -> str:
    shapes = [bracketed(each.shape) for each in (condition, t, e)]
    return f"condition {shapes[0]}, then {shapes[1]}, and else {shapes[2]} must be broadcastable"


@select_op.gradient
def select_gradient(call: Call, dy: Tensor) -> Any:
    condition, t, e = call.inputs
    nothing = zeros_like(dy)
    return (
        None,
        sum_to_shape_of(select_op(condition, dy, nothing), t),
        sum_to_shape_of(select_op(condition, nothing, dy), e),
    )


@where_op.shape
def where_shape(input: Static) -> Dims:
    return (None, None if input.shape is None else len(input.shape))


@where_op.kernel
def where_kernel(input: torch.Tensor) -> Any:
    if not input.dim():
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    mask = host_array(input, torch.bool)
    if mask is not None and mask.size >= _MANY:
        return _positions(mask)
    return torch.nonzero(signed(input))  # how many there are: this waits for a device


def _positions(mask: np.ndarray[Any, Any]) -> Any:
    """Return where booleans are true, one position a row: NumPy's loop has no branch an element."""
    flat = np.flatnonzero(mask)
    if mask.ndim == 1:
        return torch.from_numpy(flat).unsqueeze(1)
    return torch.from_numpy(np.stack(np.unravel_index(flat, mask.shape), 1))


old_select_op = define(
    "Select(condition: bool, t: T, e: T) -> output: T",
    doc="Return rows of `t` where a scalar or vector `condition` holds, else rows of `e`.",
    result="new",
    argument_names={"t": "x", "e": "y"},
)


@old_select_op.shape
def old_select_shape(condition: Static, t: Static, e: Static) -> Dims:
    return t.shape if t.shape is not None else e.shape


@old_select_op.kernel
def old_select_kernel(condition: torch.Tensor, t: Content, e: Content) -> Any:
    if tuple(t.shape) != tuple(e.shape):
        raise invalid(
            "'then' and 'else' must have the same size.  but received: "
            f"{bracketed(t.shape)} vs. {bracketed(e.shape)}"
        )
    if tuple(condition.shape) != tuple(t.shape) and condition.dim():
        if condition.dim() != 1:
            raise invalid(f"'cond' must be a vector, but saw shape: {bracketed(condition.shape)}")
        if not len(t.shape) or condition.shape[0] != t.shape[0]:
            raise invalid(
                "Inputs to operation Select of type Select must have the same size and shape.  "
                f"Input 0: {bracketed(condition.shape)} != input 1: {bracketed(t.shape)}"
            )
        condition = condition.reshape([-1] + [1] * (len(t.shape) - 1))
    return select_kernel(condition, t, e)


@old_select_op.gradient
def old_select_gradient(call: Call, dy: Tensor) -> Any:
    condition = call.inputs[0]
    nothing = zeros_like(dy)
    return None, old_select_op(condition, dy, nothing), old_select_op(condition, nothing, dy)


def where_v1(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Return `x` where `condition` holds and `y` elsewhere, or the positions where it holds.

    `condition`: booleans, of the shape of `x`, or a vector that chooses whole rows.
    `x`, `y`: tensors of one shape and dtype, either both or none. Nothing broadcasts, unlike in
    `tf.where` of TensorFlow 2.

    Raises ValueError if only one of `x` and `y` is there.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)
    """
    if x is None and y is None:
        return where_op(_whole(condition), name)
    if x is None or y is None:
        raise _one_alone(condition, x, y)
    return old_select_op(condition, x, y, name)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: Any = None, name: str = "boolean_mask"
) -> Any:
    """Return the elements (or slices) of `tensor` at which `mask` holds, from `axis` on."""
    tensor = convert_to_tensor(tensor, name="tensor")
    mask = convert_to_tensor(mask, name="mask")
    rank = mask.shape.rank
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  "
            "E.g. shape=[None] is ok, but shape=None is not."
        )
    first = 0 if axis is None else int(axis)
    static = tensor.shape
    static[first : first + rank].assert_is_compatible_with(mask.shape)
    if first < 0:
        first += len(static)
    if rank == 1 and isinstance(tensor, EagerTensor) and not current.tapes:
        return gather(tensor, squeeze(where(mask), axis=[1]), axis=first, name=name)
    if is_tf1_graph():
        return _masked_by_shapes(tensor, mask, first, rank)
    shape = shape_of(tensor)
    count = -1 if _may_infer(static, first, rank) else mask.shape.num_elements() or 0
    # Also where nothing changes: it makes the gradient dense, as in TensorFlow.
    tensor = reshape(tensor, joined(shape[:first], [count], shape[first + rank :]))
    places = squeeze(where(reshape(mask, [-1])), axis=[1])
    return gather(tensor, places, axis=first, name=name)


def _masked_by_shapes(tensor: Tensor, mask: Tensor, first: int, rank: int) -> Any:
    """Write down what TensorFlow 1 does: the dimensions masked as one, known or not."""
    static = tensor.shape
    count = reduce_prod(lazy.tf1_shape(tensor)[first : first + rank], [0])
    before, after = lazy.tf1_shape(tensor)[:first], lazy.tf1_shape(tensor)[first + rank :]
    rows = reshape(tensor, concat([before, [count], after], 0))
    masked = static[first : first + rank].num_elements()
    rows.set_shape(static[:first].concatenate([masked]).concatenate(static[first + rank :]))
    rows.op.keeps_shape = rank == 1
    places = squeeze(where(reshape(mask, [-1])), axis=[1])
    return gather(rows, places, axis=first)


def _may_infer(static: TensorShape, first: int, rank: int) -> bool:
    dims = static._dims
    return dims is None or 0 not in (*dims[:first], *dims[first + rank :])
