"""What a call under attack may do: return, or raise what a TensorFlow program expects."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from placewise.core.errors import InternalError, OpError, UnknownError

# What TensorFlow's Python raises for arguments that cannot be.
_PYTHON = (TypeError, ValueError, NotImplementedError, OSError)
# Words that only torch, or Python inside the package, would say.
_LEAKS = re.compile(
    r"object has no attribute|object is not (callable|iterable|subscriptable)|has no len\(\)"
    r"|unsupported operand type|takes \d+ positional argument|missing \d+ required positional"
    r"|list index out of range|tuple index out of range|not enough values to unpack"
    r"|too many values to unpack|object cannot be interpreted as|Expected all tensors to be on"
    r"|torch\.|aten::|ATen|\bat::|c10::|Dimension out of range \(expected to be in range"
    r"|The size of tensor a|expected scalar type|mat1 and mat2|Expected size for first two"
    r"|is invalid for input of size|_cpu\" not implemented|not implemented for '"
    r"|stack expects each tensor|must match the size|Tensors must have same number of dim"
    r"|argument '\w+' \(position \d+\) must be|zip\(\) argument|bad operand type"
    r"|Expected (index|reduction dim|self|src|condition, x)\b.* to be|numel\(\)|self\.shape"
    r"|doesn't match the broadcast shape|codec can't|The expanded size"
    r"|non-singleton dimension|could not broadcast input|operands could not be|cannot reshape array"
    r"|out of bounds for dimension|DefaultCPUAllocator|selected index"
)


def judge(error: BaseException) -> str | None:
    """Return what is wrong with an error, or None if a TensorFlow program may get it."""
    text = str(error)
    first = text.partition("\n")[0][:200]
    if "only integer div and mod should have errors" in text:  # TensorFlow's own InternalError
        return None
    if isinstance(error, (InternalError, UnknownError)):
        return f"{type(error).__name__}: {first}"
    is_allowed = isinstance(error, (OpError, *_PYTHON))
    if not is_allowed and not _is_refusal(error, text):
        return f"{type(error).__name__}: {first}"
    is_numpys = isinstance(error, UnicodeError)  # TensorFlow's binding lets NumPy's through
    if _LEAKS.search(text) and not is_numpys:
        return f"leak in {type(error).__name__}: {first}"
    return None


def judge_public(error: BaseException) -> str | None:
    """Judge an error of a public function.

    These are Python in TensorFlow, too: an argument of a wrong kind ends in Python's own words.
    """
    problem = judge(error)
    if problem is None or not isinstance(error, (TypeError, AttributeError, ValueError)):
        return problem
    return problem if re.search(r"torch|aten|c10|tensor a \(", str(error)) else None


def _is_refusal(error: BaseException, text: str) -> bool:
    """Return whether a Python error is one of those that TensorFlow raises on purpose."""
    if isinstance(error, RuntimeError):
        return "eager execution" in text or "graph" in text.lower()
    return isinstance(error, (OverflowError, AttributeError)) and not _LEAKS.search(text)


def kind_of(problem: str) -> str:
    """Return a problem without its numbers and names: problems of one kind have one cause."""
    text = re.sub(r"\[Op:\w+\].*", "", problem)
    return re.sub(r"\d+", "#", re.sub(r"'[^']*'", "'…'", text))[:120]


def describe(value: Any) -> str:
    """Return an argument in a few words, for a report."""
    if isinstance(value, np.ndarray):
        shown = f"={value.tolist()!r}"[:60] if value.size <= 4 else ""
        return f"{value.dtype.name}{list(value.shape)}{shown}"
    return repr(value)[:60]
