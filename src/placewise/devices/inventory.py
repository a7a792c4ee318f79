"""The devices of this process: physical → visible → logical, started on first use.

`inventory()` starts them and remembers the line of the program that did. Settings may still change
after that while nothing lives on the devices they touch; then the inventory is made anew and
`on_change` listeners hear of it. One Machine is in force; `simulate` puts another in its place.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from placewise.core.errors import OpError, hint
from placewise.core.html import to_table
from placewise.core.runtime import State, runtime
from placewise.core.sizes import size_text
from placewise.devices.cluster_machine import is_cluster
from placewise.devices.creation import make_devices
from placewise.devices.device import Device
from placewise.devices.discovery import Discovery, Gpu, discover
from placewise.devices.environment import read_environment
from placewise.devices.handles import PhysicalDevice
from placewise.devices.machine import parse_machine
from placewise.devices.names import LOCAL_JOB, own_task, set_own_task
from placewise.devices.options import Options, Part, from_config_proto
from placewise.devices.origin import Origin, user_line
from placewise.devices.settings import Settings, check_place

logger = logging.getLogger("tensorflow")


class Inventory:
    """The logical devices of a runtime; never changes, is replaced."""

    __slots__ = ("_by_name", "cpu", "default", "devices", "is_joined", "kinds", "started_by")

    def __init__(self, devices: tuple[Device, ...], started_by: Origin | None) -> None:
        self.devices = devices
        # Whether there are devices of other processes.
        self.is_joined = any(device.remote is not None for device in devices)
        self.started_by = started_by
        self._by_name = MappingProxyType({device.name: device for device in devices})
        self.cpu = devices[0]
        self.default = next((device for device in devices if device.is_accelerator), self.cpu)
        self.kinds: tuple[str, ...] = tuple(dict.fromkeys(device.kind for device in devices))

    def find(self, full_name: str) -> Device | None:
        """Return the device of a full name, or None."""
        return self._by_name.get(full_name)

    def of_kind(self, kind: str) -> tuple[Device, ...]:
        """Return the devices of a kind, by index; of all tasks of a simulated cluster."""
        return tuple(device for device in self.devices if device.kind == kind)

    def own_of_kind(self, kind: str) -> tuple[Device, ...]:
        """Return those of the program's own task."""
        return tuple(device for device in self.of_kind(kind) if device.order == 0)


@dataclass(slots=True, eq=False)
class Machine:
    """Everything that is known of the devices of a machine.

    `description` is set by `simulate` and `plan_on`.

    `before` is the inventory there was, while settings that do not go together forbid another.
    """

    description: str | None
    settings: Settings
    has_contents: bool = True  # False: its GPUs are planned
    discovery: Discovery | None = None
    inventory: Inventory | None = None
    before: Inventory | None = None
    used_by: Origin | None = None
    used: bool = False
    has_warned: bool = False


_lock = threading.RLock()


@dataclass(slots=True)
class DeviceState(State):
    """The machine in force, and who knows whether something lives on a device of it."""

    machine: Machine = field(default_factory=lambda: Machine(None, Settings()))
    lives: Callable[[Device], bool] | None = None


@dataclass(slots=True)
class DeviceListeners(State):
    """Who is called when the set of devices, or a setting that leaves them as they are, changes."""

    of_devices: list[Callable[[], object]] = field(default_factory=list)
    of_settings: list[Callable[[], object]] = field(default_factory=list)


_current = runtime.state(DeviceState)
# Other modules begin to listen when they are imported.
_listeners = runtime.state(DeviceListeners, lasting=True)


def settings() -> Settings:
    """Return the settings in force."""
    return _current.machine.settings


def discovery() -> Discovery:
    """Return what the machine has; looks on the first call. Does not start the devices."""
    machine = _current.machine
    if machine.discovery is None:
        with _lock:
            if machine.discovery is None:
                environment = read_environment()
                description = machine.description
                if description is None:
                    description = (environment.simulate or "").strip() or None
                machine.discovery = discover(environment, description, machine.has_contents)
    return machine.discovery


def inventory() -> Inventory:
    """Return the devices, starting them on the first call."""
    return _current.machine.inventory or _start()


def initialized() -> bool:
    """Return whether the devices have been started."""
    return _current.machine.inventory is not None


def _start() -> Inventory:
    with _lock:
        machine = _current.machine
        if machine.inventory is None:
            _say_what_has_no_effect()
            devices = make_devices(discovery(), options())
            if is_cluster(discovery().machine):
                set_own_task(_task_of(devices[0]))
            machine.inventory = Inventory(devices, user_line())
        return machine.inventory


def _task_of(device: Device) -> str:
    return device.name.removesuffix(device.local_name)


def _say_what_has_no_effect() -> None:
    """Warn, once, of a memory policy of the command line where there is no GPU to bound."""
    seen, machine = discovery(), _current.machine
    if seen.gpus or not (seen.environment.memory or "").strip() or machine.has_warned:
        return
    machine.has_warned = True
    why = f" ({seen.reasons[0]})" if seen.reasons else ""
    logger.warning(
        "placewise run --memory (PLACEWISE_MEMORY=%s) has no effect: there is no GPU%s, and the "
        "memory of a CPU is not bounded.",
        seen.environment.memory,
        why,
    )


def known_devices() -> tuple[Device, ...]:
    """Return the devices that have been started, none before that."""
    known = _current.machine.inventory or _current.machine.before
    return known.devices if known else ()


def discovered_machine() -> str | None:
    """Return the simulated machine, if the devices were looked at and it is one."""
    seen = _current.machine.discovery
    return None if seen is None else seen.machine


def planned() -> tuple[Device, ...]:
    """Return the devices as they are, or as they would be made now; does not start them."""
    machine = _current.machine
    return machine.inventory.devices if machine.inventory else make_devices(discovery(), options())


def options() -> Options:
    """Return the settings of `tf.config` as the Options that devices are made from."""
    asked, discovered = _current.machine.settings, discovery()
    shown = visible()
    cpus = [device for device in shown if device.device_type == "CPU"]
    gpus = [gpu for device in shown if (gpu := discovered.gpu_of(device)) is not None]
    divided = any(device.device_type == "GPU" for device in asked.logical)
    growths = {asked.growth_of(gpu.physical) for gpu in gpus}
    if len(growths) > 1 and not divided:
        raise ValueError(
            hint(
                "Memory growth cannot differ between GPU devices",
                ", ".join(f"{gpu.physical.name}: {asked.growth_of(gpu.physical)}" for gpu in gpus),
                "call tf.config.experimental.set_memory_growth with the same value for each",
            )
        )
    growth = not divided and True in growths
    return Options(
        counts={"CPU": _count_cpus(asked, cpus), "GPU": len(gpus)},
        visible=tuple(gpu.cuda_index for gpu in gpus),
        memory_fraction=asked.process_fraction or 0.0,
        growth=growth,
        parts=tuple(_parts(asked, gpu.physical) for gpu in gpus) if divided else (),
        authors=_authors(asked, gpus, growth),
        overridden={gpu.cuda_index: _overridden(asked, gpu.physical, growth) for gpu in gpus},
    )


def _authors(asked: Settings, gpus: list[Gpu], growth: bool) -> dict[tuple[str, int | None], str]:
    """Return the line that set each option of memory, by GPU."""
    authors: dict[tuple[str, int | None], str] = {
        ("fraction", None): asked.author("process_fraction")
    }
    for gpu in gpus:
        authors["parts", gpu.cuda_index] = asked.author("logical", gpu.physical)
        if asked.growth_of(gpu.physical) is growth:
            name = "growth" if gpu.physical in asked.growth else "process_growth"
            authors["growth", gpu.cuda_index] = asked.author(name, gpu.physical)
    return authors


def _overridden(asked: Settings, device: PhysicalDevice, growth: bool) -> tuple[str, ...]:
    """Return what was said of a GPU's growth that another setting overrides."""
    said = {"process_growth": asked.process_growth, "growth": asked.growth.get(device)}
    return tuple(
        f"growth={value}, set by {asked.author(name, device)}"
        for name, value in said.items()
        if value is not None and value is not growth
    )


def _count_cpus(asked: Settings, cpus: list[PhysicalDevice]) -> int:
    parts = [asked.logical.get(cpu) for cpu in dict.fromkeys(cpus)]
    return sum(1 if part is None else len(part) for part in parts)


def _parts(asked: Settings, device: PhysicalDevice) -> tuple[Part, ...]:
    parts = asked.parts_of(device)
    for option, said in (
        ("experimental_priority", "priority must be specified for all virtual devices"),
        (
            "experimental_device_ordinal",
            "device_ordinals must be specified for all virtual devices",
        ),
    ):
        if len({getattr(part, option) is None for part in parts}) > 1:
            raise ValueError(hint(said, f"{device.name} has {list(parts)}"))
    return tuple(
        Part(
            float(part.memory_limit or 0),
            part.experimental_priority,
            part.experimental_device_ordinal or 0,
        )
        for part in parts
    )


def visible() -> list[PhysicalDevice]:
    """Return the physical devices that `tf.config` leaves visible."""
    chosen = _current.machine.settings.visible
    return list(discovery().physical if chosen is None else chosen)


def on_change(callback: Callable[[], object]) -> Callable[[], None]:
    """Have `callback` called whenever the set of devices changes; returns what ends that."""
    _listeners.of_devices.append(callback)
    return lambda: _listeners.of_devices.remove(callback)


def _changed() -> None:
    for callback in tuple(_listeners.of_devices):
        callback()


def set_lives(lives: Callable[[Device], bool] | None) -> None:
    """Set who knows whether something lives on a device; None: everything, once an op ran."""
    _current.lives = lives


def lives(device: Device) -> bool:
    """Return whether something lives on a device, so that it cannot change any more."""
    known = _current.lives
    return _current.machine.used if known is None else known(device)


def mark_used() -> None:
    """Note that an op ran on the devices; from then on their settings stand."""
    if not _current.machine.used:
        _current.machine.used = True
        _current.machine.used_by = user_line()


def is_used() -> bool:
    """Return whether an op has run on the devices."""
    return _current.machine.used


def too_late(message: str) -> RuntimeError:
    """Return the error of a setting that comes after the devices were used."""
    machine = _current.machine
    known = machine.inventory or machine.before
    first = known.started_by if known else machine.used_by
    facts = [f"the devices were started at {first}" if first else "the devices are started"]
    if machine.used_by and machine.used_by != first:
        facts.append(f"first used at {machine.used_by}")
    return RuntimeError(hint(message, *facts, "set this before that line"))


def change(
    message: str, apply: Callable[[], Any], touches: Callable[[Device], bool] | None = None
) -> None:
    """Change a setting by `apply`; raise `message` if it touches a device something lives on."""
    with _lock:
        machine = _current.machine
        known = machine.inventory or machine.before
        if known is None:
            if machine.used:
                raise too_late(message)
            apply()
            return
        if any(lives(device) for device in known.devices if not touches or touches(device)):
            raise too_late(message)
        settings = machine.settings
        machine.settings = settings.copy()
        apply()
        try:
            new_devices = make_devices(discovery(), options())
        except (ValueError, OpError):
            new_devices = ()  # settings contradict: the next one mends it, or the start says so
        devices = tuple(_keep(known.find(device.name), device, lives) for device in new_devices)
        if any(lives(device) for device in known.devices if device not in devices):
            machine.settings = settings
            raise too_late(message)
        _remake(machine, known, devices)


def _remake(machine: Machine, known: Inventory, devices: tuple[Device, ...]) -> None:
    """Put devices in the place of those that were known; none if they can not be made yet."""
    if devices == known.devices:
        machine.inventory = known
    elif devices:
        machine.inventory = Inventory(devices, known.started_by)
    else:
        machine.inventory, machine.before = None, known
    if machine.inventory is not known:
        _changed()


def _keep(
    old: Device | None, new: Device, lives: Callable[[Device], bool] = lambda device: False
) -> Device:
    """Return the old device if it is the same; if something lives on it, whoever set its memory."""
    if old is not None and (old.same_as(new) or (lives(old) and old.works_as(new))):
        return old
    return new


def serve_as(job: str, task: int) -> None:
    """Name the devices of this process after a task of a cluster, from now on.

    Devices keep their identity, so that what lives on them stays.
    """
    with _lock:
        set_own_task(f"/job:{job}/replica:0/task:{task}")
        known = _current.machine.inventory
        if known is None:
            return
        for device in known.devices:
            device.name = f"{own_task()}{device.local_name}"
        _current.machine.inventory = Inventory(known.devices, known.started_by)
    _changed()


def join(others: tuple[Device, ...]) -> None:
    """Put devices of other processes beside those of this one; those of an earlier call go."""
    with _lock:
        known = inventory()
        own = tuple(device for device in known.devices if device.remote is None)
        _current.machine.inventory = Inventory((*own, *others), known.started_by)
    _changed()


def reset() -> None:
    """Forget devices and settings; the next use looks at the machine and environment again."""
    _replace(Machine(None, Settings()))


def _replace(machine: Machine) -> None:
    with _lock:
        _current.machine = machine
        known = machine.inventory
        set_own_task(LOCAL_JOB if known is None else _task_of(known.cpu))
    _changed()
    _settings_changed()


class Simulation:
    """A simulated machine in force; as a context manager it ends with its block."""

    def __init__(self, machine: str | None) -> None:
        self.machine = machine
        self._before = _current.machine

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *exception: object) -> None:
        _replace(self._before)

    def __repr__(self) -> str:
        return f"<simulated machine {self.machine!r}>"

    def _repr_html_(self) -> str:
        if self.machine is None:
            return to_table((), (), "the machine that the environment gives")
        rows = [
            (card.name, size_text(card.total_bytes), card.bus_id)
            for card in parse_machine(self.machine)
        ]
        said = f"simulated machine {self.machine}"
        return to_table(("model", "memory", "bus id"), rows, said)


def simulate(machine: str | int | Iterable[str] | None) -> Simulation:
    """Make this process see the described machine from now on, or for a `with` block.

    `machine` is a comma list of `[N x]MODEL[/MIG-SLICE][:MEMORY][@BUS][@LINK]`, a number of GPUs,
    or None for the machine that the environment gives. Several machines are a comma list of
    `JOB=[N x](MACHINE)[@NETWORK]`. Tensors that exist stay on the devices they are on.

    >>> with simulate("2xK40c"):
    ...     print(inventory().default.card.name)
    Tesla K40c
    """
    if machine is not None and not isinstance(machine, str | int):
        machine = ",".join(machine)
    described = None if machine is None else str(machine).strip()
    if described is not None:
        parse_machine(described)
    simulation = Simulation(described)
    known = _current.machine
    # A program that simulates a machine itself, in a dry run, gets one without contents as well.
    is_real = known.has_contents or described is None
    _replace(Machine(described, known.settings.without_devices(), is_real))
    return simulation


def renew() -> Simulation:
    """Let devices and settings begin anew, from now on or for a `with` block; the machine stays.

    Devices on which ops have run stay, as tensors may live there; what is then set of them in the
    block ends with it.

    >>> with simulate("V100"), renew() as same:
    ...     print(same.machine)
    V100
    """
    known = _current.machine
    if not known.used:
        return simulate(known.description)
    simulation = Simulation(known.description)
    _replace(replace(known, settings=known.settings.copy()))
    return simulation


def plan_on(machine: str) -> Simulation:
    """Make this process see a described machine whose GPUs compute nothing; as `simulate` else."""
    machine = machine.strip()
    parse_machine(machine)
    simulation = Simulation(machine)
    _replace(Machine(machine, _current.machine.settings.without_devices(), has_contents=False))
    return simulation


def devices_for(config: Any) -> tuple[Device, ...]:
    """Return the devices that a ConfigProto (or None) asks for.

    Devices that are the same as the inventory's are the same objects, so that a session and
    `tf.config` share memory and placement.
    """
    _say_what_has_no_effect()
    devices = make_devices(discovery(), from_config_proto(config, user_line()))
    known = _current.machine.inventory
    if known is None:
        return devices
    return tuple(_keep(known.find(device.name), device) for device in devices)


def place(how: str | None) -> None:
    """Choose where operations of graphs and functions run that ask for no device.

    "auto": over all GPUs, so that none exceeds its memory and a step is shortest. "first": on the
    first GPU, as in TensorFlow. None: as `PLACEWISE_PLACE` says, or else "first". Raises ValueError
    for anything else. What is placed already stays.

    >>> place("auto")
    >>> places_automatically()
    True
    """
    put("place", check_place(how))


def places_automatically() -> bool:
    """Return whether operations that ask for no device are placed over all GPUs."""
    how = _current.machine.settings.place
    if how is None:
        asked = (discovery().environment.place or "").strip()
        try:
            how = check_place(asked or None)
        except ValueError as error:
            raise ValueError(f"PLACEWISE_PLACE: {error}") from None
    return how == "auto"


def on_settings(callback: Callable[[], object]) -> Callable[[], None]:
    """Have `callback` called whenever a setting changes that leaves the devices as they are."""
    _listeners.of_settings.append(callback)
    return lambda: _listeners.of_settings.remove(callback)


def put(name: str, value: Any) -> None:
    """Set a plain setting, remember who did, and tell the listeners."""
    _current.machine.settings.set(name, value)
    _settings_changed()


def _settings_changed() -> None:
    for callback in tuple(_listeners.of_settings):
        callback()
