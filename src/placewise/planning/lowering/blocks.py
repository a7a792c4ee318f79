"""How operations with blocks become Python: `if` and `while` over the plan's local variables.

The steps of a block are built like all others, but what is computed in it is known in it alone.
A loop's variables are the loop's own outputs; of a loop, only what is asked for is computed.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.graph.effects import acts
from placewise.graph.subgraphs import ARGUMENT, Block
from placewise.ops.flow.list_values import TensorList
from placewise.ops.values import HOST_KEPT, TORCH
from placewise.planning.plan import Number, Plan, Read, Ref, Step, reads, ref_of
from placewise.planning.scalars import loops


@dataclass
class Part:
    """The steps of one block, and the values it ends with."""

    repeats: bool
    steps: list[Step] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    drops: list[Ref] = field(default_factory=list)  # values that go once the results are out
    uses: set[Ref] = field(default_factory=set)
    scope: Any = None

    def result_refs(self) -> list[Ref]:
        """Return the values the part ends with."""
        return [ref_of(item) for item in self.results]


@dataclass(eq=False)
class Choice(Step):
    """One of several parts is run; outputs `live` are what it ends with."""

    parts: list[Part] = field(default_factory=list)
    live: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Loop(Step):
    """The second part is run while the first ends with True.

    Outputs `live` hold the variables, those in `histories` the values of each iteration.
    """

    parts: list[Part] = field(default_factory=list)
    live: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)
    histories: list[int] = field(default_factory=list)  # their values follow in the body's results
    count: int | None = None
    limit: Any = None


# Building.


@contextmanager
def _inside(builder: Any, part: Part) -> Iterator[None]:
    """Let a builder add steps to a part."""
    if part.scope is None:
        part.scope = (ChainMap({}, builder.known), ChainMap({}, builder.copied))
    before = builder.steps, builder.known, builder.copied
    builder.steps, (builder.known, builder.copied) = part.steps, part.scope
    builder.levels.append((part.steps, builder.copied, part.repeats))
    try:
        yield
    finally:
        builder.levels.pop()
        builder.steps, builder.known, builder.copied = before


def needed_in(block: Block, tensors: list[Any], effects: bool = False) -> list[Any]:
    """Return the operations of a block that tensors depend on, in order; or all that act."""
    waiting = [tensor.op for tensor in tensors if tensor.op.block is block]
    if block.graph.runs_effects:
        waiting += [op for op in block.operations if acts(op)]
    elif effects:
        waiting += [op for op in block.operations if op.declaration.stateful]
    found: dict[int, Any] = {}
    while waiting:
        op = waiting.pop()
        if op.id not in found:
            found[op.id] = op
            waiting.extend(each for each in op.control if each.block is block)
            waiting.extend(each.op for each in op.inputs if each.op.block is block)
    return [found[number] for number in sorted(found)]


def note_used(builder: Any, op: Any, used: set[int]) -> None:
    """Take in what the blocks of an operation read, but for what nothing comes of."""
    is_loop = op.type.endswith("While")
    used.update(map(id, [*op.spread[0], *op.spread[2]] if is_loop else op.spread[:1]))
    regular = len(op.outputs) - len(op.extras)
    for block in op.blocks:
        ends = list(block.outputs)
        ends += [
            tensor
            for output, (home, tensor) in zip(op.outputs[regular:], op.extras, strict=True)
            if home is block and tensor is not None and id(output) in used
        ]
        builder.note_used(needed_in(block, ends, not op.outputs), ends)


def _build(builder: Any, part: Part, operations: list[Any]) -> None:
    with _inside(builder, part):
        for op in operations:
            builder._add(op)


def _item(builder: Any, tensor: Any, device: Any) -> Any:
    ref = builder.refs[id(tensor)]
    if builder.is_read(tensor):
        return Read(ref)
    return ref if tensor.dtype is dtypes.resource else builder._on(ref, device)


def _plain(builder: Any, tensor: Any) -> Any:
    """Return a value that Python reads itself, wherever and in whatever form it is."""
    ref = builder.refs[id(tensor)]
    if builder.is_read(tensor):
        return Read(ref)
    return Number(ref) if ref in builder.number_refs else ref


def _end(builder: Any, tensor: Any, like: Ref, device: Any) -> Any:
    """Return what a block ends with, as a number if it becomes one."""
    if like in builder.number_refs:
        return loops.as_number(builder, tensor)
    return _item(builder, tensor, device)


def _blank(dtype: Any) -> Any:
    """Return what stands for a value of a branch that did not run."""
    if dtype in TORCH:
        return torch.zeros((), dtype=TORCH[dtype])
    if dtype is dtypes.string:
        return np.array(b"", dtype=object)
    return TensorList(dtype, None, [])


def add(builder: Any, op: Any, device: Any) -> None:
    """Add the step of an operation that owns blocks."""
    if op.type.endswith("While"):
        _add_loop(builder, op, device)
    else:
        _add_choice(builder, op, device)


def _add_choice(builder: Any, op: Any, device: Any) -> None:
    selector = op.inputs[0]
    known = builder.host_of.get(builder.refs[id(selector)])
    if known is not None and not any(
        tensor.dtype._is_ref for block in op.blocks for tensor in block.outputs
    ):
        _add_known(builder, op, known, device)
        return
    step = Choice(builder.next_number(), op, None, [], {}, device, len(op.outputs))
    builder.plan.every.append(step)
    step.inputs = [_plain(builder, selector)]
    step.live = [k for k, output in enumerate(op.outputs) if builder.is_wanted(output)]
    wanted = [[_ending(op, block, k) for k in step.live] for block in op.blocks]
    for block, endings in zip(op.blocks, wanted, strict=True):
        part = Part(False)
        ends = [tensor for tensor in endings if tensor is not None]
        _build(builder, part, needed_in(block, ends, not op.outputs))
        step.parts.append(part)
    for position, k in enumerate(step.live):
        output, ref = op.outputs[k], Ref(step.number, k)
        several = [endings[position] for endings in wanted]
        place = _place(builder, several, device)
        if id(output) in builder.numbers:
            builder.number_refs[ref] = Number(ref)
        for part, tensor in zip(step.parts, several, strict=True):
            with _inside(builder, part):
                part.results.append(
                    _nothing(builder, output, ref, place)
                    if tensor is None
                    else _end(builder, tensor, ref, place)
                )
        builder.define(output, ref, place)
    builder.place_step(step)


def _nothing(builder: Any, output: Any, ref: Ref, device: Any) -> Any:
    blank = _blank(output.dtype)
    made = builder._constant(blank, device, output.dtype)
    if ref in builder.number_refs:
        builder.host_of[made] = blank.numpy()
        return Number(made)
    return made


def _ending(op: Any, block: Block, k: int) -> Any:
    """Return the tensor of a block that is output `k` of its owner; None if it is another's."""
    regular = len(op.outputs) - len(op.extras)
    if k < regular:
        return block.outputs[k]
    home, tensor = op.extras[k - regular]
    return tensor if home is block else None


def _place(builder: Any, tensors: list[Any], device: Any) -> Any:
    """Return the one device that all ends of a choice are on, or the choice's own."""
    refs = [builder.refs[id(tensor)] for tensor in tensors if tensor is not None]
    places = {builder.where[ref] for ref in refs if ref not in builder.host_of}
    return places.pop() if len(places) == 1 else device


def _add_known(builder: Any, op: Any, known: Any, device: Any) -> None:
    """Add the one branch that will run, as if it had no condition."""
    chosen = int(known)
    if op.type.endswith("If"):
        chosen = 0 if chosen else 1
    elif not 0 <= chosen < len(op.blocks):
        chosen = len(op.blocks) - 1
    block = op.blocks[chosen]
    live = [k for k, output in enumerate(op.outputs) if builder.is_wanted(output)]
    endings = [_ending(op, block, k) for k in live]
    ends = [tensor for tensor in endings if tensor is not None]
    for each in needed_in(block, ends, not op.outputs):
        builder._add(each)
    for k, tensor in zip(live, endings, strict=True):
        output = op.outputs[k]
        if tensor is not None and builder.is_read(tensor):
            builder.lazy.add(id(output))
        builder.refs[id(output)] = (
            builder._constant(_blank(output.dtype), device, output.dtype)
            if tensor is None
            else builder.refs[id(tensor)]
        )


def _add_loop(builder: Any, op: Any, device: Any) -> None:
    if not any(level[2] for level in builder.levels):
        loops.find(builder, op)
    test, body = op.blocks
    first, _, limits = op.spread
    step = Loop(builder.next_number(), op, None, [], {}, device, len(op.outputs))
    builder.plan.every.append(step)
    live = [k for k, output in enumerate(op.outputs) if builder.is_wanted(output)]
    histories = []
    for k in live:
        if k >= len(first):
            what = op.extras[k - len(first)][1]
            if what is None:
                step.count = k
            else:
                step.histories.append(k)
                histories.append(what)
    tested = needed_in(test, test.outputs)
    step.carried = _carried(op, {k for k in live if k < len(first)}, tested, histories)
    for k in step.carried:
        _begin(builder, step, op, k)
    if limits:
        step.limit = _plain(builder, limits[0])
        step.inputs.append(step.limit)
    step.live = sorted(
        {*step.carried, *step.histories} | (set() if step.count is None else {step.count})
    )
    part = Part(True)
    _build(builder, part, tested)
    with _inside(builder, part):
        part.results = [_plain(builder, test.outputs[0])]
    step.parts.append(part)
    ends = [body.outputs[k] for k in step.carried]
    part = Part(True)
    _build(builder, part, needed_in(body, [*ends, *histories]))
    with _inside(builder, part):
        part.results = [
            _end(builder, tensor, Ref(step.number, k), builder.where[Ref(step.number, k)])
            for tensor, k in zip(ends, step.carried, strict=True)
        ]
    for tensor, k in zip(histories, step.histories, strict=True):
        ref = builder.refs[id(tensor)]
        builder.item_homes[Ref(step.number, k)] = builder.item_homes.get(ref, builder.where[ref])
        if ref in builder.number_refs:
            builder.depths[Ref(step.number, k)] = 2
        elif ref in builder.depths:
            builder.depths[Ref(step.number, k)] = builder.depths[ref] + 1
        part.results.append(_plain(builder, tensor))
    step.parts.append(part)
    for k in [k for k in live if k >= len(first)]:
        builder.define(op.outputs[k], Ref(step.number, k), device)
    builder.place_step(step)


def _carried(op: Any, asked: set[int], tested: list[Any], histories: list[Any]) -> list[int]:
    """Return the variables of a loop that the test or what is asked for depends on."""
    test, body = op.blocks
    numbers = {
        id(tensor): k
        for block in (test, body)
        for k, tensor in enumerate(block.parameters)
        if tensor is not None
    }

    def reached(operations: list[Any]) -> set[int]:
        return {numbers[id(each.outputs[0])] for each in operations if each.declaration is ARGUMENT}

    found = asked | reached(tested)
    while True:
        ends = [body.outputs[k] for k in sorted(found)]
        more = reached(needed_in(body, [*ends, *histories]))
        if more <= found:
            return sorted(found)
        found |= more


def _begin(builder: Any, step: Loop, op: Any, k: int) -> None:
    """Let a variable begin, on the device where its values are made."""
    tensor, ref = op.spread[0][k], Ref(step.number, k)
    place = _home(builder, tensor, op.blocks[1].outputs[k])
    if id(op.blocks[1].parameters[k]) in builder.numbers:
        builder.number_refs[ref] = Number(ref)
    step.inputs.append(_end(builder, tensor, ref, place))
    builder.define(op.outputs[k], ref, place)
    for block in op.blocks:
        if (inside := block.parameters[k]) is not None:
            builder.refs[id(inside)] = ref


def _home(builder: Any, first: Any, following: Any) -> Any:
    """Return where a variable of a loop lives: with its first value, if the body makes no others.

    A first value that is fed comes from the host. If the variable stayed there, each iteration
    would bring what it computed back, and fetch it again.
    """
    home = builder.where[builder.refs[id(first)]]
    if following.op.declaration is ARGUMENT or first.dtype.base_dtype in HOST_KEPT:
        return home
    return builder.placement.get(following.op, home)


# Lifetimes.


def set_lifetimes(plan: Plan) -> None:
    """Let each step free what nobody reads after it."""
    _free(plan.steps, {ref_of(each) for each in plan.fetches}, None)


def _outputs(step: Step) -> list[Ref]:
    numbers = getattr(step, "live", None)
    return [Ref(step.number, k) for k in (range(step.outputs) if numbers is None else numbers)]


def _read_by(step: Step) -> list[Ref]:
    found = reads(step)
    if isinstance(step, (Choice, Loop)):
        for part in step.parts:
            _free_inside(part)
            found.extend(part.uses)
    return found


def _free_inside(part: Part) -> None:
    part.uses = _free(part.steps, set(part.result_refs()), part)


def _free(steps: list[Step], kept: set[Ref], part: Part | None) -> set[Ref]:
    """Free values after their last use, inside a part only its own; return what it reads."""
    made = set() if part is None else {ref for step in steps for ref in _outputs(step)}
    later = set(kept)  # what is read, from the end on
    for step in reversed(steps):
        frees: list[Ref] = []
        for ref in _read_by(step):
            if ref not in later:
                later.add(ref)
                if ref.step != -2 and (part is None or ref in made):
                    frees.append(ref)
        if type(step) is not Step or step.outputs != 1:
            frees += [ref for ref in _outputs(step) if ref not in later]
        elif (step.number, 0) not in later:
            frees.append(Ref(step.number))
        if frees:
            step.frees = sorted(frees) if len(frees) > 1 else frees
    if part is not None:
        part.drops = sorted(made & kept)
    return later - made


# Writing.


def write(writer: Any, step: Any, lines: list[str], pad: str) -> None:
    """Write the lines of a step that owns parts."""
    if isinstance(step, Loop):
        _write_loop(writer, step, lines, pad)
    else:
        _write_choice(writer, step, lines, pad)


def _say(writer: Any, step: Step, lines: list[str], line: str) -> None:
    lines.append(line)
    writer.steps[len(lines)] = step


def _on_host(writer: Any, item: Any) -> str:
    """Return the Python for a value that Python itself reads."""
    told: str = writer._argument(item)
    home = writer.plan.homes.get(ref_of(item))
    if home is None or not home.has_own_memory or type(item) is Number:
        return told
    return f"array({told})"  # moved like everything else, so that who records hears of it


def _write_choice(writer: Any, step: Choice, lines: list[str], pad: str) -> None:
    writer.tell_moves(step.number, lines, pad)
    selector = _on_host(writer, step.inputs[0])
    if step.op.type.endswith("If"):
        heads = [f"if {selector}:", "else:"]
    else:
        _say(writer, step, lines, f"{pad}pick{step.number} = int({selector})")
        heads = [f"elif pick{step.number} == {i}:" for i in range(len(step.parts))]
        heads[0] = heads[0][2:]
        heads[-1] = "else:" if len(heads) > 1 else "if True:"
    names = [writer._name(Ref(step.number, k)) for k in step.live]
    for head, part in zip(heads, step.parts, strict=True):
        _say(writer, step, lines, pad + head)
        writer.block(part.steps, lines, pad + "    ")
        ends = [writer._argument(item) for item in part.results]
        _assign(names, ends, lines, pad + "    ")
        writer.delete(part.drops, lines, pad + "    ")
        if not part.steps and not names:
            lines.append(f"{pad}    pass")


def _assign(names: list[str], values: list[str], lines: list[str], pad: str) -> None:
    pairs = [(name, value) for name, value in zip(names, values, strict=True) if name != value]
    if pairs:
        targets, sources = (", ".join(each) for each in zip(*pairs, strict=True))
        lines.append(f"{pad}{targets} = {sources}")


def _write_loop(writer: Any, step: Loop, lines: list[str], pad: str) -> None:
    names = [writer._name(Ref(step.number, k)) for k in step.carried]
    first = [writer._argument(item) for item in step.inputs[: len(names)]]
    _assign(names, first, lines, pad)
    _free_first(writer, step, lines, pad)
    kept = [writer._name(Ref(step.number, k)) for k in step.histories]
    lines += [f"{pad}{name} = []" for name in kept]
    counts = step.limit is not None or step.count is not None
    count = f"count{step.number}"
    if counts:
        lines.append(f"{pad}{count} = 0")
    head = "while True:"
    if step.limit is not None:
        writer.tell_moves(step.number, lines, pad)
        _say(writer, step, lines, f"{pad}limit{step.number} = int({_on_host(writer, step.limit)})")
        head = f"while {count} < limit{step.number}:"
    _say(writer, step, lines, pad + head)
    inner = pad + "    "
    test, body = step.parts
    writer.block(test.steps, lines, inner)
    writer.tell_moves((step.number, "test"), lines, inner)
    _say(writer, step, lines, f"{inner}if not {_on_host(writer, test.results[0])}: break")
    writer.delete(test.drops, lines, inner)
    writer.block(body.steps, lines, inner)
    values = [writer._argument(item) for item in body.results]
    for name, value in zip(kept, values[len(names) :], strict=True):
        lines.append(f"{inner}{name}.append({value})")
    _assign(names, values[: len(names)], lines, inner)
    if counts:
        lines.append(f"{inner}{count} += 1")
    writer.delete(body.drops, lines, inner)
    for name, k in zip(kept, step.histories, strict=True):
        dtype = step.op.extras[k - len(step.op.spread[0])][1].dtype.base_dtype
        writer.space[f"kept_{name}"] = partial(TensorList, dtype, None)
        lines.append(f"{pad}{name} = kept_{name}({name})")
    if step.count is not None:
        writer.space["whole"] = _whole
        lines.append(f"{pad}{writer._name(Ref(step.number, step.count))} = whole({count})")


def _free_first(writer: Any, step: Loop, lines: list[str], pad: str) -> None:
    """Let go of first values that nothing else needs, before the loop runs."""
    inside = {ref for part in step.parts for ref in part.uses}
    limit = set() if step.limit is None else {ref_of(step.limit)}
    own = set(_outputs(step))
    early = [ref for ref in step.frees if ref not in inside | limit | own]
    writer.delete(early, lines, pad)
    step.frees = [ref for ref in step.frees if ref not in early]


def _whole(number: int) -> Any:
    return torch.tensor(number, dtype=torch.int32)
