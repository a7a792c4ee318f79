"""`tensorflow.python.util.serialization`: what JSON writes for objects it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from placewise.core.dtypes import DType
from placewise.core.shapes import Dimension, TensorShape


def get_json_type(obj: Any) -> Any:
    """Return an object as JSON can write it, for `json.dumps(value, default=get_json_type)`."""
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    if isinstance(obj, DType):
        return obj.name
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, Mapping):
        return dict(obj)
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__"}
    if hasattr(obj, "__wrapped__"):
        return obj.__wrapped__
    raise TypeError(
        f"Object {obj} is not JSON-serializable. You may implement a `get_config()` method on the "
        "class (returning a JSON-serializable dictionary) to make it serializable."
    )
