"""The ops of a recording, each described once however often it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from placewise.eager.log import Entry, Executed
from placewise.planning.plan import Ref
from placewise.profiler.contents import Makers, describe
from placewise.profiler.recording import Node, Recording


class NodeTable:
    """Finds or makes the node of an op that ran."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        # Steps of plans by the id of their entry, which the value keeps alive.
        self._steps: dict[int, tuple[Any, int]] = {}
        self._eager: dict[tuple[str, ...], int] = {}
        # An op of a graph may be in several plans, and on another device in each.
        self._named: WeakKeyDictionary[Any, dict[tuple[str, str], int]] = WeakKeyDictionary()

    def number(self, entry: Entry, executed: Executed, group: int, makers: Makers) -> int:
        """Return the place of an op in `Recording.nodes`."""
        if executed.step is None:
            return self._eager_number(entry, executed, makers)
        facts, step = executed.facts, executed.step
        own = facts.entries[step.number]
        known = self._steps.get(id(own))
        if known is not None:
            return known[1]
        op = step.op or facts.plan.asked[Ref(step.number)]
        number = self._name(op, entry.device)
        self._steps[id(own)] = (own, number)
        node = self._recording.nodes[number]
        if not node.op or node.is_state:
            _describe(node, entry, executed)
            node.group, node.is_state = group, False
        for source in facts.sources(step):
            other = self._source(facts, source)
            if other is not None and other != number:
                node.sources.add(other)
        return number

    def _name(self, op: Any, device: str) -> int:
        """Return the node of an operation on a device, and make it if there is none."""
        names = self._named.setdefault(op.graph, {})
        number = names.get((op.name, device))
        if number is None:
            number = names[op.name, device] = self._add(Node("", op.name, device))
        return number

    def _source(self, facts: Any, op: Any) -> int | None:
        """Return the node of what a step reads: an op that ran or will, or a variable."""
        decision = facts.decisions.get(op)
        if decision is None:
            return None
        known = self._named.get(op.graph, {}).get((op.name, decision.device.name))
        if known is not None:
            return known
        if op not in facts.plan.handles.values():
            return None
        number = self._name(op, decision.device.name)
        node = self._recording.nodes[number]
        node.op, node.is_state = op.type, True
        node.requested, node.reason = decision.requested, "; ".join(decision.reasons)
        node.line, node.fell_back = str(op.origin or ""), decision.fell_back
        return number

    def _eager_number(self, entry: Entry, executed: Executed, makers: Makers) -> int:
        key = (entry.op, entry.device, entry.line, entry.requested, entry.reason)
        number = self._eager.get(key)
        if number is None:
            place = entry.line.rpartition("/")[2] or "eager"
            name = f"{place}/{entry.op}"
            number = self._eager[key] = self._add(Node(entry.op, name, entry.device))
            node = self._recording.nodes[number]
            _describe(node, entry, executed)
            node.name, node.is_eager = name, True
        node = self._recording.nodes[number]
        for content in _flat(executed.inputs):
            made = makers.number(content)
            if made >= 0:
                source = self._recording.ops[made].node
                if source != number:
                    node.sources.add(source)
        return number

    def _add(self, node: Node) -> int:
        self._recording.nodes.append(node)
        return len(self._recording.nodes) - 1


def _describe(node: Node, entry: Entry, executed: Executed) -> None:
    node.op, node.device, node.requested = entry.op, entry.device, entry.requested
    node.reason, node.line, node.fused = entry.reason, entry.line, entry.fused
    node.fell_back = entry.fell_back
    node.inputs = tuple(map(describe, executed.inputs))
    node.outputs = tuple(map(describe, executed.outputs))


def _flat(contents: Any) -> Iterator[Any]:
    for content in contents:
        if isinstance(content, list | tuple):
            yield from _flat(content)
        else:
            yield content
