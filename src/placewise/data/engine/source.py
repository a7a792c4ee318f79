"""A dataset that runs, and how each kind of it is declared: one op, one class.

The op of a kind (`BatchDatasetV2`, …) makes the object; in eager programs at once, in a graph
whenever the graph runs. `iterate` then gives the elements, as a Python generator, so that closing
an iterator closes all that it reads from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import partial
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.scope import Scope, current, replaced
from placewise.data.engine.random_words import Seeds
from placewise.data.node_attributes import dataset_attributes, dataset_functions
from placewise.data.structure import Structure, structure_of
from placewise.devices.inventory import inventory
from placewise.functions.dataset_function import StructuredFunction, external_state
from placewise.ops.declare import Arg, Op, define
from placewise.ops.values import Content, EagerTensor, Variant
from placewise.placement.rules import fitting, parsed

INFINITE = -1
UNKNOWN = -2

Element = tuple[Any, ...]
# True while one element is read by its index: random order is then the same each time.
BY_INDEX: ContextVar[bool] = ContextVar("BY_INDEX", default=False)
_ROW_BYTES = 4096  # rows up to this size are cut from a larger piece, for the lesser cost of each
_CHUNK = 64


class Failure(tuple[Any, ...]):
    """Stands where an element could not be made, so that those after it can be had.

    Sources hand it on like an element; whoever reads a dataset for a program raises its error.
    """

    error: Exception

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return a failure with this error."""
        failure = cls()
        failure.error = error
        return failure

    def __bool__(self) -> bool:
        return True


def first_failure(elements: Iterable[Element]) -> Failure | None:
    """Return the first failure among some elements."""
    return next((element for element in elements if element.__class__ is Failure), None)


class Rows:
    """Elements that are rows of tensors: as long as only their order changes, numbers do."""

    def __init__(self, columns: list[Any], count: int) -> None:
        self.columns, self.count = columns, count
        sizes = [
            column.element_size() * column[:1].numel() if isinstance(column, torch.Tensor) else 0
            for column in columns
        ]
        self._is_small = max(sizes, default=0) <= _ROW_BYTES

    def batch(self, numbers: list[int]) -> Element:
        """Return some rows as one element."""
        first, last = numbers[0], numbers[-1]
        if last - first == len(numbers) - 1 and numbers == list(range(first, last + 1)):
            return tuple(
                [
                    column[first : last + 1].clone()
                    if isinstance(column, torch.Tensor)
                    else column[first : last + 1].copy()
                    for column in self.columns
                ]
            )
        chosen = torch.tensor(numbers)
        return tuple(
            [
                column.index_select(0, chosen)
                if isinstance(column, torch.Tensor)
                else column[numbers]
                for column in self.columns
            ]
        )

    def elements(self, numbers: Iterator[int]) -> Iterator[Element]:
        """Return the rows of some numbers, one after the other."""
        if not self._is_small:
            for number in numbers:
                yield tuple([_row(column, number) for column in self.columns])
            return
        size = 1  # grows, so that a short look at the data stays cheap
        while some := list(islice(numbers, size)):
            yield from zip(*[unbound(column) for column in self.batch(some)], strict=True)
            size = min(_CHUNK, size * 4)


def _row(column: Any, number: int) -> Any:
    if isinstance(column, torch.Tensor):
        return column[number].clone()
    return _boxed(column[number])


def _boxed(found: TensorLike) -> Any:
    if isinstance(found, np.ndarray):
        return found
    made = np.empty((), dtype=object)
    made[()] = found
    return made


def unbound(column: Content) -> Any:
    """Return the rows of a column."""
    if isinstance(column, torch.Tensor):
        return column.unbind(0)
    return [_boxed(each) for each in column]


class Source:
    """Gives elements: the content of a dataset's variant tensor."""

    make: ClassVar[Callable[..., Any]]
    rows: Rows | None = None
    inputs: tuple[Source, ...] = ()
    seeds: Seeds | None = None  # of a source of random order
    is_transparent = False  # True if it gives an element for each of its input, in its order
    functions: tuple[Any, ...] = ()  # that are called for its elements

    def __init__(self, structure: Any) -> None:
        self.structure = structure

    def all_seeds(self) -> list[Seeds]:
        """Return the seeds of this source and of all it reads from, in a fixed order."""
        own = [] if self.seeds is None else [self.seeds]
        return own + [seeds for source in self.inputs for seeds in source.all_seeds()]

    def external_state(self) -> str | None:
        """Return an op of a function here, or behind, whose state no checkpoint keeps, or None."""
        own = (external_state(function.graph) for function in self.functions)
        behind = (source.external_state() for source in self.inputs)
        return next((op for op in chain(own, behind) if op is not None), None)

    def iterate(self) -> Iterator[Element]:
        """Return a fresh iterator over the elements, with failures among them."""
        raise NotImplementedError

    def read(self) -> Iterator[Element]:
        """Return a fresh iterator over the elements; it ends with the error of a failure."""
        for element in self.iterate():
            if element.__class__ is Failure:
                raise element.error
            yield element

    def numbers(self) -> Iterator[int]:
        """Return the numbers of the elements' rows, if they are rows."""
        raise NotImplementedError

    def count(self) -> int:
        """Return how many elements there are; -1 for ever, -2 unknown."""
        return UNKNOWN


class Unary(Source):
    """A dataset made from another one."""

    def __init__(self, structure: Any, source: Source) -> None:
        super().__init__(structure)
        self.source = source
        self.inputs = (source,)

    def count(self) -> int:
        """Return as many as the input has."""
        return self.source.count()


class Ordering(Unary):
    """Changes which elements come when, and never looks at them."""

    def __init__(self, structure: Any, source: Source) -> None:
        super().__init__(structure, source)
        self.rows = source.rows

    def ordered(self, begin: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """Return the items that `begin()` gives, in another order or choice."""
        raise NotImplementedError

    def iterate(self) -> Iterator[Element]:
        """Return the elements in their new order."""
        if self.rows is not None:
            return self.rows.elements(self.numbers())
        return self.ordered(self.source.iterate)

    def numbers(self) -> Iterator[int]:
        """Return the row numbers in their new order."""
        return self.ordered(self.source.numbers)


class Made(Variant):
    """A source, and the call of its op that made it: contents as inputs, and attributes."""

    __slots__ = ("attrs", "bind", "inputs")

    def __init__(self, value: Source, bind: Any, inputs: Any, attrs: dict[str, Any]) -> None:
        super().__init__(value)
        self.bind, self.inputs, self.attrs = bind, inputs, attrs


def on_host(near: Any = None) -> AbstractContextManager[Any]:
    """Return a context in which ops are asked to run on a CPU; on that of `near` if it has one."""
    interpreter = current.interpreter
    if interpreter is Scope.eager:
        if isinstance(near, EagerTensor) and near._device is not inventory().cpu:
            return replaced(request=near._device.name, requests=())
        return replaced(request=host_request(), requests=()) if current.request else nullcontext()
    graph = interpreter.graph
    return graph.device("/device:CPU:0") if graph.scopes.devices else nullcontext()


def host_request() -> str:
    """Return the CPU that the device in force of an eager program means; else CPU:0.

    A device that does not exist is returned as it is, for the op to say so.
    """
    request = current.request
    asked = parsed(request) if request else None
    if not request:
        return inventory().cpu.name
    candidates = [] if asked is None else fitting(asked, inventory().devices)
    if asked is None or not candidates:
        return request
    if asked.job not in (None, "localhost"):  # of a cluster: its datasets are made here
        return inventory().cpu.name
    return next((device for device in candidates if device.is_host), inventory().cpu).name


def _argument(value: Any, arg: Arg, declared: Op) -> Any:
    """Return an input of an op's kernel as the constructor of a source takes it."""
    if arg.is_type_list:
        return value
    if type(value) is list:
        return [_argument(one, arg._replace(number_attr=None), declared) for one in value]
    if isinstance(value, Variant):
        return value.value
    if arg.name in declared.host and value.ndim == 0:
        return value.item()
    return value


def dataset_op(signature: str, **options: Any) -> Any:
    """Declare the op whose kernel makes objects of a class: `Name(inputs; attributes`.

    The constructor gets the structure, then the inputs (scalars as Python numbers, lists of
    tensors as lists of contents), and the attributes by keyword. `cls.make(inputs, structure=…)`
    calls the op. Takes the options of `define`.
    """
    head = signature.rstrip()
    head += ", " if ";" in head else "; "
    if head.startswith("_"):  # an op of ours: no node's name may begin so
        options["node_name"] = head[1 : head.index("(")]
    bind = define(
        f"{head}structure: func = None, output_types: list(type), output_shapes: list(shape))"
        " -> handle: variant",
        devices=("CPU",),
        differentiable=False,
        doc="Make a dataset.",
        **options,
    )
    bind.shape(lambda *_, **__: ())
    bind.op.node_rule = partial(dataset_attributes, bind.op)
    bind.op.node_functions = dataset_functions

    def declared(cls: Any) -> Any:
        def kernel(*inputs: Any, structure: Any, **attrs: Any) -> Variant:
            types, shapes = attrs.pop("output_types"), attrs.pop("output_shapes")
            if structure is None:  # a node of a GraphDef has no other
                structure = structure_of(types, shapes)
            given = [
                _argument(value, arg, bind.op)
                for value, arg in zip(inputs, bind.op.inputs, strict=True)
            ]
            made = cls(structure, *given, **attrs)
            made.functions = tuple(
                one
                for value in attrs.values()
                for one in (value if isinstance(value, (list, tuple)) else (value,))
                if isinstance(one, StructuredFunction)
            )
            element = {"structure": structure, "output_types": types, "output_shapes": shapes}
            return Made(made, bind, inputs, {**attrs, **element})

        def make(*inputs: Any, structure: Structure, name: str | None = None, **attrs: Any) -> Any:
            with on_host():
                return bind(*inputs, **attrs, **structure.attrs, name=name)

        bind.kernel(kernel)
        cls.make = staticmethod(make)
        return cls

    return declared
