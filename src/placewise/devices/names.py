"""Device names as programs write them: parsing, printing, merging of nested scopes.

These are the rules of the Python side, which is tolerant (`gpu`, `GPU:1`, `//cpu:0/`). Names as the
runtime reads them are stricter and live in `runtime_names`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from placewise.core.runtime import State, runtime
from placewise.devices.handles import LogicalDevice

LOCAL_JOB = "/job:localhost/replica:0/task:0"
SHORT_KINDS = frozenset({"CPU", "GPU", "TPU", "CUSTOM", "EPU"})


@dataclass(frozen=True, slots=True)
class Spec:
    """A device name taken apart; a field that is None is not specified."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    index: int | None = None

    def merged_with(self, inner: Spec) -> Spec:
        """Return this spec with every field that `inner` sets taken from `inner`."""
        return Spec(
            self.job if inner.job is None else inner.job,
            self.replica if inner.replica is None else inner.replica,
            self.task if inner.task is None else inner.task,
            self.kind if inner.kind is None else inner.kind,
            self.index if inner.index is None else inner.index,
        )

    def to_string(self) -> str:
        """Return the canonical name; an index without a kind is not printed."""
        parts = []
        if self.job is not None:
            parts.append(f"/job:{self.job}")
        if self.replica is not None:
            parts.append(f"/replica:{self.replica}")
        if self.task is not None:
            parts.append(f"/task:{self.task}")
        if self.kind is not None:
            parts.append(f"/device:{self.kind}:{'*' if self.index is None else self.index}")
        return "".join(parts)

    def __str__(self) -> str:
        return self.to_string()


_NOTHING = Spec()


@dataclass(slots=True)
class OwnTask(State):
    """The job and task under which this process names its devices."""

    name: str = LOCAL_JOB


_own = runtime.state(OwnTask)


def own_task() -> str:
    """Return what the full names of this process's devices begin with."""
    return _own.name


def set_own_task(name: str) -> None:
    """Set what the names of devices begin with; `inventory.serve_as` renames those there are."""
    _own.name = name


def upper_kind(kind: str) -> str:
    """Return `CPU` and `GPU` for their lower-case spellings, any other kind as it is."""
    return kind.upper() if kind in ("cpu", "gpu") else kind


@lru_cache(maxsize=4096)
def _parse(text: str) -> Spec:
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    index: int | None = None
    for part in text.split("/"):
        match part.split(":"):
            case ["job", name]:
                job = name
            case ["replica", number]:
                replica = int(number)
            case ["task", number]:
                task = int(number)
            case ["device", name, number]:
                _refuse_second(kind, text)
                kind, index = upper_kind(name), _index(number)
            case [name, *rest] if len(rest) < 2 and name.upper() in SHORT_KINDS:
                _refuse_second(kind, text)
                kind, index = name.upper(), _index(rest[0]) if rest else None
            case [name, *_] if name:
                raise ValueError(
                    f"Unknown attribute '{name}' is encountered while parsing the device spec: "
                    f"'{text}'."
                )
    return Spec(job, replica, task, kind, index)


def _index(number: str) -> int | None:
    return None if number == "*" else int(number)


def _refuse_second(kind: str | None, text: str) -> None:
    if kind is not None:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {text}."
        )


def parse(text: str | None) -> Spec:
    """Return the Spec of a name a program wrote; raise ValueError in TensorFlow's words.

    >>> parse("job:worker/GPU:1")
    Spec(job='worker', replica=None, task=None, kind='GPU', index=1)
    """
    if text is None:
        return Spec()
    return _parse(text) if isinstance(text, str) else _parse.__wrapped__(text)


def canonical(text: str) -> str:
    """Return a name in canonical form.

    >>> canonical("gpu:1/task:3")
    '/task:3/device:GPU:1'
    """
    return parse(text).to_string()


def to_text(name: str) -> str:
    """Return the string of what `tf.device` accepts: a name, a DeviceSpec, a LogicalDevice."""
    if isinstance(name, str):
        return name
    if hasattr(name, "to_string"):
        return str(name.to_string())
    if isinstance(name, LogicalDevice):
        return name.name
    raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")


@lru_cache(maxsize=4096)
def _merge_eager(current: str, new: str) -> str:
    return _parse(current).merged_with(_parse(new)).to_string()


def merge_eager(current: str, new: Any) -> str:
    """Return the device of an eager scope `new` opened while `current` holds.

    With no current device the first device of the runtime, CPU:0, fills what `new` leaves open, so
    that every eager scope is a full name. None means automatic again: an empty string.

    >>> merge_eager("", "GPU")
    '/job:localhost/replica:0/task:0/device:GPU:0'
    """
    if new is None:
        return ""
    return _merge_eager(current or f"{_own.name}/device:CPU:0", to_text(new))


def to_full_name(text: str) -> str:
    """Return `text` completed from the first device of this process.

    >>> to_full_name("gpu:2")
    '/job:localhost/replica:0/task:0/device:GPU:2'
    """
    return merge_eager("", text)


@lru_cache(maxsize=4096)
def merge_step(outer: str, inner: str) -> str:
    """Return the device of an op that inner scopes gave `inner`, after the scope `outer`."""
    spec = _parse(outer)
    # A scope that says nothing leaves even the spelling of a device function alone.
    return inner if spec == _NOTHING else spec.merged_with(_parse(inner)).to_string()


def merge_graph(
    scopes: Sequence[Any], call: Callable[[Callable[..., Any], str], Any] | None = None
) -> str:
    """Return the device of an op made inside `scopes` (outermost first) of a graph.

    A scope is a name, a DeviceSpec, a LogicalDevice, None (outer scopes do not count) or a
    function. `call(function, device so far)` asks a function; its answer replaces the device and is
    kept as it was returned.

    >>> merge_graph(["/job:worker/task:1", "/gpu:2", "/cpu:*"])
    '/job:worker/task:1/device:CPU:2'
    """
    device = ""
    for scope in reversed(scopes):
        if scope is None:
            break
        if callable(scope):
            device = _answer(call(scope, device) if call is not None else scope(device))
        elif isinstance(scope, str):
            device = merge_step(scope, device)
        elif hasattr(scope, "to_string") or isinstance(scope, LogicalDevice):
            device = merge_step(to_text(scope), device)
        else:
            parse(scope)  # raises what TensorFlow raises for it
    return device


def _answer(returned: str) -> str:
    """Return what a device function gave as a name."""
    if isinstance(returned, bytes):
        return returned.decode()
    if isinstance(returned, str):
        return returned
    if hasattr(returned, "to_string"):
        return str(returned.to_string())
    raise TypeError(f"Expected binary or unicode string, got {returned!r}")


def is_host_kind(kind: str | None) -> bool:
    """Return True for the kind of device that computes in the host's memory."""
    return kind == "CPU"


def is_gpu_kind(kind: str | None) -> bool:
    """Return True for the kind of device that programs mean by a GPU."""
    return kind == "GPU"
