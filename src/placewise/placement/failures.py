"""The errors of the placer, in the guides' words, with what exists and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.errors import InvalidArgumentError, hint
from placewise.devices.names import Spec
from placewise.devices.runtime_names import matches, parse_runtime
from placewise.placement.groups import Group
from placewise.placement.listing import KEEPS_TASK, list_devices
from placewise.placement.node_text import node_text

if TYPE_CHECKING:
    from placewise.devices.device import Device


def cannot_assign(
    op: Any, group: Any, devices: tuple[Any, ...], soft: bool | None
) -> InvalidArgumentError:
    """Return the error for an operation that no device here can run as asked."""
    asking = _who_asked(op, group)
    spec = asking.device or group.request.to_string()
    why = f"Could not satisfy explicit device specification '{spec}'"
    if _asks_otherwise(op, group):
        asking = op
        why = (
            f"Could not satisfy explicit device specification '{op.device}' because the node "
            f"{{{{colocation_node {op.name}}}}} was colocated with a group of nodes that required "
            f"incompatible device '{group.request}'. All available devices "
            f"[{', '.join(device.name for device in devices)}]. \n{_members(group)}"
        )
    elif any(_is_there(spec, device) for device in devices):
        why += f" because no supported kernel for {_kind(spec)} devices is available."
    message = hint(
        f"Cannot assign a device to node '{asking.name}': {why}\n\t [[Node: {node_text(asking)}]]",
        f"here: {list_devices(devices)}",
        f"made at {asking.origin}" if asking.origin else "",
        KEEPS_TASK
        if soft
        else "try allow_soft_placement=True in tf.ConfigProto, or placewise run --simulate",
    )
    return InvalidArgumentError(None, asking, message)


def _who_asked(op: Any, group: Any) -> Any:
    """Return the node that the message names; the guides name a constant with the same request."""
    for tensor in reversed(op.inputs):
        if tensor.op.device == op.device and tensor.op.type == "Const":
            return tensor.op
    return op


def _kind(spec: str) -> str:
    return spec.rpartition("/device:")[2].partition(":")[0] or "these"


def _is_there(spec: str, device: Device) -> bool:
    wanted, name = parse_runtime(spec), parse_runtime(device.name)
    return wanted is not None and name is not None and matches(wanted, name)


def _asks_otherwise(op: Any, group: Any) -> bool:
    return isinstance(group, Group) and parse_runtime(op.device) != group.request


def _members(*groups: Group) -> str:
    lines = "\n".join(
        f"  {op.name} ({op.type}) {op.device}".rstrip() for group in groups for op in group.members
    )
    return (
        "Colocation members, user-requested devices, and framework assigned devices, if any:\n"
        + lines
    )


def cannot_colocate(
    a: Any, b: Any, why: str, first: Group, second: Group, name: str
) -> InvalidArgumentError:
    """Return the error for two operations whose groups ask for different devices."""
    where = f"in colocation group '{name}'" if name else ""
    return InvalidArgumentError(
        None, a, hint(f"{_both(a, b)}: {why}", where) + f"\n{_members(first, second)}"
    )


def no_common_kind(a: Any, b: Any, first: Group, second: Group) -> InvalidArgumentError:
    """Return the error for two operations that no type of device can run together."""
    return InvalidArgumentError(
        None,
        a,
        f"{_both(a, b)} because no device type supports both of those nodes and the other nodes "
        f"colocated with them.\n{_kinds(first)}{_kinds(second)}{_members(first, second)}",
    )


def _both(a: Any, b: Any) -> str:
    return (
        f"Cannot colocate nodes {{{{colocation_node {a.name}}}}} and "
        f"{{{{colocation_node {b.name}}}}}"
    )


def _kinds(group: Group) -> str:
    return f"  {group.root.name} can run on {', '.join(group.kinds)}\n"


def edge_conflict(
    which: str, theirs: Spec, own: Spec, a: Any, b: Any, is_tf1: bool
) -> InvalidArgumentError:
    """Return the error for an operation that touches handles on different devices."""
    source, target = (f"name='{op.name}' (op='{op.type}')" for op in (a, b))
    nodes = f"{a.name} , and the dst node is {b.name}"
    if not is_tf1:
        nodes = f"{source}, and the dst node is {target}."
    return InvalidArgumentError(
        None,
        b,
        "Cannot place the graph because a reference or resource edge connects colocation groups "
        f"with incompatible {which} devices: {theirs} vs {own}. The edge src node is {nodes}",
    )


def on_edge(problem: InvalidArgumentError, op: Any, is_tf1: bool) -> InvalidArgumentError:
    """Return the error of two operations that a handle joins and that cannot be joined."""
    edge = "reference" if is_tf1 else "reference or resource"
    return InvalidArgumentError(
        None,
        op,
        f"Nodes were connected by a {edge} connection (requiring them to be on the same device), "
        f"but the two nodes were assigned two different devices: {problem.message}",
    )


def malformed(op: Any) -> InvalidArgumentError:
    """Return the error for a request that is no device name."""
    return InvalidArgumentError(
        None, op, f"Malformed device specification '{op.device}' in node: {node_text(op)}"
    )
