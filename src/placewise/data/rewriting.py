"""A dataset that exists, written into a graph: the ops that made it, once more.

Saving needs this: what a SavedModel holds of a dataset is a function that makes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.errors import InvalidArgumentError
from placewise.data.engine.source import Made
from placewise.devices.inventory import inventory
from placewise.ops.array.creation import constant
from placewise.ops.values import Variant, wrap


def rewritten(variant: Variant) -> Any:
    """Write the ops that made a dataset into the graph in force; return its variant tensor."""
    if not isinstance(variant, Made):
        raise InvalidArgumentError(
            None, None, f"{type(variant.value).__name__} cannot be written into a graph."
        )
    return variant.bind(*[_input(value) for value in variant.inputs], **variant.attrs)


def _input(value: Any) -> Any:
    """Return an input of a dataset's op: another dataset's op, or a value that is captured."""
    if type(value) is list:
        return [_input(one) for one in value]
    if isinstance(value, Variant):
        return rewritten(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return constant(value)  # of an input that kernels take as an array of numbers
    return wrap(value, inventory().cpu)
