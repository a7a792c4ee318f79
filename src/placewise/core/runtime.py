"""All that changes while a process runs: one `Runtime` owns it, in parts that the layers declare.

A layer declares its part as a subclass of `State` and binds the one object of that class with
`runtime.state(Kind)`. `fresh` puts other values into these objects and never replaces an object, so
a module may keep it and read an attribute wherever it needs a value. Outside of the runtime stand
registries that are filled while modules are imported, locks, and caches of pure functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar


class State:
    """A part of what a process remembers: annotated fields, each with a value to begin with."""

    __slots__ = ()

    def dispose(self) -> None:
        """Release files, pools and threads that the values hold, before they are dropped."""

    def apply(self) -> None:
        """Apply the values to other libraries, such as torch; called after `fresh` has set them."""


Kind = TypeVar("Kind", bound=State)


class Runtime:
    """Owns one object of each kind of state."""

    def __init__(self) -> None:
        self._states: dict[type[State], State] = {}
        self._lasting: set[type[State]] = set()

    def state(self, kind: type[Kind], *, lasting: bool = False) -> Kind:
        """Return the one state of a kind, which begins with its defaults.

        A `lasting` state stays as it is in `fresh`: it has what objects need that live on, such as
        numbers that no two of them may share.
        """
        state = self._states.get(kind)
        if state is None:
            state = self._states[kind] = kind()
            if lasting:
                self._lasting.add(kind)
        return state  # type: ignore[return-value]  # the key is the class of the value

    def kinds(self) -> list[type[State]]:
        """Return the kinds of state of the modules that are loaded."""
        return list(self._states)

    @contextmanager
    def fresh(self) -> Iterator[Runtime]:
        """Let every state begin anew for a block, as in a new process; then all is as before.

        Of state that belongs to a thread, only this thread's begins anew.
        """
        before = {kind: _values(state) for kind, state in self._fleeting()}
        for kind, state in self._fleeting():
            _put(state, _values(kind()))
        try:
            yield self
        finally:
            fleeting = self._fleeting()
            for _, state in fleeting:
                state.dispose()
            for kind, state in fleeting:
                # A module that was first imported in the block has nothing to go back to.
                _put(state, before[kind] if kind in before else _values(kind()))

    def _fleeting(self) -> list[tuple[type[State], State]]:
        return [item for item in self._states.items() if item[0] not in self._lasting]


def _values(state: State) -> dict[str, Any]:
    fields = type(state).__annotations__.items()
    return {name: getattr(state, name) for name, kind in fields if "ClassVar" not in str(kind)}


def _put(state: State, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(state, name, value)
    state.apply()


runtime = Runtime()
