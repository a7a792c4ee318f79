"""Python's own functions, for tensors: `len`, `range`, `int`, `enumerate`, `zip`, `max`, …

Each is asked only in converted code, and is Python's for everything but symbolic tensors.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from placewise.core.scope import Scope, current
from placewise.functions import lazy
from placewise.functions.autograph.elements import is_dataset
from placewise.functions.autograph.loops import register_for
from placewise.functions.autograph.rows import counted, together
from placewise.functions.autograph.staged_loop import StagedLoop
from placewise.functions.autograph.state import is_symbolic
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.map_fn import map_fn
from placewise.ops.flow.scan import foldl, foldr, scan
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_min, reduce_sum
from placewise.ops.math.sort import sort
from placewise.ops.strings.numerals import to_number


def _any_symbolic(values: Any) -> bool:
    return builtins.any(is_symbolic(value) for value in values)


def len_(value: Any) -> Any:
    """Return the number of items; of a tensor, its first dimension."""
    if is_symbolic(value):
        tensor = convert_to_tensor(value)
        dims = tensor._dims
        if dims == ():
            raise ValueError(
                f"len requires a non-scalar tensor, got one of shape {shape_of(tensor)}"
            )
        return dims[0] if dims and dims[0] is not None else shape_of(tensor)[0]
    return builtins.len(value)


def range_(*limits: Any) -> Any:
    """Return a range; one with a tensor among its limits is a tf.range."""
    return numbers(*limits) if _any_symbolic(limits) else builtins.range(*limits)


def int_(*arguments: Any, **keywords: Any) -> Any:
    """Return an integer; of a tensor, an int32 tensor."""
    if arguments and is_symbolic(arguments[0]):
        return _number(arguments[0], "int32")
    return int(*arguments, **keywords)


def float_(*arguments: Any) -> Any:
    """Return a float; of a tensor, a float32 tensor."""
    if arguments and is_symbolic(arguments[0]):
        return _number(arguments[0], "float32")
    return float(*arguments)


def _number(value: Any, dtype: str) -> Any:
    tensor = convert_to_tensor(value)
    if tensor.dtype.base_dtype.name == "string":
        return to_number(tensor, dtype)
    return cast(tensor, dtype)


class Paired:
    """Symbolic things side by side, for a `for` loop to go over."""

    def __init__(self, several: list[Any], counts_from: Any = None) -> None:
        self.several = several
        self.counts_from = counts_from

    def rows(self) -> Any:
        """Return the items, each a tuple."""
        every = together(self.several)
        if self.counts_from is None:
            return every
        start = convert_to_tensor(self.counts_from, dtype_hint="int32")
        number = counted(0, lambda n: n, start)
        return every._replace(
            first=(start, every.first),
            advance=lambda pair: (number.advance(pair[0]), every.advance(pair[1])),
            holds=lambda pair: every.holds(pair[1]),
            item=lambda pair: (pair[0], every.item(pair[1])[0]),
        )


def _for_paired(
    iterable: Paired,
    extra_test: Any,
    body: Callable[..., Any],
    get: Callable[..., Any],
    put: Callable[..., Any],
    names: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    StagedLoop(get, put, names, options).stage_rows(iterable.rows(), extra_test, body)


register_for(Paired, _for_paired)


def enumerate_(iterable: Any, start: int = 0) -> Any:
    """Return pairs of a number and an item."""
    if is_symbolic(iterable):
        return Paired([iterable], start)
    if _is_dataset(iterable):
        return iterable.enumerate(start)
    if _is_distributed(iterable) and current.interpreter is not Scope.eager:
        # Python's own function would trace without end.
        raise NotImplementedError("use a for loop over the dataset and keep a separate counter")
    return builtins.enumerate(iterable, start)


def _is_distributed(value: Any) -> bool:
    """Return whether this is a dataset of a strategy, or an iterator over one."""
    return is_dataset(type(value)) and not hasattr(value, "_staged_rows")


def _is_dataset(value: Any) -> bool:
    return is_dataset(type(value)) and hasattr(value, "enumerate")


def zip_(*iterables: Any, **keywords: Any) -> Any:
    """Return tuples of the items of several iterables."""
    if iterables and builtins.all(is_symbolic(iterable) for iterable in iterables):
        return Paired(list(iterables))
    if iterables and builtins.all(map(_is_dataset, iterables)):
        return type(iterables[0]).zip(tuple(iterables))
    return builtins.zip(*iterables, **keywords)  # noqa: B905 - it is among the keywords


def _reducing(name: str, reduction: Callable[..., Any]) -> Any:
    plain = getattr(builtins, name)

    def reduced(values: Any, *others: Any) -> Any:
        if is_symbolic(values):
            total = reduction(convert_to_tensor(values), axis=0)
            return total + others[0] if others else total
        return plain(values, *others)

    reduced.__name__ = reduced.__qualname__ = name
    reduced.__doc__ = f"Return what {name} gives; of a tensor, over its first dimension."
    return reduced


any_ = _reducing("any", reduce_any)
all_ = _reducing("all", reduce_all)
sum_ = _reducing("sum", reduce_sum)


def _extreme(name: str, reduction: Callable[..., Any], of_two: Callable[..., Any]) -> Any:
    plain = getattr(builtins, name)

    def reduced(*values: Any, **keywords: Any) -> Any:
        if keywords or not _any_symbolic(values):
            return plain(*values, **keywords)
        if builtins.len(values) == 1:
            return reduction(convert_to_tensor(values[0]), axis=0)
        result = values[0]
        for value in values[1:]:
            result = of_two(result, value)
        return result

    reduced.__name__ = reduced.__qualname__ = name
    reduced.__doc__ = f"Return what {name} gives, element by element for tensors."
    return reduced


max_ = _extreme("max", reduce_max, maximum)
min_ = _extreme("min", reduce_min, minimum)


def sorted_(iterable: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """Return a sorted list; of a tensor, a sorted tensor."""
    if is_symbolic(iterable) and key is None:
        return sort(iterable, direction="DESCENDING" if reverse else "ASCENDING")
    return builtins.sorted(iterable, key=key, reverse=reverse)


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """Return the results of a function for each item, the function converted."""
    if iterables and builtins.all(map(_is_dataset, iterables)):
        whole = iterables[0] if builtins.len(iterables) == 1 else zip_(*iterables)
        return whole.map(function)
    return builtins.map(lazy.callee(function), *iterables)


def filter_(function: Any, iterable: Any) -> Any:
    """Return the items for which a function holds, the function converted."""
    if _is_dataset(iterable):
        return iterable.filter(function)
    return builtins.filter(function and lazy.callee(function), iterable)


def _taking_function(function: Callable[..., Any]) -> Any:
    """Return one of TensorFlow's functions with its first argument, a function, converted."""

    @functools.wraps(function)
    def taking(*arguments: Any, **keywords: Any) -> Any:
        if arguments:
            arguments = (lazy.callee(arguments[0]), *arguments[1:])
        elif "fn" in keywords:
            keywords["fn"] = lazy.callee(keywords["fn"])
        return function(*arguments, **keywords)

    return taking


# TensorFlow's functions that convert the function they are given.
TAKING_FUNCTIONS = {taker: _taking_function(taker) for taker in (map_fn, foldl, foldr, scan)}

REPLACED = {
    builtins.len: len_,
    builtins.range: range_,
    builtins.int: int_,
    builtins.float: float_,
    builtins.enumerate: enumerate_,
    builtins.zip: zip_,
    builtins.any: any_,
    builtins.all: all_,
    builtins.sum: sum_,
    builtins.max: max_,
    builtins.min: min_,
    builtins.sorted: sorted_,
    builtins.map: map_,
    builtins.filter: filter_,
}
