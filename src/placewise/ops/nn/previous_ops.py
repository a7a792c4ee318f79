"""Older forms of ops for layers, and the ops by which graphs change data formats."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, NUMBERS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed, same_shape
from placewise.ops.nn import bias

bias_add_v1 = define(
    "BiasAddV1(value: T, bias: T) -> output: T",
    T=NUMBERS,
    doc="Return `value` plus a bias per channel, the last dimension.",
)


@bias_add_v1.shape
def bias_add_v1_shape(value: Static, bias_: Static) -> Dims:
    return bias.bias_add_shape(value, bias_, data_format="NHWC")


@bias_add_v1.kernel
def bias_add_v1_kernel(value: torch.Tensor, bias_: torch.Tensor) -> Any:
    return bias.bias_add.op.kernels[None](value, bias_, data_format="NHWC")


bias_add_v1.kernel(
    lambda value, bias_: bias.bias_add.op.kernels["wide_unsigned"](
        value, bias_, data_format="NHWC"
    ),
    on="wide_unsigned",
)


@bias_add_v1.gradient
def bias_add_v1_gradient(call: Call, dy: Tensor) -> Any:
    rule = bias.bias_add.op.gradient_rule
    return rule(call._replace(attrs={"data_format": "NHWC"}), dy)  # type: ignore[misc]


_FORMATS = "src_format: string = NHWC, dst_format: string = NCHW"

dim_map = define(
    f"DataFormatDimMap(x: T; {_FORMATS}) -> y: T",
    T=INDEX,
    differentiable=False,
    doc="Return where dimensions of one data format are in another.",
    default_types={"T": dtypes.int32},
)
dim_map.shape(same_shape)


@dim_map.kernel
def data_format_dim_map_kernel(x: torch.Tensor, *, src_format: str, dst_format: str) -> Any:
    dimension = torch.remainder(x, len(src_format))
    found = torch.zeros_like(x)
    for here, letter in enumerate(src_format):  # no table: it would have to be copied to a device
        found = found.masked_fill(dimension == here, dst_format.index(letter))
    return found


vec_permute = define(
    f"DataFormatVecPermute(x: T; {_FORMATS}) -> y: T",
    T=INDEX,
    differentiable=False,
    doc="Return sizes of one data format in the order of another.",
    default_types={"T": dtypes.int32},
)
vec_permute.shape(same_shape)


@vec_permute.kernel
def data_format_vec_permute_kernel(x: torch.Tensor, *, src_format: str, dst_format: str) -> Any:
    full = len(src_format)
    if x.dim() not in (1, 2):
        raise invalid(f"Input must be a vector or matrix, but got shape {bracketed(x.shape)}")
    if x.shape[0] not in (full - 2, full):
        raise invalid(
            f"{x.dim()}D input must be of size {full - 2} or {full}, but got shape "
            f"{bracketed(x.shape)}"
        )
    if x.dim() == 2 and x.shape[1] != 2:
        raise invalid(
            f"Second dimension of 2D input must be of size 2, but got shape {bracketed(x.shape)}"
        )
    if x.shape[0] == full - 2:  # only the spatial sizes
        src_format, dst_format = (
            "".join(letter for letter in each if letter not in "NC")
            for each in (src_format, dst_format)
        )
    # One by one: a list of numbers as index would have to be copied to a device.
    return torch.stack([x[src_format.index(letter)] for letter in dst_format])
