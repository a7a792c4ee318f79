"""A Python function run once on symbolic arguments, and what it wrote down."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from placewise import messages
from placewise.core.errors import hint
from placewise.core.scope import Scope, current
from placewise.eager.device_scope import device
from placewise.functions.autograph.conversion import is_converted
from placewise.functions.autograph.state import used_before
from placewise.functions.call_form import CallForm
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.func_graph import FuncGraph, current_graph, held_shape, held_type
from placewise.functions.initial_values import computed_now
from placewise.functions.parameters import Taken
from placewise.functions.signature import Leaf
from placewise.functions.structure import replaced, results
from placewise.ops.flow.context import devices_in_force, init_scope
from placewise.ops.state.variable import Variable
from placewise.ops.values import EagerTensor, Handle


class Making:
    """How variables that a function makes while it is traced are made."""

    def __init__(self, allowed: bool) -> None:
        self.allowed = allowed
        self.made: list[Any] = []
        self.given: dict[int, Any] = {}  # placeholders and the arguments they stand for


def trace(
    function: Callable[..., Any],
    name: str,
    taken: Taken,
    form: CallForm | None,
    making: Making,
    compile_with: Callable[..., Any] | None = None,
    may_change_arguments: bool = False,
) -> ConcreteFunction:
    """Return the function for one kind of arguments."""
    graph = FuncGraph(name, current_graph())
    leaves = taken.arguments.leaves
    with graph.as_default(), _variables_made_by(making):
        graph.inputs = [
            graph.argument(dtype, dims, _argument_name(leaf), _handle(leaf))
            for leaf, (dtype, dims) in zip(leaves, taken.shapes, strict=True)
        ]
        for leaf, placeholder in zip(leaves, graph.inputs, strict=True):
            name_attr = messages.AttrValue(s=_argument_name(leaf).encode())
            placeholder.op.notes = {"_user_specified_name": name_attr}
            if leaf.value is not None and not isinstance(leaf.value, EagerTensor):
                placeholder.op.handle_dtype = held_type(leaf.value)
                placeholder.op.handle_shape = held_shape(leaf.value)
        tensors = iter(graph.inputs)
        values = [replaced(value, tensors, _standing_for) for _, value in taken.named]
        before = [_pieces(value) for value in values]
        first = values[: taken.positional]
        names = [argument_name for argument_name, _ in taken.named[taken.positional :]]
        rest = dict(zip(names, values[taken.positional :], strict=True))
        making.given = {
            id(placeholder): (placeholder, leaf.value)
            for leaf, placeholder in zip(leaves, graph.inputs, strict=True)
        }
        _, structured = results(_called(function, first, rest), f"{function!r}")
        making.given = {}
    if not may_change_arguments:
        _check_unchanged(function, [name for name, _ in taken.named], values, before)
    return ConcreteFunction(graph, structured, compile_with, form)


def _called(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return what a function returns; names that it reads too early are told as AutoGraph does."""
    try:
        return function(*args, **kwargs)
    except NameError as problem:
        *_, (frame, _) = traceback.walk_tb(problem.__traceback__)
        if is_converted(frame.f_code):
            raise used_before(problem) from None
        raise


def _pieces(value: Any) -> list[Any]:
    """Return the items of lists and dicts, in order, to see later whether they were changed."""
    if isinstance(value, dict):
        return [len(value), *[piece for key in value for piece in (key, *_pieces(value[key]))]]
    if isinstance(value, (list, tuple)):
        return [len(value), *[piece for part in value for piece in _pieces(part)]]
    return [value]


def _are_same(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(
        one is other or (type(one) is int and one == other)
        for one, other in zip(some, others, strict=True)
    )


def _check_unchanged(
    function: Callable[..., Any], names: list[str], values: Any, before: list[Any]
) -> None:
    changed = [
        name
        for name, value, pieces in zip(names, values, before, strict=True)
        if not _are_same(_pieces(value), pieces)
    ]
    if changed:
        inner = inspect.unwrap(function)
        title = f"{getattr(inner, '__qualname__', type(inner).__name__)}{inspect.signature(inner)}"
        raise ValueError(
            f"{title} should not modify its Python input arguments. Modifying a copy is allowed. "
            f"The following parameter(s) were modified: {', '.join(changed)}"
        )


def _argument_name(leaf: Leaf) -> str:
    return "".join(c if c.isalnum() or c in "_." else "_" for c in leaf.name) or "args"


def _handle(leaf: Leaf) -> Handle | None:
    content = getattr(leaf.value, "_value", None)
    return content if isinstance(content, Handle) else None


def _standing_for(variable: Any, handle: Any) -> Any:
    """Return a variable like the one given, reached through a placeholder."""
    result = object.__new__(type(variable))
    result.__dict__.update(variable.__dict__)
    if hasattr(variable, "_holder"):
        result._holder = handle
    else:
        result._handle = handle
    return result


@contextlib.contextmanager
def _variables_made_by(making: Making) -> Iterator[None]:
    before = current.variable_creators
    current.variable_creators = (*before, _creator(making))
    try:
        yield
    finally:
        current.variable_creators = before


def _creator(making: Making) -> Any:
    def create(next_creator: Callable[..., Any], **options: Any) -> Any:
        if current.interpreter is Scope.eager:  # lifted out already
            result = next_creator(**options)
            making.made.append(result)
            return result
        if not making.allowed:
            raise ValueError(
                hint(
                    "tf.function only supports singleton tf.Variables created on the first call. "
                    "Make "
                    "sure the tf.Variable is only created once or created outside tf.function. See "
                    "https://www.tensorflow.org/guide/function#creating_tfvariables for more "
                    "information.",
                    "make it outside and pass it in, or keep it: if self.v is None: self.v = "
                    "tf.Variable(...)",
                )
            )
        result = _lifted(next_creator, options, making)
        making.made.append(result)
        return result

    return create


def _lifted(next_creator: Callable[..., Any], options: dict[str, Any], making: Making) -> Any:
    """Make a variable outside of the function; what it begins with is computed now."""
    value = options.get("initial_value")
    prefix = current.interpreter.graph.scopes.name
    request = devices_in_force(current.interpreter.graph, None)
    if callable(value) and not isinstance(value, Variable):
        with init_scope():
            value = value()
    options["initial_value"] = computed_now(value, making.given)
    with init_scope(), _asked(request):
        current.name_scope = prefix
        return next_creator(**options)


def _asked(devices: tuple[Any, ...]) -> Any:
    stack = contextlib.ExitStack()
    if current.interpreter is Scope.eager:
        for name in devices:
            stack.enter_context(device(name))
    return stack
