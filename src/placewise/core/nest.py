"""Nested structures of lists, tuples, named tuples, dicts and attrs classes, as in `tf.nest`.

Views of dicts (`d.values()`), ranges and deques are walked like lists.
A class with `__tf_flatten__` and `__tf_unflatten__` says itself what is in it, and how it is made
of other parts. Dicts are walked by sorted key; None and tensors are leaves. A composite tensor
(sparse, ragged) is a leaf unless `expand_composites` is True.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from typing import Any


class Composite:
    """Base of values made of several tensors; `_components` and `_from_components` say which.

    A class of another library says it in its `_type_spec` instead (`ops/structured_spec.py`).
    """

    __slots__ = ()
    is_native = False  # True: ops take it as they take a tensor

    def _components(self) -> list[Any]:
        return self._type_spec.to_tensors(self)  # type: ignore[attr-defined,no-any-return]

    def _from_components(self, parts: list[Any]) -> Any:
        return self._type_spec.from_tensors(parts)  # type: ignore[attr-defined]

    def _run_op(self, op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
        """Return what an op gives on inputs that hold this value; NotImplemented: not defined."""
        return NotImplemented

    def _no_tensor(self) -> Exception:
        """Return the error to raise where only a tensor will do."""
        return ValueError(
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) "
            "to a Tensor."
        )


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_fields")


def _is_attrs(value: Any) -> bool:
    return hasattr(type(value), "__attrs_attrs__")


def is_custom(value: Any) -> bool:
    """Return True if the class of a value says itself how it is taken apart."""
    kind = type(value)
    return hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def is_nested(seq: Any) -> bool:
    """Return True for anything `flatten` looks into."""
    return _kind(seq) not in ("leaf", "composite")


def has_parts(value: Any) -> bool:
    """Return True for structures and composites: for all but leaves."""
    return _kind(value) != "leaf"


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    return sorted(mapping)


# How each class met so far is walked: worked out once, as the questions are slow to ask.
_KINDS: dict[type, str] = {}


def _kind(structure: Any) -> str:
    result = _KINDS.get(type(structure))
    if result is None:
        if _is_namedtuple(structure):
            result = "named"
        elif isinstance(structure, (list, tuple)):
            result = "sequence"
        elif isinstance(structure, Mapping):
            result = "mapping"
        elif _is_attrs(structure):
            result = "attrs"
        elif is_custom(structure):
            result = "custom"
        elif isinstance(structure, Composite):
            result = "composite"
        elif _is_other_sequence(structure):
            result = "sequence"
        else:
            result = "leaf"
        _KINDS[type(structure)] = result
    return result


def _is_other_sequence(value: Any) -> bool:
    texts = (str, bytes, bytearray, memoryview)
    return isinstance(value, (Sequence, MappingView)) and not isinstance(value, texts)


def children(structure: Any, expand_composites: bool = False) -> list[tuple[Any, Any]] | None:
    """Return the (key, child) pairs of a structure, in order; None for a leaf."""
    kind = _kind(structure)
    if kind == "leaf":
        return None
    if kind == "sequence":
        return list(enumerate(structure))
    if kind == "named":
        return list(zip(type(structure)._fields, structure, strict=True))
    if kind == "mapping":
        return [(key, structure[key]) for key in _sorted_keys(structure)]
    if kind == "attrs":
        names = [a.name for a in type(structure).__attrs_attrs__]
        return [(name, getattr(structure, name)) for name in names]
    if kind == "custom":
        return list(enumerate(structure.__tf_flatten__()[1]))
    return list(enumerate(structure._components())) if expand_composites else None


def rebuild(like: Any, parts: list[Any]) -> Any:
    """Return a structure of the type of `like` with other children."""
    if _is_namedtuple(like):
        return type(like)(*parts)
    if isinstance(like, Mapping):
        by_key = dict(zip(_sorted_keys(like), parts, strict=True))
        ordered = [(key, by_key[key]) for key in like]
        if type(like).__name__ == "defaultdict":
            return type(like)(like.default_factory, ordered)  # type: ignore[attr-defined,call-arg]
        try:
            return type(like)(ordered)  # type: ignore[call-arg]
        except TypeError:
            return dict(ordered)
    if isinstance(like, (list, tuple)):
        return type(like)(parts)
    if isinstance(like, (range, MappingView)):  # no class that can hold others
        return parts
    if isinstance(like, Composite):
        return like._from_components(parts)
    if _kind(like) == "custom":
        metadata, _ = like.__tf_flatten__()
        return like.__tf_unflatten__(metadata, tuple(parts))
    if _is_other_sequence(like):
        return type(like)(parts)
    return type(like)(*parts)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the leaves of a structure, in order; a leaf by itself gives a list of one.

    >>> flatten({"b": [1, 2], "a": 3})
    [3, 1, 2]
    """
    leaves: list[Any] = []
    _walk(structure, leaves, expand_composites)
    return leaves


def _walk(structure: Any, leaves: list[Any], expand: bool) -> None:
    parts = children(structure, expand)
    if parts is None:
        leaves.append(structure)
    else:
        for _, part in parts:
            _walk(part, leaves, expand)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Return `flat_sequence` arranged like `structure`."""
    if not is_nested(flat_sequence) or isinstance(flat_sequence, Mapping):
        raise TypeError(
            "Attempted to pack value:\n  "
            f"{flat_sequence}\ninto a structure, but found incompatible type `"
            f"{type(flat_sequence)}` instead."
        )
    flat = list(flat_sequence)
    if children(structure, expand_composites) is None:
        if len(flat) != 1:
            raise ValueError(
                "The target structure is of type `"
                f"{type(structure)}`\n  {structure}\nHowever the input is a sequence "
                f"(`{type(flat_sequence)}`) of length {len(flat)}.\n  {flat_sequence}\nnest cannot "
                "guarantee that it is safe to map one to the other."
            )
        return flat[0]
    wanted = flatten(structure, expand_composites)
    if len(wanted) != len(flat):
        raise ValueError(
            "Could not pack sequence. Structure had "
            f"{len(wanted)} atoms, but flat_sequence had {len(flat)} items.  Structure: "
            f"{structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat), expand_composites)


def _pack(structure: Any, leaves: Iterator[Any], expand: bool) -> Any:
    parts = children(structure, expand)
    if parts is None:
        return next(leaves)
    return rebuild(structure, [_pack(part, leaves, expand) for _, part in parts])


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise ValueError (shape) or TypeError (kinds) unless two structures match."""
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except (ValueError, TypeError) as problem:
        shown = (
            pack_sequence_as(nest, ["."] * len(flatten(nest, expand_composites)), expand_composites)
            for nest in (nest1, nest2)
        )
        first, second = shown
        raise type(problem)(
            f"{problem}\nEntire first structure:\n{first}\nEntire second structure:\n{second}"
        ) from None


def _compare(a: Any, b: Any, check_types: bool, expand: bool) -> None:
    first, second = children(a, expand), children(b, expand)
    if (first is None) != (second is None):
        nested, leaf = (a, b) if second is None else (b, a)
        raise ValueError(
            "The two structures don't have the same nested structure.\n\nFirst structure: "
            f"type={type(a).__name__} str={a}\n\nSecond structure: type={type(b).__name__} "
            f'str={b}\n\nMore specifically: Substructure "type={type(nested).__name__} '
            f'str={nested}" is a sequence, while substructure "type={type(leaf).__name__} '
            f'str={leaf}" is not'
        )
    if first is None or second is None:
        return
    if check_types and not _same_kind(a, b):
        raise TypeError(
            "The two structures don't have the same nested structure.\n\nFirst structure: "
            f"type={type(a).__name__} str={a}\n\nSecond structure: type={type(b).__name__} "
            f"str={b}\n\nMore specifically: The two namedtuples don't have the same sequence type. "
            f"First structure type={type(a).__name__} str={a} has type {type(a).__name__}, while "
            f"second structure has type {type(b).__name__}"
        )
    if len(first) != len(second) or (
        isinstance(a, Mapping) and [k for k, _ in first] != [k for k, _ in second]
    ):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\nFirst structure: "
            f"type={type(a).__name__} str={a}\n\nSecond structure: type={type(b).__name__} str={b}"
            "\n\nMore specifically: The two structures don't have the same number of elements. "
            f"First structure: {a}. Second structure: {b}"
        )
    for (_, x), (_, y) in zip(first, second, strict=True):
        _compare(x, y, check_types, expand)


def _same_kind(a: Any, b: Any) -> bool:
    if _is_namedtuple(a) and _is_namedtuple(b):
        return type(a).__name__ == type(b).__name__ and type(a)._fields == type(b)._fields
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return True
    if isinstance(a, Composite) and isinstance(b, Composite) and type(a) is not type(b):
        # Datasets have a class for each kind; what they give is in their specs.
        first: Any = getattr(a, "_type_spec", None)
        second: Any = getattr(b, "_type_spec", None)
        if first is None or type(first) is not type(second):
            return False
        return first.most_specific_common_supertype([second]) is not None
    return type(a) is type(b)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Return a structure with `func` applied to the leaves of structures, leaf by leaf.

    `func`: takes one leaf of each structure.
    `structure`: one or more structures of the same form: lists, tuples, dicts, named tuples, attrs
        classes, dataclasses.
    `kwargs`: `check_types`: with False, lists and tuples count as the same; `expand_composites`:
        take sparse and ragged tensors apart as well.

    Raises ValueError if the forms differ, TypeError if types do or `func` cannot be called.

    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": [1, 2]}, {"a": [10, 20]})
    {'a': [11, 22]}
    """
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    columns = [flatten(part, expand) for part in structure]
    results = [func(*row) for row in zip(*columns, strict=True)]
    return pack_sequence_as(structure[0], results, expand)
