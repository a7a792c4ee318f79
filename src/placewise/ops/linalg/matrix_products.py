"""The product of two matrices, by the library that is quickest at it.

torch's own products are MKL's, which does not use AVX-512 on processors of AMD. oneDNN, which
computes TensorFlow's, does: large products take half the time, and their bits do not depend on the
number of threads. A small product stays with MKL, as a call of oneDNN takes 9 us more.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import mm

from placewise.devices.instructions import has_wide_amd

_SOME = 1 << 10  # elements of each matrix
_LARGE = 1 << 21  # multiplications from which on oneDNN is quicker
_LARGE_BY_COLUMNS = 1 << 22  # the same for a first matrix that is transposed: it is copied


def _onednn() -> Any:
    """Return torch's operator that calls oneDNN, if that is quicker on this processor."""
    is_wide = torch.backends.cpu.get_cpu_capability() == "AVX512" and has_wide_amd()
    if not (is_wide and torch.backends.mkldnn.is_available()):
        return None
    packet = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    return getattr(packet, "default", None)


_linear = _onednn()


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices of one dtype."""
    # Most are small: this test is all that those pay.
    if _linear is not None and a.numel() >= _SOME <= b.numel() and _is_large(a, b):
        return _linear(a, b.mT, None, "none", [], "")
    return mm(a, b)


def product_plus(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices and a vector that is added to each row."""
    is_large = _linear is not None and a.numel() >= _SOME <= b.numel() and _is_large(a, b)
    if is_large and type(bias) is torch.Tensor and bias.is_cpu and bias.shape == b.shape[1:]:
        return _linear(a, b.mT, bias.contiguous(), "none", [], "")
    return torch.addmm(bias, a, b)


def _is_large(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Return whether oneDNN can compute a product, and is quicker; of others torch says what fits.

    Tensors that stand in for values while torch records, vectorises or differentiates do not count:
    torch has no rule for that operator.
    """
    if type(a) is not torch.Tensor or type(b) is not torch.Tensor or not a.is_cpu or not b.is_cpu:
        return False
    if a.dtype is not torch.float32 or b.dtype is not torch.float32:
        return False
    if a.dim() != 2 or b.dim() != 2 or a.size(1) != b.size(0):
        return False
    count = a.numel() * b.size(1)
    if count < (_LARGE if a.stride(1) == 1 else _LARGE_BY_COLUMNS):
        return False
    is_recorded = a.requires_grad or b.requires_grad or torch._is_functional_tensor(a)
    return not is_recorded and torch._C._functorch.peek_interpreter_stack() is None
