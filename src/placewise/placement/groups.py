"""Operations that must share a device, and what is known of that device.

A group has three names, each maybe partial. *Assigned* is the device an operation of the group has
already; *resource* is what was requested for the operation that makes a variable or another handle;
*requested* is what the members ask for. The first two are never given up for the third.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placewise.devices.names import Spec
from placewise.devices.runtime_names import merge_requests, override
from placewise.placement.rules import ANY

_BY_TYPE = ("GPU", "CPU")


class MergeError(Exception):
    """Two groups cannot share a device; the message says why."""


@dataclass(slots=True)
class Group:
    """Operations that must share a device."""

    root: Any
    kinds: tuple[str, ...]  # with a kernel for every member, best first
    request: Spec
    resource: Spec = ANY
    assigned: Spec = ANY
    ranks_kinds: bool = False  # the order of `kinds` is the kernels' own, not that of the types
    members: list[Any] = field(default_factory=list)
    types: frozenset[Any] = frozenset()  # dtypes that torch's arithmetic is needed for
    depth: int = 0
    device: Any = None
    reasons: tuple[str, ...] = ()  # why the others run on `device` once it is known
    answer: Any = None  # of the rules, when the first of them was placed


def constrained(request: Spec, group: Group) -> Spec:
    """Return a request with every field that an assigned or resource name of a group sets."""
    return override(override(request, group.assigned), group.resource)


def merge(first: Group, second: Group, soft: bool) -> tuple[Group, Group]:
    """Make two groups one and return (the one that stays, the one that is gone).

    Raises InvalidArgumentError where names differ that may not, and MergeError where no type of
    device suits both. In the second case the names of the first are merged all the same, as
    TensorFlow leaves them: a soft placement goes on with them.
    """
    stays, gone = (second, first) if first.depth < second.depth else (first, second)
    assigned = merge_requests(stays.assigned, gone.assigned, soft=False)
    resource = merge_requests(stays.resource, gone.resource, soft=False)
    request = merge_requests(stays.request, gone.request, soft=soft)
    request = override(override(request, assigned), resource)
    stays.assigned, stays.resource, stays.request = assigned, resource, request
    kinds = tuple(kind for kind in stays.kinds if kind in gone.kinds)
    if not kinds:
        raise MergeError
    stays.kinds, stays.ranks_kinds = _order(stays, gone, kinds)
    stays.types |= gone.types
    stays.depth += stays.depth == gone.depth
    stays.device = stays.device or gone.device
    return stays, gone


def _order(stays: Group, gone: Group, kinds: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Return the common kinds, best first, and whether kernels rather than types rank them."""
    other = tuple(kind for kind in gone.kinds if kind in kinds)
    if stays.ranks_kinds == gone.ranks_kinds:
        if kinds == other:
            return kinds, stays.ranks_kinds
        return tuple(kind for kind in _BY_TYPE if kind in kinds), False
    return (kinds if stays.ranks_kinds else other), True
