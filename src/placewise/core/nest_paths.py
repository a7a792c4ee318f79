"""Walks over nested structures that stop early, or say where each leaf is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from placewise.core import nest
from placewise.core.nest import children, is_nested, rebuild


def is_mapping(value: Any) -> bool:
    """Return whether a value is a dict or another mapping."""
    return isinstance(value, Mapping)


def is_attrs(value: Any) -> bool:
    """Return whether a value is an object of a class made by attrs."""
    return nest._is_attrs(value)


def is_namedtuple(value: Any, strict: bool = False) -> bool:
    """Return whether a value is a namedtuple."""
    return nest._is_namedtuple(value)


def sequence_like(instance: Any, args: Any) -> Any:
    """Return a structure of the kind of `instance` that holds `args`."""
    return rebuild(instance, list(args))


def list_to_tuple(structure: Any) -> Any:
    """Return a structure with a tuple for each list in it."""
    if type(structure) in (list, tuple):
        return tuple(list_to_tuple(item) for item in structure)
    parts = children(structure)
    return structure if parts is None else rebuild(structure, [list_to_tuple(v) for _, v in parts])


def _pairs(shallow: Any, deep: Any, expand: bool) -> Iterator[tuple[Any, Any, Any]]:
    """Yield key, part of `shallow` and part of `deep`, as far as `shallow` goes."""
    inner = children(deep, expand) or []
    by_key = dict(inner) if isinstance(deep, Mapping) else None
    for index, (key, part) in enumerate(children(shallow, expand) or []):
        yield key, part, by_key[key] if by_key is not None else inner[index][1]


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless `input_tree` has all the structure that `shallow_tree` has."""
    parts = children(shallow_tree, expand_composites)
    if parts is None:
        return
    inner = children(input_tree, expand_composites)
    if inner is None:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree)}."
        )
    if check_types and not nest._same_kind(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    if len(parts) != len(inner):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(inner)}, while shallow structure has length {len(parts)}."
        )
    if isinstance(shallow_tree, Mapping) and {k for k, _ in parts} != {k for k, _ in inner}:
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{[k for k, _ in inner]}, while shallow structure has keys {[k for k, _ in parts]}."
        )
    for _, part, deep in _pairs(shallow_tree, input_tree, expand_composites):
        assert_shallow_structure(part, deep, check_types, expand_composites)


def _walk_up_to(
    shallow: Any, deep: Any, path: tuple[Any, ...], expand: bool
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if children(shallow, expand) is None:
        yield path, deep
        return
    for key, part, inner in _pairs(shallow, deep, expand):
        yield from _walk_up_to(part, inner, (*path, key), expand)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Return the parts of `input_tree` that stand where `shallow_tree` has its leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return [part for _, part in _walk_up_to(shallow_tree, input_tree, (), expand_composites)]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Return these parts, each with the keys that lead to it."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_walk_up_to(shallow_tree, input_tree, (), expand_composites))


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Return `shallow_tree` with `func(path, *parts)` in place of each leaf."""
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    for tree in inputs:
        assert_shallow_structure(shallow_tree, tree, check_types, expand)
    walks = [list(_walk_up_to(shallow_tree, tree, (), expand)) for tree in inputs]
    results = [
        func(rows[0][0], *(part for _, part in rows), **kwargs) for rows in zip(*walks, strict=True)
    ]
    return nest.pack_sequence_as(shallow_tree, results, expand)


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Return `shallow_tree` with `func(*parts)` in place of each leaf."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts, **options: func(*parts, **options), *inputs, **kwargs
    )


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Return a structure of `func(path, *leaves)`."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Return a structure of `func("key/key", *leaves)`."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves, **options: func("/".join(map(str, path)), *leaves, **options),
        *structure,
        **kwargs,
    )


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return (path, leaf) for each leaf."""
    return list(_walk_up_to(structure, structure, (), expand_composites))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[Any]:
    """Return ("key/key", leaf) for each leaf."""
    return [
        (separator.join(map(str, path)), leaf)
        for path, leaf in flatten_with_tuple_paths(structure, expand_composites)
    ]


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """Yield the keys that lead to each leaf."""
    for path, _ in flatten_with_tuple_paths(nest, expand_composites):
        yield path


def get_traverse_shallow_structure(
    traverse_fn: Callable[..., Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Return a structure of booleans that ends where `traverse_fn` says not to go on."""
    to_traverse = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(to_traverse, bool):
            raise TypeError(f"traverse_fn returned structure: {to_traverse} for non-structure")
        return to_traverse
    if isinstance(to_traverse, bool):
        if not to_traverse:
            return False
        parts = children(structure, expand_composites) or []
        return rebuild(
            structure,
            [get_traverse_shallow_structure(traverse_fn, v, expand_composites) for _, v in parts],
        )
    return to_traverse


def yield_value(iterable: Any) -> Iterator[Any]:
    """Yield the parts of a structure, those of a dict in the order of its sorted keys."""
    for _, part in children(iterable) or []:
        yield part


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and parts of a structure."""
    yield from children(iterable) or []


_sequence_like, _yield_value, _yield_sorted_items = sequence_like, yield_value, yield_sorted_items
