"""Max pooling whose window and strides are inputs, with its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.dtypes import FLOATS, REAL
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import REGISTRY, Bind, Call, define
from placewise.ops.nn.max_pooling import POOLED, max_pool_op, zeros_for
from placewise.ops.nn.pool_geometry import pool_shape
from placewise.ops.work import pooling_work

if TYPE_CHECKING:
    import numpy as np
    import torch


_ATTRS = "padding: 'SAME'|'VALID', data_format: 'NHWC'|'NCHW' = NHWC"
_SIZES = "ksize: int32, strides: int32"
_HOST = ("ksize", "strides")


def _attrs(
    ksize: np.ndarray[Any, Any], strides: np.ndarray[Any, Any], padding: str, data_format: str
) -> dict[str, Any]:
    """Return the attributes that the op with fixed windows has."""
    for name, each in (("ksize", ksize), ("stride", strides)):
        if each.size != 4:
            raise invalid(f"Sliding window {name} field must specify 4 dimensions")
    return {
        "ksize": ksize.reshape(-1).tolist(),
        "strides": strides.reshape(-1).tolist(),
        "padding": padding,
        "data_format": data_format,
    }


max_pool_v2_op = define(
    f"MaxPoolV2(input: T, {_SIZES}; padding: 'SAME'|'VALID', "
    "data_format: 'NHWC'|'NCHW'|'NCHW_VECT_C' = NHWC) -> output: T",
    host=_HOST,
    T=POOLED,
    gpu_types=FLOATS,
    doc="The largest element of each window of images; window and strides are inputs.",
    work=pooling_work,
    default_types={"T": dtypes.float32},
)


@max_pool_v2_op.shape
def max_pool_v2_shape(
    input: Static, ksize: Static, strides: Static, *, padding: str, data_format: str
) -> Dims:
    if ksize.value is None or strides.value is None:
        return (None,) * 4
    window, steps = ksize.value.reshape(-1).tolist(), strides.value.reshape(-1).tolist()
    return pool_shape(input.shape, window, steps, padding, (), data_format, 4)


@max_pool_v2_op.kernel
def max_pool_v2_kernel(
    input: torch.Tensor, ksize: np.ndarray[Any, Any], strides: np.ndarray[Any, Any], **attrs: Any
) -> Any:
    given = _attrs(ksize, strides, **attrs)
    return max_pool_op.op.kernels[None](input, explicit_paddings=(), **given)


@max_pool_v2_op.gradient
def max_pool_v2_gradient(call: Call, dy: Tensor) -> Any:
    x, ksize, strides = call.inputs
    return max_pool_grad_v2_op(x, call.output, dy, ksize, strides, **call.attrs), None, None


def _grad(name: str, doc: str, result: int) -> Bind:
    fixed = REGISTRY[name]
    made = define(
        f"{name}V2(orig_input: T, orig_output: T, grad: T, {_SIZES}; {_ATTRS}) -> output: T",
        host=_HOST,
        T=REAL,
        gpu_types=FLOATS,
        doc=doc,
        work=pooling_work,
        default_types=fixed.default_types,
    )

    @made.shape
    def max_pool_grad_v2_shape(*inputs: Static, **_: object) -> Dims:
        return inputs[result].shape

    @made.kernel
    def max_pool_grad_v2_kernel(
        orig_input: torch.Tensor,
        orig_output: torch.Tensor,
        grad: torch.Tensor,
        ksize: np.ndarray[Any, Any],
        strides: np.ndarray[Any, Any],
        **attrs: Any,
    ) -> Any:
        given = _attrs(ksize, strides, **attrs)
        return fixed.kernels[None](orig_input, orig_output, grad, **given)

    return made


max_pool_grad_v2_op = _grad("MaxPoolGrad", "The gradient of max pooling with given windows.", 0)
max_pool_grad_grad_v2_op = _grad("MaxPoolGradGrad", "The gradient of that gradient.", 1)


@max_pool_grad_v2_op.gradient
def max_pool_grad_v2_gradient(call: Call, dy: Tensor) -> Any:
    x, y, _, ksize, strides = call.inputs
    second = max_pool_grad_grad_v2_op(x, y, dy, ksize, strides, **call.attrs)
    return zeros_for(x), zeros_for(y), second, None, None


@max_pool_grad_grad_v2_op.gradient
def max_pool_grad_grad_v2_gradient(call: Call, dy: Tensor) -> Any:
    x, y, _, ksize, strides = call.inputs
    first = max_pool_grad_v2_op(x, y, dy, ksize, strides, **call.attrs)
    return zeros_for(x), zeros_for(y), first, None, None
