"""Scalars and small arrays inside loops are NumPy's, and what is computed of them plain Python.

A counter, a comparison or a step size costs a few dozen nanoseconds that way, where the same op
on a tensor takes a microsecond or two; small arrays gain less. Only operations that round as
torch does are done so, functions like tanh by torch itself. A number becomes a tensor where a
kernel reads it, and the other way round; what comes from outside is turned once, before the loop.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.graph.subgraphs import Block
from placewise.ops import graph_only
from placewise.ops.flow.list_values import TensorList
from placewise.ops.values import to_numpy
from placewise.planning.plan import Host, Number, Ref, Step

_FLOATS = frozenset({dtypes.float32, dtypes.float64})
_WHOLE = frozenset({dtypes.int32, dtypes.int64})
_KINDS = _FLOATS | _WHOLE | {dtypes.bool}
_NUMBERS = _FLOATS | _WHOLE
_KIND_IDS = frozenset(map(id, _KINDS))  # there is one object for each dtype

# Operation → the Python it is, and the dtypes of its (first) input for which that holds.
EXPRESSIONS: dict[str, tuple[str, frozenset[Any]]] = {
    "Add": ("{} + {}", _NUMBERS),
    "AddN": ("total(({}))", _NUMBERS),
    "AddV2": ("{} + {}", _NUMBERS),
    "Sub": ("{} - {}", _NUMBERS),
    "Mul": ("{} * {}", _NUMBERS),
    "RealDiv": ("{} / {}", _FLOATS),
    "FloorDiv": ("{} // {}", _WHOLE),
    "FloorMod": ("{} % {}", _WHOLE),
    "Neg": ("-{}", _NUMBERS),
    "Abs": ("abs({})", _NUMBERS),
    "Square": ("{0} * {0}", _NUMBERS),
    "Sqrt": ("sqrt({})", _FLOATS),
    "Maximum": ("maximum({}, {})", _NUMBERS),
    "Minimum": ("minimum({}, {})", _NUMBERS),
    "Less": ("{} < {}", _NUMBERS),
    "LessEqual": ("{} <= {}", _NUMBERS),
    "Greater": ("{} > {}", _NUMBERS),
    "GreaterEqual": ("{} >= {}", _NUMBERS),
    "Equal": ("{} == {}", _KINDS),
    "NotEqual": ("{} != {}", _KINDS),
    "LogicalAnd": ("{} & {}", _KINDS),
    "LogicalOr": ("{} | {}", _KINDS),
    "LogicalNot": ("~{}", _KINDS),
}
SAME = frozenset({"Identity", "StopGradient", "PreventGradient"})
# Done by torch on an array turned for that: worth it where they stand among the others.
_FUNCTIONS = frozenset(
    {"Tanh", "Exp", "Log", "Sigmoid", "Sin", "Cos", "Relu", "TanhGrad", "SigmoidGrad"}
)
_SMALL = 256


def is_small(tensor: Any) -> bool:
    """Return True if a tensor is known to have few elements, of a dtype that NumPy does alike."""
    dims = tensor._dims
    if dims is None or None in dims or id(tensor._dtype) not in _KIND_IDS:
        return False
    return math.prod(dims) <= _SMALL


def is_constant(tensor: Any) -> bool:
    """Return True if a tensor is made by a Const."""
    return tensor.op.declaration is graph_only.const.op


class _Analysis:
    """Which tensors of a loop are numbers: found by going through its blocks, until it holds."""

    def __init__(self, builder: Any, functions: frozenset[str]) -> None:
        self.builder, self.functions = builder, functions
        self.found: set[int] = set()
        self.depths: dict[int, int] = {}
        self.turned: set[int] = set()  # results of functions among what was found

    def loop(self, op: Any) -> None:
        """Take in a loop: variables are numbers if what they become is."""
        test, body = op.blocks
        chosen = {
            k
            for k, inside in enumerate(body.parameters)
            if is_small(inside) and self._on_host(inside.op)
        }
        before = set(self.found)
        while True:
            self.found = before | {
                id(block.parameters[k])
                for block in (test, body)
                for k in chosen
                if block.parameters[k] is not None
            }
            self.block(test, body)
            self.block(body, body)
            lost = {k for k in chosen if not self._can_be(body.outputs[k], body)}
            if not lost:
                break
            chosen -= lost
        self.found |= {id(op.outputs[k]) for k in chosen}

    def _on_host(self, op: Any) -> bool:
        return bool(self.builder.placement[op].is_host)

    def _can_be(self, tensor: Any, loop: Block) -> bool:
        """Return True if a tensor is a number in a loop, or can be made one before it."""
        if id(tensor) in self.found:
            return True
        if not is_small(tensor) or self.builder.is_read(tensor):
            return False
        home = tensor.op.block
        return is_constant(tensor) or home is None or home.encloses(loop.parent)

    def block(self, block: Block, loop: Block) -> None:
        """Take in the operations of a block."""
        for op in block.operations:
            if op.blocks:
                if op.blocks[0].repeats:
                    self.loop(op)
                else:
                    self._choice(op, loop)
            elif op.type == "HistoryItem":
                depth = self._depth(op.inputs[0])
                if depth == 2:
                    self.found.add(id(op.outputs[0]))
                elif depth > 2:
                    self.depths[id(op.outputs[0])] = depth - 1
            elif self._fits(op, loop):
                self.found.add(id(op.outputs[0]))

    def _depth(self, history: Any) -> int:
        known = self.depths.get(id(history))
        if known is not None:
            return known
        found: int = self.builder.depths.get(self.builder.refs.get(id(history)), 0)
        return found

    def _choice(self, op: Any, loop: Block) -> None:
        for block in op.blocks:
            self.block(block, loop)
        regular = len(op.outputs) - len(op.extras)
        for k, output in enumerate(op.outputs):
            if k < regular:
                ends = [block.outputs[k] for block in op.blocks]
            else:
                ends = [op.extras[k - regular][1]]
            if is_small(output) and all(self._can_be(end, loop) for end in ends):
                self.found.add(id(output))

    def _fits(self, op: Any, loop: Block) -> bool:
        if op.type in SAME:
            return id(op.inputs[0]) in self.found and self._on_host(op)
        if op.type in self.functions:
            if op.inputs[0].dtype not in _FLOATS:
                return False
            self.turned.add(id(op.outputs[0]))
        elif not is_expression(op):
            return False
        if not any(id(tensor) in self.found for tensor in op.inputs):
            return False
        return (
            all(self._can_be(tensor, loop) for tensor in op.inputs)
            and is_small(op.outputs[0])
            and self._on_host(op)
        )

    def worth(self) -> int:
        """Return how many operations gain, less those that lose."""
        turned = len(self.turned & self.found)
        return len(self.found) - 2 * turned


def is_expression(op: Any) -> bool:
    """Return True if an operation can be written as Python on NumPy's arrays."""
    kind = op.declaration.name
    known = EXPRESSIONS.get(kind)
    if known is None or op.inputs[0]._dtype not in known[1]:
        return False
    return kind not in ("FloorDiv", "FloorMod") or _is_nonzero(op.inputs[1])


def expression_of(op: Any) -> str:
    """Return the Python that an operation is, with a place for each input."""
    return EXPRESSIONS[op.declaration.name][0]


def _is_nonzero(tensor: Any) -> bool:
    return is_constant(tensor) and bool(np.all(tensor.op.attrs["value"] != 0))


def find(builder: Any, loop: Any) -> None:
    """Take down which tensors of a loop, and of those inside it, are numbers."""
    tried = [_Analysis(builder, functions) for functions in (frozenset(), _FUNCTIONS)]
    for analysis in tried:
        analysis.loop(loop)
    builder.numbers |= max(tried, key=_Analysis.worth).found


# Building.


def add(builder: Any, op: Any, device: Any) -> None:
    """Add an operation on numbers."""
    output, kind = op.outputs[0], op.declaration.name
    if kind in SAME:
        builder.refs[id(output)] = builder.refs[id(op.inputs[0])]
        return
    refs, numbers = builder.refs, builder.number_refs
    items: list[Any] = []
    for tensor in op.inputs:
        item = numbers.get(refs[id(tensor)])
        if item is None:
            item = as_number(builder, tensor)
            if output._dims and item.ref.step == -2:
                # NumPy takes half as long for an array of rank zero beside an array as for its own
                # scalar.
                item = Host(item.ref)
        items.append(item)
    key = (kind, op.control, *items)
    same = builder.known.get(key)
    if same is not None:
        builder.refs[id(output)] = Ref(same)
        return
    builder.known[key] = number = builder.next_number()
    step = Step(number, op, None, items, {}, device, 1)
    if kind in _FUNCTIONS:
        step.kernel = op.declaration.kernels[None]
        step.expression = f"number(KERNEL({', '.join(['tensor({})'] * len(items))}))"
    elif kind == "AddN":
        step.expression = EXPRESSIONS[kind][0].format("{}, " * len(items))
    else:
        step.expression = EXPRESSIONS[kind][0]
    builder._emit(step)
    _define(builder, output, Ref(number), device)


def add_item(builder: Any, op: Any, device: Any) -> None:
    """Add the look-up of a value in a history; it is a number if numbers were kept."""
    history = builder.refs[id(op.inputs[0])]
    index = builder.refs[id(op.inputs[1])]
    step = Step(builder.next_number(), op, None, [history, index], {}, device, 1)
    step.expression = "{}.value[{}]"
    builder._emit(step)
    ref = Ref(step.number)
    depth = builder.depths.get(history, 0)
    if depth == 2:
        _define(builder, op.outputs[0], ref, device)
        return
    home = builder.item_homes.get(history, device)
    builder.define(op.outputs[0], ref, home)
    builder.item_homes[ref] = home
    if depth > 2:
        builder.depths[ref] = depth - 1


def _define(builder: Any, tensor: Any, ref: Ref, device: Any) -> None:
    builder.define(tensor, ref, device)
    builder.number_refs[ref] = Number(ref)


def as_number(builder: Any, tensor: Any) -> Number:
    """Return a tensor as a number: as it is, as a constant, or turned into one."""
    ref = builder.refs[id(tensor)]
    found: Number | None = builder.number_refs.get(ref)
    if found is None and ref in builder.host_of:
        return Number(ref)
    return found or builder.number_refs[_turned(builder, ref, "number")]


def as_tensor(builder: Any, ref: Ref) -> Ref:
    """Return a number as the content of a tensor."""
    return _turned(builder, ref, "tensor")


def _turned(builder: Any, ref: Ref, kind: str) -> Ref:
    found: Ref | None = builder.copied.get((ref, kind))
    if found is None:
        step = Step(builder.next_number(), None, None, [ref], {}, builder.where[ref], 1)
        step.expression = kind + "({})"
        found = builder._outside_loops(ref, step)
        builder.levels[builder.level_of(step)][1][ref, kind] = found
        if kind == "number":
            builder.number_refs[found] = Number(found)
    return found


# What the written Python calls.


def _tensor(number: Any) -> Any:
    if isinstance(number, TensorList):  # a history of numbers
        return TensorList(number.element, number.dims, list(map(_tensor, number.value)))
    return torch.from_numpy(np.asarray(number))


def _number(content: Any) -> Any:
    return to_numpy(content)[()]


def _total(numbers: Any) -> Any:
    return functools.reduce(operator.add, numbers)


NAMES = {
    "total": _total,
    "tensor": _tensor,
    "number": _number,
    "asarray": np.asarray,
    "sqrt": np.sqrt,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
