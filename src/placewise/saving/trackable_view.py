"""`tf.train.TrackableView`: the objects below a root, as a checkpoint would meet them."""

from __future__ import annotations

import weakref
from typing import Any

from placewise.core.trackable import is_trackable, view
from placewise.saving.object_graph import identity


class TrackableView:
    """Walks from an object to what it holds; a subclass may say otherwise what that is."""

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The object the walk starts at."""
        return self._root() if isinstance(self._root, weakref.ref) else self._root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Return an object's children by name."""
        found = {}
        for name, child in obj._trackable_children(save_type, **kwargs).items():
            seen = child if is_trackable(child) else view(child)
            if seen is not None:
                found[name] = seen
        return found

    def descendants(self) -> list[Any]:
        """Return every object of the walk, the nearest first."""
        found = [self.root]
        seen = {id(self.root)}
        for obj in found:
            for child in self.children(obj).values():
                key = identity(child)
                if key not in seen:
                    seen.add(key)
                    found.append(child)
        return found


TrackableView.__module__ = "tensorflow.python.checkpoint.trackable_view"
