"""Devices made from what there is and what was asked for.

Pure: a Discovery and Options in, devices out. Both `tf.config` and a TensorFlow 1 session's
ConfigProto end here.
"""

from __future__ import annotations

from placewise.core.errors import InternalError, NotFoundError, UnknownError, hint, invalid
from placewise.devices.budget import decide
from placewise.devices.cluster_machine import is_cluster, own_index, parse_cluster_machine
from placewise.devices.device import NO_CONTENTS, Device
from placewise.devices.discovery import CPU_0, Discovery, Gpu
from placewise.devices.machine import task_number
from placewise.devices.names import own_task
from placewise.devices.options import Options, Part
from placewise.devices.visibility import parse_visible_device_list


def make_devices(discovery: Discovery, options: Options) -> tuple[Device, ...]:
    """Return the devices of a runtime, CPUs first, each kind numbered from 0."""
    cpus = options.counts.get("CPU", 1)
    if cpus < 1:
        raise NotFoundError(
            None,
            None,
            hint(
                "No CPU devices are available in this process",
                "a program needs CPU:0 for what stays on the host",
                "leave the CPU visible, with a count of at least 1",
            ),
        )
    if is_cluster(discovery.machine):
        return _make_cluster(discovery, options, cpus)
    devices = [Device("CPU", index, CPU_0) for index in range(cpus)]
    return (*devices, *_make_gpus(discovery, options))


def _make_cluster(discovery: Discovery, options: Options, cpus: int) -> tuple[Device, ...]:
    """Return the devices of a simulated cluster, the program's own task first."""
    tasks = parse_cluster_machine(discovery.machine or "")
    gpus = _make_gpus(discovery, options)
    own = own_index(tasks)
    in_order = sorted(range(len(tasks)), key=lambda number: number != own)
    devices: list[Device] = []
    for order, number in enumerate(in_order):
        name = tasks[number].name
        devices += [Device("CPU", i, CPU_0, task=name, order=order) for i in range(cpus)]
        mine = [gpu for gpu in gpus if gpu.card and task_number(gpu.card) == number]
        devices += [_moved(gpu, name, index, order) for index, gpu in enumerate(mine)]
    return tuple(devices)


def _moved(gpu: Device, task: str, index: int, order: int) -> Device:
    """Return a GPU as that of a task, which numbers its own."""
    return Device(
        "GPU",
        index,
        gpu.physical,
        torch_device=gpu.torch_device,
        card=gpu.card,
        cuda_index=gpu.cuda_index,
        budget=gpu.budget,
        machine=gpu.machine,
        task=task,
        order=order,
    )


def _make_gpus(discovery: Discovery, options: Options) -> list[Device]:
    most = options.counts.get("GPU", len(discovery.visibility.seen))
    if most <= 0:
        return []
    listed = options.visible
    if listed is not None and len(set(listed)) < len(listed):
        text = ",".join(map(str, listed))
        raise invalid(f"visible_device_list contained a duplicate entry: {text}")
    if listed is None:
        listed = parse_visible_device_list(options.visible_text, len(discovery.visibility.seen))
    _check_parts(options, most, len(listed))
    by_index = {gpu.cuda_index: gpu for gpu in discovery.gpus}
    chosen = [by_index[index] for index in listed if index in by_index][:most]
    if options.parts and len(chosen) != len(options.parts):
        raise UnknownError(
            None,
            None,
            hint(
                "The number of valid GPUs doesn't match the number of elements in the "
                f"virtual_devices list. #valid GPUs: {len(chosen)} virtual_devices.size(): "
                f"{len(options.parts)}",
                "give one element per GPU, empty for an undivided one",
            ),
        )
    gpus = [
        _make_gpu(discovery, options, index, gpu, part)
        for index, (gpu, part) in enumerate(_divide(options, chosen))
    ]
    _check_allocator(options, gpus)
    return gpus


def _make_gpu(
    discovery: Discovery, options: Options, index: int, gpu: Gpu, part: Part | None
) -> Device:
    name = f"{own_task()}/device:GPU:{index}"
    return Device(
        "GPU",
        index,
        gpu.physical,
        torch_device=_torch_device(gpu),
        card=gpu.card,
        cuda_index=gpu.cuda_index,
        budget=decide(name, gpu.card, options, discovery.environment, gpu.cuda_index, part),
        machine=discovery,
    )


def _torch_device(gpu: Gpu) -> str:
    if gpu.card.torch_type in ("cpu", "mps", NO_CONTENTS):
        return gpu.card.torch_type
    return f"{gpu.card.torch_type}:{gpu.cuda_index}"


def _divide(options: Options, chosen: list[Gpu]) -> list[tuple[Gpu, Part | None]]:
    """Return the GPU, and which part of it, for each device in the order they are numbered."""
    rows: list[tuple[Gpu, Part | None]] = []
    for place, gpu in enumerate(chosen):
        parts = options.parts[place] if options.parts else ()
        rows += [(gpu, part) for part in parts] or [(gpu, None)] * max(1, options.parts_per_gpu)
    # Sorting is stable: equal ordinals keep the order of the list.
    return sorted(rows, key=lambda row: row[1].ordinal if row[1] else 0)


def _check_allocator(options: Options, gpus: list[Device]) -> None:
    """Refuse an allocator that there is not, as TensorFlow does."""
    if options.allocator_type in ("", "BFC") or not gpus:
        return
    raise InternalError(
        None,
        None,
        hint(
            f"Failed to get memory allocator for TF GPU 0 with {gpus[0].memory_limit_bytes} bytes "
            "of memory.",
            f"Invalid allocator type: {options.allocator_type}",
            "leave GPUOptions.allocator_type empty, or set it to 'BFC'",
        ),
    )


def _check_parts(options: Options, most: int, listed: int) -> None:
    """Refuse what TensorFlow refuses of virtual devices."""
    if not options.parts:
        return
    count = len(options.parts)
    if options.memory_fraction > 0:
        raise invalid(
            hint(
                "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.",
                "give each virtual device its own memory limit",
            )
        )
    if min(most, listed) < count:
        raise UnknownError(
            None,
            None,
            hint(
                "Not enough GPUs to create virtual devices. num_gpus_to_use: "
                f"{min(most, listed)} #virtual_devices: {count}"
            ),
        )
    if options.visible_text and listed != count:
        raise invalid(
            hint(
                "The number of GPUs in visible_device_list doesn't match the number of elements "
                f"in the virtual_devices list. #GPUs in visible_device_list: {listed} "
                f"virtual_devices.size(): {count}"
            )
        )
