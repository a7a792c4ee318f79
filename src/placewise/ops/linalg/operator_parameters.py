"""What linear operators are made from: tensors that may be variables, other operators, settings.

An operator is a composite: its tensors pass through functions, loops and gradients, and the
operator is made again from them. A variable is kept as it is and read at each use, so that tapes
and later assignments see it.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np

from placewise.core import nest
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import CompositeSpec, TypeSpec, type_spec_from_value
from placewise.ops.state.module import Module


def is_reference(value: Any) -> bool:
    """Return True for a variable: what it holds may change."""
    return hasattr(type(value), "assign_add")


class HeldTensor:
    """An attribute that holds a tensor, or a variable that is read at each use."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._slot = f"_held_{name.lstrip('_')}"

    def __set__(self, operator: Any, value: Any) -> None:
        # The tensor that `__new__` made of it: a gradient of the operator is one of its tensors.
        value = operator.__dict__["_self_kept"].get(id(value), value)
        if value is not None and not is_reference(value):
            value = convert_to_tensor(value)
        operator.__dict__[self._slot] = value

    def __get__(self, operator: Any, owner: type | None = None) -> Any:
        if operator is None:
            return self
        value = operator.__dict__[self._slot]
        return convert_to_tensor(value) if is_reference(value) else value


_HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class OperatorParameters(Module, Composite):
    """Keeps the arguments an operator was made with, and makes others of its kind from them."""

    # Parameters that are tensors (or operators: 0) → how many of their dimensions are no batch.
    _batched: ClassVar[dict[str, int]] = {}

    # `_self_`: neither checkpoints nor `variables` look here, they find the attributes.
    _self_arguments: dict[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        bound = inspect.signature(cls.__init__).bind(made, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        converted: dict[int, Any] = {}
        for name in cls._batched:
            if name in given:
                original, given[name] = given[name], kept(given[name])
                converted[id(original)] = given[name]
        made.__dict__["_self_kept"] = converted
        made.__dict__["_self_arguments"] = given
        return made

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that this operator and those in it are made from, also of a graph."""
        return tuple(self._flatten(is_reference))

    def _batch_ranks(self) -> dict[str, int]:
        return self._batched

    @property
    def _type_spec(self) -> Any:
        specs = {
            name: nest.map_structure(_spec, value) for name, value in self._self_arguments.items()
        }
        found = {name: value for name, value in self._found_arguments().items() if name in specs}
        return LinearOperatorSpec(type(self), specs, {**specs, **found})

    def _found_arguments(self) -> dict[str, Any]:
        """Return the arguments that were completed when the operator was made: hints, sizes."""
        return {name: getattr(self, name) for name in (*_HINTS, "dtype") if hasattr(self, name)}

    def _components(self) -> list[Any]:
        leaves = nest.flatten(list(self._self_arguments.values()), expand_composites=True)
        return [convert_to_tensor(leaf) for leaf in leaves if _is_tensor(leaf)]

    def _unread_components(self) -> list[Any]:
        """Return the components with variables as they are: gradients by these find them."""
        parts: list[Any] = []
        for leaf in nest.flatten(list(self._self_arguments.values())):
            if isinstance(leaf, OperatorParameters):
                parts += leaf._unread_components()
            elif isinstance(leaf, Composite):
                parts += nest.flatten(leaf, expand_composites=True)
            elif _is_tensor(leaf):
                parts.append(leaf)
        return parts

    def _from_components(self, parts: list[Any]) -> Any:
        return self._type_spec._from_components(parts)

    def __getitem__(self, slices: Any) -> Any:
        """Return the operator of part of the batch: `operator[1:, ..., 0]`."""
        slices = tuple(slices) if isinstance(slices, (list, tuple)) else (slices,)
        return self._sliced(slices, self.batch_shape_tensor())  # type: ignore[attr-defined]

    def _sliced(self, slices: tuple[Any, ...], batch_shape: Any) -> Any:
        ranks = self._batch_ranks()
        if not ranks:
            raise NotImplementedError(f"{type(self).__name__} has no batch that can be sliced.")
        given = dict(self._self_arguments)
        for name, rank in ranks.items():
            given[name] = nest.map_structure(
                lambda part, rank=rank: _sliced_part(part, rank, slices, batch_shape), given[name]
            )
        return type(self)(**given)


def kept(value: Any) -> Any:
    """Return a tensor parameter, or operators in lists, as they are kept."""
    if value is None or is_reference(value) or isinstance(value, Composite):
        return value
    if isinstance(value, (list, tuple)) and any(
        isinstance(leaf, Composite) for leaf in nest.flatten(value)
    ):
        return value
    return convert_to_tensor(value)


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) or is_reference(leaf)


def _spec(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return tuple(leaf.tolist())
    if is_reference(leaf):
        leaf = convert_to_tensor(leaf)
    return type_spec_from_value(leaf) if isinstance(leaf, (Tensor, Composite)) else leaf


def _sliced_part(part: Any, rank: int, slices: tuple[Any, ...], batch_shape: Any) -> Any:
    if part is None:
        return None
    if isinstance(part, OperatorParameters):
        return part._sliced(slices, batch_shape)
    tensor = convert_to_tensor(part)
    sizes = shape(tensor)
    whole = broadcast_to(tensor, concat([batch_shape, sizes[-rank:] if rank else sizes[:0]], 0))
    rest = (slice(None),) * rank if Ellipsis in slices else ()
    return whole[(*slices, *rest)]


class LinearOperatorSpec(CompositeSpec):
    """What an operator is like: its class, a spec for each tensor, the other arguments."""

    def __init__(
        self, kind: Any, arguments: dict[str, Any], completed: dict[str, Any] | None = None
    ) -> None:
        self._kind, self._given = kind, arguments
        # Operators alike are of one spec, whatever was left out when they were made.
        self._completed = dict(arguments if completed is None else completed)
        self._completed.pop("name", None)

    @property
    def value_type(self) -> Any:
        """The class of the operators."""
        return self._kind

    def _serialize(self) -> tuple[Any, ...]:
        return self._kind, dict(self._completed)

    @property
    def _component_specs(self) -> Any:
        leaves = nest.flatten(list(self._given.values()))
        return [leaf for leaf in leaves if isinstance(leaf, TypeSpec)]

    def _from_components(self, parts: list[Any]) -> Any:
        left = list(parts)

        def filled(spec: Any) -> Any:
            if not isinstance(spec, TypeSpec):
                return spec
            if not isinstance(spec, CompositeSpec):
                return left.pop(0)
            return spec._from_components([left.pop(0) for _ in spec._components()])

        return self._kind(
            **{name: nest.map_structure(filled, value) for name, value in self._given.items()}
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._given.items())
        return f"{self._kind.__name__}Spec({shown})"
