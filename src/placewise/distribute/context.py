"""Which strategy, and which of its replicas, the program is in; per thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core.runtime import State, runtime
from placewise.core.scope import current
from placewise.distribute import lazy

if TYPE_CHECKING:
    from placewise.distribute.replica_context import ReplicaContext


class Place(NamedTuple):
    """A strategy, and a replica of it; no replica: across all of them."""

    strategy: Any
    replica: Any  # a ReplicaContext, or None
    updating: int | None = None  # which part of a variable is being updated


def places() -> tuple[Place, ...]:
    """Return the places entered in this thread, the innermost last."""
    return current.distribution


def current_place() -> Place | None:
    """Return where the program is; None outside of every strategy."""
    found = places()
    return found[-1] if found else _everywhere.place


class GlobalStrategy(State):
    """Where a program is outside of every `with strategy.scope()`."""

    place: Place | None = None  # set by experimental_set_strategy


_everywhere = runtime.state(GlobalStrategy)


class entered:  # noqa: N801 - used as a statement
    """Be in a place for the time of a `with` block."""

    __slots__ = ("_before", "_place")

    def __init__(self, place: Place) -> None:
        self._place = place

    def __enter__(self) -> Place:
        self._before = places()
        current.distribution = (*self._before, self._place)
        return self._place

    def __exit__(self, *exception: object) -> None:
        current.distribution = self._before


def default() -> Any:
    """Return the strategy that holds where the program chose none."""
    return lazy.DEFAULT


def get_strategy() -> Any:
    """Return the distribution strategy in force.

    That is the strategy whose scope or replica the caller is in, else a default one with one
    replica, which changes nothing.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    place = current_place()
    return default() if place is None else place.strategy


def has_strategy() -> bool:
    """Return True in the scope of a strategy that the program chose."""
    return current_place() is not None and get_strategy() is not default()


def in_cross_replica_context() -> bool:
    """Return True where code runs once for all replicas."""
    place = current_place()
    return place is not None and place.replica is None


def get_replica_context() -> Any:
    """Return the replica whose code runs now; None where code runs for all of them."""
    place = current_place()
    return default().replica if place is None else place.replica


def replica_index() -> int | None:
    """Return the number of the replica, or of the part of a variable, that is meant now."""
    place = current_place()
    if place is None:
        return None
    if place.updating is not None:
        return place.updating
    return None if place.replica is None else place.replica.index


def experimental_set_strategy(strategy: Any) -> None:
    """Let a strategy be in force from now on, in place of a `with` block; None ends that."""
    if places():
        raise RuntimeError(
            "Must not be called inside a `tf.distribute.Strategy` scope: leave it first"
        )
    _everywhere.place = None if strategy is None else Place(strategy, None)


def require_cross_replica(strategy: Any) -> None:
    """Raise RuntimeError unless the code here runs for all replicas of `strategy`."""
    place = current_place()
    if place is None or (place.strategy is strategy and place.replica is None):
        return
    if place.strategy is not strategy:
        raise RuntimeError(
            f"Mixing different tf.distribute.Strategy objects: {place.strategy} is not {strategy}"
        )
    raise RuntimeError(
        "Method requires being in cross-replica context, use get_replica_context().merge_call()"
    )


def require_replica(context: ReplicaContext) -> None:
    """Raise RuntimeError unless `context` is the replica whose code runs now."""
    if get_replica_context() is context:
        return
    if get_strategy() is not context.strategy:
        raise RuntimeError(
            f"Mismatching tf.distribute.Strategy objects: {get_strategy()} is not "
            f"{context.strategy}."
        )
    if in_cross_replica_context():
        raise RuntimeError("Replica-local method requires being in replica context")
    raise RuntimeError("Mismatching ReplicaContext: this one is another replica's")
