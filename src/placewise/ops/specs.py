"""What is known of a value before there is one: `TypeSpec`, `TensorSpec` and their kin.

A spec is compared, merged and rebuilt through `_serialize`, the tuple of what it says; shapes in
it are matched as shapes, everything else must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.nest import Composite, flatten
from placewise.core.runtime import State, runtime
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.values import EagerTensor


class TypeSpec:
    """What is known of a value: its type, shape and dtype."""

    __slots__ = ("__dict__", "__weakref__")

    @property
    def value_type(self) -> Any:
        """The class of the values this describes."""
        raise NotImplementedError

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Any:
        return cls(*serialization)

    @property
    def _component_specs(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True if a value, or some value of another spec, fits this one."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            try:
                other = type_spec_from_value(spec_or_value)
            except (TypeError, ValueError):
                return False
        if type(self) is not type(other):
            return False
        return _compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every value of this spec is one of `other`."""
        if type(self) is not type(other):
            return False
        return _is_within(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Return the narrowest spec that holds all values of this one and `others`, or None."""
        found: Any = self._serialize()
        for other in others:
            if type(self) is not type(other):
                return None
            found = _merged(found, other._serialize())
            if found is None:
                return None
        return self._deserialize(found)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the narrowest spec that holds all values of both; ValueError if there is none."""
        found = None
        if type(self) is type(other):
            found = _merged(self._serialize(), other._serialize())
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self._deserialize(found)

    @staticmethod
    def __is_compatible(one: Any, other: Any) -> bool:
        # Libraries' specs call it by its mangled name, `_TypeSpec__is_compatible`.
        return _compatible(one, other)

    def flatten(self) -> list[Any]:
        """Return the specs of the tensors a value is made of."""
        return self._components()

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensors a value is made of."""
        return value._components() if isinstance(value, Composite) else [value]

    def _to_components(self, value: Any) -> Any:
        """Return what a value is made of, as libraries ask for it."""
        return self.to_tensors(value)

    def from_tensors(self, tensors: Any) -> Any:
        """Return the value made of some tensors."""
        return self._from_components(list(tensors))

    def cast(self, value: Any, casting_context: Any = None) -> Any:
        """Return a value as one of this spec; TypeError if it is none."""
        if self.is_compatible_with(value):
            return value
        raise TypeError(f"Can not cast {value!r} to type {self!r}")

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """Return a symbolic value of this spec."""
        raise NotImplementedError("placeholders belong to graphs")

    def _components(self) -> list[Any]:
        return flatten(self._component_specs, expand_composites=True)

    def _from_components(self, parts: list[Any]) -> Any:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _key(self._serialize()) == _key(other._serialize())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), _key(self._serialize())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{tuple(self._serialize())!r}"

    def __reduce__(self) -> Any:
        return type(self), self._serialize()


class CompositeSpec(TypeSpec, Composite):
    """The spec of a value made of several tensors; nests can look into it."""

    def _components(self) -> list[Any]:
        return TypeSpec._components(self)

    def _from_components(self, parts: list[Any]) -> Any:
        raise NotImplementedError


def _key(value: Any) -> Any:
    """Return something hashable that is equal for equal specs."""
    if isinstance(value, TensorShape):
        return None if value.rank is None else ("shape", *value.as_list())
    if isinstance(value, tuple):
        return tuple(_key(each) for each in value)
    if isinstance(value, list):
        return (list, *map(_key, value))
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, _key(value.tolist()))
    if isinstance(value, Mapping):
        return tuple(sorted((name, _key(each)) for name, each in value.items()))
    return value


def _compatible(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, Mapping):
        return _same_names(mine, theirs) and all(
            _compatible(value, theirs[name]) for name, value in mine.items()
        )
    if isinstance(mine, (tuple, list)):
        return _is_same_sequence(mine, theirs) and all(
            _compatible(a, b) for a, b in zip(mine, theirs, strict=True)
        )
    if isinstance(mine, TensorShape):
        return bool(mine.is_compatible_with(theirs))
    if isinstance(mine, TypeSpec):
        return mine.is_compatible_with(theirs)
    return _is_same(mine, theirs)


def _is_same_sequence(mine: Any, theirs: Any) -> bool:
    """Return whether two sequences are of one type: a named tuple is no other tuple.

    Named tuples of the same name and fields are alike, as of a class that was defined again.
    """
    fields = getattr(mine, "_fields", None)
    if fields is not None and fields == getattr(theirs, "_fields", None):
        return type(mine).__name__ == type(theirs).__name__
    return type(mine) is type(theirs) and len(mine) == len(theirs)


def _is_same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, np.ndarray) or isinstance(theirs, np.ndarray):
        return bool(_key(mine) == _key(theirs))
    return bool(mine == theirs)


def _same_names(mine: Mapping[Any, Any], theirs: Any) -> bool:
    return isinstance(theirs, Mapping) and mine.keys() == theirs.keys()


def _is_within(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, Mapping):
        return _same_names(mine, theirs) and all(
            _is_within(value, theirs[name]) for name, value in mine.items()
        )
    if isinstance(mine, (tuple, list)):
        return _is_same_sequence(mine, theirs) and all(
            _is_within(a, b) for a, b in zip(mine, theirs, strict=True)
        )
    if isinstance(mine, TensorShape):
        if theirs.rank is None:
            return True
        return mine.rank == theirs.rank and all(
            wide is None or wide == own
            for own, wide in zip(mine.as_list(), theirs.as_list(), strict=True)
        )
    if isinstance(mine, TypeSpec):
        return mine.is_subtype_of(theirs)
    return _is_same(mine, theirs)


def _merged(mine: Any, theirs: Any) -> Any:
    """Return what holds both, or None."""
    if isinstance(mine, Mapping):
        if not _same_names(mine, theirs):
            return None
        values = _merged(tuple(mine.values()), tuple(theirs[name] for name in mine))
        return None if values is None else dict(zip(mine, values, strict=True))
    if isinstance(mine, (tuple, list)):
        if not _is_same_sequence(mine, theirs):
            return None
        parts = []
        for a, b in zip(mine, theirs, strict=True):
            part = _merged(a, b)
            if part is None and not (a is None and b is None):
                return None
            parts.append(part)
        return type(mine)(*parts) if hasattr(mine, "_fields") else type(mine)(parts)
    if isinstance(mine, TensorShape):
        return mine.most_specific_compatible_shape(theirs)
    if isinstance(mine, TypeSpec):
        return mine.most_specific_common_supertype([theirs])
    return mine if _is_same(mine, theirs) else None


class TensorSpec(TypeSpec):
    """The shape and dtype of a tensor, and maybe its name.

    `shape`: what tensors must fit; None stands for any size, or any shape.
    `dtype`: their dtype, float32 by default.
    `name`: the name of the argument that it describes.

    `tf.function(input_signature=…)` takes specs, datasets give them as `element_spec`, and
    `TensorSpec.from_tensor` makes one of a tensor.

    >>> import placewise as tf
    >>> tf.TensorSpec([None, 3], tf.int32)
    TensorSpec(shape=(None, 3), dtype=tf.int32, name=None)
    """

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    @property
    def value_type(self) -> Any:
        """tf.Tensor."""
        return Tensor

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Any:
        """Return a spec with the shape and dtype of another."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: TensorLike, name: str | None = None) -> Any:
        """Return the spec of a tensor."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")

        if name is None and not isinstance(tensor, EagerTensor):
            name = getattr(getattr(tensor, "op", None), "name", None)
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Return True if a tensor has this dtype and a shape that fits."""
        dtype = getattr(spec_or_tensor, "dtype", None)
        shape = getattr(spec_or_tensor, "shape", None)
        if dtype is None or shape is None or isinstance(spec_or_tensor, Composite):
            return super().is_compatible_with(spec_or_tensor)
        return bool(
            as_dtype(dtype).base_dtype is self._dtype.base_dtype
            and self._shape.is_compatible_with(shape)
        )

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self._name)

    def is_subtype_of(self, other: Any) -> bool:
        """Return True if every tensor of this spec is one of `other`; names must agree."""
        return (
            type(self) is type(other)
            and (not self._name or self._name == other._name)
            and _is_within(self._serialize()[:2], other._serialize()[:2])
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the narrowest spec that holds all tensors of this one and `others`, or None."""
        shape = self._shape
        for other in others:
            if type(self) is not type(other) or other._dtype is not self._dtype:
                return None
            if other._name != self._name:
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return type(self)(shape, self._dtype, self._name)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the narrowest spec that holds both; ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    @property
    def _component_specs(self) -> Any:
        return self

    def _components(self) -> list[Any]:
        return [self]

    def _from_components(self, parts: list[Any]) -> Any:
        return parts[0]

    def from_tensors(self, tensors: Any) -> Any:
        """Return the one tensor."""
        return next(iter(tensors))

    def cast(self, value: Any, casting_context: Any = None) -> Any:
        """Return `value` as a tensor of this spec."""
        made = convert_to_tensor(value, self._dtype)
        if not self._shape.is_compatible_with(made.shape):
            raise TypeError(f"Can not cast {value!r} to type {self!r}")
        return made

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec whose values lie between a minimum and a maximum."""

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None:
            raise ValueError("`minimum` can not be None.")
        if maximum is None:
            raise ValueError("`maximum` can not be None.")
        kind = self._dtype.as_numpy_dtype
        self._minimum, self._maximum = np.array(minimum, kind), np.array(maximum, kind)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Any:
        """Return a spec with the bounds of another, or those of its dtype where it has none."""
        dtype = as_dtype(spec.dtype)
        low, high = (
            getattr(spec, bound, None) if hasattr(spec, bound) else getattr(dtype, bound[:3])
            for bound in ("minimum", "maximum")
        )
        return cls(spec.shape, dtype, low, high, name or spec.name)

    @property
    def minimum(self) -> Any:
        """The least value, or an array of them."""
        return self._minimum

    @property
    def maximum(self) -> Any:
        """The greatest value, or an array of them."""
        return self._maximum

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._minimum.tolist(),
            self._maximum.tolist(),
            self._name,
        )

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


class IndexedSlicesSpec(CompositeSpec):
    """The shape and dtypes of `tf.IndexedSlices`."""

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._values_dtype, self._indices_dtype = as_dtype(dtype), as_dtype(indices_dtype)
        self._dense_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> Any:
        """tf.IndexedSlices."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._values_dtype,
            self._indices_dtype,
            self._dense_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> Any:
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = [
            TensorSpec(values, self._values_dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_dtype is not None:
            specs.append(TensorSpec([self._shape.rank], self._dense_dtype))
        return specs

    def _from_components(self, parts: list[Any]) -> Any:
        return IndexedSlices(*parts)


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    @property
    def value_type(self) -> Any:
        """The class of None."""
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> Any:
        return []

    def _from_components(self, parts: list[Any]) -> Any:
        return None

    @classmethod
    def from_value(cls, value: TensorLike) -> Any:
        """Return the spec of None."""
        return cls()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return True for None and its spec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)


TypeSpec.__module__ = "tensorflow.python.framework.type_spec"
TensorSpec.__module__ = BoundedTensorSpec.__module__ = "tensorflow.python.framework.tensor"
IndexedSlicesSpec.__module__ = "tensorflow.python.framework.indexed_slices"
NoneTensorSpec.__module__ = "tensorflow.python.framework.none_tensor"


def _slices_spec(value: IndexedSlices) -> IndexedSlicesSpec:
    shape = value.values.shape
    dense = value.dense_shape
    return IndexedSlicesSpec(
        TensorShape([None]).concatenate(shape[1:]),
        value.dtype,
        value.indices.dtype,
        None if dense is None else dense.dtype,
        value.indices.shape,
    )


@dataclass(slots=True)
class SpecMakers(State):
    """Classes of values that a program or library knows a spec for, the last one first."""

    makers: list[tuple[type[Any], Callable[[Any], Any], bool]] = field(default_factory=list)


_makers = runtime.state(SpecMakers, lasting=True)  # a registry


def register_type_spec_from_value_converter(
    type_object: type[Any], converter_fn: Callable[[Any], Any], allow_subclass: bool = False
) -> None:
    """Let `converter_fn` make the specs of values of a class, or of its subclasses too."""
    _makers.makers.insert(0, (type_object, converter_fn, allow_subclass))


def _registered(value: Any) -> Any:
    """Return the spec of a value by what was registered for its class, or None."""
    for kind, make, allow_subclass in _makers.makers:
        if type(value) is kind or (allow_subclass and isinstance(value, kind)):
            return make(value)
    return None


def type_spec_from_value(value: Any) -> Any:
    """Return the spec of a value; of what it would convert to when it is no tensor."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, IndexedSlices):
        return _slices_spec(value)
    if not isinstance(value, TypeSpec):
        spec = getattr(value, "_type_spec", None)
        if isinstance(spec, TypeSpec):
            return spec
        spec = _registered(value)
        if spec is not None:
            return spec
        try:
            made = convert_to_tensor(value)
        except (TypeError, ValueError):
            made = None
        if isinstance(made, Tensor):
            return TensorSpec(made.shape, made.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.")
