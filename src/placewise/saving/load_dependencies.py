"""What objects of a SavedModel need to be loaded before them, as they say themselves."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from placewise.saving.object_graph import identity

if TYPE_CHECKING:
    from placewise.saving.object_graph import ObjectGraph


def load_dependencies(objects: ObjectGraph) -> dict[int, dict[str, int]]:
    """Return the dependencies of each object that has any: numbers of objects by name.

    Raises ValueError if one is not among the objects, or if they need each other.
    """
    numbers = {identity(obj): number for number, obj in enumerate(objects.objects)}
    found: dict[int, dict[str, int]] = {}
    for number, obj in enumerate(objects.objects):
        tell = getattr(obj, "_deserialization_dependencies", None)
        if tell is None:
            continue
        children = {name: objects.objects[n] for name, n in objects.children[number].items()}
        needed = tell(children)
        for dependency in needed.values():
            if identity(dependency) not in numbers:
                raise ValueError(
                    f"Found an untracked dependency. Object {_label(objects, number)} depends on "
                    f"{dependency}, but this dependency isn't listed as a child. Please track "
                    "this child by overriding `_trackable_children` or use `._track_trackable`."
                )
        found[number] = {name: numbers[identity(one)] for name, one in needed.items()}
    try:
        TopologicalSorter({n: list(needed.values()) for n, needed in found.items()}).prepare()
    except CycleError as cycle:
        raise _cyclic(objects, found, sorted(set(cycle.args[1]))) from None
    return found


def _cyclic(objects: ObjectGraph, found: dict[int, dict[str, int]], cycle: list[int]) -> ValueError:
    nodes = "".join(
        f"\n\tNode {number} = {_label(objects, number)} (type {type(objects.objects[number])})"
        for number in cycle
    )
    links = "".join(
        f"\n\tNode {number} depends on nodes {sorted(found[number].values())}" for number in cycle
    )
    return ValueError(
        "There is one or more dependency cycle in the saved Trackable object. Saving cannot "
        f"continue until this cycle is resolved.\n>> Unresolved nodes:{nodes}"
        f"\n>> Unresolved cyclic dependencies:{links}"
    )


def _label(objects: ObjectGraph, number: int) -> str:
    """Return how a program reaches an object."""
    path = objects.paths[number]
    return ".".join(["root", *path]) if path else "root object"
