"""The operations that own blocks: If and Case choose one of them, While repeats one.

What graphs make of `tf.cond`, `tf.while_loop` and what is built on them stands in the files beside
this one; the public functions reach them through the recorder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core.shapes import Dims
from placewise.core.tensor import Tensor
from placewise.devices.origin import user_line
from placewise.graph.operation import Operation
from placewise.graph.subgraphs import Block, captures_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Arg, Op
from placewise.ops.families import bracketed
from placewise.ops.work import view_work

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


def _declared(name: str, inputs: tuple[Arg, ...], stateful: bool) -> Op:
    output = Arg("output", None, "Tout", None, True)
    op = Op(name, inputs, (output,), (), {}, stateful=stateful, work=view_work)
    op.doc = "Runs blocks of operations of its own."
    return op


def _choosing(name: str, selector: str, stateful: bool) -> Op:
    arguments = (Arg(selector, None, "Tcond"), Arg("input", None, "Tin", None, True))
    return _declared(name, arguments, stateful)


def _looping(name: str, stateful: bool) -> Op:
    names = ("input", "captured", "maximum_iterations")
    types = ("T", "Tcaptured", "Tlimit")
    arguments = [Arg(n, None, t, None, True) for n, t in zip(names, types, strict=True)]
    return _declared(name, tuple(arguments), stateful)


_CHOOSING = {
    ("If", True): _choosing("If", "cond", True),
    ("If", False): _choosing("StatelessIf", "cond", False),
    ("Case", True): _choosing("Case", "branch_index", True),
    ("Case", False): _choosing("StatelessCase", "branch_index", False),
}
_LOOPING = {True: _looping("While", True), False: _looping("StatelessWhile", False)}


def _is_stateful(blocks: list[Block]) -> bool:
    return any(op.declaration.stateful for block in blocks for op in block.operations)


def add_choice(
    graph: Any, kind: str, name: str, selector: Any, blocks: list[Block], attrs: Any = None
) -> Operation:
    """Add an If or Case: its outputs are those of the block that `selector` picks.

    An If has its blocks in the order true, false.
    """
    captured, awaited = captures_of(blocks)
    results = zip(*[block.outputs for block in blocks], strict=True)
    outputs = [
        (several[0].dtype.base_dtype, _common([item._dims for item in several]))
        for several in results
    ]
    declaration = _CHOOSING[kind, _is_stateful(blocks)]
    with graph.control_dependencies(awaited):
        operation = graph.add(
            declaration, name, (selector, captured), dict(attrs or {}), outputs, user_line()
        )
    return _owning(operation, blocks)


def add_loop(
    graph: Graph,
    name: str,
    first: list[Any],
    test: Block,
    body: Block,
    limit: Tensor | None = None,
    back_prop: bool = True,
) -> Operation:
    """Add a While: its variables begin as `first` and become what `body` gives, while `test` holds.

    Of `test`, a parameter may be None where it is not looked at.
    """
    captured, awaited = captures_of([test, body])
    outputs = [
        (parameter.dtype, parameter._dims) for parameter in body.parameters if parameter is not None
    ]
    limits = [] if limit is None else [limit]
    attrs = {"back_prop": back_prop}
    with graph.control_dependencies(awaited):
        operation = graph.add(
            _LOOPING[_is_stateful([test, body])],
            name,
            (list(first), captured, limits),
            attrs,
            outputs,
            user_line(),
        )
    return _owning(operation, [test, body])


def _owning(op: Operation, blocks: list[Block]) -> Operation:
    op.blocks, op.extras = tuple(blocks), []
    for block in blocks:
        block.owner = op
    return op


def _common(shapes: list[Dims]) -> Dims:
    """Return what several shapes have in common."""
    first = shapes[0]
    if first is None or any(dims is None or len(dims) != len(first) for dims in shapes):
        return None
    return tuple(
        sizes[0] if all(size == sizes[0] for size in sizes) else None
        for sizes in zip(*[dims for dims in shapes if dims is not None], strict=True)
    )


def traced(
    graph: Graph, function: Callable[[], Any], mirror: Block | None = None
) -> tuple[Block, Any]:
    """Return the block of what a function of no arguments makes, and what it returns."""
    block = Block(graph, mirror=mirror)
    with block.entered():
        return block, function()


def as_predicate(value: Tensor, graph: Graph, op: str, argument: str, shown: int = 1) -> Any:
    """Return a scalar of booleans, or raise what TensorFlow's `op` raises."""
    tensor = convert_to_tensor(value)
    if tensor.dtype.base_dtype.name != "bool":
        raise TypeError(
            f"Input '{argument}' of '{op}' Op has type {tensor.dtype.base_dtype.name} that does "
            "not match expected type of bool."
        )
    dims = tensor._dims
    if dims:
        shapes = ", ".join([bracketed(dims)] * shown)
        raise ValueError(
            f"Shape must be rank 0 but is rank {len(dims)} for '{graph.scopes.name}{op}' (op: "
            f"'{op}') with input shapes: {shapes}."
        )
    return tensor
