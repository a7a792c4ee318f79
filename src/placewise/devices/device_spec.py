"""`tf.DeviceSpec`: the immutable class of TensorFlow 2 and the mutable one of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from placewise.devices.names import Spec, parse, upper_kind

_FIELDS = ("job", "replica", "task", "device_type", "device_index")


def _to_str(value: str) -> str | None:
    return None if value is None else str(value)


def _to_int(value: int | None) -> int | None:
    return None if value is None else int(value)


def _to_kind(value: str) -> str | None:
    return None if value is None else upper_kind(str(value))


class DeviceSpecV2:
    """A (perhaps partial) device name whose fields can be read, replaced and merged.

    >>> DeviceSpecV2.from_string("/job:worker/gpu:1").replace(task=2).to_string()
    '/job:worker/task:2/device:GPU:1'
    """

    __slots__ = ("_hash", "_spec")

    def __init__(
        self,
        job: Any = None,
        replica: Any = None,
        task: Any = None,
        device_type: Any = None,
        device_index: Any = None,
    ) -> None:
        self._spec = Spec(
            _to_str(job),
            _to_int(replica),
            _to_int(task),
            _to_kind(device_type),
            _to_int(device_index),
        )
        self._hash: int | None = None

    @classmethod
    def _of(cls, spec: Spec) -> Self:
        return cls(spec.job, spec.replica, spec.task, spec.kind, spec.index)

    @classmethod
    def from_string(cls, spec: str | None) -> Self:
        """Return the DeviceSpec of a name; None gives an empty one."""
        return cls._of(parse(spec))

    def parse_from_string(self, spec: str | None) -> DeviceSpecV2:
        """Return a new DeviceSpec made of a name alone; this one stays as it is."""
        return type(self).from_string(spec)

    def to_string(self) -> str:
        """Return the canonical name."""
        return self._spec.to_string()

    def make_merged_spec(self, dev: DeviceSpecV2) -> Self:
        """Return a new DeviceSpec in which every field that `dev` sets is taken from it."""
        inner = Spec(dev.job, dev.replica, dev.task, dev.device_type, dev.device_index)
        return self._of(self._spec.merged_with(inner))

    def replace(self, **kwargs: Any) -> Self:
        """Return a new DeviceSpec with some fields replaced; None clears a field."""
        return type(self)(**{**{field: getattr(self, field) for field in _FIELDS}, **kwargs})

    @property
    def job(self) -> str | None:
        """The name of the job, or None."""
        return self._spec.job

    @property
    def replica(self) -> int | None:
        """The number of the replica, or None."""
        return self._spec.replica

    @property
    def task(self) -> int | None:
        """The number of the task, or None."""
        return self._spec.task

    @property
    def device_type(self) -> str | None:
        """The kind of device, such as `GPU`, or None."""
        return self._spec.kind

    @property
    def device_index(self) -> int | None:
        """The index among devices of its kind, or None."""
        return self._spec.index

    def __eq__(self, other: object) -> bool:
        # As in TensorFlow: an object of a subclass equals, one of a base class does not.
        return isinstance(other, type(self)) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.to_string())
        return self._hash

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)}" for field in _FIELDS)
        return f"<DeviceSpec({fields})>"


def _field(name: str, spec_field: str, convert: Callable[..., Any]) -> property:
    """Return the property of V1 that can also be assigned."""

    def read(self: DeviceSpecV1) -> Any:
        return getattr(self._spec, spec_field)

    def write(self: DeviceSpecV1, value: Any) -> None:
        fields = {key: getattr(self._spec, key) for key in Spec.__slots__}
        self._change(Spec(**{**fields, spec_field: convert(value)}))

    return property(read, write, doc=getattr(DeviceSpecV2, name).__doc__)


class DeviceSpecV1(DeviceSpecV2):
    """The DeviceSpec of TensorFlow 1: its fields can be assigned, and it merges in place."""

    __slots__ = ()

    job = _field("job", "job", _to_str)
    replica = _field("replica", "replica", _to_int)
    task = _field("task", "task", _to_int)
    device_type = _field("device_type", "kind", _to_kind)
    device_index = _field("device_index", "index", _to_int)

    def _change(self, spec: Spec) -> None:
        self._spec = spec
        self._hash = None

    def parse_from_string(self, spec: str | None) -> Self:
        """Take all fields from a name and return this object."""
        self._change(parse(spec))
        return self

    def merge_from(self, dev: DeviceSpecV2) -> None:
        """Take every field that `dev` sets from it."""
        self._change(self.make_merged_spec(dev)._spec)

    __hash__ = DeviceSpecV2.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpecV1) and self.to_string() == other.to_string()
