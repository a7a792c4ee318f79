"""The rules of placement, in order of force, each with the reason that a decision keeps.

Eager ops and operations of graphs ask the same `Question`; the first of `RULES` that names devices
answers it. Pure: a rule reads the question alone. Where eager programs and graphs give their reason
in other words, both stand beside the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

from placewise.core.dtypes import DType
from placewise.devices.device import Device
from placewise.devices.names import Spec
from placewise.devices.runtime_names import matches, parse_runtime

ANY = Spec()


@dataclass(eq=False)
class Question:
    """An op to place: which devices can run it, and what the program asked for."""

    op: str  # its name
    kinds: tuple[str, ...]  # of devices with a kernel, best first
    types: frozenset[DType]  # those that its kernel needs torch's arithmetic for
    devices: tuple[Device, ...]  # all there are, best first
    request: Spec = ANY  # what the program asked for; ANY is nothing
    asked: str = ""  # the same, in the program's words
    home: Device | None = None  # where the state is that it touches, or the rest of its group
    owner: str = ""  # the operation that has the state
    ranks_kinds: bool = False  # the order of `kinds` is the kernels' own
    default: Device | None = None  # preferred where nothing is asked for
    soft: bool = False  # may the request give way?
    falls_back_without_kernel: bool = False
    for_types: str = ""  # " for float32": of which dtypes there is no kernel
    assigned: Spec = ANY  # what no rule gives up
    resource: Spec = ANY  # what a variable asked for: it gives way last
    is_graph: bool = False
    chosen: Device | None = None  # by automatic placement
    why: str = ""  # it chose that device

    @cached_property
    def known(self) -> list[Device]:
        """The devices with a kernel, best first."""
        return [device for device in self.devices if device.kind in self.kinds]

    @cached_property
    def able(self) -> list[Device]:
        """The devices with a kernel, and torch's arithmetic for the dtypes, best first."""
        able = [device for device in self.known if not device.lacking(self.types)]
        if self.ranks_kinds:
            able.sort(key=lambda d: (d is not self.default, self.kinds.index(d.kind)))
        return able

    @property
    def lacks(self) -> str:
        """The reason if torch cannot compute with the dtypes where the op would have run."""
        wanted = fitting(self.request, self.known)[0] if self.request != ANY else self.devices[0]
        names = ", ".join(sorted(dtype.name for dtype in wanted.lacking(self.types)))
        return f"torch has no kernels for {names} on {wanted.torch_device}"

    @property
    def kind(self) -> str:
        """The kind of device that has no kernel."""
        return fitting(self.request, self.devices)[0].kind

    @property
    def short(self) -> str:
        """The request without the task."""
        name = self.asked
        return "/device:" + name.rpartition("/device:")[2] if "/device:" in name else name

    @property
    def automatic(self) -> str:
        """The reason there would be if nothing had been asked for."""
        answer = decide(replace(self, request=ANY))
        return "" if answer is None else answer.reasons[0]


class Rule(NamedTuple):
    """One rule: the devices it names for a question, best first; none: the next rule is asked."""

    name: str
    is_asked: bool | None  # for questions with a request, or without one; None: for both
    devices_for: Callable[[Question], list[Device]]
    eager: tuple[str, ...]  # the reasons, with `{q.…}` for parts of the question
    graph: tuple[str, ...]
    falls_back: bool  # the op does not run where the program asked

    def reasons(self, question: Question) -> tuple[str, ...]:
        """Return why the rule answers a question as it does."""
        texts = self.graph if question.is_graph else self.eager
        return tuple([text.format(q=question) for text in texts])


class Answer(NamedTuple):
    """The devices that may be taken, best first, and the rule that names them."""

    devices: list[Device]
    reasons: tuple[str, ...]
    rule: Rule


def decide(question: Question) -> Answer | None:
    """Return the answer of the first rule that has one; None if nothing can be had as asked."""
    is_asked = question.request != ANY
    for rule in RULES:
        if rule.is_asked in (None, is_asked) and (devices := rule.devices_for(question)):
            return Answer(devices, rule.reasons(question), rule)
    return None


_Text = str | tuple[str, ...]


def _rule(
    eager: _Text,
    graph: _Text | None = None,
    *,
    asked: bool | None = None,
    falls_back: bool = False,
) -> Callable[[Callable[[Question], list[Device]]], Rule]:
    """Make a function a rule; `graph` has the reasons in graphs, where they are others."""
    texts = _texts(eager)
    graph_texts = texts if graph is None else _texts(graph)
    return lambda function: Rule(function.__name__, asked, function, texts, graph_texts, falls_back)


def _texts(texts: _Text) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else texts


@_rule("its resource lives there", "with {q.owner}")
def with_state(question: Question) -> list[Device]:
    """An op runs on the device of the state it touches, and a group shares one device."""
    return [] if question.home is None else [question.home]


# Nothing is asked for.

_ON_CPU = "{q.op} runs on the CPU here"


@_rule("{q.lacks}", _ON_CPU, asked=False)
def free_without_arithmetic(question: Question) -> list[Device]:
    """The best device lacks torch kernels for a dtype: the op runs on one that has them."""
    return question.able if question.devices[0].lacking(question.types) else []


@_rule("TensorFlow prefers the CPU for {q.op}", _ON_CPU, asked=False)
def free_cpu_first(question: Question) -> list[Device]:
    """Of kernels for both kinds, TensorFlow prefers that for the CPU (iterators, optionals)."""
    able = question.able
    is_chosen = question.ranks_kinds and len(question.kinds) > 1
    return able if is_chosen and able and able[0].is_host else []


@_rule("{q.why}", asked=False)
def free_as_chosen(question: Question) -> list[Device]:
    """Of several accelerators, automatic placement chose one."""
    return [device for device in question.able if device is question.chosen]


@_rule("no device requested: a GPU is preferred, lowest id first", asked=False)
def free_on_accelerator(question: Question) -> list[Device]:
    """An accelerator with a kernel is preferred."""
    able = question.able
    return able if able and able[0].is_accelerator else []


@_rule("there is no GPU here", _ON_CPU, asked=False)
def free_without_accelerator(question: Question) -> list[Device]:
    """There is nothing better than the CPU."""
    return question.able if question.devices[0].is_host else []


@_rule("{q.op} has no {q.devices[0].kind} kernel for these types", _ON_CPU, asked=False)
def free_without_kernel(question: Question) -> list[Device]:
    """An accelerator is there and has no kernel."""
    return question.able


# A device is asked for.


@_rule("requested by tf.device({q.short!r})", "requested {q.asked}", asked=True)
def as_requested(question: Question) -> list[Device]:
    """The device exists and can run the op."""
    return fitting(question.request, question.able)


@_rule(
    ("{q.lacks}", "so {q.op} runs on the CPU"),
    "{q.lacks}, so {q.op} runs on the CPU",
    asked=True,
    falls_back=True,
)
def without_arithmetic(question: Question) -> list[Device]:
    """The device has a kernel, but torch cannot compute with the dtypes there."""
    return question.able if fitting(question.request, question.known) else []


@_rule(
    (
        "{q.op} has no {q.kind} kernel{q.for_types}",
        "so it runs on the CPU instead of {q.short}",
    ),
    asked=True,
    falls_back=True,
)
def without_kernel(question: Question) -> list[Device]:
    """The device exists and has no kernel: ops run on the CPU, unless told not to.

    In a session they do not: TensorFlow 1 raises. Nor does a variable leave its device for them.
    """
    if not question.falls_back_without_kernel or not fitting(question.request, question.devices):
        return []
    host = [device for device in question.devices if device.is_host]
    return fitting(question.assigned, fitting(question.resource, host))


_SOFTLY = (
    ("soft placement: {q.short} does not exist here", "{q.automatic}"),
    "soft placement: {q.request} cannot be had",
)


@_rule(*_SOFTLY, asked=True, falls_back=True)
def softly(question: Question) -> list[Device]:
    """Kind and index of the request give way, but for what a variable asked for."""
    loose = loosened(question.request, question.assigned, question.resource)
    return fitting(loose, question.able) if question.soft else []


@_rule(*_SOFTLY, asked=True, falls_back=True)
def softly_with_variable(question: Question) -> list[Device]:
    """What a variable asked for gives way last; what is assigned never does."""
    loose = loosened(question.request, question.assigned)
    return fitting(loose, question.able) if question.soft else []


RULES = (
    with_state,
    # Nothing is asked for.
    free_without_arithmetic,
    free_cpu_first,
    free_as_chosen,
    free_on_accelerator,
    free_without_accelerator,
    free_without_kernel,
    # A device is asked for.
    as_requested,
    without_arithmetic,
    without_kernel,
    softly,
    softly_with_variable,
)


def loosened(request: Spec, *fixed: Spec) -> Spec:
    """Return a request without kind and index, but for those that one of `fixed` sets."""
    return replace(
        request,
        kind=request.kind if any(spec.kind is not None for spec in fixed) else None,
        index=request.index if any(spec.index is not None for spec in fixed) else None,
    )


@cache
def parsed(name: str) -> Spec | None:
    """Return a device name, maybe partial, in its parts; None if it is none."""
    return parse_runtime(name)


def fitting(request: Spec, devices: list[Device] | tuple[Device, ...]) -> list[Device]:
    """Return those devices that a request means."""
    return [
        device
        for device in devices
        if (name := parsed(device.name)) is not None and matches(request, name)
    ]
