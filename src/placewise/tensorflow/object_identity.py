"""`tensorflow.python.util.object_identity`: sets and dicts that compare objects by identity."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, MutableSet
from typing import Any


class Reference:
    """A key that equals another only if both hold the same object."""

    __slots__ = ("_held",)

    def __init__(self, wrapped: Any) -> None:
        self._held = wrapped

    @property
    def unwrapped(self) -> Any:
        """The object."""
        return self._held

    def deref(self) -> Any:
        """Return the object."""
        return self.unwrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.unwrapped is other.unwrapped

    def __hash__(self) -> int:
        return id(self.unwrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dict whose keys are compared by identity."""

    def __init__(self) -> None:
        self._storage: dict[Reference, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._storage[Reference(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[Reference(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[Reference(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.unwrapped for key in self._storage)


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose elements are compared by identity."""

    def __init__(self, *args: Any) -> None:
        self._storage: dict[Reference, None] = {
            Reference(item): None for item in (args or ((),))[0]
        }

    def __contains__(self, key: object) -> bool:
        return Reference(key) in self._storage

    def add(self, key: Any) -> None:
        """Add an object."""
        self._storage[Reference(key)] = None

    def discard(self, key: Any) -> None:
        """Take an object out, if it is there."""
        self._storage.pop(Reference(key), None)

    def update(self, items: Any) -> None:
        """Add several objects."""
        for item in items:
            self.add(item)

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.unwrapped for key in list(self._storage))
