"""The operations of a saver in a graph, with TensorFlow's names: how tensors get out and in."""

from __future__ import annotations

import uuid
from typing import Any

from placewise import messages
from placewise.core.names import name_scope
from placewise.devices.names import canonical
from placewise.eager.device_scope import device
from placewise.graph.defaults import get_default_graph
from placewise.graph.inputs import placeholder_with_default
from placewise.ops.array.concat import stack
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import identity, shape
from placewise.ops.checkpoint import save_ops
from placewise.ops.flow.order import group
from placewise.ops.strings.join import join
from placewise.saving.saveable import SaveableObject

V1, V2 = 1, 2
CPU = "/device:CPU:0"


class SaverGraph:
    """Adds the operations of one saver to the default graph."""

    def __init__(self, saveables: list[SaveableObject], version: int, is_sharded: bool) -> None:
        self.saveables, self.version, self.is_sharded = saveables, version, is_sharded

    def build(
        self, name: str | None, filename: str | None, reshape: bool, sequentially: bool
    ) -> Any:
        """Add everything; return the names of what to feed, fetch and run, as a SaverDef."""
        with name_scope(name or "save"):
            path = placeholder_with_default(filename or "model", shape=(), name="filename")
            path = placeholder_with_default(path, shape=(), name="Const")
            if self.is_sharded:
                groups = self._by_device()
                done = self._save_sharded(path, groups)
                restored = self._restore_sharded(path, groups, reshape, sequentially)
            else:
                done = self._save(path, self.saveables)
                restored = self._restore(path, self.saveables, reshape, sequentially, "restore_all")
        return messages.SaverDef(
            filename_tensor_name=path.name,
            save_tensor_name=done.name,
            restore_op_name=restored.name,
            sharded=self.is_sharded,
            version=self.version,
        )

    def _by_device(self) -> list[tuple[str, list[SaveableObject]]]:
        found: dict[str, list[SaveableObject]] = {}
        for each in self.saveables:
            found.setdefault(canonical(each.device or ""), []).append(each)
        return sorted(found.items())

    # Saving.

    def _save(self, path: Any, saveables: list[SaveableObject]) -> Any:
        """Add what saves; return the path, known once it is saved."""
        specs = [spec for each in saveables for spec in each.specs]
        names = [spec.name for spec in specs]
        parts = [spec.slice_spec for spec in specs]
        tensors = [_value(spec) for spec in specs]
        if self.version == V2:
            saved = save_ops.save_v2(path, names, parts, tensors)
        else:
            saved = save_ops.save_slices(path, names, parts, tensors, name="save")
        graph = get_default_graph()
        with (
            name_scope("control_dependency") as scope,
            graph.colocate_with(path.op),
            graph.control_dependencies([saved]),
        ):
            return identity(path, name=scope)

    def _save_sharded(self, path: Any, groups: list[tuple[str, list[SaveableObject]]]) -> Any:
        graph = get_default_graph()
        base = join([path, f"_temp_{uuid.uuid4().hex}/part"]) if self.version == V2 else path
        count = constant(len(groups), name="num_shards")
        files, saves = [], []
        for index, (where, saveables) in enumerate(groups):
            with device(CPU if self.version == V2 else where or None):
                files.append(save_ops.sharded_filename(base, index, count))
                saves.append(self._save(files[-1], saveables))
        with graph.control_dependencies([each.op for each in saves]):
            if self.version != V2:
                return save_ops.sharded_filespec(path, count)
            with device(CPU):
                with name_scope("MergeV2Checkpoints") as scope:
                    prefixes = stack(files, name="checkpoint_prefixes")
                    merged = save_ops.merge_v2_checkpoints(prefixes, path, name=scope)
                with graph.control_dependencies([merged]):
                    return identity(path)

    # Restoring.

    def _restore(
        self,
        path: Any,
        saveables: list[SaveableObject],
        reshape: bool,
        sequentially: bool,
        name: str,
        where: str | None = None,
    ) -> Any:
        graph = get_default_graph()
        values: list[list[Any]] = []
        if not sequentially:
            flat = self._read(path, saveables)
            for each in saveables:
                values.append(flat[: len(each.specs)])
                flat = flat[len(each.specs) :]
        done: list[Any] = []
        for index, each in enumerate(saveables):
            with graph.control_dependencies(done[-1:] if sequentially else []):
                found = self._read(path, [each]) if sequentially else values[index]
                shapes = [_shape(spec) for spec in each.specs] if reshape else None
                done.append(_operation(each.restore(found, shapes)))
        if where is not None:
            with device(where or None):
                return group(*done, name=name)
        return group(*done, name=name)

    def _restore_sharded(
        self,
        path: Any,
        groups: list[tuple[str, list[SaveableObject]]],
        reshape: bool,
        sequentially: bool,
    ) -> Any:
        shards = []
        for where, saveables in groups:
            with device(where or None):
                shards.append(
                    self._restore(path, saveables, reshape, sequentially, "restore_shard", where)
                )
        return group(*shards, name="restore_all")

    def _read(self, path: Any, saveables: list[SaveableObject]) -> list[Any]:
        specs = [spec for each in saveables for spec in each.specs]
        with device(CPU):
            tensors: list[Any] = save_ops.restore_v2(
                path,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                [spec.dtype.base_dtype for spec in specs],
            )
            return tensors


def _operation(made: Any) -> Any:
    return getattr(made, "op", made)


def _value(spec: Any) -> Any:
    return spec.tensor


def _shape(spec: Any) -> Any:
    tensor = spec.tensor
    if tensor.shape.is_fully_defined():
        return tensor.shape.as_list()
    return shape(tensor)
