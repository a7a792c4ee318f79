"""Checks on what is known without looking at values: ranks, shapes, types."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import DType, as_dtype
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.symbolic_checks import ranked, sized
from placewise.ops.math.comparison import equal, greater_equal
from placewise.ops.state.variable import is_variable
from placewise.ops.values import EagerTensor


def _whole(rank: Any) -> int:
    """Return a rank argument as an int; only whole numbers will do."""
    if type(rank) is int:
        return rank
    found = convert_to_tensor(rank)
    if not found.dtype.is_integer:
        raise TypeError(f"tensor must be of type tf.int32; got {found.dtype!r}")
    return int(found)


def _prefix(message: Any, tensor: Any) -> str:
    """Return how a complaint about a tensor begins: one of a graph has a name."""
    if isinstance(tensor, EagerTensor):
        return f"{message}.Tensor " if message else "Tensor "
    return f"{message}.  Tensor {tensor.name}" if message else f"Tensor {tensor.name}"


def _is_unranked(tensor: Any) -> bool:
    return tensor.shape.rank is None and not isinstance(tensor, EagerTensor)


def assert_rank(x: Any, rank: int, message: Any = None, name: str | None = None) -> Any:
    """Raise ValueError unless `x` has `rank` dimensions."""
    tensor = convert_to_tensor(x)
    if _is_unranked(tensor):
        return ranked(equal, "", tensor, [rank], message, name or "assert_rank")
    shape = tensor.shape
    if shape.rank != _whole(rank):
        raise ValueError(
            f"{_prefix(message, tensor)} must have rank {_whole(rank)}.  Received rank "
            f"{shape.rank}, shape {shape}"
        )
    return None


def assert_rank_at_least(x: Any, rank: int, message: Any = None, name: str | None = None) -> Any:
    """Raise ValueError unless `x` has at least `rank` dimensions."""
    tensor = convert_to_tensor(x)
    if _is_unranked(tensor):
        called = name or "assert_rank_at_least"
        return ranked(greater_equal, " at least", tensor, [rank], message, called)
    shape = tensor.shape
    if shape.rank < _whole(rank):
        raise ValueError(
            f"{_prefix(message, tensor)} must have rank at least {_whole(rank)}.  Received rank "
            f"{shape.rank}, shape {shape}"
        )
    return None


def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: str | None = None) -> Any:
    """Raise ValueError unless the number of dimensions of `x` is one of `ranks`."""
    tensor = convert_to_tensor(x)
    if _is_unranked(tensor):
        return ranked(equal, " in", tensor, list(ranks), message, name or "assert_rank_in")
    shape = tensor.shape
    allowed = tuple(_whole(rank) for rank in ranks)
    if shape.rank not in allowed:
        raise ValueError(
            f"{_prefix(message, tensor)} must have rank in {allowed}.  Received rank "
            f"{shape.rank}, shape {shape}"
        )
    return None


def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> None:
    """Raise ValueError unless `tensor` is a scalar."""
    made = convert_to_tensor(tensor)
    if made.shape.rank != 0:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {made.shape}.")


def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> None:
    """Raise TypeError unless a tensor has a dtype."""
    wanted, found = as_dtype(tf_type), convert_to_tensor(tensor).dtype
    if found is not wanted:
        said = f"{message}  " if message else ""
        raise TypeError(f"{said}tensor must be of type {wanted!r}; got {found!r}")


def assert_integer(x: Any, message: Any = None, name: str | None = None) -> None:
    """Raise TypeError unless `x` holds integers."""
    dtype = convert_to_tensor(x).dtype
    if not dtype.is_integer:
        said = f"{message}  " if message else ""
        raise TypeError(f'{said}Expected "x" to be integer type.  Found: tensor of dtype {dtype}')


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """Return the floating dtype that all tensors share, or raise ValueError."""
    expected = None if dtype is None else as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if expected is None:
            expected, first = tensor.dtype, tensor
        elif tensor.dtype is not expected:
            like = "" if first is None else f" as {first!s}"
            raise ValueError(
                f"{tensor!s}, type={tensor.dtype}, must be of the same type ({expected}){like}."
            )
    if expected is None:
        return as_dtype("float32")
    if not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected}.")
    return expected


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError for what iterates but is no collection: tensors, arrays, strings."""
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or is_variable(values):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def is_numeric_tensor(tensor: Any) -> bool:
    """Return True for a tensor of numbers."""
    return (isinstance(tensor, Tensor) or is_variable(tensor)) and tensor.dtype.is_numeric


def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> None:
    """Raise ValueError unless tensors have the given shapes; equal symbols mean equal sizes."""
    pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    sizes: dict[Any, tuple[int, str]] = {}
    said = f"{message}.  " if message else ""
    for given, wanted in pairs:
        tensor = convert_to_tensor(given)
        if _is_unranked(tensor):
            _check_unranked(tensor, wanted, message)
            continue
        dims = tensor.shape.as_list()
        described = f"shape={tensor.shape} dtype={tensor.dtype.name}"
        symbols = list(wanted) if isinstance(wanted, (str, list, tuple)) else [wanted]
        dots = [i for i, symbol in enumerate(symbols) if symbol in ("...", Ellipsis)]
        if isinstance(wanted, str):
            symbols = _letters(wanted)
            dots = [i for i, symbol in enumerate(symbols) if symbol == "..."]
        if dots and dots[0] == 0:
            symbols = symbols[1:]
            if len(dims) < len(symbols):
                raise ValueError(
                    f"{said}Tensor {described} must have rank at least {len(symbols)}.  Received "
                    f"rank {len(dims)}, shape {tensor.shape}"
                )
            dims = dims[len(dims) - len(symbols) :]
        elif dots:
            symbols = symbols[:-1]
            dims = dims[: len(symbols)]
        elif len(dims) != len(symbols):
            raise ValueError(
                f"{said}Tensor {described} must have rank {len(symbols)}.  Received rank "
                f"{len(dims)}, shape {tensor.shape}"
            )
        _check_sizes(said, tensor, described, symbols, dims, sizes, message)


def _check_unranked(tensor: Any, wanted: Any, message: Any) -> None:
    """Check the shape of a tensor of which nothing is known, when the graph runs."""
    symbols = _letters(wanted) if isinstance(wanted, str) else list(wanted)
    if any(symbol in ("...", Ellipsis) for symbol in symbols):
        rest = len(symbols) - 1
        ranked(greater_equal, " at least", tensor, [rest], message, "assert_shapes/assert_rank")
        return
    ranked(equal, "", tensor, [len(symbols)], message, "assert_shapes/assert_rank")
    for axis, symbol in enumerate(symbols):
        if str(symbol).lstrip("-").isdigit():
            sized(tensor, axis, int(symbol), "Specified explicitly", message)


def _letters(text: str) -> list[str]:
    found: list[str] = []
    index = 0
    while index < len(text):
        step = 3 if text.startswith("...", index) else 1
        found.append(text[index : index + step])
        index += step
    return found


def _check_sizes(
    said: str,
    tensor: Any,
    described: str,
    symbols: list[Any],
    dims: list[Any],
    sizes: Any,
    message: Any,
) -> None:
    for axis, (symbol, size) in enumerate(zip(symbols, dims, strict=True)):
        if symbol in (".", None):
            continue
        number = int(symbol) if str(symbol).lstrip("-").isdigit() else None
        if number is not None:
            wanted, source = number, "Specified explicitly"
        elif symbol in sizes:
            wanted, source = sizes[symbol]
        else:
            sizes[symbol] = (size, f"Specified by tensor {described} dimension {axis}")
            continue
        if size is None or wanted is None:
            if wanted is not None:
                sized(tensor, axis, wanted, source, message)
            continue
        if wanted != size:
            raise ValueError(
                f"{said}{source}.  Tensor {described} dimension {axis} must have size {wanted}.  "
                f"Received size {size}, shape {tensor.shape}"
            )
