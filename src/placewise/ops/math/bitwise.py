"""Operations on the bits of integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.dtypes import INTEGERS
from placewise.ops.declare import Bind, define
from placewise.ops.families import binary, named, same_shape, through_numpy, unary
from placewise.ops.values import to_numpy


def _pair(name: str, function: Any, numpy: Any, public: str, doc: str) -> Bind:
    return binary(
        name, function, INTEGERS, numpy=numpy, public=public, doc=doc, differentiable=False
    )


bitwise_and = _pair(
    "BitwiseAnd",
    torch.bitwise_and,
    np.bitwise_and,
    "bitwise_and",
    "Return the bits set in both x and y.",
)
bitwise_or = _pair(
    "BitwiseOr", torch.bitwise_or, np.bitwise_or, "bitwise_or", "Return the bits set in x or y."
)
bitwise_xor = _pair(
    "BitwiseXor",
    torch.bitwise_xor,
    np.bitwise_xor,
    "bitwise_xor",
    "Return the bits set in exactly one of x and y.",
)
invert = unary(
    "Invert",
    torch.bitwise_not,
    INTEGERS,
    numpy=np.invert,
    public="invert",
    doc="Return x with every bit flipped.",
    differentiable=False,
)


def _amount(y: Any, bits: int) -> Any:
    # Shifts outside the width count as the nearest one inside.
    return y.clamp(0, bits - 1)


def left_shift_kernel(x: Any, y: Any) -> Any:
    return torch.bitwise_left_shift(x, _amount(y, x.element_size() * 8))


def right_shift_kernel(x: Any, y: Any) -> Any:
    return torch.bitwise_right_shift(x, _amount(y, x.element_size() * 8))


def _shifted(function: Any) -> Any:
    return lambda x, y: function(x, np.minimum(y, x.dtype.itemsize * 8 - 1).astype(y.dtype))


left_shift = _pair(
    "LeftShift",
    left_shift_kernel,
    _shifted(np.left_shift),
    "left_shift",
    "Return x with its bits moved y places up.",
)
right_shift = _pair(
    "RightShift",
    right_shift_kernel,
    _shifted(np.right_shift),
    "right_shift",
    "Return x with its bits moved y places down; the sign stays.",
)

population_count = named(
    define("PopulationCount(x: T) -> y: uint8", T=INTEGERS, differentiable=False),
    "population_count",
    "Return how many bits of x are set.",
)
population_count.shape(same_shape)


def _count_bits(x: Any) -> Any:
    unsigned = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    return np.bitwise_count(unsigned)


population_count.kernel(through_numpy(_count_bits), on="wide_unsigned")


@population_count.kernel
def population_count_kernel(x: Any) -> Any:
    if x.is_cpu:
        return torch.from_numpy(np.asarray(_count_bits(to_numpy(x.contiguous()))))
    # Sums of neighbouring bits, then pairs, then halves of bytes; the last product adds the bytes.
    bits = x.long() & ((1 << 8 * x.element_size()) - 1 if x.element_size() < 8 else -1)
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((bits * 0x0101010101010101) >> 56).to(torch.uint8)
