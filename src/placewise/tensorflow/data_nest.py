"""`tensorflow.python.data.util.nest`: structures of dataset elements, in which a list is a leaf.

Datasets make a tensor of a list, and sparse and ragged values are elements. The functions are those
of `tf.nest`, called on structures whose leaves of these kinds are hidden in `_Leaf` meanwhile.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from placewise.core import nest, nest_paths
from placewise.ops.ragged.value import RaggedTensorValue
from placewise.ops.sparse.sparse_tensor import SparseTensorValue

_TYPE = re.compile(r"<class '(?:[\w.]*\.)?(\w+)'>")


@dataclass(slots=True, eq=False)
class _Leaf:
    """What `tf.nest` would look into, as a leaf."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)


_LEAVES = (list, set, frozenset, SparseTensorValue, RaggedTensorValue)


def _hide(structure: Any) -> Any:
    if isinstance(structure, _LEAVES):
        return _Leaf(structure)
    parts = nest.children(structure)
    if parts is None:
        return structure
    return nest.rebuild(structure, [_hide(part) for _, part in parts])


def _show(structure: Any) -> Any:
    return nest.map_structure(_show_leaf, structure)


def _show_leaf(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, _Leaf) else leaf


def is_nested(structure: Any) -> bool:
    """Return True for anything `flatten` looks into: not for lists."""
    return not isinstance(structure, _LEAVES) and nest.is_nested(structure)


def flatten(structure: Any) -> list[Any]:
    """Return the leaves of a structure, in order.

    >>> flatten(([1, 2], {"b": 3}))
    [[1, 2], 3]
    """
    return [_show_leaf(leaf) for leaf in nest.flatten(_hide(structure))]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Return `flat_sequence` arranged like `structure`."""
    if isinstance(flat_sequence, Mapping) or not nest.is_nested(flat_sequence):
        raise TypeError(f"Argument `flat_sequence` must be a sequence; got {flat_sequence!r}.")
    if not is_nested(structure) and len(flat_sequence) != 1:
        raise ValueError(
            "Argument `structure` is a scalar but `len(flat_sequence)`="
            f"{len(flat_sequence)} > 1: {flat_sequence!r}"
        )
    return nest.pack_sequence_as(_hide(structure), flat_sequence)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError (form) or TypeError (kinds) unless two structures match."""
    if isinstance(nest1, dict) and isinstance(nest2, dict) and set(nest1) != set(nest2):
        raise ValueError(
            "The two structures don't have the same set of keys. First structure has keys "
            f"{list(nest1)}, while second structure has keys {list(nest2)}."
        )
    nest.assert_same_structure(_hide(nest1), _hide(nest2), check_types)


def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: Any) -> Any:
    """Return a structure of `func(*leaves)`."""
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if check_types_dict.keys() - {"check_types"}:
        raise ValueError(f"Only valid keyword argument is `check_types`; got {check_types_dict}.")

    def called(*leaves: Any) -> Any:
        return func(*map(_show_leaf, leaves))

    return nest.map_structure(called, *map(_hide, structure), **check_types_dict)


@contextlib.contextmanager
def _types_by_name() -> Iterator[None]:
    """Let errors name types as datasets do: 'tuple', not <class 'tuple'>."""
    try:
        yield
    except TypeError as problem:
        raise TypeError(_TYPE.sub(r"'\1'", str(problem))) from None


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Raise unless `input_tree` has all the structure that `shallow_tree` has."""
    with _types_by_name():
        nest_paths.assert_shallow_structure(_hide(shallow_tree), _hide(input_tree), check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """Return the parts of `input_tree` that stand where `shallow_tree` has its leaves."""
    with _types_by_name():
        parts = nest_paths.flatten_up_to(_hide(shallow_tree), _hide(input_tree))
    return [_show(part) for part in parts]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """Return `shallow_tree` with `func(*parts)` in place of each leaf."""
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    columns = [flatten_up_to(shallow_tree, each) for each in inputs]
    return pack_sequence_as(shallow_tree, [func(*row) for row in zip(*columns, strict=True)])
