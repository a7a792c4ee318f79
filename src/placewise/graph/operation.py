"""One node of a graph."""

from __future__ import annotations

import linecache
from types import MappingProxyType
from typing import Any

from placewise.core.errors import OutOfRangeError, invalid
from placewise.graph import lazy
from placewise.graph.tensor import GraphTensor

# Kinds of attributes that programs get as protocol messages.
_MESSAGE_KINDS = frozenset({"shape", "tensor", "list(shape)", "list(tensor)"})
_NO_ATTRS: dict[str, Any] = {}  # one for all operations whose op has none


class Operation:
    """An op, its inputs and attributes, and where it was asked to run.

    `spread` holds the inputs as the op declares them (lists together), `inputs` flat.
    """

    # The blocks of loops or branches it runs; outputs added for gradients.
    blocks: tuple[Any, ...] = ()
    extras: Any = ()
    notes: Any = MappingProxyType({})  # attributes that no op declares, as AttrValues
    # A gradient rule of this operation's own: (call, *gradients of outputs) → of inputs.
    gradient_override: Any = None
    # A Reshape that a function writes for any rank, though of this one it changes nothing.
    keeps_shape: bool = False

    __slots__ = (
        "__dict__",
        "__weakref__",
        "attrs",
        "block",
        "colocation",
        "control",
        "declaration",
        "device",
        "graph",
        "id",
        "inputs",
        "name",
        "origin",
        "outputs",
        "spread",
    )

    def __init__(
        self,
        graph: Any,
        number: int,
        name: str,
        declaration: Any,
        spread: tuple[Any, ...],
        attrs: dict[str, Any],
        device: str,
        control: tuple[Operation, ...],
        colocation: tuple[str, ...],
        origin: Any,
        block: Any,
        outputs: list[tuple[Any, Any]],
    ) -> None:
        self.graph, self.id, self.name = graph, number, name
        self.declaration, self.attrs, self.spread = declaration, attrs or _NO_ATTRS, spread
        self.device, self.control, self.colocation = device, control, colocation
        self.origin = origin
        self.block = block  # of a loop or branch, that it is part of
        self.inputs: tuple[GraphTensor, ...] = spread
        for item in spread:
            if type(item) is list:
                lists = [item if type(item) is list else [item] for item in spread]
                self.inputs = tuple([tensor for several in lists for tensor in several])
                break
        if len(outputs) == 1:
            dtype, dims = outputs[0]
            self.outputs = [GraphTensor(self, 0, dtype, dims)]
        else:
            self.outputs = [GraphTensor(self, i, *output) for i, output in enumerate(outputs)]

    @property
    def type(self) -> str:
        """The name of the op in the registry."""
        name: str = self.declaration.name
        return name

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must have run before this one."""
        return list(self.control)

    def colocation_groups(self) -> list[bytes]:
        """Return the groups this operation must share a device with."""
        return [group.encode() for group in self.colocation] or [f"loc:@{self.name}".encode()]

    def values(self) -> tuple[GraphTensor, ...]:
        """Return the outputs."""
        return tuple(self.outputs)

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run this operation in the given or the default session."""
        chosen = session or self.graph.session_in_force()
        if chosen is None:
            raise ValueError(
                "Cannot execute operation using `run()`: No default session is registered. Use "
                "`with sess.as_default():` or pass an explicit session to `run(session=sess)`"
            )
        chosen.run(self, feed_dict)

    def get_attr(self, name: str) -> Any:
        """Return an attribute, also those that follow from the inputs.

        A shape is a TensorShapeProto, the value of a constant a TensorProto, a text bytes.
        """
        from placewise.graph.attributes import plain, to_message  # noqa: PLC0415 - keeps torch out

        if name in self.attrs:
            kind = next((attr.kind for attr in self.declaration.attrs if attr.name == name), "")
            value = self.attrs[name]
            if kind in _MESSAGE_KINDS:
                return plain(to_message(kind, value))
            return value.encode() if isinstance(value, str) else value
        if name in self.notes:
            return plain(self.notes[name])
        for arg, item in zip(self.declaration.inputs, self.spread, strict=True):
            first = item[0] if type(item) is list and item else item
            if arg.type_attr == name:
                return [t.dtype for t in item] if arg.is_type_list else first.dtype
            if arg.number_attr == name:
                return len(item)
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

    def _set_attr(self, name: str, value: Any) -> None:
        """Set an attribute, given as an AttrValue."""
        from placewise.graph.attributes import from_message  # noqa: PLC0415 - keeps torch out

        for attr in self.declaration.attrs:
            if attr.name == name:
                self.attrs = {**self.attrs, name: from_message(attr.kind, value)}
                return
        self.notes = {**self.notes, name: value}

    def _update_input(self, index: int, tensor: GraphTensor) -> None:
        """Let the operation read another tensor, as rewriters of graphs do.

        The new tensor may be made after the operation. What a session has run keeps its plan.
        """
        if not isinstance(tensor, GraphTensor):
            raise TypeError(f"tensor must be a Tensor: {tensor}")
        if tensor.graph is not self.graph:
            raise ValueError(f"{tensor!r} must be from the same graph as {self.name}.")
        if not 0 <= index < len(self.inputs):
            count = f"the number of total inputs [{len(self.inputs)}]"
            what = f"Cannot update edge. Input index [{index}] is greater than {count}."
            raise OutOfRangeError(None, None, what)
        before = self.inputs[index]
        if not before.shape.is_compatible_with(tensor.shape):
            shapes = f"{before.shape.as_list()} and {tensor.shape.as_list()}"
            raise invalid(f"Cannot update edge, incompatible shapes: {shapes}.")
        if before.dtype.base_dtype is not tensor.dtype.base_dtype:
            kinds = f"{before.dtype.name} and {tensor.dtype.name}"
            raise invalid(f"Cannot update edge, incompatible dtypes: {kinds}.")
        self.graph.check_changeable()
        flat = [*self.inputs[:index], tensor, *self.inputs[index + 1 :]]
        self.inputs = tuple(flat)
        rest = iter(flat)
        self.spread = tuple(
            [next(rest) for _ in item] if type(item) is list else next(rest) for item in self.spread
        )

    @property
    def op_def(self) -> Any:
        """What the op takes and gives, as an OpDef message."""
        return lazy.op_def(self.declaration)

    @property
    def traceback(self) -> tuple[tuple[str, int, str, str], ...]:
        """The line of the program that made the operation: (file, line, function, text)."""
        if self.origin is None:
            return ()
        file, line = self.origin.file, self.origin.line
        return ((file, line, "<module>", linecache.getline(file, line).strip()),)

    @property
    def traceback_with_start_lines(self) -> tuple[tuple[str, int, str, str, int], ...]:
        """As `traceback`, with the line the function begins at."""
        return tuple((*item, 1) for item in self.traceback)

    @property
    def node_def(self) -> Any:
        """The operation as a NodeDef message."""
        return lazy.to_node_def(self)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


Operation.__module__ = "tensorflow.python.framework.ops"
