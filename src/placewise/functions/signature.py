"""What a call's arguments have in common with others: the kind of call a trace is made for.

Tensors count by dtype and shape, Python values by equality, structures by their form, composite
tensors by their spec, other objects by identity.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from placewise.core import nest
from placewise.core.dtypes import DType
from placewise.core.nest import Composite
from placewise.core.shapes import Dims, TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import CompositeSpec, TensorSpec, TypeSpec
from placewise.ops.state.variable import is_variable
from placewise.ops.values import EagerTensor

if TYPE_CHECKING:
    from placewise.graph.resource_variables import ResourceVariable


_PLAIN = (type(None), bool, int, float, complex, str, bytes, DType)


class Leaf(NamedTuple):
    """A tensor among the arguments: its dtype and shape, what it is called, itself."""

    dtype: DType
    dims: Dims
    name: str
    value: Any  # the tensor; None where a spec was given


class _Identity:
    """An object in a key, by identity; does not keep it alive."""

    __slots__ = ("_hash", "_id", "_ref")

    def __init__(self, value: Any) -> None:
        self._id = id(value)
        self._hash = hash(self._id)
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Identity):
            return False
        mine = self._ref()
        return mine is not None and mine is other._ref()

    def __repr__(self) -> str:
        return repr(self._ref())


class Arguments:
    """The arguments of one call, taken apart.

    `form` is what must be equal, `leaves` are the tensors, in order.
    """

    __slots__ = ("_aliases", "form", "leaves", "variables")

    def __init__(self, named: list[tuple[str, Any]]) -> None:
        self.leaves: list[Leaf] = []
        self.variables: list[Any] = []
        self._aliases: dict[int, int] = {}
        self.form = tuple([(name, self._take(value, name)) for name, value in named])

    @property
    def shapes(self) -> tuple[Any, ...]:
        """The (dtype, shape) of each tensor."""
        return tuple([(leaf.dtype, leaf.dims) for leaf in self.leaves])

    def take_names(self, described: Arguments) -> None:
        """Call the tensors as specs call them: placeholders get the names of an input signature."""
        if len(self.leaves) == len(described.leaves):
            pairs = zip(self.leaves, described.leaves, strict=True)
            self.leaves = [leaf._replace(name=spec.name) for leaf, spec in pairs]

    def _take(self, value: Any, name: str) -> Any:
        if isinstance(value, Tensor):
            is_eager = isinstance(value, EagerTensor)
            dims = value._shape_tuple if is_eager else value._dims
            self.leaves.append(Leaf(value.dtype.base_dtype, dims, name, value))
            return Tensor
        if isinstance(value, (np.ndarray, np.generic)):  # np.float64 is a float, too
            return self._take(convert_to_tensor(value), name)
        if isinstance(value, _PLAIN):
            return value if value == value else "nan"
        if is_variable(value):
            return self._variable(value, name)
        if isinstance(value, TypeSpec):
            return self._spec(value, name)
        if isinstance(value, Composite):
            return self._composite(value, name)
        return self._other(value, name)

    def _variable(self, value: ResourceVariable, name: str) -> Any:
        handle = value.handle
        alias = self._aliases.setdefault(id(handle), len(self._aliases))
        self.leaves.append(Leaf(handle.dtype, (), name, handle))
        self.variables.append(value)
        return ("variable", value.dtype, value.shape._dims, value.trainable, alias, type(value))

    def _composite(self, value: Any, name: str) -> Any:
        """Take the components of a composite, of the shapes its spec says they have."""
        spec = getattr(value, "_type_spec", None)
        parts, first = value._components(), len(self.leaves)
        for part in parts:
            self._take(part, name)
        specs = [] if spec is None else spec._components()
        if len(specs) == len(parts) == len(self.leaves) - first:
            for index, one_spec in enumerate(specs, first):
                if isinstance(one_spec, TensorSpec):
                    self.leaves[index] = self.leaves[index]._replace(dims=one_spec.shape._dims)
        return (type(value), spec)

    def _spec(self, value: TypeSpec, name: str) -> Any:
        if isinstance(value, TensorSpec):
            self.leaves.append(Leaf(value.dtype, value.shape._dims, value.name or name, None))
            return Tensor
        if isinstance(value, CompositeSpec) or value._components():
            for part in value._components():
                self._take(part, name)
            return (value.value_type, value)
        return value

    def _other(self, value: Any, name: str) -> Any:
        if type(value) in (list, tuple):
            return (type(value), tuple([self._take(item, name) for item in value]))
        if isinstance(value, Mapping) and nest.is_nested(value):
            items = sorted(value.items(), key=_sorted_by)
            return (dict, tuple([(k, self._take(v, name)) for k, v in items]))
        parts = nest.children(value)
        if parts is not None:
            taken = tuple([(k, self._take(v, name)) for k, v in parts])
            if nest.is_custom(value):
                return (type(value), _hashable(value.__tf_flatten__()[0]), taken)
            return (type(value), taken)
        if isinstance(value, weakref.ref):
            raise TypeError(f"weakref input {value!r} not supported for tf.function.")
        custom = getattr(value, "__tf_tracing_type__", None)
        if custom is not None:
            return ("custom", custom(None))
        if isinstance(value, TensorShape):
            return ("shape", value._dims)
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"Could not generate a generic TraceType for {value!r}.Please verify that it is "
                "immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it."
            ) from None
        compare: Any = type(value).__eq__
        if compare is object.__eq__ or callable(value):
            return _Identity(value)
        return value


def _hashable(metadata: Any) -> Any:
    """Return what a class keeps beside its tensors, as part of a key."""
    if isinstance(metadata, Mapping):
        return (type(metadata), tuple([(k, _hashable(metadata[k])) for k in sorted(metadata)]))
    if isinstance(metadata, (list, tuple)):
        return (type(metadata), tuple([_hashable(item) for item in metadata]))
    return metadata


def _sorted_by(item: Any) -> Any:
    return (str(type(item[0])), item[0])


def admits(wide: Any, narrow: Any) -> bool:
    """Return True if a trace of the form `wide` takes arguments of the form `narrow`.

    The spec of a composite may be wider than that of the argument; all else must be equal.
    """
    if isinstance(wide, TypeSpec) and isinstance(narrow, TypeSpec):
        return narrow.is_subtype_of(wide)
    if type(wide) is tuple and type(narrow) is tuple:
        return len(wide) == len(narrow) and all(map(admits, wide, narrow))
    return bool(wide == narrow)


def widened(value: Any, known: Any) -> Any:
    """Return an argument with each composite replaced by a spec that holds `known`'s too.

    `known` is the argument of another trace, with specs in place of values. None if no spec does.
    """
    if isinstance(value, (Composite, TypeSpec)) and not isinstance(value, TensorSpec):
        spec = value if isinstance(value, TypeSpec) else getattr(value, "_type_spec", None)
        is_wide = isinstance(spec, TypeSpec) and isinstance(known, TypeSpec)
        return spec.most_specific_common_supertype([known]) if is_wide and spec else None
    mine, theirs = nest.children(value), nest.children(known)
    if not mine or is_variable(value) or isinstance(value, (Tensor, TypeSpec)):
        return value
    if theirs is None or [key for key, _ in mine] != [key for key, _ in theirs]:
        return None
    parts = [widened(a, b) for (_, a), (_, b) in zip(mine, theirs, strict=True)]
    lost = any(part is None and old is not None for part, (_, old) in zip(parts, mine, strict=True))
    return None if lost else nest.rebuild(value, parts)


def covers(wide: tuple[Any, ...], narrow: tuple[Any, ...]) -> bool:
    """Return True if tensors of the shapes `narrow` may go where `wide` is expected."""
    for (wide_type, wide_dims), (dtype, dims) in zip(wide, narrow, strict=True):
        if wide_type is not dtype:
            return False
        if wide_dims is None:
            continue
        if dims is None or len(dims) != len(wide_dims):
            return False
        if any(w is not None and w != n for w, n in zip(wide_dims, dims, strict=True)):
            return False
    return True


def relaxed(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the narrowest shapes that cover both; None if the dtypes differ."""
    matched: list[tuple[Any, Any]] = []
    for (dtype, dims), (other_type, other_dims) in zip(one, other, strict=True):
        if dtype is not other_type:
            return None
        if dims is None or other_dims is None or len(dims) != len(other_dims):
            matched.append((dtype, None))
        else:
            pairs = zip(dims, other_dims, strict=True)
            matched.append((dtype, tuple([a if a == b else None for a, b in pairs])))
    return tuple(matched)
