"""Which calls of torch's operators a step makes: its kernel runs once on example tensors.

Only for kernels that look at no value: then the calls are the same for all values of a shape. The
examples are as small as the tensors of the step, which `runs.py` bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from placewise.planning.torch_graphs import VALUE_READS
from placewise.planning.torch_modes import under


class NotScripted(Exception):  # noqa: N818 - a reason, no error
    """Why a step is no part of a script."""


class Call(NamedTuple):
    """One call of an operator, on tensors that `Recorded` numbers."""

    operator: Any  # torch's OpOverload
    args: list[Any]  # by the operator's schema; tensors as Slot
    results: list[int]
    is_list: bool  # the operator returns one list of tensors
    writes: frozenset[int]  # which tensors it changes


class Slot(NamedTuple):
    """A tensor among the arguments of a call."""

    number: int


class Recorded(NamedTuple):
    """The calls of a step. Tensors are numbered: first the inputs, then what calls return."""

    calls: list[Call]
    results: list[int]
    aliases: list[frozenset[int]]  # of each result: the inputs whose memory it shares


def record(kernel: Callable[..., Any], arguments: list[Any], attrs: dict[str, Any]) -> Recorded:
    """Return the calls that a kernel makes; NotScripted if they may depend on values."""
    inputs = [item for item in _flat(arguments) if isinstance(item, torch.Tensor)]
    recorder = _Recorder(inputs)
    memory = [tensor.untyped_storage().data_ptr() for tensor in inputs]
    with under(_ValuesHidden(), recorder):
        result = kernel(*arguments, **attrs)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    numbers = [recorder.number(tensor) for tensor in results]
    aliases = [
        frozenset(
            i for i, place in enumerate(memory) if place == tensor.untyped_storage().data_ptr()
        )
        for tensor in results
    ]
    return Recorded(recorder.calls, numbers, aliases)


def _flat(arguments: Sequence[Any]) -> list[Any]:
    return [part for item in arguments for part in (item if isinstance(item, list) else [item])]


class _ValuesHidden(TorchFunctionMode):
    """Stops a kernel that looks at a value."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func in VALUE_READS:
            raise NotScripted("it looks at a value")
        return func(*args, **(kwargs or {}))


class _Recorder(TorchDispatchMode):
    """Writes the calls of operators down."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # torch would load its compiler, which takes seconds, to keep it out of here

    def __init__(self, inputs: list[torch.Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's own has no types
        self.calls: list[Call] = []
        self._kept = list(inputs)  # alive: a number stands for the id of a tensor
        self._numbers = {id(tensor): number for number, tensor in enumerate(inputs)}

    def number(self, tensor: Any) -> int:
        """Return the number of a tensor that is known."""
        number = self._numbers.get(id(tensor))
        if number is None:
            raise NotScripted("it has a tensor of its own")
        return number

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.namespace not in _NAMESPACES or func is torch.ops.aten._local_scalar_dense.default:
            raise NotScripted(f"it calls {func}")
        if torch.Tag.nondeterministic_seeded in func.tags:
            raise NotScripted(f"{func} draws random numbers")
        written = self._complete(func, args, kwargs)
        result = func(*args, **kwargs)
        is_list = isinstance(result, list)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        numbers = [self._add(tensor) for tensor in results]
        self.calls.append(Call(func, written[0], numbers, is_list, written[1]))
        return result

    def _complete(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], frozenset[int]]:
        """Return all arguments of a call by its schema, and which tensors it changes."""
        complete, changed = [], set()
        for place, argument in enumerate(func._schema.arguments):
            value = args[place] if place < len(args) else kwargs.get(argument.name, _DEFAULT)
            value = argument.default_value if value is _DEFAULT else self._slots(value)
            if argument.alias_info is not None and argument.alias_info.is_write:
                changed |= {slot.number for slot in _flat([value]) if type(slot) is Slot}
            complete.append(value)
        return complete, frozenset(changed)

    def _slots(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return Slot(self.number(value))
        if isinstance(value, (list, tuple)):
            return [self._slots(item) for item in value]
        return value

    def _add(self, tensor: Any) -> int:
        if not isinstance(tensor, torch.Tensor):
            raise NotScripted("it gets no tensor from torch")
        number = self._numbers.get(id(tensor))
        if number is None:
            number = self._numbers[id(tensor)] = len(self._kept)
            self._kept.append(tensor)
        return number


_DEFAULT = object()
_NAMESPACES = ("aten", "placewise")  # torch's operators, and `ops/linalg/matrix_products.py`
