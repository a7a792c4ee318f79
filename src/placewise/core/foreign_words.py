"""Messages of torch and of Python itself, which say nothing to who called an op.

A kernel leaves most checks to torch. What torch says of its own arguments (`mat1`, `tensor a`) or
Python of a list names things that the program never wrote. `in_own_words` returns what to say
instead; the error as it was stays its cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

_SHAPES = "the shapes of the arguments do not go together"
_TYPES = "the dtypes of the arguments do not go together"
_COUNT = "an argument has too few or too many values"
_RANGE = "an axis, an index or a size is out of range"
_KIND = "an argument is not of the kind that the op takes"

_FOREIGN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"size of tensor a|must match the size|must match except|stack expects each tensor"
            r"|same number of dim|is invalid for input of size|shapes cannot be multiplied"
            r"|mat1 and mat2|Expected size for first two|expand\(|output with shape|number of sizes"
            r"|could not be broadcast|not broadcastable|Given groups=|weight of size|kernel size"
            r"|Expected .*D .*(tensor|input)|dimension.* (to be|should be|but got)|mismatch in"
            r"|Sizes of tensors|size mismatch|must have the same|cannot reshape|zero-element"
            r"|all the input arrays|operands could not|is too small|expected to have|non-empty"
            r"|source tensor shape|Expected (index|reduction dim)",
            _SHAPES,
        ),
        (
            r"expected scalar type|dtype|not implemented for|can't be cast|Found dtype|result type"
            r"|data type|scalar type",
            _TYPES,
        ),
        (
            r"list index|tuple index|values to unpack|zip\(\) argument|has no len|empty sequence"
            r"|iterable argument|pop from empty|at least one array|non-empty list",
            _COUNT,
        ),
        (
            r"out of range|out of bounds|Dimension|division by zero|modulo by zero|negative dim"
            r"|too large|overflow|cannot convert float|exceeds|must be (positive|greater|non)",
            _RANGE,
        ),
        (
            r"object (has no|is not|cannot be)|unsupported operand|bad operand|positional argument"
            r"|argument '\w+'|must be real number|must be str|not supported between|int\(\) "
            r"|float\(\) |ambiguous|only .*scalar arrays|inhomogeneous|unhashable",
            _KIND,
        ),
        (r"codec can't", "a string is not valid UTF-8"),
    )
)
# What marks a message as not of this package.
_IS_FOREIGN = re.compile(
    r"torch|aten::|ATen|at::|c10::|tensor a \(|mat1|zip\(\) arg"
    r"|index out of range|Dimension out of range"
    r"|values to unpack|object (has no|is not|cannot be)|has no len|unsupported operand|bad operand"
    r"|takes \d+ positional|missing \d+ required|expand\(|expected scalar type|must match except"
    r"|stack expects each|is invalid for input of size|argument '\w+' \(position"
    r"|positional argument"
    r"|non-singleton dimension|Sizes of tensors must match|Expected size for first two"
    r"|Given groups=|modulo by zero|division by zero|out of bounds for (axis|dimension)"
    r"|must match the size"
    r"|pop from empty|could not broadcast|operands could not be broadcast|Found dtype"
    r"|can't be cast to the desired|negative dimension|ambiguous|inhomogeneous|empty sequence"
    r"|not supported between instances|must be real number|array is too big|cannot reshape array"
    r"|result type \w+|Tensors must have same|same number of dimensions|axes don't match"
    r"|only .*scalar arrays can be|iterable argument is empty|Overflow when unpacking"
    r"|codec can't|self\.shape|numel\(\)|Expected index|doesn't match the broadcast shape"
    r"|unhashable type"
)


_OF_PYTHON = (LookupError, ArithmeticError, AttributeError, AssertionError, RecursionError)


@contextmanager
def read_as(what: str) -> Iterator[None]:
    """Let what is read fail as TensorFlow's Python does: Python's own errors become ValueErrors.

    For messages and files that anyone may have written, whose parts refer to each other.
    """
    try:
        yield
    except _OF_PYTHON as problem:
        raise ValueError(f"{what} is malformed: {stated(str(problem), what)}") from problem
    except (TypeError, ValueError) as problem:
        if not _IS_FOREIGN.search(str(problem)):
            raise
        raise ValueError(f"{what} is malformed: {stated(str(problem), what)}") from problem


def in_own_words(text: str, name: str) -> str:
    """Return a message as it is, or what it means for an op of that name where it is foreign."""
    return stated(text, name) if _IS_FOREIGN.search(text) else text


def stated(text: str, name: str) -> str:
    """Return what a foreign message means for the arguments of an op."""
    for pattern, words in _FOREIGN:
        if pattern.search(text):
            return f"Invalid arguments for {name}: {words}"
    return f"Invalid arguments for {name}: they do not go together"
