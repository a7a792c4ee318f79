"""Structures of values taken apart into tensors, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from placewise.core import nest
from placewise.core.nest import Composite
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.graph.operation import Operation
from placewise.graph.subgraphs import out_of_reach
from placewise.graph.tensor import GraphTensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.specs import CompositeSpec, NoneTensorSpec, TensorSpec, TypeSpec
from placewise.ops.state.variable import is_variable
from placewise.ops.values import EagerTensor


def replaced(value: Any, tensors: Iterator[Any], variable: Callable[[Any, Any], Any]) -> Any:
    """Return `value` with its tensors taken from `tensors`; `variable(old, handle)` remakes one.

    Specs stand for the tensors they describe. The order is that of `signature.Arguments`.
    """
    if isinstance(value, (Tensor, np.ndarray, np.generic, TensorSpec)):
        return next(tensors)
    if is_variable(value):
        return variable(value, next(tensors))
    if isinstance(value, NoneTensorSpec):
        return None
    if isinstance(value, TypeSpec):
        parts = value._components()
        if not parts and not isinstance(value, CompositeSpec):
            return value
        return value._from_components([replaced(part, tensors, variable) for part in parts])
    if isinstance(value, Composite):
        parts = [replaced(part, tensors, variable) for part in value._components()]
        # The shape of a sparse tensor is a tensor among its parts: what is known of it would go.
        like = value._type_spec if isinstance(value, SparseTensor) else value
        return like._from_components(parts)
    if type(value) in (list, tuple):
        return type(value)([replaced(item, tensors, variable) for item in value])
    if isinstance(value, Mapping) and nest.is_nested(value):
        order = sorted(value, key=lambda key: (str(type(key)), key))
        rebuilt = {key: replaced(value[key], tensors, variable) for key in order}
        return nest.rebuild(value, [rebuilt[key] for key, _ in nest.children(value) or ()])
    inner = nest.children(value)
    if inner is not None:
        return nest.rebuild(value, [replaced(part, tensors, variable) for _, part in inner])
    return value


def results(value: Any, name: str) -> tuple[list[Any], Any]:
    """Return the tensors a function returned, flat, and the structure with tensors in place."""
    rebuilt = nest.map_structure(lambda leaf: _result(leaf, name), value)
    flat = [item for item in nest.flatten(rebuilt, expand_composites=True) if item is not None]
    for leaf_of_result in flat:
        if leaf_of_result.op.block is not None:
            raise out_of_reach(leaf_of_result, name)
    return flat, rebuilt


def _result(leaf: Any, name: str) -> Any:
    if leaf is None or isinstance(leaf, Operation):
        return None
    if isinstance(leaf, TensorArray):  # leaves a function as the list of its items
        return leaf.flow
    if isinstance(leaf, Composite):
        parts = leaf._components()
        # A dataset or ragged tensor of outside: its tensors are captured as plain ones are.
        if any(_is_outside(part) for part in parts):
            return leaf._from_components([_result(part, name) for part in parts])
        return leaf
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors "
            f"or ExtensionTypes or None values; in compilation of {name}, found return value of "
            f"type {type(leaf).__name__}, which is not a Tensor or ExtensionType."
        ) from None


def _is_outside(part: Any) -> bool:
    if isinstance(part, GraphTensor):
        return part.op.graph is not current.interpreter.graph
    return isinstance(part, EagerTensor)


def packer(structure: Any) -> Callable[[list[Any]], Any]:
    """Return a function that puts flat tensors into a structure; quick for the usual ones."""
    if structure is None:
        return lambda _: None
    if isinstance(structure, Tensor):
        return lambda tensors: tensors[0]
    if type(structure) is list and all(isinstance(part, Tensor) for part in structure):
        return list
    if type(structure) is tuple and all(isinstance(part, Tensor) for part in structure):
        return tuple
    if isinstance(structure, Composite):
        parts = structure._components()
        if all(isinstance(part, Tensor) for part in parts):
            return structure._from_components

    def pack(tensors: list[Any]) -> Any:
        waiting = iter(tensors)
        leaves = [
            None if part is None else next(waiting)
            for part in nest.flatten(structure, expand_composites=True)
        ]
        return nest.pack_sequence_as(structure, leaves, expand_composites=True)

    return pack
