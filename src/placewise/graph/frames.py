"""TensorFlow 1's loops and branches, given as single nodes, turned back into blocks.

In a GraphDef of TensorFlow 1, `tf.while_loop` is Enter, Merge, Switch, NextIteration and Exit
nodes around what it repeats, and `tf.cond` is Switch nodes before and Merge nodes after what its
sides compute. What depends on one predicate and stands on one level (see `frame_places`) becomes
one If: on the same predicate an If that comes later may read what the earlier one computed on that
side, as gradients do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from placewise.core.tensor import Tensor
from placewise.graph.constants import constant
from placewise.graph.control_flow import add_choice, add_loop
from placewise.graph.frame_places import (
    Frame,
    Frames,
    Place,
    frames_of,
    kind_of,
    named,
    together,
    unrecoverable,
)
from placewise.graph.import_graph_def import Importer
from placewise.graph.node_checks import full
from placewise.graph.subgraphs import Block
from placewise.graph.while_loop import _covers
from placewise.ops.array.shape import identity


def add_structured(importer: Importer, nodes: Any) -> None:
    """Add nodes among which are loops and branches of TensorFlow 1."""
    frames = Frames(nodes, importer.given)
    _Region(importer, frames, frames.root).add(list(frames.root.members))


class _Region:
    """The adding of what is in one frame: the whole graph, or the test or the body of a loop."""

    def __init__(self, importer: Importer, frames: Frames, frame: Frame) -> None:
        self.importer, self.frames, self.frame = importer, frames, frame
        self.nodes = frames.nodes
        self.places: dict[Any, Place] = {}
        self.merged: dict[str, tuple[str, int]] = {}  # Merge → predicate and level of its If

    # Where things stand.

    def add(self, members: list[Any]) -> None:
        """Add members, in the block in force."""
        ordered = self._ordered(members)
        for member in ordered:
            self.places[_key(member)] = self._place(member)
        self._add_at((), ordered)

    def _sources(self, member: Any) -> list[str]:
        if isinstance(member, Frame):
            return [text for enter in member.enters for text in enter.input]
        if kind_of(member) == "Exit":
            return []
        return list(member.input)

    def _before(self, member: Any) -> list[Any]:
        """Return the keys of the members that one needs."""
        if not isinstance(member, Frame) and kind_of(member) == "Exit":
            return [id(self.frames.of[member.name])]
        return [named(text) for text in self._sources(member)]

    def _ordered(self, members: list[Any]) -> list[Any]:
        """Return members each after what it needs."""
        by_key = {_key(member): member for member in members}
        needs = {
            key: [other for other in reversed(self._before(member)) if other in by_key]
            for key, member in by_key.items()
        }
        return [by_key[key] for key in _each_after_its_needs(needs)]

    def _place(self, member: Any) -> Place:
        if not isinstance(member, Frame):
            kind = kind_of(member)
            if kind == "Exit":
                return self.places.get(id(self.frames.of[member.name]), Place())
            if kind == "Merge":
                return self._place_merge(member)
            if kind == "ControlTrigger":  # runs whichever side was taken
                return self._place_trigger(member)
        return together(
            member if not isinstance(member, Frame) else member.enters[0],
            [self._place_of(text) for text in self._sources(member)],
        )

    def _place_trigger(self, node: Any) -> Place:
        places = [self._place_of(text) for text in node.input]
        depth = 0
        while (
            places
            and all(len(p.context) > depth for p in places)
            and (len({p.context[depth] for p in places}) == 1 and len(places) > 1)
        ):
            depth += 1
        return together(node, [Place(p.context[:depth], p.levels[: depth + 1]) for p in places])

    def _place_of(self, text: str) -> Place:
        name = named(text)
        place = self.places.get(name, Place())
        node = self.nodes.get(name)
        if node is None or text.startswith("^") or name not in self.places:
            return place
        if kind_of(node) == "Switch":
            side = int(full(text).rpartition(":")[2])
            entry = (self._predicate(node), side)
            if entry in place.context:
                return place
            return Place((*place.context, entry), (*place.levels, 0))
        return place

    def _predicate(self, switch: Any) -> str:
        """Return the tensor that decides a Switch, behind any Identity."""
        text = full(switch.input[1])
        while True:
            node = self.nodes.get(named(text))
            if node is None or node.op != "Identity" or text in self.importer.given:
                return text
            text = full(node.input[0])

    def _place_merge(self, node: Any) -> Place:
        data = [text for text in node.input if not text.startswith("^")]
        places = [self._place_of(text) for text in data]
        if len(places) != 2:
            raise unrecoverable(node, f"it merges {len(places)} sides")
        one, other = (place.context for place in places)
        depth = 0
        while depth < min(len(one), len(other)) and one[depth] == other[depth]:
            depth += 1
        is_pair = (
            len(one) == len(other) == depth + 1
            and one[depth][0] == other[depth][0]
            and {one[depth][1], other[depth][1]} == {0, 1}
        )
        if not is_pair:
            raise unrecoverable(node, "what it merges are not the two sides of one predicate")
        cut = [Place(place.context[:depth], place.levels[: depth + 1]) for place in places]
        member_found = together(node, cut)
        self.merged[node.name] = (one[depth][0], member_found.levels[depth])
        return Place(member_found.context, (*member_found.levels[:-1], member_found.levels[-1] + 1))

    # Adding.

    def _add_at(self, path: tuple[Any, ...], members: list[Any]) -> None:
        """Add the members that stand at a path or further in, in the block in force."""
        depth = len(path)
        groups: dict[Any, list[Any]] = {}
        for member in members:
            groups.setdefault(self._item(member, depth), []).append(member)
        merges: dict[Any, list[Any]] = {}
        for member in members:
            member_found = None if isinstance(member, Frame) else self.merged.get(member.name)
            if member_found is not None and len(self.places[_key(member)].context) == depth:
                merges.setdefault(("if", *member_found), []).append(member)
                groups.setdefault(("if", *member_found), [])
        for item in self._items_in_order(groups, merges, depth):
            if isinstance(item, tuple) and item[0] == "if":
                self._add_if(item, path, groups[item], merges.get(item, []))
            else:
                self._add_member(groups[item][0])

    def _item(self, member: Any, depth: int) -> Any:
        path = self.places[_key(member)].path
        return ("if", path[depth][0], path[depth][1]) if len(path) > depth else _key(member)

    def _items_in_order(
        self, groups: dict[Any, Any], merges: dict[Any, Any], depth: int
    ) -> list[Any]:
        item_of = {_key(member): item for item, several in groups.items() for member in several}
        needs: dict[Any, set[Any]] = {}
        for item, several in groups.items():
            keys = [key for member in several for key in self._before(member)]
            if isinstance(item, tuple) and item[0] == "if":
                keys.append(named(item[1]))
                for merge in merges.get(item, []):
                    keys += [named(text) for text in merge.input]
            needs[item] = {item_of[key] for key in keys if key in item_of} - {item}
        for item, several in merges.items():
            for merge in several:
                needs[merge.name].add(item)
        return _each_after_its_needs(needs)

    def _add_if(
        self, item: tuple[Any, ...], path: tuple[Any, ...], members: list[Any], merges: list[Any]
    ) -> None:
        _, predicate, level = item
        depth = len(path)
        graph = self.importer.graph
        selector = self._tensor(predicate)
        blocks = []
        for side in (1, 0):
            block = Block(graph)
            inside = [
                member for member in members if self.places[_key(member)].path[depth][2] == side
            ]
            with block.entered():
                self._add_at((*path, (predicate, level, side)), inside)
                block.outputs = [self._tensor(self._merged_on(merge, side)) for merge in merges]
            blocks.append(block)
        acting = [op for block in blocks for op in block.operations if op.declaration.stateful]
        if acting and merges:
            self._tell_when_done(blocks)
        first = merges[0].name if merges else named(predicate)
        name = graph._names.unique(f"{self.importer.prefix}{first.rpartition('/')[0] or first}/If")
        with graph._changed(devices=(), colocate=(), name="", control=()):
            operation = add_choice(graph, "If", name, selector, blocks)
            for merge, output in zip(merges, operation.outputs, strict=False):
                self._stand_in(merge, output)
            if acting and merges:
                self.importer.done[operation.id] = identity(
                    operation.outputs[len(merges)], name=f"{name}/done"
                ).op

    def _tell_when_done(self, blocks: list[Block]) -> None:
        """Let both sides end with True once all that acts in them has run: to be waited for."""
        for block in blocks:
            acting = [op for op in block.operations if op.declaration.stateful]
            with block.entered(), block.graph.control_dependencies(acting):
                block.outputs.append(constant(True, name="done"))

    def _merged_on(self, merge: Any, side: int) -> str:
        for text in merge.input:
            if not text.startswith("^"):
                context = self._place_of(text).context
                if context[-1][1] == side:
                    return str(text)
        raise unrecoverable(merge, "it has nothing of one side")

    def _stand_in(self, node: Any, tensor: Tensor) -> None:
        """Let an Identity be what a Merge or Exit was."""
        importer = self.importer
        with importer.graph._changed(devices=(), colocate=(), name="", control=()):
            operation = identity(tensor, name=importer.name_of(node.name) + "/")
        importer.keep(node.name, operation.op)

    def _add_member(self, member: Any) -> None:
        if isinstance(member, Frame):
            _Loop(self, member).add()
            return
        kind = kind_of(member)
        if kind == "Switch":  # what it lets through is what it was given
            data = self._tensor(member.input[0])
            self.importer.values[member.name] = [data, data]
            return
        if kind in ("Merge", "Exit"):
            return  # added with its If, or its loop
        self.importer.add(member)

    def _tensor(self, text: str) -> Any:
        return self.importer.tensor(text)


def _key(member: Any) -> Any:
    return id(member) if isinstance(member, Frame) else member.name


class _Loop:
    """The adding of one loop."""

    def __init__(self, outer: _Region, frame: Frame) -> None:
        self.outer, self.frame = outer, frame
        self.importer, self.frames, self.nodes = outer.importer, outer.frames, outer.nodes
        if frame.condition is None:
            raise unrecoverable(frame.enters[0], "its frame has no LoopCond")
        self.gates = {
            named(node.input[0]): node.name
            for node in self.nodes.values()
            if kind_of(node) == "Switch"
            and frames_of(self.frames, node) is frame
            and self.frames.is_gate(node)
        }

    def add(self) -> None:
        """Add it, and the Identities that stand for its Exits."""
        frame, importer = self.frame, self.importer
        for enter in frame.enters:
            importer.values[enter.name] = [importer.tensor(enter.input[0])]
        first = []
        for merge in frame.merges:
            entering = [text for text in merge.input if not self._closes(text)]
            first.append(importer.tensor(entering[0]))
        name = importer.graph._names.unique(f"{importer.prefix}{frame.label}/While")
        shapes = [tensor._dims for tensor in first]
        while True:
            start = importer.graph.version
            test, body = self._blocks(first, shapes)
            wider = [
                inside if _covers(inside, after._dims) else None
                for inside, after in zip(shapes, body.outputs, strict=True)
            ]
            if wider == shapes:
                break
            shapes = wider  # a variable changes its shape: once more, knowing less
            importer.graph.forget_since(start)
        awaited = tuple(dict.fromkeys(op for e in frame.enters for op in self._awaited(e)))
        with importer.graph._changed(devices=(), colocate=(), name="", control=awaited):
            operation = add_loop(importer.graph, name, first, test, body)
        numbers = {merge.name: k for k, merge in enumerate(frame.merges)}
        for node in frame.exits:
            leaving = self.nodes[named(node.input[0])]
            if not (kind_of(leaving) == "Switch" and named(leaving.input[0]) in numbers):
                raise unrecoverable(node, "what leaves the loop is none of its variables")
            self.outer._stand_in(node, operation.outputs[numbers[named(leaving.input[0])]])

    def _closes(self, text: str) -> bool:
        node = self.nodes.get(named(text))
        return node is not None and kind_of(node) == "NextIteration"

    def _blocks(self, first: list[Any], shapes: list[Any]) -> tuple[Block, Block]:
        frame, importer = self.frame, self.importer
        in_test = self._ancestors(frame.condition.input[0])
        members = {True: [], False: []}  # type: dict[bool, list[Any]]
        for member in frame.members:
            members[_key(member) in in_test].append(member)
        test = self._entered(first, shapes, "tested_variable")
        for merge, inside in zip(frame.merges, test.parameters, strict=True):
            importer.values[merge.name] = [inside]
        with test.entered():
            _Region(importer, self.frames, frame).add(members[True])
            test.outputs = [importer.tensor(frame.condition.input[0])]
        body = self._entered(first, shapes, "variable")
        for merge, inside in zip(frame.merges, body.parameters, strict=True):
            if merge.name in self.gates:
                importer.values[self.gates[merge.name]] = [inside, inside]
        with body.entered():
            _Region(importer, self.frames, frame).add(members[False])
            for merge in frame.merges:
                following = next(named(text) for text in merge.input if self._closes(text))
                body.outputs.append(self._awaiting(self.nodes[following]))
        graph_block_check(body)
        return test, body

    def _awaiting(self, node: Any) -> Any:
        """Return what goes on to the next iteration, once what it waits for has run."""
        result = self.importer.tensor(node.input[0])
        awaited = self._awaited(node)
        if not awaited:
            return result
        with self.importer.graph._changed(devices=(), colocate=(), name="", control=tuple(awaited)):
            return identity(result, name=self.importer.name_of(node.name) + "/")

    def _awaited(self, node: Any) -> list[Any]:
        member_found = [self.importer.awaited(named(text)) for text in node.input if text[0] == "^"]
        return [op for op in dict.fromkeys(member_found) if op is not None]

    def _entered(self, first: list[Any], shapes: list[Any], label: str) -> Block:
        graph = self.importer.graph
        block = Block(graph, repeats=True)
        name = f"{self.importer.prefix}{self.frame.label}/{label}"
        for tensor, dims in zip(first, shapes, strict=True):
            block.parameter(tensor.dtype.base_dtype, dims, name, tensor)
        return block

    def _ancestors(self, text: str) -> set[Any]:
        """Return the members that the test of the loop needs."""
        members = {_key(member): member for member in self.frame.members}
        region = _Region(self.importer, self.frames, self.frame)
        result: set[Any] = set()
        waiting: list[Any] = [named(text)]
        while waiting:
            key = waiting.pop()
            if key in members and key not in result:
                result.add(key)
                waiting += region._before(members[key])
        return result


def graph_block_check(body: Block) -> None:
    """Raise unless every variable of a loop has a value for the next iteration."""
    if len(body.outputs) != len(body.parameters):
        raise ValueError("A loop variable has no value for the next iteration.")


def _each_after_its_needs(needs: Mapping[Any, Iterable[Any]]) -> list[Any]:
    """Return the keys such that each comes after those it needs.

    A loop's NextIteration has been cut off by then: what still waits for itself never runs.
    """
    done: set[Any] = set()
    begun: set[Any] = set()
    result: list[Any] = []
    for root in needs:
        stack = [(root, False)]
        while stack:
            key, ready = stack.pop()
            if key in done:
                continue
            if ready:
                done.add(key)
                result.append(key)
                continue
            stack.append((key, True))
            begun.add(key)
            for other in needs[key]:
                if other in done:
                    continue
                if other in begun:
                    raise ValueError(f"{len(needs) - len(done)} nodes in a cycle")
                stack.append((other, False))
    return result
