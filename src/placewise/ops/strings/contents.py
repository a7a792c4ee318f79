"""What string kernels share: arrays of bytes in, arrays of bytes or numbers out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
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


def one_of(attr: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise the error for an attribute that is none of a few words."""
    if value not in allowed:
        listed = ", ".join(f'"{each}"' for each in allowed)
        raise invalid(
            f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {listed}"
        )


def at_least(attr: str, value: int, least: int) -> None:
    """Raise the error for an integer attribute that is too small."""
    if value < least:
        raise invalid(f"Value for attr '{attr}' of {value} must be at least minimum {least}")
