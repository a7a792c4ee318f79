"""Tables and the like in a SavedModel: functions that make, fill, save and restore one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.core.trackable import TrackableResource
from placewise.functions.polymorphic import Function
from placewise.ops.array.creation import constant
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec
from placewise.saving.object_graph import saveables_by_name


@dataclass(frozen=True)
class SavedState:
    """One attribute of a resource: its tensors by key, what reads and what restores them."""

    keys: list[str]
    slices: list[str]
    save: Any
    restore: Any


@dataclass(frozen=True)
class SavedResource:
    """A resource as concrete functions; `initialize` is None where nothing fills it."""

    handle: Any
    create: Any
    initialize: Any
    state: dict[str, SavedState] = field(default_factory=dict)


def makers(obj: TrackableResource) -> dict[str, Any]:
    """Return the functions that make and fill a resource, to be traced."""

    def _initialize() -> None:
        obj._initialize()  # what it returns may be an operation, which no function does

    return {
        each.__name__: Function(each, autograph=False, input_signature=[])
        for each in (obj._create_resource, _initialize)
    }


def saved_state(obj: TrackableResource, prefix: str) -> dict[str, SavedState]:
    """Return the state of a resource, whose keys in the checkpoint begin with `prefix`."""
    found = {}
    for name, factory in saveables_by_name(obj).items():
        specs = factory(name=f"{prefix}/{name}").specs
        given = [
            TensorSpec(None, spec.dtype, f"restored_tensors_{number}")
            for number, spec in enumerate(specs)
        ]
        found[name] = SavedState(
            [spec.name for spec in specs],
            [spec.slice_spec for spec in specs],
            _saver(factory).get_concrete_function(TensorSpec([], dtypes.string, "checkpoint_key")),
            _restorer(factory, f"{prefix}/{name}").get_concrete_function(*given),
        )
    return found


def _saver(factory: Callable[..., Any]) -> Any:
    def save_fn(checkpoint_key: Tensor) -> Any:
        return [
            {
                "name": convert_to_tensor(spec.name),
                "slice_spec": convert_to_tensor(spec.slice_spec),
                "tensor": spec.tensor,
            }
            for spec in factory(name=checkpoint_key).specs
        ]

    return Function(save_fn, autograph=False)


def _restorer(factory: Callable[..., Any], name: str) -> Any:
    def restore_fn(*restored_tensors: Any) -> Any:
        factory(name=name).restore(list(restored_tensors), None)
        return constant(1)

    return Function(restore_fn, autograph=False)
