"""What the program asked for: placement, logging, threads, growth, and which line asked.

Plain data with its checks; when a change comes too late is the inventory's to say.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import Any

from placewise.core import threads
from placewise.core.determinism import determinism
from placewise.core.errors import hint
from placewise.devices.handles import LogicalDeviceConfiguration, PhysicalDevice
from placewise.devices.origin import Origin, user_line

PLACES = ("auto", "first")
POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


@dataclass(slots=True)
class Settings:
    """The settings of a runtime. None means never set.

    `set_by` has the line of the program that last set each of them. `without_effect` says, by
    setting, why one could not be obeyed.
    """

    soft_placement: bool | None = None
    log_device_placement: bool = False
    device_policy: str | None = None
    place: str | None = None
    intra_op_threads: int = 0
    inter_op_threads: int = 0
    process_growth: bool | None = None
    process_fraction: float | None = None
    visible: list[PhysicalDevice] | None = None
    growth: dict[PhysicalDevice, bool] = field(default_factory=dict)
    logical: dict[PhysicalDevice, Any] = field(default_factory=dict)
    set_by: dict[str, Origin | None] = field(default_factory=dict)
    without_effect: dict[str, str] = field(default_factory=dict)

    def set(self, name: str, value: Any) -> None:
        """Set one of the plain settings and remember who did."""
        setattr(self, name, value)
        self.remember(name)

    def remember(self, name: str, device: PhysicalDevice | None = None) -> None:
        """Remember the line of the program that sets `name` now, of one device or of all."""
        self.set_by[_of(name, device)] = user_line()

    def author(self, name: str, device: PhysicalDevice | None = None) -> str:
        """Return the line that set `name`, of a device or of all."""
        origin = self.set_by.get(_of(name, device)) or self.set_by.get(name)
        return "the program" if origin is None else str(origin)

    def copy(self) -> Settings:
        """Return a copy that changes on its own."""
        return replace(
            self,
            growth=dict(self.growth),
            logical=dict(self.logical),
            set_by=dict(self.set_by),
            without_effect=dict(self.without_effect),
        )

    def without_devices(self) -> Settings:
        """Return a copy that keeps what does not depend on which devices there are."""
        return replace(
            self,
            visible=None,
            growth={},
            logical={},
            set_by={
                name: origin
                for name, origin in self.set_by.items()
                if name.split()[0] not in ("visible", "logical", "growth")
            },
            without_effect=dict(self.without_effect),
        )

    def growth_of(self, device: PhysicalDevice) -> bool | None:
        """Return whether memory grows on a GPU, or None when nobody said."""
        return self.growth.get(device, self.process_growth)

    def parts_of(self, device: PhysicalDevice) -> tuple[LogicalDeviceConfiguration, ...]:
        """Return the logical configuration of a device; empty when it is undivided."""
        return tuple(self.logical.get(device) or ())

    def apply_threads(self) -> None:
        """Hand the numbers of threads to torch, if it is loaded; the runtime calls this on load.

        Where the program asks for none, torch's own holds unless the process gets less time.
        """
        torch = sys.modules.get("torch")
        if torch is None:
            return
        intra = 1 if self.intra_op_threads < 0 else self.intra_op_threads
        inter = 1 if self.inter_op_threads < 0 else self.inter_op_threads
        intra = intra or threads.limit(torch.get_num_threads()) or 0
        most = threads.most()
        if most is not None and most < (intra or torch.get_num_threads()):
            intra = most
        if intra and not determinism.deterministic:
            torch.set_num_threads(intra)
        if inter and torch.get_num_interop_threads() != inter:
            try:
                torch.set_num_interop_threads(inter)
            except RuntimeError as error:
                # torch takes this once per process, before its first parallel work.
                self.without_effect["inter_op_threads"] = str(error).splitlines()[0]


def _of(name: str, device: PhysicalDevice | None) -> str:
    return name if device is None else f"{name} {device.name}"


def check_policy(policy: Any) -> str | None:
    """Return a device policy, or raise ValueError in TensorFlow's words."""
    if policy is None or policy in POLICIES:
        return None if policy is None else str(policy)
    raise ValueError(
        hint(
            f"Invalid argument `device_policy`: {policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy "
            "for valid `device_policy` arguments.",
            f"there are: {', '.join(map(repr, POLICIES))} and None",
        )
    )


def check_place(how: Any) -> str | None:
    """Return how operations without a request are placed; ValueError if there is no such way."""
    if how is None or how in PLACES:
        return None if how is None else str(how)
    raise ValueError(f"Expected one of {', '.join(map(repr, PLACES))}, got {how!r}")


def check_threads(number: Any) -> int:
    """Return a number of threads; 0 leaves the choice to the system, below 0 means one."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"Expected a number of threads, got {number!r}")
    threads = number.__index__()
    if not -(1 << 31) <= threads < 1 << 31:
        raise ValueError(f"Expected a number of threads, got {number!r}")
    return int(threads)


def check_fraction(fraction: float) -> float:
    """Return a memory fraction, a positive number; above 1 means unified memory."""
    try:
        value = float(fraction)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0.0 < value < float("inf"):
        raise ValueError(f"Expected a memory fraction such as 0.4, got {fraction!r}")
    return value
