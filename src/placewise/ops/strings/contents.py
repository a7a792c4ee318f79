"""What string kernels share: arrays of bytes in, arrays of bytes or numbers out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from placewise.ops.values import from_numpy

Strings = np.ndarray[Any, Any]


def strings(items: Iterable[bytes], shape: Sequence[Any]) -> Strings:
    """Return bytes objects as the content of a string tensor."""
    listed = list(items)
    result = np.empty(len(listed), dtype=object)
    result[:] = listed
    return result.reshape(tuple(shape))


def mapped(function: Callable[[bytes], bytes], values: Strings) -> Strings:
    """Return a string for each string."""
    return strings(map(function, values.reshape(-1).tolist()), values.shape)


def numbers(function: Callable[[bytes], Any], values: Strings, dtype: type[Any]) -> Any:
    """Return a number for each string."""
    made = np.array([function(each) for each in values.reshape(-1).tolist()], dtype=dtype)
    return from_numpy(made.reshape(values.shape))


def vector(items: Any, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Return integers as a vector."""
    return torch.tensor(items, dtype=dtype)
