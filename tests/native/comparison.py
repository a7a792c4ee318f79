"""What a call gives in C, and in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import native


def both(call: Callable[[], Any]) -> tuple[Any, Any]:
    """Return what a call gives or raises in C and in Python."""
    with pytest.MonkeyPatch.context() as patch:
        quick = outcome(call)
        patch.setattr(native, "code", None)
        return quick, outcome(call)


def outcome(call: Callable[[], Any]) -> Any:
    """Return a result as something that can be compared, or an error."""
    try:
        return plain(call())
    except (tf.errors.OpError, TypeError, ValueError) as error:
        return type(error), str(error)


def plain(value: Any) -> Any:
    """Return tensors as dtype, shape and text of the values: nan is equal to itself then."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tf.SparseTensor):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if isinstance(value, tf.RaggedTensor):
        return [plain(value.values), plain(value.row_splits)]
    if isinstance(value, bytes):
        return value
    return value.dtype, value.shape, repr(np.asarray(value.numpy()).tolist())
