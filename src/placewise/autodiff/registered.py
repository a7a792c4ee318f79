"""`tf.RegisterGradient`: gradients by name, and `Graph.gradient_override_map`, which uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.devices.origin import Origin, user_line
from placewise.graph import overrides
from placewise.ops.array.creation import zeros_like
from placewise.ops.declare import REGISTRY

if TYPE_CHECKING:
    from placewise.eager.tape import Call
    from placewise.graph.operation import Operation


# Name → the function of an operation and its outputs' gradients (None: no gradient), and where.
_REGISTERED: dict[str, tuple[Callable[..., Any] | None, Origin | None]] = {}


def _register(name: str, function: Callable[..., Any] | None) -> None:
    known = REGISTRY.get(name)
    if name in _REGISTERED:
        raise KeyError(
            f"Registering two gradient with name '{name}'! (Previous registration was in "
            f"{_REGISTERED[name][1]})"
        )
    if known is not None and (known.gradient_rule is not None or not known.differentiable):
        raise KeyError(
            f"Registering two gradient with name '{name}'! (The op has one of its own; give yours "
            "another name and use Graph.gradient_override_map)"
        )
    _REGISTERED[name] = (function, user_line())


class RegisterGradient:
    """Decorates a function of (op, *gradients of its outputs) as the gradient of that name.

    >>> @RegisterGradient("TenTimes")
    ... def ten_times(op, dy):
    ...     return 10.0 * dy
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Register a gradient."""
        _register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Say that ops of a type have no gradient."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


NotDifferentiable = NoGradient = no_gradient


def _rule(op: Operation, name: str) -> Callable[..., Any]:
    """Return the gradient rule of one operation that is told to use a registered gradient."""

    def rule(call: Call, *dys: Any) -> Any:
        if name not in _REGISTERED:
            raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type})")
        function = _REGISTERED[name][0]
        if function is None:
            return _arranged(op, [None] * len(op.inputs))
        filled = [
            zeros_like(output) if dy is None and output.dtype.is_floating else dy
            for dy, output in zip(dys, op.outputs, strict=True)
        ]
        derivatives = function(op, *filled)
        flat = list(derivatives) if isinstance(derivatives, (list, tuple)) else [derivatives]
        if len(flat) != len(op.inputs):
            raise ValueError(
                f"Num gradients {len(flat)} generated for op {op.node_def} do not match num inputs "
                f"{len(op.inputs)}"
            )
        return _arranged(op, flat)

    return rule


def _arranged(op: Operation, flat: list[Any]) -> list[Any]:
    """Return gradients of all inputs as the op declares its inputs: lists together."""
    waiting = iter(flat)
    return [
        [next(waiting) for _ in item] if type(item) is list else next(waiting) for item in op.spread
    ]


overrides.rule_of = _rule
