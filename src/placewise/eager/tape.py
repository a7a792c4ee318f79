"""What a gradient tape writes down: the ops that ran on values it watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core.tensor import Tensor

if TYPE_CHECKING:
    from placewise.ops.declare import Op


class Call(NamedTuple):
    """One op that ran: what a gradient rule gets to see."""

    op: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attrs: dict[str, Any]
    wanted: tuple[bool, ...] | None = None  # which inputs' gradients are asked for; None: all

    def wants(self, index: int) -> bool:
        """Return whether the gradient of an input is asked for: a rule may skip the others."""
        return self.wanted is None or self.wanted[index]

    @property
    def output(self) -> Any:
        """The first output."""
        return self.outputs[0]


class Tape:
    """A list of calls, and the ids of the tensors whose gradients may be asked for.

    Watched tensors are found by id, and kept alive so that no id is reused.
    """

    __slots__ = ("calls", "known", "recording", "variables", "watch_accessed_variables", "watched")

    def __init__(self, watch_accessed_variables: bool = True) -> None:
        self.calls: list[Call] = []
        self.known: set[int] = set()
        self.watched: list[Any] = []
        self.variables: dict[int, Any] = {}
        self.watch_accessed_variables = watch_accessed_variables
        self.recording = True

    def begin(self) -> None:
        """Recording begins, or goes on."""

    def end(self) -> None:
        """Recording ends, or pauses."""

    def watch(self, tensor: Tensor) -> None:
        """Follow what is computed from `tensor`."""
        if id(tensor) not in self.known:
            self.known.add(id(tensor))
            self.watched.append(tensor)

    def variable_accessed(self, variable: Any) -> None:
        """Follow a variable that was read, if it is trainable."""
        if self.recording and self.watch_accessed_variables and variable.trainable:
            self.watch(variable.handle)
            self.variables.setdefault(id(variable.handle), variable)

    def ran(
        self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attrs: dict[str, Any]
    ) -> None:
        """Write down that an op ran, if it read anything known."""
        if not self.recording:
            return
        known = self.known
        for item in inputs:
            if type(item) is list:
                if any(id(one) in known for one in item):
                    break
            elif id(item) in known:
                break
        else:
            return
        self.calls.append(Call(op, inputs, outputs, attrs))
        for output in outputs:
            known.add(id(output))
