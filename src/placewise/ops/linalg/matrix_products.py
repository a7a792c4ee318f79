"""The product of two matrices, by the code that is quickest at it.

torch's own products are MKL's, which does not use AVX-512 on processors of AMD. The native module
(`native/products.c`) and oneDNN, which computes TensorFlow's large products, do: they take half the
time. The native module has one thread, so that large products are oneDNN's where torch has more.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import mm

from placewise import native
from placewise.devices.instructions import has_wide_amd

_SOME = 1 << 8  # elements of each matrix
_SMALL = 1 << 14  # multiplications: of fewer torch's call takes no longer
_LARGE = 1 << 21  # from which on oneDNN is quicker than MKL, and with threads than one
_LARGE_BY_COLUMNS = 1 << 22  # the same for a first matrix that is transposed: it is copied
_HUGE = 1 << 26  # from which on oneDNN is quicker with one thread, too
_FAR = 1 << 20  # elements of the second matrix: more do not stay near the processor


def _is_wide() -> bool:
    return torch.backends.cpu.get_cpu_capability() == "AVX512" and has_wide_amd()


def _onednn() -> Any:
    """Return torch's operator that calls oneDNN, if that is quicker on this processor."""
    if not (_is_wide() and torch.backends.mkldnn.is_available()):
        return None
    packet = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    return getattr(packet, "default", None)


def _native() -> Any:
    """Return the native module's function, if that is quicker on this processor."""
    return (
        native.code.multiply
        if native.code is not None and native.code.has_products() and _is_wide()
        else None
    )


_linear, _multiply = _onednn(), _native()


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices of one dtype."""
    # Most are small: this test is all that those pay.
    if a.numel() >= _SOME <= b.numel():
        result = _quick(a, b, None)
        if result is not None:
            return result
    return mm(a, b)


def product_plus(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices and a vector that is added to each row."""
    if a.numel() >= _SOME <= b.numel() and bias.shape == b.shape[1:] and is_plain(bias):
        result = _quick(a, b, bias)
        if result is not None:
            return result
    return torch.addmm(bias, a, b)


def _quick(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor | None:
    """Return what another library than torch's computes; None of all else: torch says what fits."""
    if not is_plain(a) or not is_plain(b) or a.dim() != 2 or b.dim() != 2:
        return None
    rows, depth = a.shape
    if b.shape[0] != depth or torch._C._functorch.peek_interpreter_stack() is not None:
        return None
    is_native = is_own(rows, depth, b.shape[1])
    if is_native and torch._C._len_torch_dispatch_stack() > 0:
        return OPERATOR(a, b, bias)
    if is_native:
        return _computed(a, b, bias)
    count = a.numel() * b.shape[1]
    if _linear is None or count < (_LARGE if a.stride(1) == 1 else _LARGE_BY_COLUMNS):
        return None
    result: torch.Tensor = _linear(
        a, b.mT, None if bias is None else bias.contiguous(), "none", [], ""
    )
    return result


def is_own(rows: int, depth: int, columns: int) -> bool:
    """Return whether a product of these sizes is the native module's."""
    count = rows * depth * columns
    if _multiply is None or not _SMALL <= count < _HUGE:
        return False
    if rows < 4 or depth * columns > _FAR:
        return False
    return count < _LARGE or torch.get_num_threads() == 1


def is_plain(x: torch.Tensor) -> bool:
    """Return whether a tensor is one of float32 in the host's memory.

    Tensors that stand in for values while torch records, vectorises or differentiates are not:
    torch has no rule for these products.
    """
    return (
        type(x) is torch.Tensor
        and x.dtype is torch.float32
        and x.is_cpu
        and not x.requires_grad
        and not x.is_neg()
        and not torch._is_functional_tensor(x)
    )


def _computed(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Return the product by the native module."""
    (rows, depth), columns = a.shape, b.shape[1]
    by_row, by_column = b.stride()
    if by_column != 1 and by_row != 1:
        b = b.contiguous()
        by_row, by_column = b.stride()
    added = 0
    if bias is not None:
        bias = bias.contiguous()
        added = bias.data_ptr()
    result = a.new_empty(rows, columns)  # whatever torch's defaults are
    to = result.data_ptr()
    places = (a.data_ptr(), *a.stride(), b.data_ptr(), by_row, by_column, added, 0, 1, to)
    _multiply(rows, columns, depth, *places)
    return result


# While calls of torch are recorded the product is an operator as well, so that none is missing.
_LIBRARY = torch.library.Library("placewise", "FRAGMENT")
_LIBRARY.define("product(Tensor a, Tensor b, Tensor? bias) -> Tensor")
_LIBRARY.impl("product", _computed, "CPU")
OPERATOR = torch.ops.placewise.product.default
