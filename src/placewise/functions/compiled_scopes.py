"""`tf.xla.experimental`: parts of a program to compile. Plans are made of all of it anyway."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core import nest
from placewise.core.names import name_scope
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group


@contextmanager
def jit_scope(
    compile_ops: bool = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Mark the ops of a `with` block for compilation, which changes nothing of their results."""
    yield


def compile(computation: Callable[..., Any], inputs: Any = None) -> Any:
    """Return what `computation(*inputs)` returns: a tuple if it is a single value.

    None, and operations without results, become one operation to run.
    """
    arguments = (
        list(inputs) if isinstance(inputs, (list, tuple)) else [] if inputs is None else None
    )
    if arguments is None:
        raise TypeError(
            f"tf.xla.experimental.compile() inputs must be a list or tuple, not {inputs!r}"
        )
    with name_scope("cluster"):
        arguments = [
            nest.map_structure(convert_to_tensor, item, expand_composites=True)
            for item in arguments
        ]
        outputs = computation(*arguments)
    parts = [leaf for leaf in nest.flatten(outputs) if leaf is not None]
    values = [part for part in parts if not hasattr(part, "node_def") or isinstance(part, Tensor)]
    operations = [part for part in parts if part not in values]
    if not values:
        return group(*operations)
    if nest.is_nested(outputs):
        return nest.map_structure(convert_to_tensor, outputs) if not operations else values
    return (convert_to_tensor(outputs),)
