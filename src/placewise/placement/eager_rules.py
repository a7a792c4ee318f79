"""Which device an op gets when it runs at once.

Pure: from an op's declaration, the request in force and the devices there are. Where the inputs
are plays no part, but for resources: an op runs where the state it touches lives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import InvalidArgumentError, UnknownDeviceError, hint
from placewise.devices.names import Spec
from placewise.devices.runtime_names import matches, parse_runtime
from placewise.placement.decision import Decision

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.devices.inventory import Inventory
    from placewise.ops.declare import Op


PREFERENCE = ("GPU", "CPU")
_NEGATIVE = re.compile(r":-[0-9]+$")
_HOST_ONLY = frozenset({dtypes.string})
_WIDE_UNSIGNED = frozenset({dtypes.uint16, dtypes.uint32, dtypes.uint64})


def supported_kinds(op: Op, types: frozenset[DType]) -> tuple[str, ...]:
    """Return the kinds of device that have a kernel for an op on these dtypes, best first."""
    on_gpu = (
        "GPU" in op.devices
        and not types & _HOST_ONLY
        and (op.gpu_types is None or not (types - op.gpu_types - {dtypes.resource}))
    )
    return PREFERENCE if on_gpu else ("CPU",)


def ranked_kinds(op: Op, types: frozenset[DType]) -> tuple[tuple[str, ...], bool]:
    """Return the kinds with a kernel, best first, and whether the kernels themselves rank them."""
    kinds = supported_kinds(op, types)
    if op.placement == "cpu_first":
        return tuple(sorted(kinds)), True
    return kinds, False


def choose(
    op: Op, types: frozenset[DType], request: str, inventory: Inventory, soft: bool | None
) -> Decision:
    """Return the device for an op, or raise what TensorFlow raises when there is none.

    `soft` None: a requested device must exist, but an op it has no kernel for runs on the CPU.
    """
    kinds = ranked_kinds(op, types)[0]
    if not request:
        return _automatic(op, types, kinds, inventory)
    spec = _parsed(request, op.name)
    there = _matching(spec, inventory)
    requested = _best(there, kinds)
    if requested is not None:
        if missing := unsupported(requested, computed(op, types)):
            reasons = (lacks(requested, missing), f"so {op.name} runs on the CPU")
            return Decision(inventory.cpu, request, reasons, True)
        return Decision(requested, request, (f"requested by tf.device({_short(request)!r})",))
    if there:
        lacking = f"{op.name} has no {there[0].kind} kernel{_for_types(op, types)}"
        if soft is False:
            raise _unsatisfied(request, kinds, inventory, soft, op)
        instead = (lacking, f"so it runs on the CPU instead of {_short(request)}")
        return Decision(inventory.cpu, request, instead, True)
    found = _best(_matching(_loose(spec), inventory), kinds) if soft else None
    if found is None:
        raise _unsatisfied(request, kinds, inventory, soft, op)
    reason = f"soft placement: {_short(request)} does not exist here"
    others = _automatic(op, types, kinds, inventory).reasons
    return Decision(found, request, (reason, *others), True)


def constant_home(request: str, inventory: Inventory, soft: bool | None) -> Any:
    """Return the device that a constant made under a request is put on."""
    if not request:
        return inventory.default
    spec = parse_runtime(request)
    if spec is None and _NEGATIVE.search(request):
        raise _malformed(request, "_EagerConst")
    found = _matching(spec, inventory) if spec is not None else []
    if not found and soft and spec is not None:
        found = _matching(_loose(spec), inventory)
    if not found:
        raise unknown_device(request, inventory)
    return _best(found, PREFERENCE)


def home_of_handles(op: Op, homes: Sequence[tuple[str, Any]]) -> Any:
    """Return the device of the handles an op takes, or None if it has none to follow.

    `homes` are (argument, device). Raises where the handles are on different devices.
    """
    if not homes or op.placement == "ignores_handles":
        return None
    device = homes[0][1]
    for argument, other in homes[1:]:
        if other is not device:
            raise InvalidArgumentError(
                None,
                None,
                hint(
                    "Cannot place the graph because a reference or resource edge connects "
                    "colocation groups with incompatible assigned devices: "
                    f"{other.name} vs {device.name}. The edge src node is name='{argument}' "
                    f"(op='_Arg'), and the dst node is name='{op.name}' (op='{op.name}'). "
                    f"[Op:{op.name}] name: ",
                    "make the variables on one device",
                ),
            )
    return device


def _parsed(request: str, op_name: str) -> Spec:
    spec = parse_runtime(request)
    if spec is None:
        raise _malformed(request, op_name)
    return spec


def _malformed(request: str, op_name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        f"Malformed device specification '{request}' in eager op: Name: {op_name}",
    )


def _matching(spec: Spec, inventory: Inventory) -> list[Any]:
    return [d for d in inventory.devices if matches(spec, _parsed(d.name, ""))]


def _best(devices: list[Any], kinds: tuple[str, ...]) -> Any:
    """Return the first device of the first kind there is, or None."""
    return next((d for kind in kinds for d in devices if d.kind == kind), None)


def _loose(spec: Spec) -> Spec:
    """Return a request as soft placement relaxes it: job, replica and task stay."""
    return replace(spec, kind=None, index=None)


def computed(op: Op, types: frozenset[DType]) -> frozenset[DType]:
    """Return those of an op's dtypes that its kernel needs torch's arithmetic for."""
    return types - _WIDE_UNSIGNED if op.wide_unsigned else types


def unsupported(device: Device, types: frozenset[DType]) -> frozenset[DType]:
    """Return those of some dtypes that torch has no kernels for on a device."""
    names = device.unsupported_types
    return frozenset(dtype for dtype in types if dtype.name in names) if names else frozenset()


def lacks(device: Any, types: frozenset[DType]) -> str:
    """Return that torch cannot compute with some dtypes on a device."""
    names = ", ".join(sorted(dtype.name for dtype in types))
    return f"torch has no kernels for {names} on {device.torch_device}"


def _automatic(
    op: Op, types: frozenset[DType], kinds: tuple[str, ...], inventory: Inventory
) -> Decision:
    default = inventory.default
    if missing := unsupported(default, computed(op, types)):
        return Decision(inventory.cpu, "", (lacks(default, missing),))
    if kinds[0] == "CPU" and len(kinds) > 1:
        return Decision(inventory.cpu, "", (f"TensorFlow prefers the CPU for {op.name}",))
    if default.kind in kinds:
        if default.kind == "CPU":
            return Decision(default, "", ("there is no GPU here",))
        return Decision(default, "", ("no device requested: a GPU is preferred, lowest id first",))
    return Decision(inventory.cpu, "", (f"{op.name} has no {default.kind} kernel for these types",))


def _short(name: str) -> str:
    return "/device:" + name.rpartition("/device:")[2] if "/device:" in name else name


def _for_types(op: Op, types: frozenset[DType]) -> str:
    if "GPU" not in op.devices or not types:
        return ""
    return " for " + ", ".join(sorted(t.name for t in types))


def _unsatisfied(
    request: str, kinds: tuple[str, ...], inventory: Inventory, soft: bool | None, op: Op
) -> InvalidArgumentError:
    names = ", ".join(device.name for device in inventory.devices)
    message = hint(
        f"Could not satisfy device specification '{request}'. "
        f"enable_soft_placement={int(bool(soft))}. "
        f"Supported device types [{', '.join(kinds)}]. All available devices [{names}]. "
        f"[Op:{op.name}] name: ",
        what_exists(inventory),
    )
    return InvalidArgumentError(None, None, message)


def what_exists(inventory: Inventory) -> str:
    """Return what devices there are and what to do about a missing one."""
    here = ", ".join(f"{device.kind}:{device.index}" for device in inventory.devices[:16])
    more = len(inventory.devices) - 16
    if more > 0:
        here += f" and {more} more"
    return (
        f"here: {here}; try tf.config.set_soft_device_placement(True), "
        "or placewise run --simulate to pretend more devices"
    )


def unknown_device(request: str, inventory: Inventory) -> UnknownDeviceError:
    """Return the error for putting a value on a device that does not exist."""
    return UnknownDeviceError(
        None,
        None,
        hint(
            f"Error copying tensor to device: {request}. {request} unknown device.",
            what_exists(inventory),
        ),
    )
