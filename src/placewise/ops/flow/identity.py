"""Values passed on unchanged, with a meaning: identity_n, stop_gradient, ensure_shape, …"""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, TensorShape, as_shape, merge
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.values import Content
from placewise.ops.values import shape_of as content_shape
from placewise.ops.work import view_work


@op(
    "IdentityN(input: [T] >= 1) -> output: [T]",
    result="input",
    placement="ignores_handles",
)
def identity_n(input: Any, name: str | None = None) -> Any:
    """Return a list of tensors with the same contents."""
    tensors = list(input)
    if not tensors:
        raise invalid("Length for attr 'T' of 0 must be at least minimum 1")
    return identity_n.bind(tensors, name)


@identity_n.shape
def identity_n_shape(input: list[Static]) -> list[Dims]:
    return [each.shape for each in input]


@identity_n.kernel
def identity_n_kernel(input: list[Content]) -> Any:
    return list(input)


@identity_n.gradient
def identity_n_gradient(call: Call, *dys: Any) -> Any:
    return list(dys)


@op(
    "StopGradient(input: T) -> output: T",
    differentiable=False,
    result="input",
    static="users",
    elementwise=True,
    sparse_values=True,
)
def stop_gradient(input: TensorLike, name: str | None = None) -> Any:
    """Return `input`, through which no gradient flows back.

    `input`: any tensor.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    3.0
    """
    return stop_gradient.bind(input, name)


@op(
    "PreventGradient(input: T; message: string = '') -> output: T",
    result="input",
    static="shapes",
    elementwise=True,
)
def prevent_gradient(input: Tensor, message: str = "", name: str | None = None) -> Any:
    """Return `input`; asking for a gradient through it raises LookupError."""
    return prevent_gradient.bind(input, message=message, name=name)


@op("GuaranteeConst(input: T) -> output: T", stateful=True, differentiable=False, work=view_work)
def guarantee_const(input: TensorLike, name: str | None = None) -> Any:
    """Return `input`, which the caller promises never changes."""
    return guarantee_const.bind(input, name)


def passing_kernel(input: Content, **_: object) -> Any:
    """Kernel of the ops that hand their input on."""
    return input


for _function in (stop_gradient, prevent_gradient, guarantee_const):
    _function.shape(same_shape)
    _function.kernel(passing_kernel)


@prevent_gradient.gradient
def prevent_gradient_gradient(call: Call, dy: Tensor) -> Any:
    raise LookupError(f"Gradient explicitly disabled. Reason: {call.attrs['message']!r}")


@op("Snapshot(input: T) -> output: T", result="input", static="shapes")
def snapshot(input: Any, name: str | None = None) -> Any:
    """Return `input` as it is now."""
    return snapshot.bind(input, name)


snapshot.shape(same_shape)
snapshot.kernel(passing_kernel)


@snapshot.gradient
def snapshot_gradient(call: Call, dy: Tensor) -> Any:
    return dy


@op("EnsureShape(input: T; shape: shape) -> output: T", work=view_work, shape_attr="lists_checked")
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Return `x`, after a check that its shape is compatible with `shape`."""
    x, wanted = convert_to_tensor(x), as_shape(shape)
    return ensure_shape.bind(x, shape=wanted, name=name)


@ensure_shape.shape
def ensure_shape_shape(input: Static, *, shape: TensorShape) -> Dims:
    return merge(input.shape, as_shape(shape)._dims)


@ensure_shape.kernel
def ensure_shape_kernel(input: Content, *, shape: ShapeLike) -> Any:
    wanted = as_shape(shape)
    given = content_shape(input)
    if not wanted.is_compatible_with(given):
        raise invalid(
            f"Shape of tensor input {bracketed(given)} is not compatible with expected shape "
            f"{bracketed(wanted._dims)}."
        )
    return input


@ensure_shape.gradient
def ensure_shape_gradient(call: Call, dy: Tensor) -> Any:
    return dy
