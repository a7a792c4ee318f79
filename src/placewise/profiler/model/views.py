"""The two views of a profiled graph, as messages and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from placewise import messages
from placewise.profiler.model.measures import FIELDS, Measured, Measures, matches

_ROOT = "_TFProfRoot"
_COLUMNS = {
    "params": "# parameters",
    "float_ops": "# float_ops",
    "bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "micros": "total execution time",
    "accelerator_micros": "accelerator execution time",
    "cpu_micros": "cpu execution time",
    "occurrence": "op occurrence",
}


@dataclass
class _Node:
    """An operation or a name scope; scopes have no operation."""

    name: str
    operation: Measured | None = None
    children: dict[str, _Node] = field(default_factory=dict)
    own: Measures = field(default_factory=Measures)
    total: Measures = field(default_factory=Measures)


def by_scope(operations: list[Measured], options: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return a tree of name scopes as a GraphNodeProto, and its lines."""
    root = _Node(_ROOT)
    for operation in operations:
        node, path = root, ""
        for part in operation.name.split("/"):
            path = f"{path}/{part}" if path else part
            node = node.children.setdefault(path, _Node(path))
        node.operation = operation
        if matches_any(operation, options["account_type_regexes"]):
            node.own = operation.own
    root.children = {node.name: node for node in _starts(root, options["start_name_regexes"])}
    shown, hidden = _shown(root, options, 0)
    _count(root, shown, hidden, options)
    lines = [" | ".join(["node name", *(_COLUMNS[key] for key in _selected(options))])]
    return _as_message(root), [*lines, *_scope_lines(root, options, 0)]


def matches_any(operation: Measured, patterns: list[str]) -> bool:
    """Is one of an operation's types to be counted?"""
    return any(matches(one, patterns) for one in operation.types)


def _starts(node: _Node, patterns: list[str]) -> Iterator[_Node]:
    """Return the outermost nodes below one whose names match."""
    for child in node.children.values():
        if matches(child.name, patterns):
            yield child
        else:
            yield from _starts(child, patterns)


def _shown(node: _Node, options: dict[str, Any], depth: int) -> tuple[list[_Node], Measures]:
    """Return the nodes to show below one, and the numbers of those that are not shown.

    A node that is not shown gives way to its children.
    """
    below: list[_Node] = []
    left_out = Measures()
    for child in node.children.values():
        if matches(child.name, options["trim_name_regexes"]):
            continue
        inner, hidden = _shown(child, options, depth + 1)
        if _is_shown(child, inner, options, depth + 1):
            _count(child, inner, hidden, options)
            below.append(child)
        else:
            below += inner
            left_out.add(child.own)
            left_out.add(hidden)
    return _ordered(below, options["order_by"]), left_out


def _count(node: _Node, inner: list[_Node], hidden: Measures, options: dict[str, Any]) -> None:
    """Give a node its children and its totals."""
    node.children = {one.name: one for one in inner}
    node.total = Measures()
    parts = [node.own, *(one.total for one in inner)]
    for part in parts if options["account_displayed_op_only"] else [*parts, hidden]:
        node.total.add(part)


def _is_shown(node: _Node, inner: list[_Node], options: dict[str, Any], depth: int) -> bool:
    is_counted = node.operation is not None and matches_any(
        node.operation, options["account_type_regexes"]
    )
    return (
        (is_counted or bool(inner))
        and depth <= options["max_depth"]
        and matches(node.name, options["show_name_regexes"])
        and not matches(node.name, options["hide_name_regexes"])
        and _is_enough(node.own, options)
    )


def _is_enough(own: Measures, options: dict[str, Any]) -> bool:
    return all(own.values[key] >= options.get(f"min_{key}", 0) for key in FIELDS)


def _ordered(nodes: list[_Node], order: str) -> list[_Node]:
    if order in FIELDS:
        return sorted(nodes, key=lambda node: -node.total.values[order])
    return sorted(nodes, key=lambda node: node.name)


def _as_message(node: _Node) -> Any:
    message = messages.GraphNodeProto(name=node.name)
    _fill(message, node.own, node.total)
    operation = node.operation
    if operation is not None:
        message.run_count = 1 if operation.own.values["micros"] else 0
        message.devices.extend([operation.device] if operation.device else [])
        if operation.shape is not None:
            shape = message.shapes.add()
            for size in operation.shape:
                shape.dim.add(size=size)
    message.children.extend(_as_message(child) for child in node.children.values())
    return message


def _fill(message: Any, own: Measures, total: Measures) -> None:
    for key, name in FIELDS.items():
        setattr(message, name, own.values[key])
        setattr(message, f"total_{name}", total.values[key])


def _scope_lines(node: _Node, options: dict[str, Any], depth: int) -> Iterator[str]:
    texts = []
    for key in _selected(options):
        own, total = node.own.values.get(key, 0), node.total.values.get(key, 0)
        shape = node.operation.shape if node.operation is not None else None
        if key == "params" and own and shape is not None:
            texts.append("x".join(map(str, shape)) or "()")
        unit = {"params": " params", "float_ops": " flops"}.get(key, "")
        texts.append(f"{_number(key, own) if own else '--'}/{_number(key, total)}{unit}")
    yield f"{'  ' * depth}{node.name} ({', '.join(texts)})"
    for child in node.children.values():
        yield from _scope_lines(child, options, depth + 1)


def by_type(operations: list[Measured], options: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return the types of ops as a MultiGraphNodeProto, a chain from the first in order on.

    The totals of a type are those of itself and of all that come after it.
    """
    groups: dict[str, list[Measured]] = {}
    for operation in operations:
        if matches_any(operation, options["account_type_regexes"]) and _is_enough(
            operation.own, options
        ):
            groups.setdefault(operation.op_type, []).append(operation)
    nodes = []
    for op_type, members in groups.items():
        is_shown = matches(op_type, options["show_name_regexes"])
        if not is_shown or len(members) < options["min_occurrence"]:
            continue
        node = _Node(op_type)
        for member in members:
            node.own.add(member.own)
        node.total.add(node.own)
        nodes.append(node)
    if options["order_by"] == "occurrence":
        nodes.sort(key=lambda node: -len(groups[node.name]))
    else:
        nodes = _ordered(nodes, options["order_by"])
    rest: Any = None
    remaining = Measures()
    for node in reversed(nodes):
        remaining.add(node.own)
        message = messages.MultiGraphNodeProto(name=node.name)
        _fill(message, node.own, remaining)
        for member in groups[node.name]:
            one = message.graph_nodes.add(name=member.name)
            _fill(one, member.own, member.own)
        if rest is not None:
            message.children.append(rest)
        rest = message
    root = messages.MultiGraphNodeProto(name=_ROOT)
    _fill(root, Measures(), remaining)
    if rest is not None:
        root.children.append(rest)
    return root, list(_type_lines(nodes, groups, remaining, options))


def _type_lines(
    nodes: list[_Node], groups: dict[str, list[Measured]], total: Measures, options: dict[str, Any]
) -> Iterator[str]:
    selected = _selected(options)
    yield " | ".join(["node name", *(_COLUMNS[key] for key in selected)])
    left = dict(total.values)
    for node in nodes:
        texts = []
        for key in selected:
            if key == "occurrence":
                texts.append(f"{len(groups[node.name])}")
                continue
            own, whole = node.own.values[key], max(total.values[key], 1)
            unit = {"params": " params", "float_ops": " float_ops"}.get(key, "")
            share = f"({100 * left[key] / whole:.2f}%, {100 * own / whole:.2f}%)"
            texts.append(f"{_number(key, own):>10}{unit} {share}")
            left[key] -= own
        yield f"{node.name:<20}{', '.join(texts)}"


def _selected(options: dict[str, Any]) -> list[str]:
    known = [key for key in options["select"] if key in _COLUMNS]
    return known or ["micros"]


def _number(key: str, value: int) -> str:
    units: tuple[tuple[float, str], ...]
    if key.endswith("micros"):
        units = ((1e6, "sec"), (1e3, "ms"))
        least = "us"
    elif key.endswith("bytes"):
        units = ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"))
        least = "B"
    else:
        units = ((1e9, "b"), (1e6, "m"), (1e3, "k"))
        least = ""
    for size, unit in units:
        if value >= size:
            return f"{value / size:.2f}{unit}"
    return f"{value}{least}"


def report(options: dict[str, Any], cmd: str, lines: list[str]) -> str:
    """Return the whole report: options, then the profile."""
    shown = [
        f"-{key:<26} {','.join(value) if isinstance(value, list) else value}"
        for key, value in options.items()
    ]
    return "\n".join(
        [
            "",
            "=========================Options=============================",
            *shown,
            "",
            "==================Model Analysis Report======================",
            "",
            "Profile:",
            *lines,
            "",
            "======================End of Report==========================",
            "",
        ]
    )
