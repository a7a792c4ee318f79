"""Which device an op gets when it runs at once.

Pure: from an op's declaration, the request in force and the devices there are. Where the inputs
are plays no part, but for resources: an op runs where the state it touches lives.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import InvalidArgumentError, UnknownDeviceError, hint
from placewise.placement.decision import Decision

PREFERENCE = ("GPU", "CPU")
_HOST_ONLY = frozenset({dtypes.string})
_WIDE_UNSIGNED = frozenset({dtypes.uint16, dtypes.uint32, dtypes.uint64})


def supported_kinds(op: Any, types: frozenset[DType]) -> tuple[str, ...]:
    """Return the kinds of device that have a kernel for an op on these dtypes, best first."""
    on_gpu = (
        "GPU" in op.devices
        and not types & _HOST_ONLY
        and (op.gpu_types is None or not (types - op.gpu_types - {dtypes.resource}))
    )
    return PREFERENCE if on_gpu else ("CPU",)


def choose(
    op: Any, types: frozenset[DType], request: str, inventory: Any, soft: bool | None
) -> Decision:
    """Return the device for an op, or raise what TensorFlow raises when there is none.

    `soft` None: a requested device must exist, but an op it has no kernel for runs on the CPU.
    """
    kinds = supported_kinds(op, types)
    if not request:
        return _automatic(op, types, kinds, inventory)
    requested = inventory.find(request)
    if requested is not None and requested.kind in kinds:
        if missing := unsupported(requested, computed(op, types)):
            reasons = (lacks(requested, missing), f"so {op.name} runs on the CPU")
            return Decision(inventory.cpu, request, reasons, True)
        return Decision(requested, request, (f"requested by tf.device({_short(request)!r})",))
    if requested is not None:
        lacking = f"{op.name} has no {requested.kind} kernel{_for_types(op, types)}"
        if soft is False:
            raise InvalidArgumentError(
                None, None, _unsatisfied(request, kinds, inventory, soft, op)
            )
        return Decision(
            inventory.cpu, request,
            (lacking, f"so it runs on the CPU instead of {_short(request)}"), True,
        )  # fmt: skip
    if not soft:
        raise InvalidArgumentError(None, None, _unsatisfied(request, kinds, inventory, soft, op))
    found = _automatic(op, types, kinds, inventory)
    reason = f"soft placement: {_short(request)} does not exist here"
    return Decision(found.device, request, (reason, *found.reasons), True)


def computed(op: Any, types: frozenset[DType]) -> frozenset[DType]:
    """Return those of an op's dtypes that its kernel needs torch's arithmetic for."""
    return types - _WIDE_UNSIGNED if op.wide_unsigned else types


def unsupported(device: Any, types: frozenset[DType]) -> frozenset[DType]:
    """Return those of some dtypes that torch has no kernels for on a device."""
    names = device.unsupported_types
    return frozenset(dtype for dtype in types if dtype.name in names) if names else frozenset()


def lacks(device: Any, types: frozenset[DType]) -> str:
    """Return that torch cannot compute with some dtypes on a device."""
    names = ", ".join(sorted(dtype.name for dtype in types))
    return f"torch has no kernels for {names} on {device.torch_device}"


def _automatic(
    op: Any, types: frozenset[DType], kinds: tuple[str, ...], inventory: Any
) -> Decision:
    default = inventory.default
    if missing := unsupported(default, computed(op, types)):
        return Decision(inventory.cpu, "", (lacks(default, missing),))
    if default.kind in kinds:
        if default.kind == "CPU":
            return Decision(default, "", ("there is no GPU here",))
        return Decision(default, "", ("no device requested: a GPU is preferred, lowest id first",))
    return Decision(inventory.cpu, "", (f"{op.name} has no {default.kind} kernel for these types",))


def _short(name: str) -> str:
    return "/device:" + name.rpartition("/device:")[2] if "/device:" in name else name


def _for_types(op: Any, types: frozenset[DType]) -> str:
    if "GPU" not in op.devices or not types:
        return ""
    return " for " + ", ".join(sorted(t.name for t in types))


def _unsatisfied(
    request: str, kinds: tuple[str, ...], inventory: Any, soft: bool | None, op: Any
) -> str:
    names = ", ".join(device.name for device in inventory.devices)
    return hint(
        f"Could not satisfy device specification '{request}'. "
        f"enable_soft_placement={int(bool(soft))}. "
        f"Supported device types [{', '.join(kinds)}]. All available devices [{names}]. "
        f"[Op:{op.name}] name: ",
        what_exists(inventory),
    )


def what_exists(inventory: Any) -> str:
    """Return what devices there are and what to do about a missing one."""
    here = ", ".join(f"{device.kind}:{device.index}" for device in inventory.devices[:16])
    more = len(inventory.devices) - 16
    if more > 0:
        here += f" and {more} more"
    return (
        f"here: {here}; try tf.config.set_soft_device_placement(True), "
        "or placewise run --simulate to pretend more devices"
    )


def unknown_device(request: str, inventory: Any) -> UnknownDeviceError:
    """Return the error for putting a value on a device that does not exist."""
    return UnknownDeviceError(
        None,
        None,
        hint(
            f"Error copying tensor to device: {request}. {request} unknown device.",
            what_exists(inventory),
        ),
    )
