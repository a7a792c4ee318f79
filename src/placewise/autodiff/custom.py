"""Gradients that a program gives itself: `tf.custom_gradient`, `tf.recompute_grad`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise.autodiff.gradient_tape import GradientTape, is_differentiable
from placewise.core import nest
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.eager.tape import Call, Tape
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Arg, Op
from placewise.ops.flow.identity import identity_n
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.state.variable import is_variable


class _VariableWatch(Tape):
    """Notes which variables are read, and nothing else."""

    __slots__ = ()

    def ran(
        self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attrs: dict[str, Any]
    ) -> None:
        """Write nothing down."""


@contextmanager
def _tapes(tapes: tuple[Any, ...]) -> Iterator[None]:
    """Let other tapes watch for the time of a block."""
    before = current.tapes
    current.tapes = tapes
    try:
        yield
    finally:
        current.tapes = before


def custom_gradient(f: Any = None) -> Any:
    """Let `f` return its result and a function that computes the gradient.

    >>> import placewise as tf
    >>> @custom_gradient
    ... def f(x):
    ...     return x * x, lambda dy: dy * 100.0
    >>> x = tf.constant(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = f(x)
    >>> float(tape.gradient(y, x))
    100.0
    """
    return custom_gradient if f is None else _WithGradient(f)


class _WithGradient:
    """A function that gives its own gradient; as a method it leaves `self` out of the arguments."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self._f = f

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else _WithGradient(self._f.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        f = self._f
        flat = nest.flatten(args, expand_composites=True)
        inputs = [convert_to_tensor(leaf) if _is_converted(leaf) else leaf for leaf in flat]
        arguments = nest.pack_sequence_as(args, inputs, expand_composites=True)
        watching = _VariableWatch()
        with _tapes((*current.tapes, watching)):
            result, gradient = f(*arguments, **kwargs)
        if current.interpreter is not Scope.eager:
            return _in_graph(f, gradient, args, flat, inputs, result, watching)
        with _tapes(()):  # new tensors: what the tapes saw inside f does not lead to them
            outputs = [identity(leaf) for leaf in nest.flatten(result, expand_composites=True)]
        direct = {id(leaf) for leaf in flat if is_variable(leaf)}
        variables = [
            variable for variable in watching.variables.values() if id(variable) not in direct
        ]
        if variables and not _takes_variables(gradient):
            raise TypeError(
                "If using @custom_gradient with a function that uses variables, then grad_fn must "
                "accept a 'variables' keyword argument."
            )
        originals = [
            _differentiated(argument, converted)
            for argument, converted in zip(flat, inputs, strict=True)
        ]
        for leaf in flat:
            if is_variable(leaf):  # `f` may have returned it without reading it
                for tape in current.tapes:
                    tape.variable_accessed(leaf)
        rule = _Rule(gradient, args, result, variables)
        _record(f, rule, originals, variables, outputs)
        return nest.pack_sequence_as(result, outputs, expand_composites=True)


def _differentiated(leaf: Tensor, converted: Tensor) -> Any:
    """Return the tensor that the gradient of an argument goes to.

    Keras's variables may read as another dtype than they have: what was read leads to them.
    """
    if is_variable(leaf):
        return getattr(leaf, "handle", converted)
    return leaf if isinstance(leaf, Tensor) else converted


def _is_converted(leaf: Any) -> bool:
    """Return True for an argument that `f` gets as a tensor: every number, in a graph.

    Eagerly `f` sees what its caller gave, so that it can assign to a variable.
    """
    if current.interpreter is Scope.eager:
        return is_variable(leaf) and not hasattr(leaf, "handle")
    return (
        isinstance(leaf, Tensor)
        or is_variable(leaf)
        or not (leaf is None or callable(leaf) or isinstance(leaf, (str, bytes, bool)))
    )


def _takes_variables(gradient: Callable[..., Any]) -> bool:
    parameters = inspect.signature(gradient).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _in_graph(
    f: Callable[..., Any],
    gradient: Callable[..., Any],
    args: tuple[Any, ...],
    flat: list[Any],
    inputs: list[Any],
    result: Any,
    watching: Tape,
) -> Any:
    """Add the operation between results and inputs whose gradient is the program's own."""
    direct = {id(leaf) for leaf in flat if is_variable(leaf)}
    variables = [v for v in watching.variables.values() if id(v) not in direct]
    results = [convert_to_tensor(leaf) for leaf in nest.flatten(result, expand_composites=True)]
    tracked = [
        _differentiated(argument, converted)
        if is_variable(argument) or isinstance(argument, Tensor)
        else None
        for argument, converted in zip(flat, inputs, strict=True)
    ]
    tensors = [item for item in tracked if item is not None]
    handles = [variable.handle for variable in variables]
    copies = identity_n([*results, *tensors, *handles])
    count = len(results)
    own = _Rule(gradient, args, result, variables)

    def rule(call: Call, *dys: Any) -> Any:
        filled = [
            zeros_like(output) if dy is None else dy
            for dy, output in zip(dys[:count], call.outputs, strict=False)
        ]
        derivatives, of_variables = own.derivatives(filled)
        of_inputs = [
            None if g is None else _tensor(g)
            for g, argument in zip(derivatives, tracked, strict=True)
            if argument is not None
        ]
        return [[*[None] * count, *of_inputs, *of_variables]]

    op = copies[0].op
    op.gradient_override = rule
    op.graph.has_overrides = True
    return (
        nest.pack_sequence_as(result, copies[:count], expand_composites=True)
        if (nest.has_parts(result))
        else copies[0]
    )


class _Rule:
    """A program's gradient function, on the tensors that its arguments and results consist of."""

    def __init__(
        self, gradient: Callable[..., Any], args: Any, result: Any, variables: list[Any]
    ) -> None:
        self.gradient, self.variables = gradient, variables
        self.arguments, self.results = nest.flatten(args), nest.flatten(result)

    def derivatives(self, dys: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return the gradients of all tensors of the arguments, and those of the variables."""
        if self.variables and not _takes_variables(self.gradient):
            raise TypeError(
                "If using @custom_gradient with a function that uses variables, then grad_fn must "
                "accept a 'variables' keyword argument."
            )
        waiting = iter(dys)
        handed = [_like(result, waiting) for result in self.results]
        if self.variables:
            derivatives, of_variables = self.gradient(*handed, variables=self.variables)
        else:
            derivatives, of_variables = self.gradient(*handed), []
        flat = nest.flatten(derivatives)
        if len(flat) == len(self.arguments):
            flat = [
                part
                for argument, one in zip(self.arguments, flat, strict=True)
                for part in _parts(argument, one)
            ]
        wanted = len(nest.flatten(self.arguments, expand_composites=True))
        if len(flat) != wanted:
            raise ValueError(
                f"custom_gradient function expected to return {len(self.arguments)} gradients, but "
                f"returned {len(flat)} instead."
            )
        return flat, nest.flatten(of_variables)


def _like(result: Any, dys: Iterator[Any]) -> Any:
    """Return the gradient of one result: a ragged one has row splits, which have no gradient."""
    if not isinstance(result, nest.Composite) or isinstance(result, IndexedSlices):
        return next(dys)
    parts = [
        dy if is_differentiable(part) else part
        for part, dy in zip(result._components(), dys, strict=False)
    ]
    return result._from_components(parts)


def _parts(argument: Any, gradient: Any) -> list[Any]:
    """Return the gradients of an argument's tensors."""
    if not isinstance(argument, nest.Composite):
        return [gradient]
    parts = argument._components()
    if gradient is None:
        return [None] * len(parts)
    if not isinstance(gradient, nest.Composite):  # of the values alone
        return [gradient if is_differentiable(part) else None for part in parts]
    return [
        one if is_differentiable(part) else None
        for part, one in zip(parts, gradient._components(), strict=True)
    ]


def _record(
    f: Callable[..., Any],
    own: _Rule,
    inputs: list[Any],
    variables: list[Any],
    outputs: list[Any],
) -> None:
    tensors = [source for source in inputs if isinstance(source, Tensor)]
    positions = [index for index, leaf in enumerate(inputs) if isinstance(leaf, Tensor)]
    name = getattr(f, "__name__", "custom")
    op = Op(f"CustomGradient:{name}", (Arg("inputs", None, "T", None, True),), (), (), {})

    def rule(call: Call, *dys: Any) -> Any:
        filled = [
            zeros_like(output) if dy is None else dy
            for dy, output in zip(dys, call.outputs, strict=True)
        ]
        flat, of_variables = own.derivatives(filled)
        of_inputs = [None if flat[i] is None else _tensor(flat[i]) for i in positions]
        return [[*of_inputs, *of_variables]]

    op.gradient_rule = rule
    recorded = [*tensors, *[variable.handle for variable in variables]]
    for variable in variables:
        for tape in current.tapes:
            tape.variable_accessed(variable)
    for tape in current.tapes:
        tape.ran(op, (recorded,), tuple(outputs), {})


def _tensor(gradient: Tensor) -> Any:
    return gradient if isinstance(gradient, IndexedSlices) else convert_to_tensor(gradient)


def _own(argument: Tensor) -> Any:
    is_source = isinstance(argument, Tensor) or is_variable(argument)
    return identity(argument) if is_source else argument


def recompute_grad(f: Callable[..., Any]) -> Any:
    """Return a function like `f` that keeps nothing for its gradient, but runs `f` again."""

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        @custom_gradient
        def inner(*inner_args: Any) -> Any:
            result = f(*inner_args, **kwargs)

            def gradient(*dys: Any, variables: Any = None) -> Any:
                with GradientTape() as tape:
                    # Each argument has a gradient of its own, also where one tensor is two.
                    own_args = nest.map_structure(_own, inner_args, expand_composites=True)
                    flat = nest.flatten(own_args, expand_composites=True)
                    sources = [leaf for leaf in flat if isinstance(leaf, Tensor)]
                    tape.watch(sources)
                    again = f(*own_args, **kwargs)
                derivatives = iter(
                    tape.gradient(
                        again,
                        [*sources, *(variables or [])],
                        output_gradients=list(dys),
                        unconnected_gradients="zero",
                    )
                )
                of_inputs = [
                    next(derivatives) if isinstance(leaf, Tensor) else None for leaf in flat
                ]
                of_variables = list(derivatives)
                packed = of_inputs if len(of_inputs) != 1 else of_inputs[0]
                return (packed, of_variables) if variables else packed

            return result, gradient

        return inner(*args)

    return decorated


def grad_pass_through(f: Callable[..., Any]) -> Any:
    """Return `f` with the gradient of identity."""

    @custom_gradient
    def passed(*args: Any, **kwargs: Any) -> Any:
        def gradient(*dys: Any, variables: Any = None) -> Any:
            derivatives = dys if len(dys) > 1 else dys[0]
            return (derivatives, [None] * len(variables)) if variables else derivatives

        return f(*args, **kwargs), gradient

    return passed
