"""Objects whose state a checkpoint can hold, and how they name what they hold.

A checkpoint walks from object to object along `_trackable_children` and asks each for tensors. What
is not there yet when a checkpoint is restored waits with its owner, and gets its value the moment
it is tracked. Knows nothing of files: what waits is an object with a `restore` method.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from placewise.core.errors import hint

# TensorFlow's names: Keras leaves them out of the files it writes.
_DEFERRED = "_self_unconditional_deferred_dependencies"
_TRACKED = "_self_unconditional_dependency_names"
_TRACKING = "_self_setattr_tracking"
VARIABLE_VALUE = "VARIABLE_VALUE"


class TrackableReference(NamedTuple):
    """A child and the name its owner knows it by."""

    name: str
    ref: Any


class Trackable:
    """Base of objects that checkpoints save; without state of its own until it is used."""

    # There from the start, as Keras takes what comes later for part of a model.
    _self_unconditional_deferred_dependencies: Any = None
    _self_untracked: Any = None

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"

    @property
    def _setattr_tracking(self) -> bool:
        return getattr(self, _TRACKING, True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        object.__setattr__(self, _TRACKING, value)

    # What it holds.

    def _maybe_initialize_trackable(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Hold a child under a name; a value that waits for it is restored."""
        if not is_trackable(trackable):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of type Trackable. "
                f"Got type {type(trackable)}."
            )
        tracked = self.__dict__.setdefault(_TRACKED, {})
        known = tracked.get(name)
        if known is not None and known is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        tracked[name] = trackable
        self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Return the children by name."""
        return dict(self.__dict__.get(_TRACKED, {}))

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        getter: Any = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """Return the variable that `getter` makes, held under its name."""
        variable = getter(
            name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter
        )
        if overwrite and not is_trackable(variable):
            return variable
        return self._track_trackable(variable, name=name, overwrite=overwrite)

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """Return the child of a name, or None."""
        children = self._trackable_children()
        return (cached_dependencies or children).get(name)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(*pair) for pair in self._trackable_children().items()]

    def _no_dependency(self, value: Any) -> Any:
        return value

    # Waiting for children.

    @property
    def _deferred_dependencies(self) -> dict[str, list[Any]]:
        result: dict[str, list[Any]] = self.__dict__.setdefault(_DEFERRED, {})
        return result

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        waiting = self.__dict__.get(_DEFERRED)
        if waiting and name in waiting:
            for position in waiting.pop(name):
                position.restore(trackable)

    # State.

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Return the tensors that are this object's own state, by name."""
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Take over the state that `_serialize_to_tensors` returned."""
        raise NotImplementedError

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """Return what is saved by name; TensorFlow's protocol before `_serialize_to_tensors`."""
        return {}

    def _copy_trackable_to_cpu(self, object_map: Any) -> None:
        raise NotImplementedError(
            "Need to implement _copy_trackable_to_cpu() if the Trackable "
            "requires AsyncCheckpoint support."
        )


class AutoTrackable(Trackable):
    """Holds whatever trackable objects are assigned to its attributes, in lists and dicts too."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, NoDependency):
            value = value.value
            hidden = {*self.__dict__.get("_self_untracked", ()), name}
            object.__setattr__(self, "_self_untracked", hidden)
        elif name in self.__dict__.get(_DEFERRED, ()):
            value = restorable(value)
            super().__setattr__(name, value)
            child = value if is_trackable(value) else view(value)
            if child is not None:
                self._handle_deferred_dependencies(name, child)
            return
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get(_TRACKED, {}).pop(name, None)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        result = super()._trackable_children(save_type, **kwargs)
        hidden = self.__dict__.get("_self_untracked", ())
        for name, value in list(self.__dict__.items()):
            if name.startswith("_self_") or name in hidden:
                continue
            child = value if is_trackable(value) else view(value)
            if child is not None:
                result[name] = child
        return result


class TrackableResource(AutoTrackable):
    """Base of objects behind a resource handle, saved as the functions that make and fill it.

    A subclass gives `_create_resource`. `_device_scope` is `tf.device`, once that is loaded.
    """

    _self_handle: Any = None
    _resource_device = ""
    _device_scope: Any = nullcontext

    def __init__(self, device: str = "") -> None:
        self._resource_device = device

    def _create_resource(self) -> Any:
        """Return a new handle."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Fill the resource; nothing to do unless a subclass says so."""

    @property
    def resource_handle(self) -> Any:
        """The handle, made when it is first asked for."""
        if self._self_handle is None:
            with type(self)._device_scope(self._resource_device or None):
                self._self_handle = self._create_resource()
        return self._self_handle


TrackableResource.__module__ = "tensorflow.python.trackable.resource"


class VariableState(Trackable):
    """How a variable is saved and restored: its value is all there is."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {VARIABLE_VALUE: self.read_value()}  # type: ignore[attr-defined]

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        value = restored_tensors[VARIABLE_VALUE]
        shape, name = self.shape, self.name  # type: ignore[attr-defined]
        if not shape.is_compatible_with(value.shape):
            raise ValueError(
                hint(
                    f"Received incompatible tensor with shape {value.shape} when attempting to "
                    "restore "
                    f"variable with shape {shape} and name {name}.",
                    "build the variable with the checkpoint's shape; "
                    "tf.train.list_variables(path) lists them",
                )
            )
        return self.assign(value)  # type: ignore[attr-defined]


class NoDependency:
    """Marks a value that an attribute may hold without its owner tracking it."""

    def __init__(self, value: Any) -> None:
        self.value = value


def is_trackable(value: Any) -> bool:
    """Return True for an object that takes part in checkpoints by itself."""
    return isinstance(value, Trackable) or (
        hasattr(type(value), "_gather_saveables_for_checkpoint")
        or hasattr(type(value), "_trackable_children")
    )


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method set attributes that are not tracked."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Let attributes that `obj` gets in the block not be tracked."""
    before = set(obj.__dict__)
    tracking = getattr(obj, _TRACKING, True)
    object.__setattr__(obj, _TRACKING, False)
    try:
        yield
    finally:
        object.__setattr__(obj, _TRACKING, tracking)
        new = {name for name in obj.__dict__ if name not in before and name[:6] != "_self_"}
        if new:
            object.__setattr__(
                obj, "_self_untracked", {*obj.__dict__.get("_self_untracked", ()), *new}
            )


# Lists, dicts and tuples. They stay what they are: a checkpoint looks at them through a view.


class _View(Trackable):
    """What a list, tuple or dict holds, as a checkpoint sees it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


class SequenceView(_View):
    """Elements by their number."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {str(index): child for index, child in _held(enumerate(self.value))}


class MappingView(_View):
    """Values by their key."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, child in _held(self.value.items()):
            if isinstance(key, str):
                result[key] = child
            elif not isinstance(child, _View) or child._trackable_children():
                raise ValueError(
                    f"Unable to save the object {self.value} (a dictionary wrapper constructed "
                    "automatically on attribute assignment). The wrapped dictionary contains a "
                    "non-string key which maps to a trackable object or mutable data structure.\n\n"
                    "If you don't need this dictionary checkpointed, wrap it in a non-trackable "
                    "object; it will be subsequently ignored."
                )
        return result


def _held(items: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in items:
        child = value if is_trackable(value) else view(value)
        if child is not None:
            yield key, child


def view(value: Any) -> Trackable | None:
    """Return how a checkpoint sees a plain list, dict or tuple; None for anything else."""
    kind = type(value)
    if kind is list:
        return SequenceView(value)
    if kind is dict or kind is OrderedDict:
        return MappingView(value)
    if isinstance(value, tuple) and any(
        is_trackable(item) or type(item) in (list, dict) for item in value
    ):
        return SequenceView(value)
    return None


def restorable(value: Any) -> Any:
    """Return a list or dict that gives what is put into it later the value that waits for it."""
    if type(value) is list:
        return ListWrapper(value)
    return _DictWrapper(value) if type(value) is dict else value


class TrackableDataStructure(Trackable):
    """Base of lists and dicts that are tracked; Keras 2 asks them for the weights they hold."""

    @property
    def _values(self) -> Any:
        raise NotImplementedError

    @property
    def layers(self) -> list[Any]:
        """The layers among the values, those of inner structures too."""
        return list(dict.fromkeys(self._gathered("layers", lambda v: [v])))

    def _gathered(self, name: str, of_layer: Callable[[Any], Any]) -> Iterator[Any]:
        for value in self._values:
            if isinstance(value, TrackableDataStructure):
                yield from getattr(value, name)
            elif hasattr(value, "trainable_weights"):
                yield from of_layer(value)

    def _weights(self, name: str) -> list[Any]:
        return list(self._gathered(name, lambda layer: getattr(layer, name)))

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable weights of the layers, and variables that are values themselves."""
        own = [v for v in self._values if getattr(v, "trainable", False) and hasattr(v, "assign")]
        return self._weights("trainable_weights") + own

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other weights of the layers, and variables that are values themselves."""
        own = [
            v for v in self._values if not getattr(v, "trainable", True) and hasattr(v, "assign")
        ]
        return self._weights("non_trainable_weights") + own

    @property
    def weights(self) -> list[Any]:
        """All weights."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable weights."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other weights."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """All weights."""
        return self.weights


class ListWrapper(TrackableDataStructure, list[Any]):
    """A list that restores what is appended to it, if a checkpoint has a value for it."""

    def __init__(self, wrapped_list: Any = ()) -> None:
        list.__init__(self, wrapped_list)

    @property
    def _values(self) -> Any:
        return list(self)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return SequenceView(self)._trackable_children(save_type, **kwargs)

    def append(self, value: Any) -> None:
        """Append a value; if one waits in a checkpoint for it, it gets that."""
        super().append(value)
        self._arrived(len(self) - 1)

    def extend(self, values: Any) -> None:
        """Append several values."""
        for value in values:
            self.append(value)

    def __iadd__(self, values: Any) -> Any:  # type: ignore[misc]  # as a list's
        self.extend(values)
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if isinstance(key, int):
            self._arrived(key % len(self))

    def _arrived(self, index: int) -> None:
        value = self[index]
        child = value if is_trackable(value) else view(value)
        if child is not None:
            self._handle_deferred_dependencies(str(index), child)

    def __hash__(self) -> int:  # type: ignore[override]  # found by identity in a walk
        return id(self)

    def __reduce__(self) -> Any:
        return (list, (list(self),))


class _DictWrapper(TrackableDataStructure, dict[Any, Any]):
    """A dict that restores what is put into it, if a checkpoint has a value for it."""

    def __init__(self, wrapped_dict: Any = ()) -> None:
        dict.__init__(self, wrapped_dict)

    @property
    def _values(self) -> Any:
        return [self[key] for key in sorted(self, key=str)]

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return MappingView(self)._trackable_children(save_type, **kwargs)

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        child = value if is_trackable(value) else view(value)
        if child is not None and isinstance(key, str):
            self._handle_deferred_dependencies(key, child)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Put in several values."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, put in if it was not there."""
        if key not in self:
            self[key] = default
        return self[key]

    def __hash__(self) -> int:  # type: ignore[override]  # found by identity in a walk
        return id(self)

    def __reduce__(self) -> Any:
        return (dict, (dict(self),))


for _kind in (Trackable, NoDependency, TrackableReference):
    _kind.__module__ = "tensorflow.python.trackable.base"
AutoTrackable.__module__ = "tensorflow.python.trackable.autotrackable"
for _kind in (ListWrapper, _DictWrapper):
    _kind.__module__ = "tensorflow.python.trackable.data_structures"
