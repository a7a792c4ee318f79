"""tf.raw_ops: every declared op by its registry name, with keyword arguments only."""

from typing import Any as _Any

from placewise.core.namespace import missing as _missing
from placewise.ops.raw_ops import raw_op as _raw_op
from placewise.ops.raw_ops import raw_op_names as _raw_op_names


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(_missing(__name__, name, []))
    try:
        function = globals()[name] = _raw_op(name)
    except KeyError:
        raise AttributeError(_missing(__name__, name, _raw_op_names())) from None
    return function


def __dir__() -> list[str]:
    return _raw_op_names()
