"""`tf.train.Saver`: saves variables of a session to checkpoints, and restores them."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.activity import phase
from placewise.core.arguments import TensorLike
from placewise.core.errors import DataLossError, InvalidArgumentError, NotFoundError, hint
from placewise.graph.collections import GraphKeys
from placewise.graph.defaults import get_default_graph
from placewise.ops.io import paths
from placewise.saving import checkpoint_state, lazy
from placewise.saving.eager_saver import restore, save
from placewise.saving.object_names import full_names, renamed
from placewise.saving.saveable import is_eager, named_variables, saveables_of
from placewise.saving.saver_ops import SaverGraph

if TYPE_CHECKING:
    from placewise.session.session import Session


_log = logging.getLogger("tensorflow")

_RESTORING = (
    "Restoring from checkpoint failed. This is most likely due to {} Please ensure that you have "
    "not altered the graph expected based on the checkpoint. Original error:\n\n{}"
)


class Saver:
    """Saves and restores variables; keeps the latest checkpoints and deletes those before.

    `var_list`: the variables, a list, or a dict from names in the checkpoint; by default all that
        can be saved.
    `reshape`: restore also into variables of another shape with as many elements.
    `sharded`: write one file a device.
    `max_to_keep`: how many checkpoints stay; None or 0 keeps all.
    `keep_checkpoint_every_n_hours`: in that distance one checkpoint stays for good.
    `restore_sequentially`: restore one variable after the other, to use less memory.
    `saver_def`: take the operations that a graph has already, by this description.
    `builder`: accepted, without effect.
    `defer_build`: add operations to the graph when `build` is called, not now.
    `allow_empty`: a graph without variables is no error.
    `write_version`: the format of files, V2 by default.
    `pad_step_number`: write step numbers with leading zeros.
    `save_relative_paths`: name checkpoints by relative paths, so that a folder can be moved.
    `filename`: the name that the graph's operations have for the file.

    Files are TensorFlow's, in both directions. Raises ValueError if there is nothing to save.
    `restore` raises ValueError if there is no such checkpoint, NotFoundError if a variable is not
        in it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
    ...     saver = tf.compat.v1.train.Saver()
    ...     session.run(w.initializer)
    ...     path = saver.save(session, "./model", global_step=5)
    ...     session.run(w.assign(0.0))
    ...     saver.restore(session, path)
    ...     session.run(w)
    np.float32(0.0)
    np.float32(1.0)
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        if is_eager() and var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of "
                "variables to save"
            )
        self._var_list, self._reshape, self._sharded = var_list, reshape, sharded
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._name, self._restore_sequentially = name, restore_sequentially
        self.saver_def = saver_def
        self._is_built = False
        self._allow_empty = allow_empty
        self._is_empty = False
        self._write_version = write_version
        self._pad_step_number, self._filename = pad_step_number, filename
        self._save_relative_paths = save_relative_paths
        self._last_checkpoints: list[tuple[str, float]] = []
        self._checkpoints_to_be_deleted: list[tuple[str, float]] = []
        self._next_checkpoint_time = time.time() + keep_checkpoint_every_n_hours * 3600
        self._object_restore_saver: Any = None
        self._saveables: Any = None
        if is_eager():
            self._next_checkpoint_time = time.time() + self._keep_hours * 3600
            self._is_built = True
        elif not defer_build:
            self.build()
        if self.saver_def:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    # Building.

    def build(self) -> None:
        """Add the saver's operations to the default graph."""
        if is_eager():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self._is_built:
            return
        self._is_built = True
        if not self.saver_def:
            self._build()
        elif self.saver_def and self._name:

            def under(name: str) -> str:
                return f"{self._name}/{name}"

            self.saver_def.filename_tensor_name = under(self.saver_def.filename_tensor_name)
            self.saver_def.save_tensor_name = under(self.saver_def.save_tensor_name)
            self.saver_def.restore_op_name = under(self.saver_def.restore_op_name)
        self._check_saver_def()
        self._next_checkpoint_time = (
            time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600
        )

    def _build(self) -> None:
        if self._var_list is None:
            graph = get_default_graph()
            self._var_list = graph.get_collection(
                GraphKeys.GLOBAL_VARIABLES
            ) + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
        if not self._var_list:
            if not self._allow_empty:
                raise ValueError(
                    hint(
                        "No variables to save",
                        "make the variables before the saver, in the same graph, or pass var_list",
                    )
                )
            self._is_empty = True
            self.saver_def = messages.SaverDef()
        else:
            names = self._var_list if isinstance(self._var_list, dict) else None
            if names is None:
                names = named_variables(self._var_list)
            self._saveables = saveables_of(names)
            self.saver_def = SaverGraph(self._saveables, self._write_version, self._sharded).build(
                self._name, self._filename, self._reshape, self._restore_sequentially
            )
        self.saver_def.max_to_keep = self._max_to_keep or 0
        self.saver_def.keep_checkpoint_every_n_hours = self._keep_hours

    def _check_saver_def(self) -> None:
        if not isinstance(self.saver_def, messages.SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {self.saver_def}")
        if self._is_empty:
            return
        if not self.saver_def.save_tensor_name:
            raise ValueError(f"saver_def must specify the save_tensor_name: {self.saver_def}")
        if not self.saver_def.restore_op_name:
            raise ValueError(f"saver_def must specify the restore_op_name: {self.saver_def}")

    def as_saver_def(self) -> Any:
        """Return the saver as a SaverDef message."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the saver as a SaverDef message; None if it is not in the scope."""
        if export_scope is None:
            return self.saver_def
        mine = self.saver_def
        if not (
            mine.filename_tensor_name.startswith(export_scope)
            and mine.save_tensor_name.startswith(export_scope)
            and mine.restore_op_name.startswith(export_scope)
        ):
            return None
        made = messages.SaverDef()
        made.CopyFrom(mine)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(made, field, getattr(mine, field).removeprefix(f"{export_scope}/"))
        return made

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Return the saver that a SaverDef message describes."""
        return Saver(saver_def=saver_def, name=import_scope)

    # Which checkpoints there are.

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: Any) -> None:
        """Say which checkpoints there are; their times are not known."""
        if not isinstance(last_checkpoints, list):
            raise AssertionError("last_checkpoints must be a list")
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Sequence[Any]) -> None:
        """Say which checkpoints there are and when each was written."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError("last_checkpoints_with_time must be a list")
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Go on with the checkpoints of an earlier program: those that still exist."""
        existing = [path for path in checkpoint_paths if checkpoint_state.checkpoint_exists(path)]
        times = checkpoint_state.get_checkpoint_mtimes(existing)
        self.set_last_checkpoints_with_time(list(zip(existing, times, strict=True)))

    def _record(self, path: str) -> None:
        if self._kept() <= 0:
            return
        for each in self._last_checkpoints:
            if each[0] == path:
                self._last_checkpoints.remove(each)
                break
        self._last_checkpoints.append((path, time.time()))
        if len(self._last_checkpoints) > self._kept():
            self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

    def _kept(self) -> int:
        return int(self._max_to_keep or 0) if is_eager() else int(self.saver_def.max_to_keep)

    def _delete_old(self, meta_graph_suffix: str) -> None:
        if not self._checkpoints_to_be_deleted:
            return
        path, written = self._checkpoints_to_be_deleted.pop(0)
        if written > self._next_checkpoint_time:
            hours = self._keep_hours if is_eager() else self.saver_def.keep_checkpoint_every_n_hours
            self._next_checkpoint_time += hours * 3600
            return
        try:
            checkpoint_state.remove_checkpoint(path, self._write_version, meta_graph_suffix)
        except Exception as problem:  # what cannot be deleted must not stop the training
            _log.warning("Ignoring: %s", problem)

    # Saving.

    @phase("saving")
    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Save the variables; return the prefix of the checkpoint, or None if there are none."""
        if not self._is_built and not is_eager():
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        save_path = os.fspath(save_path)
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        path = self._numbered(sess, save_path, global_step)
        if os.path.basename(path) == latest_filename and not self._sharded:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{latest_filename}' and "
                f"'{save_path}'"
            )
        if not is_eager() and not (hasattr(sess, "run") and hasattr(sess, "graph")):
            raise TypeError(f"'sess' must be a Session; {sess}")
        saved = None
        if not self._is_empty:
            saved = self._saved(sess, path)
            if write_state:
                self._record(saved)
                checkpoint_state.write_state(
                    os.path.dirname(save_path),
                    saved,
                    self.last_checkpoints,
                    latest_filename,
                    self._save_relative_paths,
                )
                self._delete_old(meta_graph_suffix)
        if write_meta_graph and not is_eager():
            meta = checkpoint_state.meta_graph_filename(path, meta_graph_suffix)
            with sess.graph.as_default():
                self.export_meta_graph(
                    meta,
                    strip_default_attrs=strip_default_attrs,
                    save_debug_info=save_debug_info,
                )
        return saved

    def _numbered(self, sess: Any, save_path: str, global_step: Any) -> str:
        if global_step is None:
            return save_path
        if not isinstance(global_step, int):
            if hasattr(global_step, "__index__") and not hasattr(global_step, "op"):
                global_step = int(global_step)
            elif is_eager():
                global_step = int(global_step.numpy())
            else:
                global_step = int(sess.run(global_step))
        return f"{save_path}-{global_step:0{8 if self._pad_step_number else 1}d}"

    def _saved(self, sess: Session, path: str) -> str:
        if is_eager():
            save(path, self._var_list)
            return path
        found = sess.run(
            self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: path}
        )
        return found.decode() if isinstance(found, bytes) else str(found)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """Return the default graph with this saver as a MetaGraphDef; write it to `filename`."""
        return lazy.export_meta_graph(
            filename=filename,
            graph_def=None,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )

    # Restoring.

    @phase("restoring")
    def restore(self, sess: Session, save_path: str | None) -> None:
        """Give the variables the values of a checkpoint."""
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError(
                hint(
                    "Can't load save_path when it is None.",
                    "tf.train.latest_checkpoint gives None for a folder without a checkpoint: "
                    "check the folder",
                )
            )
        prefix = paths.local_path(save_path)
        if not checkpoint_state.checkpoint_exists(prefix):
            raise ValueError(
                hint(
                    f"The passed save_path is not a valid checkpoint: {prefix}",
                    "pass the prefix, as /path/model.ckpt-100; tf.train.latest_checkpoint(folder) "
                    "finds it",
                )
            )
        _log.info("Restoring parameters from %s", prefix)
        if is_eager():
            restore(prefix, self._var_list)
            return
        try:
            sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: prefix})
        except NotFoundError as problem:
            if self._restored_by_objects(sess, prefix):
                return
            raise _wrapped(
                problem,
                "a Variable name or other graph key that is missing from the checkpoint.",
            ) from None
        except (InvalidArgumentError, ValueError) as problem:
            if isinstance(problem, DataLossError):
                raise
            raise _wrapped(
                problem,
                "a mismatch between the current graph and the graph from the checkpoint.",
            ) from None

    def _restored_by_objects(self, sess: Session, prefix: str) -> bool:
        """Restore from a checkpoint of objects by the names their variables had; False if none."""
        keys = full_names(prefix)
        if keys is None or self._saveables is None:
            return False
        _log.warning(
            "Restoring an object-based checkpoint using a name-based saver. This may be somewhat "
            "fragile, and will re-build the Saver. Instead, consider loading object-based "
            "checkpoints using tf.train.Checkpoint()."
        )
        if self._object_restore_saver is None:
            found = renamed(self._saveables, keys)
            if found is None:
                return False
            with sess.graph.as_default():
                self._object_restore_saver = Saver(found)
        self._object_restore_saver.restore(sess, prefix)
        return True


def _wrapped(problem: Any, why: str) -> Exception:
    message = _RESTORING.format(why, getattr(problem, "message", str(problem)))
    if isinstance(problem, (NotFoundError, InvalidArgumentError)):
        return type(problem)(problem.node_def, problem.op, message)
    return InvalidArgumentError(None, None, message)


Saver.__module__ = "tensorflow.python.training.saver"
