"""Which loop and which side of a branch each node of a TensorFlow 1 GraphDef belongs to.

A loop's nodes are known by its frame. A node belongs to a side of a branch if it reads what a
Switch let through; it has a *level*, the number of Merges before it.
"""

from __future__ import annotations

from typing import Any

from placewise.graph.import_graph_def import in_order

# ((predicate, side), …), outermost first.
Context = tuple[tuple[str, int], ...]


def kind_of(node: Any) -> str:
    """Return what a node is, a reference or not."""
    op: str = node.op
    return op.removeprefix("Ref") if op.startswith("Ref") else op


def named(text: str) -> str:
    """Return the name of the node that an input names."""
    return text.lstrip("^").partition(":")[0]


def unrecoverable(node: Any, why: str) -> ValueError:
    """Return the error for control flow that is none of tf.cond's and tf.while_loop's."""
    return ValueError(
        f"Node '{node.name}' ({node.op}) is control flow that cannot be turned back into a branch "
        f"or a loop: {why}. Graphs written by tf.cond and tf.while_loop can be imported."
    )


class Frame:
    """The nodes of one loop; the outermost holds what is in no loop."""

    def __init__(self, name: str, parent: Frame | None) -> None:
        self.name, self.parent = name, parent
        self.enters: list[Any] = []
        self.exits: list[Any] = []
        self.merges: list[Any] = []  # of loop variables
        self.condition: Any = None
        self.members: list[Any] = []  # nodes that compute, and the frames inside
        self.label = name.rpartition("/")[0] or name


class Frames:
    """Which node is in which loop."""

    def __init__(self, nodes: Any, mapped: Any) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.root = Frame("", None)
        self.of: dict[str, Frame] = {}
        self._frames: dict[Any, Frame] = {}
        ordered = in_order(nodes, mapped)
        for node in ordered:
            self._take(node)
        for node in ordered:
            self._sort(node)

    def outside(self, name: str) -> Frame:
        """Return the frame in which what a node gives is known."""
        frame = self.of.get(name, self.root)
        if name in self.nodes and kind_of(self.nodes[name]) == "Exit":
            return frame.parent or self.root
        return frame

    def _take(self, node: Any) -> None:
        around = [self.outside(named(text)) for text in node.input if named(text) in self.of]
        frame = max(around, key=_depth, default=self.root)
        if kind_of(node) == "Enter":
            name = node.attr["frame_name"].s.decode()
            key = (name, id(frame))
            if key not in self._frames:
                self._frames[key] = Frame(name, frame)
                frame.members.append(self._frames[key])
            frame = self._frames[key]
        self.of[node.name] = frame

    def _sort(self, node: Any) -> None:
        frame, kind = self.of[node.name], kind_of(node)
        if kind == "Enter":
            frame.enters.append(node)
        elif kind == "Exit":
            frame.exits.append(node)
            (frame.parent or self.root).members.append(node)
        elif kind == "LoopCond":
            frame.condition = node
        elif kind == "Merge" and self.is_variable(node):
            frame.merges.append(node)
        elif kind == "NextIteration" or (kind == "Switch" and self.is_gate(node)):
            return
        else:
            frame.members.append(node)

    def is_variable(self, node: Any) -> bool:
        """Return True for the Merge of a loop variable."""
        return any(
            kind_of(self.nodes[named(text)]) == "NextIteration"
            for text in node.input
            if named(text) in self.nodes
        )

    def is_gate(self, node: Any) -> bool:
        """Return True for the Switch that lets a loop variable into the body or out."""
        tested = self.nodes.get(named(node.input[1]))
        return tested is not None and kind_of(tested) == "LoopCond"


def _depth(frame: Frame) -> int:
    count = 0
    while frame.parent is not None:
        frame, count = frame.parent, count + 1
    return count


class Place:
    """Where something stands within its frame: on which sides of branches, on which levels."""

    __slots__ = ("context", "levels")

    def __init__(self, context: Context = (), levels: tuple[int, ...] = (0,)) -> None:
        self.context, self.levels = context, levels

    @property
    def path(self) -> tuple[tuple[str, int, int], ...]:
        """The (predicate, level, side) of each branch it is in, outermost first."""
        return tuple(
            (p, level, side) for (p, side), level in zip(self.context, self.levels, strict=False)
        )


def together(node: Any, places: list[Place]) -> Place:
    """Return where something stands that reads what stands at several places."""
    context = max((place.context for place in places), key=len, default=())
    for place in places:
        if context[: len(place.context)] != place.context:
            raise unrecoverable(node, "it reads both sides of a branch")
    levels: list[int] = []
    beside = places
    for depth in range(len(context) + 1):
        level = max((place.levels[depth] for place in beside), default=0)
        levels.append(level)
        # Further in, only what is in the same If counts.
        beside = [p for p in beside if len(p.context) > depth and p.levels[depth] == level]
    return Place(context, tuple(levels))


def frames_of(frames: Frames, node: Any) -> Frame:
    """Return the frame a node is in."""
    return frames.of[node.name]
