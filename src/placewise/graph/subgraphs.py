"""Blocks: the operations of a branch or of a loop, which run when their operation says so.

They stand in the same graph as all others, each knowing its block; one operation (If, Case, While)
owns the blocks and stands for them outside. Inside, tensors of the enclosing blocks are used as
they are. A block that computes gradients mirrors the block it differentiates: what it reads there
becomes a further output of the owner (of a loop: the values of all iterations).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.errors import InaccessibleTensorError
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only
from placewise.ops.declare import Op
from placewise.ops.flow import loop_history
from placewise.ops.work import view_work

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


# A loop variable inside its loop, as an argument of a function is written down.
ARGUMENT = Op("_Arg", (), (), (), {}, work=view_work)
ARGUMENT.shape_rule = None


class Block:
    """Operations that run together: a branch, the test of a loop, or its body."""

    __slots__ = (
        "_brought",
        "graph",
        "mirror",
        "operations",
        "outputs",
        "owner",
        "parameters",
        "parent",
        "position",
        "repeats",
    )

    def __init__(self, graph: Any, repeats: bool = False, mirror: Block | None = None) -> None:
        self.graph = graph
        self.parent: Block | None = graph.scopes.block
        self.repeats = repeats
        self.mirror = mirror
        self.owner: Any = None
        self.operations: list[Any] = []
        self.parameters: list[Any] = []  # loop variables inside; of a test, None for unread ones
        self.outputs: list[Any] = []
        self.position: Any = None  # in a mirror of a loop: which iteration it is
        self._brought: dict[int, GraphTensor] = {}

    @contextmanager
    def entered(self) -> Iterator[Block]:
        """Add to this block whatever is made; what the owner waits for, its blocks need not."""
        with self.graph._changed(block=self, control=()):
            yield self

    def parameter(self, dtype: Any, dims: Any, name: str, first: GraphTensor) -> GraphTensor:
        """Add a loop variable as it is seen inside; it stays where its first value is."""
        with self.entered(), self.graph.colocate_with(first.op, ignore_existing=True):
            operation = self.graph.add(
                ARGUMENT, self.graph.unique_name(name), (), {"T": dtype}, [(dtype, dims)], None
            )
        output: GraphTensor = operation.outputs[0]
        self.parameters.append(output)
        return output

    # Tensors of other blocks.

    def encloses(self, block: Block | None) -> bool:
        """Return True if `block` is this block or inside it."""
        while block is not None:
            if block is self:
                return True
            block = block.parent
        return False

    def admit(self, tensor: GraphTensor, user: str) -> GraphTensor:
        """Return a tensor as an operation of this block may use it."""
        home = tensor.op.block
        if home is self or home is None or home.encloses(self):
            return tensor
        at: Block | None = self
        while at is not None:
            if at.mirror is not None and at.mirror.encloses(home):
                return at._restored(tensor, user)
            at = at.parent
        raise out_of_reach(tensor, user)

    def _restored(self, tensor: GraphTensor, user: str) -> GraphTensor:
        """Return the value that a tensor of the mirrored block had when that ran."""
        result = self._brought.get(id(tensor))
        if result is None:
            if tensor.op.declaration is graph_only.const.op:
                result = self._copied_constant(tensor)
            else:
                seen = tensor
                while seen.op.block is not self.mirror:
                    seen = exposed(seen)
                result = self._recalled(exposed(seen), tensor, user)
            self._brought[id(tensor)] = result
        return result

    def _copied_constant(self, tensor: GraphTensor) -> GraphTensor:
        op = tensor.op
        with self.entered():
            operation = self.graph.add(
                op.declaration,
                self.graph.unique_name("Const"),
                (),
                op.attrs,
                [(tensor.dtype, tensor._dims)],
                op.origin,
            )
        output: GraphTensor = operation.outputs[0]
        return output

    def _recalled(self, kept: GraphTensor, tensor: GraphTensor, user: str) -> GraphTensor:
        outside = kept if self.parent is None else self.parent.admit(kept, user)
        if not self.repeats:
            return outside
        with self.entered(), self.graph.colocate_with(tensor.op, ignore_existing=True):
            result: GraphTensor = loop_history.item(
                outside, self.position, dtype=tensor.dtype.base_dtype
            )
        result._dims = tensor._dims
        return result


def out_of_reach(tensor: GraphTensor, user: str) -> ValueError:
    """Return the error for a tensor of a block used outside of it."""
    if tensor.graph.runs_effects:  # a function of TensorFlow 2
        return InaccessibleTensorError(
            f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit "
            "Python locals or TensorFlow collections to access it.\nPlease see https://www."
            "tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values for "
            f"more information.\n\n{tensor!r} is used by '{user}'."
        )
    name = tensor.op.name
    what = "a while loop" if tensor.op.block.repeats else "a branch of a conditional"
    return ValueError(
        f"Cannot use '{name}' as input to '{user}' because '{name}' is in {what}. See info log for "
        "more details."
    )


def capture(spread: tuple[Any, ...], block: Block | None, user: str) -> tuple[Any, ...]:
    """Return the inputs of a new operation as its block may use them."""

    def one(tensor: GraphTensor) -> GraphTensor:
        if block is not None:
            return block.admit(tensor, user)
        if tensor.op.block is not None:
            raise out_of_reach(tensor, user)
        return tensor

    return tuple([one(t) for t in item] if type(item) is list else one(item) for item in spread)


def exposed(tensor: GraphTensor) -> GraphTensor:
    """Return the output of a block's owner that holds what a tensor of the block was.

    Of a loop that is the list of its values, one for each iteration.
    """
    block = tensor.op.block
    owner = block.owner
    if owner is None:
        raise out_of_reach(tensor, "gradients")
    for output, (where, what) in zip(_further(owner), owner.extras, strict=True):
        if what is tensor and where is block:
            return output
    if block.repeats:
        return _add_output(owner, dtypes.variant, (), block, tensor)
    return _add_output(owner, tensor.dtype.base_dtype, tensor._dims, block, tensor)


def iterations(loop: Operation) -> GraphTensor:
    """Return the output of a loop that holds the number of iterations."""
    for output, (_, what) in zip(_further(loop), loop.extras, strict=True):
        if what is None:
            return output
    return _add_output(loop, dtypes.int32, (), loop.blocks[-1], None)


def _further(owner: Operation) -> list[GraphTensor]:
    output: list[GraphTensor] = owner.outputs[len(owner.outputs) - len(owner.extras) :]
    return output


def _add_output(owner: Any, dtype: Any, dims: Any, block: Block, what: Any) -> GraphTensor:
    graph_tensor = GraphTensor(owner, len(owner.outputs), dtype, dims)
    owner.outputs.append(graph_tensor)
    owner.extras.append((block, what))
    return graph_tensor


def captures_of(blocks: list[Block]) -> tuple[list[GraphTensor], list[Any]]:
    """Return the outer tensors that blocks use, by first use, and the operations they await."""
    tensors: dict[int, GraphTensor] = {}
    awaited: dict[int, Any] = {}
    for block in blocks:
        for op in block.operations:
            for tensor in op.inputs:
                if tensor.op.block is not block:
                    tensors[id(tensor)] = tensor
            if op.control:
                awaited.update((item.id, item) for item in op.control if item.block is not block)
        for tensor in block.outputs:
            if tensor.op.block is not block:
                tensors[id(tensor)] = tensor
    return list(tensors.values()), list(awaited.values())
