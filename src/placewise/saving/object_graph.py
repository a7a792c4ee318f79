"""The objects below a root, numbered and named as a checkpoint of objects names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.trackable import VARIABLE_VALUE, Trackable, is_trackable, view

if TYPE_CHECKING:
    from placewise.saving.graph_reads import GraphReads

_ATTRIBUTES = ".ATTRIBUTES"
_SLOT = ".OPTIMIZER_SLOT"


class ObjectGraph:
    """Every object that a walk from a root meets, in the order it meets them.

    `extra` are children of the root that its own attributes do not hold.
    """

    def __init__(self, root: Any, extra: dict[str, Any] | None = None) -> None:
        self.root, self._extra = root, extra or {}
        self.objects: list[Any] = [root]
        self.paths: list[tuple[str, ...]] = [()]
        self._numbers: dict[int, int] = {identity(root): 0}
        self.children: list[dict[str, int]] = []
        self.slots: dict[int, list[tuple[int, str, int]]] = {}
        self._walk()

    def _walk(self) -> None:
        position = 0
        while position < len(self.objects):
            found = {}
            for name, child in self.children_of(self.objects[position]).items():
                key = identity(child)
                if key not in self._numbers:
                    self._numbers[key] = len(self.objects)
                    self.objects.append(child)
                    self.paths.append((*self.paths[position], name))
                found[name] = self._numbers[key]
            self.children.append(found)
            position += 1
        self._add_slots()

    def children_of(self, obj: Any) -> dict[str, Any]:
        """Return an object's children by name; the root's with those given beside it."""
        found = children_of(obj)
        return {**found, **self._extra} if obj is self.root else found

    def _add_slots(self) -> None:
        """Number the slots that optimizers of TensorFlow 1 keep for variables of the walk."""
        for number, owner in enumerate(list(self.objects)):
            if not hasattr(owner, "get_slot_names"):
                continue
            optimizer = "/".join(map(escaped, self.paths[number]))
            for name in owner.get_slot_names():
                for index in range(len(self.children)):
                    variable = self.objects[index]
                    slot = owner.get_slot(variable, name) if is_variable(variable) else None
                    if slot is None:
                        continue
                    self.slots.setdefault(number, []).append((index, name, len(self.objects)))
                    self._numbers[identity(slot)] = len(self.objects)
                    self.objects.append(slot)
                    self.paths.append((*self.paths[index], _SLOT, optimizer, name))
        self.children += [{}] * (len(self.objects) - len(self.children))

    def keys(self, number: int) -> str:
        """Return the beginning of the keys under which an object's tensors are kept."""
        path = self.paths[number]
        if _SLOT not in path:
            return "/".join([*map(escaped, path), _ATTRIBUTES])
        place = path.index(_SLOT)
        optimizer, name = path[place + 1 :]
        parts = [*map(escaped, path[:place]), _SLOT, optimizer, escaped(name), _ATTRIBUTES]
        return "/".join(parts)

    def to_proto(self, reads: GraphReads | None = None) -> tuple[Any, dict[str, Any]]:
        """Return the TrackableObjectGraph, and the tensors to save by key."""
        made = messages.TrackableObjectGraph()
        tensors: dict[str, Any] = {}
        for number, obj in enumerate(self.objects):
            node = made.nodes.add()
            for name, child in self.children[number].items():
                node.children.add(node_id=child, local_name=name)
            for variable, name, slot in self.slots.get(number, ()):
                node.slot_variables.add(
                    original_variable_node_id=variable, slot_name=name, slot_variable_node_id=slot
                )
            prefix = self.keys(number)
            state = state_of(obj) if reads is None else reads.state(obj)
            for name, tensor in state.items():
                key = f"{prefix}/{escaped(name)}"
                node.attributes.add(name=name, full_name=full_name(obj), checkpoint_key=key)
                tensors[key] = tensor
            saveables = saveables_by_name(obj) if reads is None else reads.saveables(obj, prefix)
            for name, factory in saveables.items():
                key = f"{prefix}/{escaped(name)}"
                node.attributes.add(name=name, checkpoint_key=key)
                tensors |= {spec.name: spec.tensor for spec in factory(name=key).specs}
        self._mark_values(made)
        return made, tensors

    def _mark_values(self, made: Any) -> None:
        """Say of each node whether it, or one below it, has a value."""
        above: dict[int, list[int]] = {}
        for number, node in enumerate(made.nodes):
            for child in node.children:
                above.setdefault(child.node_id, []).append(number)
        marked = {n for n, node in enumerate(made.nodes) if node.attributes or node.slot_variables}
        waiting = list(marked)
        while waiting:
            for owner in above.get(waiting.pop(), ()):
                if owner not in marked:
                    marked.add(owner)
                    waiting.append(owner)
        for number, node in enumerate(made.nodes):
            node.has_checkpoint_values.value = number in marked


def identity(obj: Any) -> int:
    """Return what tells one object from another; a view is what it shows."""
    value = getattr(obj, "value", None) if type(obj).__name__.endswith("View") else None
    return id(obj if value is None else value)


def is_variable(obj: Any) -> bool:
    """Return True for an object whose state is one value."""
    return hasattr(type(obj), "assign") and hasattr(type(obj), "read_value")


def children_of(obj: Any) -> dict[str, Any]:
    """Return an object's children by name."""
    if not hasattr(obj, "_trackable_children"):
        return {}
    found = obj._trackable_children(save_type="checkpoint")
    result = {}
    for name, child in found.items():
        seen = child if is_trackable(child) else view(child)
        if seen is not None:
            result[name] = seen
    return result


def state_of(obj: Any) -> dict[str, Any]:
    """Return the tensors that are an object's own state, by name."""
    if saves_itself(obj):
        return dict(obj._serialize_to_tensors())
    if is_variable(obj):
        return {VARIABLE_VALUE: obj.read_value()}
    return {}


def has_state(obj: Any) -> bool:
    """Return True if an object has tensors of its own to save; none is read."""
    if is_variable(obj) or saveables_by_name(obj):
        return True
    return saves_itself(obj) and bool(obj._serialize_to_tensors())


def saves_itself(obj: Any) -> bool:
    """Return True if an object says itself what its state is."""
    own = getattr(type(obj), "_serialize_to_tensors", None)
    return own is not None and own is not Trackable._serialize_to_tensors


def saveables_by_name(obj: Any) -> dict[str, Any]:
    """Return what makes the saveable objects of an object, as a table has; by attribute."""
    if (
        saves_itself(obj)
        or is_variable(obj)
        or not hasattr(obj, "_gather_saveables_for_checkpoint")
    ):
        return {}
    found = obj._gather_saveables_for_checkpoint()
    return {name: factory for name, factory in found.items() if callable(factory)}


def full_name(obj: Any) -> str:
    """Return the name that a saver by names would save a variable under."""
    return str(getattr(obj, "_shared_name", "") or "") if _is_named(obj) else ""


def _is_named(obj: Any) -> bool:
    return is_variable(obj) or hasattr(type(obj), "_shared_name")


def escaped(name: str) -> str:
    """Return a name with what has a meaning in a key replaced.

    >>> escaped("a/b.c")
    'a.Sb..c'
    """
    return name.replace(".", "..").replace("/", ".S")
