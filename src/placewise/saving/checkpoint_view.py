"""`tf.train.CheckpointView`: what a checkpoint of objects holds, compared with objects."""

from __future__ import annotations

from collections import deque
from typing import Any

from placewise.core.log import get_logger
from placewise.core.trackable import is_trackable
from placewise.ops.checkpoint.formats import opened
from placewise.saving.object_graph import identity
from placewise.saving.object_names import OBJECT_GRAPH, object_graph
from placewise.saving.trackable_view import TrackableView


class CheckpointView:
    """The objects of a checkpoint by number: 0 is the root, the others come as they were met.

    `save_path`: what `Checkpoint.save` or `write` returned.

    Raises ValueError for a checkpoint that was written by names of variables.

    >>> saved = tf.train.Checkpoint(v=tf.Variable(1.0), w=tf.Variable(2.0)).write("view")
    >>> view = tf.train.CheckpointView(saved)
    >>> view.children(0)
    {'v': 1, 'w': 2}
    >>> matched, missing, added = view.diff(tf.train.Checkpoint(v=tf.Variable(0.0)))
    >>> sorted(matched), missing, added
    ([0, 1], [2], [])
    """

    def __init__(self, save_path: Any) -> None:
        with opened(save_path) as checkpoint:
            graph = object_graph(checkpoint)
        if graph is None:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based (saved '
                f'with TF2) since it is missing the key "{OBJECT_GRAPH}". Likely it was created '
                "with the TF1 name-based saver and does not contain an object dependency graph."
            )
        self._object_graph_proto = graph

    def children(self, node_id: int) -> dict[str, int]:
        """Return the numbers of the objects that one holds, by name."""
        return {
            child.local_name: child.node_id
            for child in self._object_graph_proto.nodes[node_id].children
        }

    def descendants(self) -> list[int]:
        """Return the numbers of all objects below the root, the nearest first."""
        return list(self._descendants_with_paths())

    def _descendants_with_paths(self) -> dict[int, str]:
        """Return the way to each object by its number, as `root.layer.kernel`."""
        paths = {0: "root"}
        waiting = deque([0])
        while waiting:
            node = waiting.popleft()
            for name, child in self.children(node).items():
                if child not in paths:
                    paths[child] = f"{paths[node]}.{name}"
                    waiting.append(child)
        return paths

    def match(self, obj: Any) -> dict[int, Any]:
        """Return the objects below `obj` that stand where the checkpoint has one, by its number.

        Names and positions decide, types and values do not. Raises ValueError for what cannot be
        tracked; warns where two ways lead to one object in the checkpoint and to two below `obj`.
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        found = {0: obj}
        waiting = deque([0])
        while waiting:
            node = waiting.popleft()
            held = TrackableView.children(found[node])
            for name, child in self.children(node).items():
                if child == 0 or name not in held:
                    continue
                if child not in found:
                    found[child] = held[name]
                    waiting.append(child)
                elif identity(found[child]) != identity(held[name]):
                    get_logger().warning(
                        "Inconsistent references when matching the checkpoint into this object "
                        "graph. The referenced objects are: (%s and %s).",
                        found[child],
                        held[name],
                    )
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Return what `match` returns, the numbers it lacks, and the objects it lacks."""
        matched = self.match(obj)
        known = {identity(one) for one in matched.values()}
        only_saved = [number for number in self.descendants() if number not in matched]
        below = TrackableView(obj).descendants()
        return matched, only_saved, [one for one in below if identity(one) not in known]


CheckpointView.__module__ = "tensorflow.python.checkpoint.checkpoint_view"
