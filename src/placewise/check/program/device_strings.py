"""Rules about device names in a program: whether they can be read, and whether they are here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts
from placewise.check.program.scan import Scan
from placewise.devices.names import Spec, is_gpu_kind, is_host_kind, parse

_CALLS = ("device", "distribute.OneDeviceStrategy", "contrib.distribute.OneDeviceStrategy")
_STRATEGIES = ("distribute.MirroredStrategy", "contrib.distribute.MirroredStrategy")
# A program that uses one of these makes its own logical devices: their number is not known.
_DIVIDERS = (
    "set_logical_device_configuration",
    "set_virtual_device_configuration",
    "LogicalDeviceConfiguration",
    "VirtualDeviceConfiguration",
)
_ASKED = ("gpu", "device", "cuda", "physical")
_MOST = 64


class Named(NamedTuple):
    """A device name in a program, and the expression that it comes from."""

    text: str
    node: ast.AST
    scan: Scan


def find_names(scan: Scan) -> Iterator[Named]:
    """Yield the device names that a file gives to `tf.device` and to strategies."""
    for path, call in scan.calls():
        name = path.removeprefix("compat.v1.").removeprefix("compat.v2.")
        if name in _CALLS and (argument := _argument(call, 0, "device", "device_name")):
            yield from (Named(text, call, scan) for text in _texts(argument, scan))
        elif name in _STRATEGIES and (argument := _argument(call, 0, "devices")):
            for element in _elements(argument):
                yield from (Named(text, call, scan) for text in _texts(element, scan))


def _elements(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.List | ast.Tuple):
        return node.elts
    return [node.elt] if isinstance(node, ast.ListComp) else []


def _argument(call: ast.Call, place: int, *names: str) -> ast.expr | None:
    if len(call.args) > place:
        return call.args[place]
    return next((word.value for word in call.keywords if word.arg in names), None)


def _texts(node: ast.expr, scan: Scan) -> list[str]:
    """Return the texts an expression can have; empty where only running it would tell."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.Name):
        return [value for value in _loop_values(node, node.id, scan) if isinstance(value, str)]
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - {"str"}
    if len(names) != 1:
        return []
    name = names.pop()
    values = _loop_values(node, name, scan)
    texts = [_evaluate(node, name, value) for value in values[:_MOST]]
    return [text for text in texts if text is not None]


def _loop_values(node: ast.AST, name: str, scan: Scan) -> list[object]:
    """Return what a loop variable takes on: the constants of a list, or the numbers of a range."""
    for outer, _ in scan.source.around(node):
        if isinstance(outer, ast.For) and getattr(outer.target, "id", None) == name:
            return _constants(outer.iter)
        if isinstance(outer, ast.ListComp | ast.GeneratorExp):
            for part in outer.generators:
                if getattr(part.target, "id", None) == name:
                    return _constants(part.iter)
        if isinstance(outer, ast.FunctionDef | ast.Lambda):
            return []
    return []


def _constants(node: ast.expr) -> list[object]:
    if isinstance(node, ast.List | ast.Tuple):
        return [item.value for item in node.elts if isinstance(item, ast.Constant)]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("range", "xrange"):
        numbers = [
            item.value
            for item in node.args
            if isinstance(item, ast.Constant) and isinstance(item.value, int)
        ]
        if len(numbers) == len(node.args) and 1 <= len(numbers) <= 3 and numbers[2:] != [0]:
            return list[object](range(*numbers)[:_MOST])
    return []


def _evaluate(node: ast.expr, name: str, value: object) -> str | None:
    """Return a text that is put together from constants and one variable, the usual three ways."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.Add):
        left, right = _part(node.left, name, value), _part(node.right, name, value)
        try:
            text = left % right if isinstance(node.op, ast.Mod) else left + right  # type: ignore[operator]
        except (TypeError, ValueError):
            return None
        return text if isinstance(text, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = [
            _part(item.value if isinstance(item, ast.FormattedValue) else item, name, value)
            for item in node.values
        ]
        return None if None in parts else "".join(map(str, parts))
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
        text = node.func.value.value if _is_text(node) else None  # type: ignore[attr-defined]
        arguments = [_part(item, name, value) for item in node.args]
        try:
            return None if text is None or None in arguments else str(text).format(*arguments)
        except (IndexError, KeyError, ValueError):
            return None
    return None


def _is_text(call: ast.Call) -> bool:
    return isinstance(getattr(call.func, "value", None), ast.Constant)


def _part(node: ast.expr, name: str, value: object) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id == name:
        return value
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" and node.args:
        inner = _part(node.args[0], name, value)
        return None if inner is None else str(inner)
    return None


def malformed(facts: ProgramFacts) -> Iterator[Finding]:
    """A device name that cannot be read."""
    for named in _all(facts):
        try:
            parse(named.text)
        except ValueError as error:
            yield Finding(
                "device-malformed",
                "error",
                f"{named.text!r} is no device name: {error}",
                "The program stops there with a ValueError.",
                f"write '{_corrected(named.text)}'",
                named.scan.source.where(getattr(named.node, "lineno", 1)),
            )


def _corrected(text: str) -> str:
    kind = "CPU" if "cpu" in text.lower() else "GPU"
    digits = "".join(letter for letter in text.rpartition(":")[2] if letter.isdigit())
    return f"/device:{kind}:{digits or 0}"


def absent(facts: ProgramFacts) -> Iterator[Finding]:
    """A device that is not here, or not on the machine that is simulated."""
    is_soft = _allows_soft(facts)
    divides = facts.uses_any(*_DIVIDERS) or _counts_devices(facts)
    places: dict[str, list[tuple[str, Spec]]] = {}
    for named in _all(facts):
        try:
            spec = parse(named.text)
        except ValueError:
            continue
        # A program that asks first is left alone.
        if not _is_here(spec, facts, divides) and not named.scan.is_under(named.node, _ASKED):
            where = named.scan.source.where(getattr(named.node, "lineno", 1))
            places.setdefault(where, []).append((named.text, spec))
    specs = [spec for place in places.values() for _, spec in place]
    gpus = max((spec.index or 0 for spec in specs if is_gpu_kind(spec.kind)), default=0) + 1
    for where, place in places.items():
        yield _absent(place, gpus, facts, is_soft, where)


def _absent(
    place: list[tuple[str, Spec]], gpus: int, facts: ProgramFacts, is_soft: bool, where: str
) -> Finding:
    devices = facts.devices
    here = [f"CPU:{index}" for index in range(devices.cpus)]
    here += [f"GPU:{index}" for index in range(min(devices.gpus, 8))]
    texts = list(dict.fromkeys(repr(text) for text, _ in place))
    names = ", ".join(texts[:3]) + (f" … {texts[-1]}" if len(texts) > 3 else "")
    spec = place[0][1]
    cpus = (spec.index or 0) + 1
    return Finding(
        "device-absent",
        "note" if is_soft else "error",
        f"There is no {names} on {devices.machine}; here: {', '.join(here)}.",
        "Soft placement is on, so operations there run on another device."
        if is_soft
        else "The program stops at the first operation there with an InvalidArgumentError.",
        f"placewise run --simulate {gpus}xV100 {facts.name}  (or placewise run --soft {facts.name})"
        if is_gpu_kind(spec.kind)
        else f"write '/device:CPU:0', or divide the CPU with tf.config into {cpus}",
        where,
    )


def _is_here(spec: Spec, facts: ProgramFacts, divides: bool) -> bool:
    if spec.job not in (None, "localhost") or spec.kind not in ("CPU", "GPU"):
        return True  # of a cluster, or of a kind that is not known here
    count = facts.devices.gpus if is_gpu_kind(spec.kind) else facts.devices.cpus
    if divides and (count or is_host_kind(spec.kind)):
        return True
    return (spec.index or 0) < count


def _allows_soft(facts: ProgramFacts) -> bool:
    for scan in facts.scans:
        for node in scan.source.nodes:
            if isinstance(node, ast.keyword) and node.arg == "allow_soft_placement":
                return True
            if isinstance(node, ast.Attribute) and node.attr in (
                "allow_soft_placement",
                "set_soft_device_placement",
            ):
                return True
    return False


def _counts_devices(facts: ProgramFacts) -> bool:
    """Return whether the program says how many devices a session has: `device_count={...}`."""
    return any(
        isinstance(node, ast.keyword) and node.arg in ("device_count", "virtual_devices")
        for scan in facts.scans
        for node in scan.source.nodes
    )


def _all(facts: ProgramFacts) -> Iterator[Named]:
    for scan in facts.scans:
        yield from find_names(scan)


RULES = (malformed, absent)
