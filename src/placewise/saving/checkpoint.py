"""`tf.train.Checkpoint`: saves and restores a graph of objects by the names of their attributes."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.activity import phase
from placewise.core.errors import NotFoundError, hint
from placewise.core.trackable import AutoTrackable, is_trackable, view
from placewise.graph.variable import VariableV1
from placewise.ops.checkpoint import save_ops
from placewise.ops.checkpoint.bundle_writer import BundleWriter
from placewise.ops.checkpoint.contents import array_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io import memory_files, paths
from placewise.ops.state.variable import Variable
from placewise.saving.checkpoint_state import write_state
from placewise.saving.graph_reads import GraphReads
from placewise.saving.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
    _session,
)
from placewise.saving.object_graph import ObjectGraph, full_name, is_variable
from placewise.saving.object_names import OBJECT_GRAPH
from placewise.saving.object_restore import Restoring
from placewise.saving.saveable import is_eager

if TYPE_CHECKING:
    from placewise.session.session import Session


class CheckpointOptions:
    """Settings of saving and restoring; files are written by this process, on its own disk."""

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
        for each in experimental_write_callbacks or ():
            if not callable(each):
                raise TypeError(f"a callback to call after writing is no function: {each!r}")


CheckpointOptions.__module__ = "tensorflow.python.checkpoint.checkpoint_options"


class Checkpoint(AutoTrackable):
    """Groups objects to be saved together: attributes, or `root` and what it holds.

    `root`: the object whose variables, layers and other tracked attributes are saved.
    `kwargs`: more objects by name; they become attributes of the checkpoint.

    `save` writes numbered checkpoints, `write` one of a given name; `restore` and `read` bring
        values back, also into variables that are made later. What they return can check that all
        was used:
    `assert_consumed`, `expect_partial`. Files are TensorFlow's, in both directions.

    Raises ValueError for an object that cannot be tracked, NotFoundError if there is no such file.

    >>> import placewise as tf, tempfile
    >>> step = tf.Variable(3)
    >>> path = Checkpoint(step=step).write(tempfile.mkdtemp() + "/saved")
    >>> _ = step.assign(0)
    >>> _ = Checkpoint(step=step).read(path).assert_consumed()
    >>> int(step)
    3
    """

    # Subclasses of programs do not always call this class's `__init__`.
    _self_root: Any = None
    _self_counter: Any = None
    _self_reads: Any = None

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__()
        self._self_root = root
        if root is not None:
            _check(root, "root")
            root = root() if _is_weak(root) else root
            self._self_root = root
            held = ObjectGraph(root).children_of(root)
            for name in kwargs:
                if name in held and held[name] is not kwargs[name]:
                    raise ValueError(
                        f"Cannot create a Checkpoint with keyword argument {name} if root.{name} "
                        "already exists."
                    )
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            if not is_trackable(value) and view(value) is None:
                _check(value, name)

    def _objects(self) -> tuple[Any, dict[str, Any]]:
        """Return the root of the walk, and the children that stand beside its own."""
        counter = {} if self._self_counter is None else {"save_counter": self._self_counter}
        if self._self_root is None:
            return self, counter
        return self._self_root, {**super()._trackable_children(), **counter}

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        found = super()._trackable_children(save_type, **kwargs)
        found.pop("_self_root", None)
        if self._self_counter is not None:
            found["save_counter"] = self._self_counter
        return found

    def _maybe_create_save_counter(self) -> None:
        if self._self_counter is not None:
            return
        if is_eager():
            made: Any = Variable(0, trainable=False, name="save_counter", dtype=dtypes.int64)
        else:
            made = VariableV1(  # type: ignore[call-arg]  # its metaclass takes use_resource
                0,
                trainable=False,
                name="save_counter",
                dtype=dtypes.int64,
                collections=[],
                use_resource=True,
            )
        self._self_counter = made
        owner = self if self._self_root is None else self._self_root
        if hasattr(owner, "_handle_deferred_dependencies"):
            owner._handle_deferred_dependencies("save_counter", made)

    @property
    def save_counter(self) -> Any:
        """The variable that counts the calls of `save`."""
        self._maybe_create_save_counter()
        return self._self_counter

    # Saving.

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Write a checkpoint under that very prefix; return it."""
        return self._write(file_prefix, options, None)

    @phase("saving")
    def _write(self, file_prefix: Any, options: Any, session: Any) -> str:
        prefix = paths.local_path(file_prefix)
        root, extra = self._objects()
        graph, tensors = ObjectGraph(root, extra).to_proto(self._graph_reads())
        names, values = list(tensors), list(tensors.values())
        if is_eager():
            save_ops.save_v2(
                prefix,
                [*names, OBJECT_GRAPH],
                [""] * (len(names) + 1),
                [*values, graph.SerializeToString()],
            )
        else:
            write_from_session(prefix, names, values, graph, session)
        for callback in getattr(options, "experimental_write_callbacks", None) or ():
            callback(prefix)
        return memory_files.shown(prefix)

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Write a numbered checkpoint and note it in the folder's `checkpoint` file."""
        return self._save(file_prefix, options, None)

    def _save(self, file_prefix: Any, options: Any, session: Session | None) -> str:
        prefix = paths.local_path(file_prefix)
        number = self._count(session)
        path = f"{prefix}-{number}"
        written = self._write(path, options, session)
        write_state(os.path.dirname(prefix), path, [path], relative=True)
        return written

    def _count(self, session: Any) -> int:
        if is_eager():
            self.save_counter.assign_add(1)
            return int(self.save_counter.numpy())

        counter, session = self.save_counter, _session(session)
        is_initialized, add_one = self._graph_reads().counting(counter)
        if not session.run(is_initialized):
            session.run(counter.initializer)
        return int(session.run(add_one))

    def _graph_reads(self) -> Any:
        """Return what earlier saves added to the graph in force; None where ops run at once."""
        if is_eager():
            return None
        if self._self_reads is None:
            self._self_reads = GraphReads()
        return self._self_reads

    # Restoring.

    def read(self, save_path: Any, options: Any = None) -> Any:
        """Restore what `write` wrote; return a status to ask how much of it was matched."""
        return self._read(save_path)

    def _read(self, save_path: Any) -> Any:
        with phase("restoring", "" if save_path is None else str(save_path)):
            return self._status_of(save_path)

    def _status_of(self, save_path: Any) -> Any:
        root, extra = self._objects()
        if save_path is None:
            return InitializationOnlyStatus(root, extra)
        restoring = Restoring(_inside_saved_model(paths.local_path(save_path)), extra)
        if restoring.graph is None:
            return _by_names(restoring, root, extra)
        restoring.restore(root)
        return CheckpointLoadStatus(restoring, root, extra)

    def restore(self, save_path: str | None, options: Any = None) -> Any:
        """Restore what `save` wrote; return a status to ask how much of it was matched."""
        try:
            self._maybe_create_save_counter()
            return self._read(save_path)
        except NotFoundError as problem:
            raise NotFoundError(
                None,
                None,
                hint(
                    f"Error when restoring from checkpoint or SavedModel at {save_path}: "
                    f"{problem.message}\nPlease double-check that the path is correct. You may be "
                    "missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
                    "tf.train.latest_checkpoint(folder) finds the newest of a folder",
                ),
            ) from None

    def sync(self) -> None:
        """Do nothing: every save is on the disk when it returns."""


Checkpoint.__module__ = "tensorflow.python.checkpoint.checkpoint"


def _is_weak(root: Any) -> bool:
    return isinstance(root, weakref.ref)


def _check(value: Any, name: str) -> None:
    if not is_trackable(value) and view(value) is None and not _is_weak(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value}. If you believe this object should be trackable (i.e. it "
            "is part of the TensorFlow Python API and manages state), please open an issue."
        )


def _inside_saved_model(path: str) -> str:
    inner = os.path.join(path, "variables", "variables")
    return inner if os.path.isdir(path) and os.path.exists(f"{inner}.index") else path


def write_from_session(
    prefix: str, names: list[str], values: list[Any], graph: Any, session: Any
) -> None:
    """Write a checkpoint of an object graph; the values of graph tensors come from a session."""
    tensors = [value for value in values if not isinstance(value, np.ndarray)]
    fetched = iter(_session(session).run(tensors) if tensors else [])
    found = [value if isinstance(value, np.ndarray) else next(fetched) for value in values]
    writer = BundleWriter(prefix)
    try:
        for name, value in zip(names, found, strict=True):
            array = np.asarray(value, object if isinstance(value, (bytes, str)) else None)
            writer.add(name, array_of(array))
        writer.add(OBJECT_GRAPH, np.array(graph.SerializeToString(), object))
    except BaseException:
        writer.abandon()
        raise
    writer.finish()


def _by_names(restoring: Restoring, root: Any, extra: dict[str, Any]) -> NameBasedSaverStatus:
    """Restore variables from a checkpoint that was written by names."""
    restored, missing = [], []
    unused = set(restoring.reader.names())
    for obj in ObjectGraph(root, extra).objects:
        if not is_variable(obj):
            continue
        name = full_name(obj)
        if not restoring.reader.has(name):
            if obj is not extra.get("save_counter"):
                missing.append(obj)
            continue
        value = restoring.reader.read(name)
        unused.discard(name)
        if is_eager():
            obj.assign(convert_to_tensor(value))
        restored.append((obj, value))
    return NameBasedSaverStatus(restored, missing, sorted(unused))
