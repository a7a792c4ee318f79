"""Lists, dicts and tuples that an object tracks as it gets them, for Keras 2 and libraries."""

from __future__ import annotations

from typing import Any

from placewise.core.trackable import (
    ListWrapper,
    NoDependency,
    Trackable,
    _DictWrapper,
    is_trackable,
)


def wrap(value: Any) -> Any:
    """Return a list, dict or tuple as one that is tracked; a NoDependency's value as it is."""
    if isinstance(value, NoDependency):
        return value.value
    if type(value) is list:
        return ListWrapper([wrap(item) for item in value])
    if type(value) is dict:
        return _DictWrapper({key: wrap(item) for key, item in value.items()})
    return value


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Return `value` as an attribute holds it; `trackable` tracks it unless told not to."""
    untracked = isinstance(value, NoDependency)
    value = wrap(value)
    if not untracked and is_trackable(value) and isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value


class CheckpointInitialValueCallable:
    """The initial value of a variable, read from the checkpoint that waits for it."""

    def __init__(self, checkpoint_position: Any) -> None:
        self._checkpoint_position = checkpoint_position

    @property
    def checkpoint_position(self) -> Any:
        """Where in the checkpoint the value is."""
        return self._checkpoint_position

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> Any:
        return self._checkpoint_position.value()


class DelegatingTrackableMixin:
    """Has another object's children and state in a checkpoint instead of its own."""

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    @property
    def _setattr_tracking(self) -> bool:
        return bool(self._trackable._setattr_tracking)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._trackable._setattr_tracking = value

    def _maybe_initialize_trackable(self) -> Any:
        return self._trackable._maybe_initialize_trackable()

    @property
    def _object_identifier(self) -> str:
        return str(self._trackable._object_identifier)

    @property
    def _deferred_dependencies(self) -> Any:
        return self._trackable._deferred_dependencies

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        return self._trackable._trackable_children(save_type, **kwargs)

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        return self._trackable._lookup_dependency(name, cached_dependencies)

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> Any:
        return self._trackable._handle_deferred_dependencies(name, trackable)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        return self._trackable._track_trackable(trackable, name, overwrite)

    def _serialize_to_tensors(self) -> Any:
        return self._trackable._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: Any) -> Any:
        return self._trackable._restore_from_tensors(restored_tensors)

    def _gather_saveables_for_checkpoint(self) -> Any:
        return self._trackable._gather_saveables_for_checkpoint()
