"""Device names as the runtime reads them: strict parsing, and the ways the placer combines them.

A program's names pass `names.parse` first; what reaches the runtime unchecked (a device function's
answer, a GraphDef) meets these rules. Here `*` means unset, and case counts.
"""

from __future__ import annotations

import re
from dataclasses import replace

from placewise.core.errors import InvalidArgumentError, invalid
from placewise.devices.names import Spec

_PART = re.compile(
    r"""/(?:
      job:(?P<job>\*|[A-Za-z][A-Za-z0-9_]*)
    | replica:(?P<replica>\*|[0-9]{1,18})
    | task:(?P<task>\*|[0-9]{1,18})
    | device:(?P<kind>\*|[A-Za-z][A-Za-z0-9_]*)(?::(?P<index>\*|[0-9]{1,18}))?
    | (?P<short>cpu|CPU|gpu|GPU):(?P<number>\*|[0-9]{1,18})
    )(?=/|\Z)""",
    re.VERBOSE,
)
_LOCAL = re.compile(r"(?P<kind>[A-Za-z][A-Za-z0-9_]*):(?P<index>[0-9]{1,18})")


def parse_runtime(text: str) -> Spec | None:
    """Return the Spec of a name as the runtime reads it, or None when it cannot.

    >>> parse_runtime("/job:w/device:GPU:*"), parse_runtime("GPU:0")
    (Spec(job='w', replica=None, task=None, kind='GPU', index=None), None)
    """
    if text in ("", "/"):
        return Spec()
    spec, place = Spec(), 0
    while place < len(text):
        part = _PART.match(text, place)
        if part is None:
            return None
        spec, place = _with(spec, part), part.end()
    return spec


def _with(spec: Spec, part: re.Match[str]) -> Spec:
    """Return `spec` with one part set; of two parts of a kind the last wins."""
    if part["short"]:
        return replace(spec, kind=part["short"].upper(), index=_number(part["number"]))
    if part["kind"]:
        kind = None if part["kind"] == "*" else part["kind"]
        return replace(spec, kind=kind, index=_number(part["index"]))
    if part["job"]:
        return replace(spec, job=None if part["job"] == "*" else part["job"])
    if part["replica"]:
        return replace(spec, replica=_number(part["replica"]))
    return replace(spec, task=_number(part["task"]))


def _number(digits: str | None) -> int | None:
    return None if digits in (None, "*") else int(str(digits))


def parse_local(text: str) -> Spec | None:
    """Return the Spec of a local name such as `GPU:0`, or None; kind and index are required."""
    match = _LOCAL.fullmatch(text)
    return Spec(kind=match["kind"], index=_number(match["index"])) if match else None


def parse_full_or_local(text: str) -> Spec | None:
    """Return the Spec of a runtime name or of a local one, as memory queries take them."""
    spec = parse_runtime(text)
    return spec if spec is not None else parse_local(text)


def matches(pattern: Spec, name: Spec) -> bool:
    """Return whether every field that `pattern` sets is equal in `name`."""
    return all(
        wanted is None or wanted == getattr(name, field)
        for field in Spec.__slots__
        if (wanted := getattr(pattern, field)) is not None
    )


def is_compatible(one: Spec, other: Spec) -> bool:
    """Return whether no field is set in both with different values."""
    return all(
        None in (a := getattr(one, field), b := getattr(other, field)) or a == b
        for field in Spec.__slots__
    )


def is_refinement(one: Spec, other: Spec) -> bool:
    """Return whether `one` sets every field that `other` sets, to the same value."""
    return all(
        (wanted := getattr(other, field)) is None or wanted == getattr(one, field)
        for field in Spec.__slots__
    )


def merge_requests(target: Spec, other: Spec, *, soft: bool) -> Spec:
    """Return what satisfies both requests of one colocation group.

    Raises InvalidArgumentError where they differ; with `soft`, a different kind drops kind and
    index, and a different index drops the index.
    """
    merged = target
    for name in Spec.__slots__:
        have, wanted = getattr(merged, name), getattr(other, name)
        if wanted is None or have == wanted:
            continue
        if have is None:
            merged = replace(merged, **{name: wanted})
        elif soft and name == "kind":
            return replace(merged, kind=None, index=None)
        elif soft and name == "index":
            return replace(merged, index=None)
        else:
            raise _conflict(name, merged, other)
    return merged


def override(target: Spec, other: Spec) -> Spec:
    """Return `target` with the kind and index of `other`, as for a device already assigned."""
    for name in ("job", "replica", "task"):
        if None not in (a := getattr(target, name), b := getattr(other, name)) and a != b:
            raise _conflict(name, target, other)
    return target.merged_with(other)


_PLURAL = {"job": "jobs", "replica": "replicas", "task": "tasks", "kind": "types", "index": "ids"}


def _conflict(field: str, target: Spec, other: Spec) -> InvalidArgumentError:
    return invalid(
        f"Cannot merge devices with incompatible {_PLURAL[field]}: '{target}' and '{other}'"
    )


def complete(name: str, base: str) -> str:
    """Return `name` with every open field filled from `base`, a full name."""
    spec, full = parse_full_or_local(name), parse_runtime(base)
    if spec is None:
        raise invalid(f"Could not parse {name} into a device specification.")
    if full is None:
        raise invalid(f"Could not parse basename: {base} into a device specification.")
    if any(getattr(full, field) is None for field in Spec.__slots__):
        raise invalid(f"Basename: {base} should be fully specified.")
    return full.merged_with(spec).to_string()
