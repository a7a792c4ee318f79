"""`tf.experimental.ExtensionType`: classes of one's own whose fields are tensors and settings.

A subclass names its fields by annotations; its values pass through functions, datasets, loops and
gradients as tensors do.
"""

from __future__ import annotations

import inspect
import typing
from typing import Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.ops.extension_fields import checked_annotation, converted
from placewise.ops.math.comparison import equal
from placewise.ops.math.reduction import reduce_all
from placewise.ops.spec_registry import register
from placewise.ops.specs import CompositeSpec, TypeSpec, type_spec_from_value


class _Maker(type):
    """Makes values: runs the constructor, then brings the fields to their types for good."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made: Any = cls.__new__(cls)  # type: ignore[call-overload]  # of the class `cls` itself
        object.__setattr__(made, "_open", True)
        made.__init__(*args, **kwargs)
        for name, kind in cls._fields().items():  # type: ignore[attr-defined]
            if name not in vars(made):
                raise ValueError(f"ExtensionType {cls.__name__} has not set its field {name!r}")
            vars(made)[name] = converted(name, kind, vars(made)[name])
        object.__delattr__(made, "_open")
        made.__validate__()
        return made


class ExtensionType(Composite, metaclass=_Maker):
    """Base of classes whose fields are named by annotations, and never change.

    >>> class Masked(ExtensionType):
    ...     values: Tensor
    ...     scale: float = 1.0
    >>> Masked([1, 2]).scale
    1.0
    """

    Spec: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, kind in cls._fields().items():
            checked_annotation(name, kind)
        if "__init__" not in vars(cls) and cls.__init__ in _plain_constructors:
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]
        spec = type("Spec", (ExtensionTypeSpec,), {"value_type": cls, "__module__": cls.__module__})
        spec.__qualname__ = f"{cls.__qualname__}.Spec"
        cls.Spec = spec
        if "__name__" in vars(cls):  # files may call it so
            register(f"{vars(cls)['__name__']}.Spec")(spec)

    @classmethod
    def _fields(cls) -> dict[str, Any]:
        """Return name → annotation, those of the bases first."""
        kept: dict[str, Any] | None = vars(cls).get("_kinds")
        if kept is None:
            found = typing.get_type_hints(cls)
            kept = {name: kind for name, kind in found.items() if name != "Spec"}
            cls._kinds = kept  # type: ignore[attr-defined]
        return kept

    def __validate__(self) -> None:
        """Check the fields; for subclasses to say."""

    def __setattr__(self, name: str, value: Any) -> None:
        if "_open" not in vars(self):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
        )

    @property
    def _type_spec(self) -> Any:
        return self.Spec(*(_spec_of(vars(self)[name]) for name in self._fields()))

    def _components(self) -> list[Any]:
        leaves = nest.flatten([vars(self)[n] for n in self._fields()], expand_composites=True)
        return [leaf for leaf in leaves if isinstance(leaf, Tensor)]

    def _from_components(self, parts: list[Any]) -> Any:
        return self._type_spec._from_components(parts)

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(self._components(), other._components(), strict=True)
        found: Any = True
        for one, its in pairs:
            same = reduce_all(equal(one, its))
            found = same if found is True else found & same
        return found

    def __ne__(self, other: object) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else ~same

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={vars(self)[name]!r}" for name in self._fields())
        return f"{type(self).__name__}({shown})"


def _constructor(cls: Any) -> Any:
    """Return the constructor that takes the fields in order, with their defaults."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(name, kind, default=getattr(cls, name, inspect.Parameter.empty))
        for name in cls._fields()
    ]
    signature = inspect.Signature(parameters)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - Python's own name
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    _plain_constructors.add(__init__)
    return __init__


_plain_constructors: set[Any] = {ExtensionType.__init__}


class ExtensionTypeSpec(CompositeSpec):
    """What values of an extension type are like: a spec for each tensor, the rest as it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields = self.value_type._fields()
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(name, kind) for name in fields])
        given = signature.bind(*args, **kwargs).arguments
        for name, annotation in fields.items():
            value = converted(name, annotation, given[name], is_spec=True)
            object.__setattr__(self, name, value)

    def _values(self) -> list[Any]:
        return [vars(self)[name] for name in self.value_type._fields()]

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(_hashable(value) for value in self._values())

    @property
    def _component_specs(self) -> Any:
        return [each for each in nest.flatten(self._values()) if isinstance(each, TypeSpec)]

    def _from_components(self, parts: list[Any]) -> Any:
        left = list(parts)

        def filled(spec: Any) -> Any:
            if not isinstance(spec, TypeSpec):
                return spec
            count = len(spec._components()) if isinstance(spec, CompositeSpec) else 1
            taken = [left.pop(0) for _ in range(count)]
            return spec._from_components(taken) if isinstance(spec, CompositeSpec) else taken[0]

        made = self.value_type.__new__(self.value_type)
        for name in self.value_type._fields():
            vars(made)[name] = nest.map_structure(filled, vars(self)[name])
        return made

    def __reduce__(self) -> Any:
        return type(self), tuple(self._values())

    def __repr__(self) -> str:
        names = self.value_type._fields()
        shown = ", ".join(f"{name}={vars(self)[name]!r}" for name in names)
        return f"{self.value_type.__name__}.Spec({shown})"


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    # Variables are compared element by element; what counts here is which one it is.
    return value.ref() if hasattr(value, "assign_add") else value


def _spec_of(value: TensorLike) -> Any:
    """Return a field with specs in place of its tensors and composites."""
    return nest.map_structure(
        lambda leaf: type_spec_from_value(leaf) if isinstance(leaf, (Tensor, Composite)) else leaf,
        value,
    )


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Return the fields of a value of an extension type by name."""
    return {name: vars(value)[name] for name in value._fields()}
