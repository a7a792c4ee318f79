"""The functions of `tf.config` about devices. The namespace itself is `placewise/config`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise.core.errors import hint
from placewise.core.scope import watch
from placewise.devices import inventory as state
from placewise.devices.device import Device
from placewise.devices.handles import LogicalDevice, LogicalDeviceConfiguration, PhysicalDevice
from placewise.devices.settings import check_fraction, check_policy, check_threads


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices of this machine that the process sees.

    `device_type`: 'CPU' or 'GPU' for these only; by default all.

    It reads the environment and the machine and starts nothing: settings may still be made. Cards
    that
    `CUDA_VISIBLE_DEVICES` hides are not in the list; `placewise devices` shows them with the
        reason. On a simulated machine its cards come back.

    >>> with tf.simulate("2xV100"):
    ...     [device.name for device in tf.config.list_physical_devices("GPU")]
    ['/physical_device:GPU:0', '/physical_device:GPU:1']
    """
    watch.note_listing()
    return _of_type(list(state.discovery().physical), device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the physical devices that will be used."""
    watch.note_listing()
    return _of_type(state.visible(), device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Return the devices programs run on; starts them."""
    watch.note_listing()
    logical = [device.logical for device in state.inventory().devices]
    return [device for device in logical if device_type in (None, device.device_type)]


def _of_type(devices: list[PhysicalDevice], device_type: str | None) -> list[PhysicalDevice]:
    return [device for device in devices if device_type in (None, device.device_type)]


def _check_physical(device: PhysicalDevice, device_type: str | None = None) -> PhysicalDevice:
    """Return `device` if it is one of this machine's (and of a type), else raise ValueError."""
    known = state.discovery().physical
    if device in known and (device_type is None or device.device_type == device_type):
        return known[known.index(device)]
    here = ", ".join(known_device.name for known_device in known[:9])
    raise ValueError(
        hint(
            f"Unrecognized device: {device!r}",
            f"here: {here}{', …' if len(known) > 9 else ''}",
            "take one from tf.config.list_physical_devices()",
        )
    )


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Use only `devices`; with a type, replace only the list of that type.

    Logical devices are numbered in the order of the list. May change until something lives on a
    device of the types it changes.
    """
    listed = devices if isinstance(devices, list) else [devices]
    chosen = [_check_physical(device, device_type) for device in listed]
    before = state.visible()
    if device_type is not None:
        chosen = [device for device in before if device.device_type != device_type] + chosen
    if chosen == before:
        return
    types = {kind for kind in ("CPU", "GPU") if _of_type(chosen, kind) != _of_type(before, kind)}

    def apply() -> None:
        state.settings().set("visible", chosen)

    state.change(
        "Visible devices cannot be modified after being initialized",
        apply,
        lambda device: not types or device.kind in types,
    )


def get_memory_growth(device: Any) -> bool | None:
    """Return whether memory of a GPU is taken as needed; None until someone said."""
    physical = _check_physical(device)
    if physical.device_type == "CPU":
        raise KeyError(physical)
    return state.settings().growth_of(physical)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Take memory of a GPU as it is needed, or all at once.

    `device`: a GPU of `tf.config.list_physical_devices`.
    `enable`: True for growth.

    All visible GPUs must agree when they start. Raises RuntimeError once something lives on the
    device, with the line that started it, and ValueError for a CPU or a GPU with logical devices.

    >>> with tf.simulate("V100"):
    ...     gpu = tf.config.list_physical_devices("GPU")[0]
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    ...     tf.config.experimental.get_memory_growth(gpu)
    True
    """
    physical = _check_physical(device)
    if physical.device_type == "CPU":
        raise ValueError(
            hint(
                "Cannot set memory growth on non-GPU and non-Pluggable devices",
                f"{physical.name} is a CPU, whose memory has no limit",
            )
        )
    asked = state.settings()
    if asked.logical.get(physical) is not None:
        raise ValueError(
            hint(
                "Cannot set memory growth on device when virtual devices configured",
                f"{physical.name} has {list(asked.logical[physical])}",
            )
        )
    if asked.growth_of(physical) is bool(enable):
        return

    def apply() -> None:
        state.settings().growth[physical] = bool(enable)
        state.settings().remember("growth", physical)

    state.change(
        "Physical devices cannot be modified after being initialized", apply, _on(physical)
    )


def _on(physical: PhysicalDevice) -> Any:
    def touches(device: Device) -> bool:
        return device.physical == physical

    return touches


def get_logical_device_configuration(device: Any) -> Any:
    """Return the LogicalDeviceConfigurations of a physical device; None until set."""
    return state.settings().logical.get(_check_physical(device))


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[Any]
) -> None:
    """Divide a physical device: one logical device per configuration.

    A GPU's parts need a memory limit in MB each; a CPU's have none.
    """
    physical = _check_physical(device)
    asked = state.settings()
    for part in logical_devices:
        _check_part(physical, part)
    if asked.logical.get(physical) == logical_devices:
        return

    def apply() -> None:
        state.settings().logical[physical] = logical_devices
        state.settings().remember("logical", physical)

    state.change("Virtual devices cannot be modified after being initialized", apply, _on(physical))


def _check_part(physical: PhysicalDevice, part: LogicalDeviceConfiguration) -> None:
    """Refuse a configuration that its kind of device cannot have."""
    if physical.device_type == "CPU":
        for field, said in (
            ("memory_limit", "Setting memory limit on CPU virtual devices"),
            ("experimental_priority", "Setting experimental_priority on CPU virtual  devices"),
            (
                "experimental_device_ordinal",
                "Setting experimental_device_ordinal on CPU virtual  devices",
            ),
        ):
            if getattr(part, field) is not None:
                raise ValueError(f"{said} is currently not supported")
    elif part.memory_limit is None:
        raise ValueError(
            hint(
                "Setting memory limit is required for GPU virtual devices",
                f"{physical.name} cannot be divided otherwise",
                "tf.config.LogicalDeviceConfiguration(memory_limit=1024) is 1 GiB",
            )
        )
    elif not isinstance(part.memory_limit, int | float) or not 0 < part.memory_limit < 1 << 40:
        raise ValueError(f"Expected a memory limit in MB, got {part.memory_limit!r}")


def get_device_details(device: Any) -> dict[str, Any]:
    """Return the name and compute capability of a GPU; an empty dictionary for a CPU."""
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in state.discovery().physical:
        raise ValueError(
            "The PhysicalDevice must be one obtained from calling "
            f"`tf.config.list_physical_devices`, but got: {device}"
        )
    gpu = state.discovery().gpu_of(device)
    if gpu is None:
        return {}
    details: dict[str, Any] = {"device_name": gpu.card.name}
    if gpu.card.capability is not None:
        details["compute_capability"] = gpu.card.capability
    return details


def get_soft_device_placement() -> bool:
    """Return whether an op may run elsewhere when it cannot run where it was asked to.

    Off until someone turns it on, in both eras; TensorFlow 2 has it on in eager programs.
    """
    return bool(state.settings().soft_placement)


def set_soft_device_placement(enabled: bool) -> None:
    """Let ops run elsewhere when they cannot run where asked; may change at any time.

    Raises TypeError for what is no truth or number, such as a text: "False" would be true.
    """
    state.put("soft_placement", _flag("set_soft_device_placement", enabled))


def get_device_policy() -> str:
    """Return what happens when an op's input is on another device: 'silent', 'warn', …."""
    return state.settings().device_policy or "silent"


def set_device_policy(device_policy: str | None) -> None:
    """Say what happens when an op's input is on another device; may change at any time.

    'silent' copies it, 'silent_for_int32' copies only int32, 'warn' copies and says so, 'explicit'
    raises.
    """
    state.put("device_policy", check_policy(device_policy))


def get_log_device_placement() -> bool:
    """Return whether every op says where it runs."""
    return state.settings().log_device_placement


def set_log_device_placement(enabled: bool) -> None:
    """Have every op say where it runs; may change at any time."""
    state.put("log_device_placement", _flag("set_log_device_placement", enabled))


def _flag(function: str, enabled: Any) -> bool:
    """Return a switch as a truth; None is as if it had never been set."""
    is_truth = getattr(enabled, "dtype", None) == "bool"  # NumPy's, or a tensor
    if enabled is None or isinstance(enabled, int) or is_truth:
        return bool(enabled)
    raise TypeError(
        hint(
            f"{function}(): incompatible function arguments: {enabled!r} is not a bool",
            "True or False turns it on or off",
        )
    )


def get_intra_op_parallelism_threads() -> int:
    """Return how many threads one op may use; 0 leaves it to the system."""
    return state.settings().intra_op_threads


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set how many threads one op may use, before the first op runs."""
    _set_threads("intra_op_threads", num_threads, "Intra")


def get_inter_op_parallelism_threads() -> int:
    """Return how many ops may run side by side; 0 leaves it to the system."""
    return state.settings().inter_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Set how many ops may run side by side, before the first op runs."""
    _set_threads("inter_op_threads", num_threads, "Inter")


def _set_threads(name: str, number: Any, word: str) -> None:
    threads = check_threads(number)
    asked = state.settings()
    if getattr(asked, name) == threads:
        return
    if state.is_used():
        raise state.too_late(f"{word} op parallelism cannot be modified after initialization.")
    state.put(name, threads)
    asked.apply_threads()


def set_per_process_memory_growth(enabled: bool = True) -> None:
    """Take memory of every visible GPU as needed and not all at once."""
    _set_gpu("process_growth", bool(enabled))


def get_per_process_memory_growth() -> bool:
    """Return whether memory of every visible GPU is taken as needed."""
    return bool(state.settings().process_growth)


def set_per_process_memory_fraction(fraction: float) -> None:
    """Take at most this part of the total memory of every visible GPU."""
    _set_gpu("process_fraction", check_fraction(fraction))


def get_per_process_memory_fraction() -> float:
    """Return the part of every GPU's memory this process takes; 0.0 when nobody said."""
    return state.settings().process_fraction or 0.0


def _set_gpu(name: str, value: Any) -> None:
    asked = state.settings()
    if getattr(asked, name) == value:
        return

    def apply() -> None:
        state.settings().set(name, value)

    state.change(
        "GPU options must be set at program startup", apply, lambda device: device.kind == "GPU"
    )
