"""What must hold of the nodes of a GraphDef before any becomes an operation: names and inputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\-/>]*")
_INPUT = re.compile(
    rf"(?:(?P<control>\^)(?P<first>{_NAME.pattern})"
    rf"|(?P<node>{_NAME.pattern})(?::(?P<index>[0-9]{{1,9}}))?)"
)
_GROUP = "loc:@"


def check_nodes(nodes: Iterable[Any], mapped: Collection[str]) -> None:
    """Raise ValueError for a name or an input that TensorFlow would not take either.

    `given` are the inputs that the caller maps to tensors of his own.
    """
    names = set()
    for node in nodes:
        if not _NAME.fullmatch(node.name):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
        if node.name in names:
            raise ValueError(f"Node '{node.name}' is not unique")
        if not node.op:
            raise ValueError(f"Node '{node.name}' does not specify an operation")
        names.add(node.name)
    for node in nodes:
        _check_inputs(node, names, mapped)
        for group in groups_of(node):
            if group not in names and f"^{group}" not in mapped:
                raise ValueError(
                    f"Node '{node.name}' expects to be colocated with unknown node '{group}'"
                )


def _check_inputs(node: Any, names: Collection[str], mapped: Collection[str]) -> None:
    is_control = False
    for text in node.input:
        if is_control and not text.startswith("^"):
            raise ValueError(
                f"Node '{node.name}': Control dependencies must come after regular dependencies"
            )
        is_control = text.startswith("^")
        if full(text) in mapped:
            continue
        match = _INPUT.fullmatch(text)
        if match is None or (match["first"] or match["node"]) not in names:
            raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")


def full(text: str) -> str:
    """Return the name of a tensor with the number of its output."""
    return text if ":" in text or text.startswith("^") else f"{text}:0"


def groups_of(node: Any) -> list[str]:
    """Return the names of the nodes that a node is to be colocated with."""
    if "_class" not in node.attr:
        return []
    texts = [text.decode() for text in node.attr["_class"].list.s]
    return [text[len(_GROUP) :] for text in texts if text.startswith(_GROUP)]
