"""Tensors in host memory as arrays, for loops in C and for NumPy where it beats torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

Array = np.ndarray[Any, Any]


def host_array(x: Any, *dtypes: torch.dtype) -> Array | None:
    """Return the memory of a contiguous host tensor of one of some dtypes; None of any other.

    Other tensors are on a device, or stand in for values while torch records a kernel, be it for a
    gradient or for its compiler: the kernel goes on in torch's words then.
    """
    if type(x) is not torch.Tensor or not x.is_cpu or x.dtype not in dtypes:
        return None
    if not x.is_contiguous() or torch._is_functional_tensor(x):
        return None
    try:
        array: Array = x.numpy()
    except RuntimeError:  # no memory of its own, or a gradient is wanted
        return None
    return array
