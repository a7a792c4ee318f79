"""Giving objects the values of a checkpoint: those there now at once, others when they appear."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import as_dtype
from placewise.core.errors import invalid
from placewise.core.trackable import (
    VARIABLE_VALUE,
    ListWrapper,
    MappingView,
    SequenceView,
    _DictWrapper,
)
from placewise.ops.checkpoint.formats import opened
from placewise.ops.convert import convert_to_tensor
from placewise.ops.values import c_name
from placewise.saving.object_graph import (
    children_of,
    identity,
    is_variable,
    saveables_by_name,
    saves_itself,
)
from placewise.saving.object_names import object_graph
from placewise.saving.python_state import PY_STATE, PythonState
from placewise.saving.saveable import is_eager

if TYPE_CHECKING:
    import numpy as np

    from placewise.session.session import Session


_log = logging.getLogger("tensorflow")


class Restoring:
    """One checkpoint on its way into a graph of objects."""

    def __init__(self, prefix: str, extra: dict[str, Any] | None = None) -> None:
        self.prefix = prefix
        self.reader = opened(prefix)
        self.graph = object_graph(self.reader)
        self.extra = extra or {}
        self.found: dict[int, Any] = {}  # number of a node → the object that took its place
        self.assigned: list[tuple[Any, Any]] = []  # variables of a graph and values to come
        self.operations: list[Any] = []  # of a graph, that restore other objects
        self.slot_owners: list[tuple[Any, Any]] = []
        self.expects_all = True
        self._farewell = Farewell(self.prefix, self.graph, self.found)

    def restore(self, root: Any) -> None:
        """Bind the root and all that can be reached from it."""
        self.restore_from(0, root)

    def restore_from(self, number: int, obj: Any) -> None:
        """Bind an object to a node, and all that can be reached from it."""
        queue: list[tuple[int, Any, Any, str]] = [(number, obj, None, "")]
        while queue:
            number, obj, owner, name = queue.pop(0)
            queue += self._bind(number, obj, owner, name)
        self._restore_slots()

    def _bind(
        self, number: int, obj: Any, owner: Any, name: str
    ) -> list[tuple[int, Any, Any, str]]:
        known = self.found.get(number)
        if known is not None:
            if known is not obj and not _same(known, obj):
                _log.warning(
                    "Inconsistent references when loading the checkpoint into this object graph. "
                    "For example, in the saved checkpoint object, `model.layer.weight` and "
                    "`model.layer_copy.weight` reference the same variable, while in the current "
                    "object these are two different variables. The referenced variables are:(%s "
                    "and %s).",
                    known,
                    obj,
                )
            return []
        node = self.graph.nodes[number]
        held = children_of(obj)
        if number == 0:
            held = {**held, **self.extra}
        missing = [child for child in node.children if child.local_name not in held]
        if missing:
            obj = _waiting(obj, owner, name)
        self.found[number] = obj
        self._restore_state(node, obj)
        for child in missing:
            if self._has_values(child.node_id) and hasattr(obj, "_deferred_dependencies"):
                place = Position(self, child.node_id)
                obj._deferred_dependencies.setdefault(child.local_name, []).append(place)
        if node.slot_variables:
            self.slot_owners.append((obj, node))
        return [
            (child.node_id, held[child.local_name], obj, child.local_name)
            for child in node.children
            if child.local_name in held
        ]

    def _has_values(self, number: int) -> bool:
        node = self.graph.nodes[number]
        if node.HasField("has_checkpoint_values"):
            return bool(node.has_checkpoint_values.value)
        return True

    def _restore_state(self, node: Any, obj: Any) -> None:
        if not node.attributes:
            return
        saveables = saveables_by_name(obj)
        if saveables:
            self._restore_saveables(node, saveables)
            return
        values = {}
        for attribute in node.attributes:
            if attribute.optional_restore and not self.reader.has(attribute.checkpoint_key):
                continue
            values[attribute.name] = self._read(attribute, obj)
        if not values:
            return
        if is_variable(obj) and not is_eager() and hasattr(obj, "initializer"):
            self.assigned.append((obj, values[VARIABLE_VALUE]))
        elif isinstance(obj, PythonState):  # at once, also where a graph is built
            obj.deserialize(values[PY_STATE].item())
        elif saves_itself(obj):
            obj._restore_from_tensors({name: _tensor(value) for name, value in values.items()})
        elif is_variable(obj):
            obj.assign(_tensor(values[VARIABLE_VALUE]))

    def _restore_saveables(self, node: Any, saveables: dict[str, Any]) -> None:
        for attribute in node.attributes:
            if attribute.name not in saveables:
                continue
            saveable = saveables[attribute.name](name=attribute.checkpoint_key)
            values = [_tensor(self.reader.read(spec.name)) for spec in saveable.specs]
            done = saveable.restore(values, None)
            if not is_eager():
                self.operations.append(done)

    def _read(self, attribute: Any, obj: Any) -> Any:
        key = attribute.checkpoint_key
        dtype = getattr(obj, "dtype", None)
        if attribute.name == VARIABLE_VALUE and dtype is not None:
            stored, wanted = self.reader.dtype(key), as_dtype(dtype).base_dtype
            if stored is not wanted:
                raise invalid(
                    f"tensor_name = {key}; expected dtype {c_name(wanted)} does not equal original "
                    f"dtype {c_name(stored)}"
                )
        return self.reader.read(key)

    def _restore_slots(self) -> None:
        """Bind the slots of optimizers that exist by now; others are bound when they are made."""
        for owner, node in self.slot_owners:
            for reference in node.slot_variables:
                if reference.slot_variable_node_id in self.found:
                    continue
                variable = self.found.get(reference.original_variable_node_id)
                if variable is None:
                    continue
                slot = owner.get_slot(variable, reference.slot_name)
                if slot is not None:
                    self._bind(reference.slot_variable_node_id, slot, None, "")
                elif hasattr(owner, "_slot_restores"):
                    key = (reference.slot_name, id(variable))
                    place = Position(self, reference.slot_variable_node_id)
                    owner._slot_restores.setdefault(key, place)

    def run(self, session: Session) -> None:
        """Give the variables of a graph their values in a session."""
        for variable, value in self.assigned:
            variable.load(value, session)
        if self.operations:
            session.run(self.operations)


def _tensor(value: np.ndarray[Any, Any]) -> Any:
    return convert_to_tensor(value)


def _same(one: Any, other: Any) -> bool:
    return identity(one) == identity(other)


def _waiting(obj: Any, owner: Any, name: str) -> Any:
    """Return an object that can wait for children: a plain list or dict is replaced by one.

    Only where nobody else holds it, or the others would not see what is appended; then what is
    appended gets its value when the status of the restoring is asked.
    """
    # References: the owner, the view, the question.
    if isinstance(obj, (SequenceView, MappingView)) and sys.getrefcount(obj.value) > 3:
        return obj
    if isinstance(obj, SequenceView) and type(obj.value) is list:
        made: Any = ListWrapper(obj.value)
    elif isinstance(obj, MappingView) and type(obj.value) is dict:
        made = _DictWrapper(obj.value)
    else:
        return obj
    if isinstance(owner, (SequenceView, MappingView, ListWrapper, _DictWrapper)):
        place = owner.value if isinstance(owner, (SequenceView, MappingView)) else owner
        if isinstance(place, list):
            list.__setitem__(place, int(name), made)
        elif isinstance(place, dict):
            dict.__setitem__(place, name, made)
        else:
            return obj
    elif owner is not None and owner.__dict__.get(name) is obj.value:
        owner.__dict__[name] = made
    else:
        return obj
    return made


class Position:
    """The place in a checkpoint of an object that is not there yet."""

    def __init__(self, restoring: Restoring, number: int) -> None:
        self._restoring, self._number = restoring, number

    def restore(self, trackable: Any) -> None:
        """Give the object that appeared its value."""
        self._restoring.restore_from(self._number, trackable)


class Farewell:
    """Says, when nothing waits for a checkpoint any more, which of its values found no place."""

    _is_finalizing = staticmethod(sys.is_finalizing)  # at the very end modules are gone

    def __init__(self, prefix: str, graph: Any, found: dict[int, Any]) -> None:
        self.prefix, self.graph, self.found = prefix, graph, found
        self.is_partial = False

    def __del__(self) -> None:
        if self.is_partial or self.graph is None or self._is_finalizing():
            return
        lost = [
            number
            for number, node in enumerate(self.graph.nodes)
            if node.attributes and number not in self.found
        ]
        if not lost:
            return
        names = pretty_names(self.graph)
        _log.warning(
            "Detecting that an object or model or tf.train.Checkpoint is being deleted with "
            "unrestored values. See the following logs for the specific values in question. To "
            "silence these warnings, use `status.expect_partial()`. See "
            "https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint#restore"
            "for details about the status object returned by the restore function."
        )
        for number in lost:
            _log.warning(
                "Value in checkpoint could not be found in the restored object: %s",
                names.get(number, number),
            )


def pretty_names(graph: Any) -> dict[int, str]:
    """Return each node's name as Python would spell it: `(root).model.w`."""
    names = {0: "(root)"}
    queue = [0]
    while queue:
        number = queue.pop(0)
        for child in graph.nodes[number].children:
            if child.node_id not in names:
                names[child.node_id] = f"{names[number]}.{child.local_name}"
                queue.append(child.node_id)
    for number, node in enumerate(graph.nodes):
        for slot in node.slot_variables:
            names.setdefault(
                slot.slot_variable_node_id,
                f"{names.get(number, '')}'s state '{slot.slot_name}' for "
                f"{names.get(slot.original_variable_node_id, '')}",
            )
    return names
