"""Classes that libraries register for objects in saved models: by a name and a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

_registered: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


class VersionedTypeRegistration:
    """How objects of one version of a class are made, and how they are given their children."""

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Iterable[int] | None = None,
        setter: Callable[[Any, Any, Any], None] = setattr,
    ) -> None:
        self.setter, self.version = setter, version
        self.min_producer_version, self.min_consumer_version = (
            min_producer_version,
            min_consumer_version,
        )
        self.bad_consumers = list(bad_consumers or ())
        self._object_factory = object_factory

    def from_proto(self, proto: Any) -> Any:
        """Return a new object for a saved one."""
        return self._object_factory(proto)

    def should_load(self, proto: Any) -> bool:
        """Return whether this version can read what was saved."""
        versions = proto.version
        if versions.producer < self.min_producer_version:
            return False
        return self.version >= versions.min_consumer and not any(
            self.version == bad for bad in versions.bad_consumers
        )


def register_revived_type(
    identifier: str,
    predicate: Callable[[Any], bool],
    versions: list[VersionedTypeRegistration],
) -> None:
    """Register the versions of a class, the newest first."""
    if identifier in _registered:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'")
    _registered[identifier] = (
        predicate,
        sorted(versions, key=lambda version: version.version, reverse=True),
    )


def describe(obj: Any, made: Any) -> bool:
    """Write into a SavedUserObject what class an object is of; False if none is registered."""
    for identifier, (predicate, versions) in _registered.items():
        if predicate(obj):
            newest = versions[0]
            made.identifier = identifier
            made.version.producer = newest.version
            made.version.min_consumer = newest.min_consumer_version
            made.version.bad_consumers.extend(newest.bad_consumers)
            return True
    return False


def revive(proto: Any) -> Any:
    """Return a new object of the class that was saved; None if none is registered for it."""
    for version in _registered.get(proto.identifier, (None, []))[1]:
        if version.should_load(proto):
            return version.from_proto(proto)
    return None


def get_setter(proto: Any) -> Callable[[Any, Any, Any], None] | None:
    """Return how an object of the saved class gets its children, or None."""
    for version in _registered.get(proto.identifier, (None, []))[1]:
        if version.should_load(proto):
            return version.setter
    return None


def registered_identifiers() -> Iterable[str]:
    """Return the names of all classes that are registered."""
    return _registered.keys()
