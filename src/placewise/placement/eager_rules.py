"""What eager ops ask of the rules: which device an op gets when it runs at once.

Pure: reads the op's declaration, the request in force and the list of devices. The devices of the
inputs do not matter, except for resources: an op runs on the device of the state it touches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.core.errors import InvalidArgumentError, UnknownDeviceError, hint
from placewise.devices.names import Spec
from placewise.placement.decision import Choice, Decision
from placewise.placement.listing import KEEPS_TASK, list_devices
from placewise.placement.rules import ANY, Question, decide, fitting, loosened, parsed

if TYPE_CHECKING:
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
    op: Op,
    types: frozenset[DType],
    request: str,
    inventory: Inventory,
    soft: bool | None,
    choice: Choice | None = None,
) -> Decision:
    """Return the device for an op, or raise what TensorFlow raises when there is none.

    `choice` is what automatic placement says of a variable that asks for nothing.
    `soft` None: a requested device must exist, but an op it has no kernel for runs on the CPU.
    """
    kinds, ranks_kinds = ranked_kinds(op, types)
    question = Question(
        op.name,
        kinds,
        computed(op, types),
        _best_first(inventory.devices),
        request=_parsed(request, op.name) if request else ANY,
        asked=request,
        ranks_kinds=ranks_kinds,
        soft=bool(soft),
        falls_back_without_kernel=soft is not False,
        for_types=_for_types(op, types),
        chosen=None if choice is None else choice.device,
        why="" if choice is None else choice.reason,
    )
    answer = decide(question)
    if answer is None:
        raise _unsatisfied(request, kinds, inventory, soft, op.name)
    return Decision(answer.devices[0], request, answer.reasons, answer.rule.falls_back)


def in_place_of_state(device: Any, request: str, op_name: str) -> Decision:
    """Return the decision for an op that runs on the device of the state it touches."""
    if request:
        _parsed(request, op_name)  # that it gives way does not make it a name
    answer = decide(Question("", (), frozenset(), (), home=device))
    return Decision(device, request, () if answer is None else answer.reasons)


def _best_first(devices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the devices by kind as ops prefer them, each kind by index."""
    return tuple(sorted(devices, key=lambda device: device.is_host))


def constant_home(request: str, inventory: Inventory, soft: bool | None) -> Any:
    """Return the device that a constant made under a request is put on."""
    if not request:
        return inventory.default
    spec = parsed(request)
    if spec is None and _NEGATIVE.search(request):
        raise _malformed(request, "_EagerConst")
    devices = _best_first(inventory.devices)
    candidates = fitting(spec, devices) if spec is not None else []
    if not candidates and soft and spec is not None:
        candidates = fitting(loosened(spec), devices)
    if not candidates:
        raise unknown_device(request, inventory, soft)
    return candidates[0]


def call_home(name: str, request: str, inventory: Inventory, soft: bool | None) -> Any:
    """Return the device that a function called under a request runs on, by the function's name.

    A call can run on any kind of device; operations inside that ask for none prefer its device.
    """
    spec = _parsed(request, name)
    devices = _best_first(inventory.devices)
    candidates = fitting(spec, devices)
    if not candidates and soft:
        candidates = fitting(loosened(spec), devices)
    if not candidates:
        raise _unsatisfied(request, PREFERENCE, inventory, soft, name)
    return candidates[0]


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
    spec = parsed(request)
    if spec is None:
        raise _malformed(request, op_name)
    return spec


def _malformed(request: str, op_name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        f"Malformed device specification '{request}' in eager op: Name: {op_name}",
    )


def computed(op: Op, types: frozenset[DType]) -> frozenset[DType]:
    """Return those of an op's dtypes that its kernel needs torch's arithmetic for."""
    return types - _WIDE_UNSIGNED if op.wide_unsigned else types


def _for_types(op: Op, types: frozenset[DType]) -> str:
    if "GPU" not in op.devices or not types:
        return ""
    return " for " + ", ".join(sorted(t.name for t in types))


def _unsatisfied(
    request: str, kinds: tuple[str, ...], inventory: Inventory, soft: bool | None, name: str
) -> InvalidArgumentError:
    names = ", ".join(device.name for device in inventory.devices)
    present = {device.kind for device in inventory.devices}
    types = ", ".join(kind for kind in kinds if kind in present)
    message = hint(
        f"Could not satisfy device specification '{request}'. "
        f"enable_soft_placement={int(bool(soft))}. "
        f"Supported device types [{types}]. All available devices [{names}]. "
        f"[Op:{name}] name: ",
        what_exists(inventory, soft),
    )
    return InvalidArgumentError(None, None, message)


def what_exists(inventory: Inventory, soft: bool | None = None) -> str:
    """Return what devices there are and what to do about a missing one."""
    if soft:
        return f"here: {list_devices(inventory.devices)}; {KEEPS_TASK}"
    return (
        f"here: {list_devices(inventory.devices)}; try tf.config.set_soft_device_placement(True), "
        "or placewise run --simulate to pretend more devices"
    )


def unknown_device(
    request: str, inventory: Inventory, soft: bool | None = None
) -> UnknownDeviceError:
    """Return the error for putting a value on a device that does not exist."""
    return UnknownDeviceError(
        None,
        None,
        hint(
            f"Error copying tensor to device: {request}. {request} unknown device.",
            what_exists(inventory, soft),
        ),
    )
