"""A dataset whose elements a Python generator yields."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from placewise.core import errors, nest
from placewise.core.arguments import TensorLike
from placewise.core.nest import Composite
from placewise.core.scope import Scope, replaced
from placewise.core.tensor import Tensor
from placewise.data.engine.source import Element, Failure, Source, dataset_op
from placewise.ops.convert import convert_to_tensor
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.specs import TensorSpec, TypeSpec
from placewise.ops.values import from_numpy, own_array, to_numpy


@dataset_op(
    "GeneratorDataset(arguments: [Targuments]; generator: func",
    stateful=True,
    placement="ignores_handles",
)
class Generated(Source):
    """What a function's iterator yields, checked against what was said of it."""

    def __init__(
        self, structure: Any, arguments: list[Any], *, generator: Callable[..., Any]
    ) -> None:
        super().__init__(structure)
        self._generator = generator
        self._arguments = arguments

    def external_state(self) -> str:
        """Return what TensorFlow calls a generator: Python that a checkpoint cannot keep."""
        return "PyFunc"

    def iterate(self) -> Iterator[Element]:
        """Call the function and return what its iterator gives."""
        arguments = [own_array(each) for each in self._arguments]
        values: Any = None
        while True:
            # User code runs eagerly, wherever the dataset does.
            with replaced(interpreter=Scope.eager, request="", requests=(), tapes=()):
                try:
                    if values is None:
                        values = iter(self._generator(*arguments))
                    element = self._element(next(values))
                except StopIteration:
                    return
                except Exception as problem:
                    error = told(problem)
                    error.__cause__ = problem
                    element = Failure.of(error)
            yield element

    def _element(self, value: Any) -> Element:
        spec = self.structure.spec
        if isinstance(value, list):
            value = _as_tuples(value, spec)
        try:
            flat = _flattened(spec, value)
        except (TypeError, ValueError) as problem:
            shown = nest.map_structure(lambda each: getattr(each, "dtype", each), spec)
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {shown!r}, but the yielded element was {value}."
            ) from problem
        return tuple(
            _leaf(spec, kind, each)
            for spec, kind, each in zip(
                self.structure.leaves, self.structure.kinds, flat, strict=True
            )
        )


def _as_tuples(value: list[Any], spec: TensorSpec) -> Any:
    """Return a list as a tuple where the structure has one."""
    if isinstance(spec, tuple) and isinstance(value, list) and len(value) == len(spec):
        parts = [_as_tuples(each, part) for each, part in zip(value, spec, strict=True)]
        return nest.rebuild(spec, parts)
    return value


def _flattened(spec: Any, value: Any) -> list[Any]:
    """Return the parts of `value` where `spec` has its leaves; lists below it are one part."""
    parts = nest.children(spec)
    if parts is None:
        return [value]
    if isinstance(spec, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(spec):
            raise ValueError("other structure")
        given = list(value)
    else:
        theirs = nest.children(value)
        if theirs is None or [key for key, _ in theirs] != [key for key, _ in parts]:
            raise ValueError("other structure")
        given = [part for _, part in theirs]
    return [
        leaf
        for (_, part), each in zip(parts, given, strict=True)
        for leaf in _flattened(part, each)
    ]


def _leaf(spec: TypeSpec, kind: str, value: TensorLike) -> Any:
    if kind == "none":
        if value is not None:
            raise TypeError(f"`generator` yielded {value!r} where None was expected.")
        return ()
    if isinstance(spec, TensorSpec):
        return _plain(spec, value)
    if kind == "sparse" and not isinstance(value, Composite):
        value = SparseTensor.from_value(value)
    if not isinstance(value, Composite) and kind != "ragged":
        raise TypeError(
            f"`generator` yielded an element of {type(value)} where an element of "
            f"{spec} was expected."
        )
    if not spec.is_compatible_with(value):
        raise TypeError(
            f"`generator` yielded an element of {_spec_text(value)} where an element of {spec} "
            "was expected."
        )
    tensors = spec.to_tensors(value)
    return tensors[0]._value if kind == "plain" else tuple(each._value for each in tensors)


def _spec_text(value: Any) -> str:
    return str(getattr(value, "_type_spec", type(value)))


def _plain(spec: TensorSpec, value: Any) -> Any:
    dtype = spec.dtype
    if (
        isinstance(value, np.ndarray)
        and value.dtype == dtype.as_numpy_dtype
        and (value.dtype != object)
    ):
        content = from_numpy(value)
    else:
        try:
            if isinstance(value, Tensor):
                value = to_numpy(convert_to_tensor(value)._value)
            if dtype.name == "string":
                content = convert_to_tensor(value, dtype)._value
            else:
                content = from_numpy(np.asarray(value).astype(dtype.as_numpy_dtype))
        except (TypeError, ValueError) as problem:
            raise TypeError(
                "`generator` yielded an element that could not be converted to the expected "
                f"type. The expected type was {dtype.name}, but the yielded element was {value}."
            ) from problem
    shape = tuple(content.shape)
    if not spec.shape.is_compatible_with(shape):
        raise TypeError(
            f"`generator` yielded an element of shape {shape} where an element of shape "
            f"{spec.shape} was expected."
        )
    return content


def told(problem: Exception) -> Exception:
    """Return what an iterator raises for an exception of the user's generator."""
    if isinstance(problem, errors.OpError):
        return problem
    kind: Any = errors.UnknownError
    for theirs, ours in (
        ((TypeError, ValueError), errors.InvalidArgumentError),
        (MemoryError, errors.ResourceExhaustedError),
        (NotImplementedError, errors.UnimplementedError),
    ):
        if isinstance(problem, theirs):
            kind = ours
            break
    lines = "\n".join(traceback.format_exception(problem))
    made: Exception = kind(None, None, f"{type(problem).__name__}: {problem}\n{lines}\n")
    return made
