"""The errors of the placer, in the guides' words, with what exists and what to do."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import InvalidArgumentError, hint
from placewise.placement.node_text import node_text


def cannot_assign(op: Any, group: Any, devices: tuple[Any, ...]) -> InvalidArgumentError:
    """Return the error for an operation that no device here can run as asked."""
    asking = _who_asked(op, group)
    spec = asking.device or group.request.to_string()
    missing = not any(_is_there(spec, device) for device in devices)
    why = (
        f"Could not satisfy explicit device specification '{spec}'"
        if missing
        else f"Could not satisfy explicit device specification '{spec}' because no supported "
        f"kernel for {_kind(spec)} devices is available."
    )
    here = ", ".join(f"{device.kind}:{device.index}" for device in devices[:16])
    message = hint(
        f"Cannot assign a device to node '{asking.name}': {why}\n\t [[Node: {node_text(asking)}]]",
        f"here: {here}",
        f"made at {asking.origin}" if asking.origin else "",
        "try allow_soft_placement=True in tf.ConfigProto, or placewise run --simulate",
    )
    return InvalidArgumentError(None, asking, message)


def _who_asked(op: Any, group: Any) -> Any:
    """Return the node to name: the guides name a constant that was asked to be there too."""
    for tensor in reversed(op.inputs):
        if tensor.op.device == op.device and tensor.op.type == "Const":
            return tensor.op
    return op


def _kind(spec: str) -> str:
    return spec.rpartition("/device:")[2].partition(":")[0] or "these"


def _is_there(spec: str, device: Any) -> bool:
    from placewise.devices.runtime_names import matches, parse_runtime

    wanted, name = parse_runtime(spec), parse_runtime(device.name)
    return wanted is not None and name is not None and matches(wanted, name)


def cannot_colocate(a: Any, b: Any, why: str) -> InvalidArgumentError:
    """Return the error for two operations that must share a device and cannot."""
    return InvalidArgumentError(None, a, f"Cannot colocate nodes '{a.name}' and '{b.name}': {why}")


def malformed(op: Any) -> InvalidArgumentError:
    """Return the error for a request that is no device name."""
    return InvalidArgumentError(
        None, op, f"Malformed device specification '{op.device}' in node: {node_text(op)}"
    )
