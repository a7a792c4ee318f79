"""The variables of a staged statement: undefined ones, their tensors, and what may go wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.graph.tensor_array import GraphTensorArray
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.variable import Variable

_UNREADABLE = (NameError, AttributeError, LookupError, TypeError)
_FLAGS = ("do_return", "did_break", "did_continue")


class _Undefined:
    """Stands for a variable that has no value here."""

    def __repr__(self) -> str:
        return "undefined"


undefined = _Undefined()


def state(*readers: Any) -> tuple[Any, ...]:
    """Return what the readers give; `undefined` for those whose variable has no value."""
    return tuple([_read(reader) for reader in readers])


def _read(reader: Callable[..., Any]) -> Any:
    try:
        return reader()
    except _UNREADABLE:
        return undefined


def used_before(problem: NameError) -> NameError:
    """Return the error for a variable of converted code that is read too early.

    Python calls it free if blocks share it, and local if not.
    """
    message = str(problem)
    if not message.startswith(("cannot access free variable", "cannot access local variable")):
        return problem
    unbound_local_error = UnboundLocalError(
        f"'{problem.name or message.split(chr(39))[1]}' is used before assignment"
    )
    return unbound_local_error.with_traceback(problem.__traceback__)


def is_flag(name: str) -> bool:
    """Return True for the variables that mark a jump."""
    return name.startswith(_FLAGS)


def is_result(name: str) -> bool:
    """Return True for the variable that holds what a function returns."""
    return name.startswith("retval_")


def is_symbolic(value: Any) -> bool:
    """Return True if Python cannot decide by this value now: control flow has to be staged."""
    if current.interpreter is Scope.eager:
        return False
    return isinstance(value, (Tensor, Variable)) or _is_graph_variable(value)


def _is_graph_variable(value: Any) -> bool:
    return hasattr(type(value), "__tf_tensor__") and not isinstance(value, nest.Composite)


def condition(value: Tensor, statement: str) -> Any:
    """Return a condition as a boolean scalar of the graph, or raise what TensorFlow raises."""
    tensor = convert_to_tensor(value)
    if tensor.dtype.base_dtype.name == "bool" and not tensor._dims:
        return tensor
    advice = "to check for None, use `is not None`"
    if tensor.dtype.base_dtype.name != "bool":
        advice = f"to use as boolean Tensor, use `tf.cast`; {advice}"
    raise ValueError(
        f"condition of {statement} expected to be `tf.bool` scalar, got {tensor}; {advice}"
    )


def as_leaf(value: Any, hint: DType | None = None) -> Any:
    """Return a leaf of a variable as a tensor, or as what is made of tensors."""
    if isinstance(value, (GraphTensorArray, nest.Composite)):
        return value
    return convert_to_tensor(value, dtype_hint=hint)


def is_convertible(value: TensorLike) -> bool:
    """Return True if a leaf is, or can become, a tensor."""
    known = (
        Tensor,
        Variable,
        GraphTensorArray,
        nest.Composite,
        bool,
        int,
        float,
        complex,
        str,
        bytes,
        np.ndarray,
        np.generic,
    )
    return isinstance(value, known) or hasattr(type(value), "__tf_tensor__")


def flow_of(leaf: Tensor) -> Any:
    """Return the tensor that stands for a leaf: of an array, its flow."""
    return leaf.flow if isinstance(leaf, GraphTensorArray) else leaf


def arranged(structure: Any, tensors: list[Any]) -> Any:
    """Return tensors in a structure, arrays made anew around their flow."""
    leaves = nest.flatten(structure, True)
    values = [
        leaf._with_flow(tensor) if isinstance(leaf, GraphTensorArray) else tensor
        for leaf, tensor in zip(leaves, tensors, strict=True)
    ]
    return nest.pack_sequence_as(structure, values, True)


def has_none(value: Any) -> bool:
    """Return True if a value is None, or None is somewhere in it."""
    return value is None or any(leaf is None for leaf in nest.flatten(value, True))


def not_a_tensor(value: Any, where: str) -> TypeError:
    """Return the error for an object that cannot be a result of staged code."""
    return TypeError(
        "To be compatible with tf.function, Python functions must return zero or more Tensors or "
        f"ExtensionTypes or None values; in compilation of {where}, found return value of type "
        f"{type(value)}, which is not a Tensor or ExtensionType."
    )
