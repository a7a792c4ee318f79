"""The variables of the program: memory that one holds is reported under its name.

An update may give a variable another content, and a content that was a variable's may live on
elsewhere. So nothing is recorded when that happens: reports look at all variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import torch

from placewise.core.runtime import State, runtime
from placewise.devices.origin import Origin
from placewise.memory.allocation import owner_of


@dataclass(slots=True)
class NamedVariables(State):
    """The handles of variables that have a name, by id, as long as they live."""

    handles: WeakValueDictionary[int, Any] = field(default_factory=WeakValueDictionary)


_named = runtime.state(NamedVariables, lasting=True)


class Named(NamedTuple):
    """What a program calls a variable, and the line that made it."""

    name: str
    origin: Origin | None
    trainable: bool | None = None  # None: its graph knows


class Holding(NamedTuple):
    """A variable and its content now."""

    named: Named
    content: torch.Tensor
    owner: torch.Tensor  # whose bytes these are


def name_variable(
    handle: Any, name: str, origin: Origin | None, trainable: bool | None = None
) -> None:
    """Report the content of a handle under the name of its variable from now on."""
    handle.named = Named(name, origin, trainable)
    # What lives in another process takes no memory here, and reading it would fetch it.
    if getattr(handle.device, "remote", None) is None:
        _named.handles[id(handle)] = handle


def by_owner() -> dict[int, Holding]:
    """Return what variables hold now, by the identity of the tensor whose bytes they use."""
    holdings: dict[int, Holding] = {}
    for reference in _named.handles.valuerefs():
        handle: Any = reference()  # None if it has gone meanwhile
        content = getattr(handle, "value", None)
        if isinstance(content, torch.Tensor):
            owner = owner_of(content)
            holdings[id(owner)] = Holding(handle.named, content, owner)
    return holdings
