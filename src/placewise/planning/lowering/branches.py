"""If and Case become a Choice: one of several parts is run."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.graph.subgraphs import Block
from placewise.ops.flow.list_values import TensorList
from placewise.ops.values import TORCH
from placewise.planning.draft import Draft
from placewise.planning.lowering.blocks import build_part, end_item, needed_in, python_item
from placewise.planning.plan import Choice, Number, Part, Ref


def add_branch(draft: Draft, op: Any, device: Any) -> None:
    """Add the step of a branch; if it is known which block runs, the steps of that block."""
    # `tf.cond` of a constant is common: a flag for training that was decided when the graph was
    # built.
    selector = op.inputs[0]
    known = draft.known_values.get(draft.refs[id(selector)])
    if known is not None and not any(
        tensor.dtype._is_ref for block in op.blocks for tensor in block.outputs
    ):
        _add_known_block(draft, op, _selected(op, known), device)
        return
    step = Choice(draft.next_number(), op, None, [], {}, device, len(op.outputs))
    # Takes the number: the steps of the blocks are numbered next, and refer to it.
    draft.plan.every.append(step)
    step.inputs = [python_item(draft, selector)]
    step.live = [k for k, output in enumerate(op.outputs) if draft.is_wanted(output)]
    endings = [[_ending(op, block, k) for k in step.live] for block in op.blocks]
    for block, tensors in zip(op.blocks, endings, strict=True):
        part = Part(False)
        ends = [tensor for tensor in tensors if tensor is not None]
        build_part(draft, part, needed_in(block, ends, not op.outputs))
        step.parts.append(part)
    # After all blocks are lowered: which device an output is on depends on the ends of all of them.
    for position, k in enumerate(step.live):
        _add_output(draft, step, k, [tensors[position] for tensors in endings])
    draft.place_step(step)


def _add_output(draft: Draft, step: Choice, k: int, ends: list[Any]) -> None:
    """Let each part end with its value of output `k`."""
    output, ref = step.op.outputs[k], Ref(step.number, k)
    home = _common_home(draft, ends, step.device)
    if id(output) in draft.numpy_tensors:
        draft.number_refs[ref] = Number(ref)
    for part, tensor in zip(step.parts, ends, strict=True):
        with draft.inside(part):
            part.results.append(
                _blank_item(draft, output, ref, home)
                if tensor is None
                else end_item(draft, tensor, ref, home)
            )
    draft.define(output, ref, home)


def _blank_item(draft: Draft, output: Any, ref: Ref, device: Any) -> Any:
    blank = _blank(output.dtype)
    constant = draft.add_constant(blank, device, output.dtype)
    if ref in draft.number_refs:
        draft.known_values[constant] = blank.numpy()
        return Number(constant)
    return constant


def _blank(dtype: Any) -> Any:
    """Return what stands for a value of a branch that did not run.

    The gradient of that branch would read it, and does not run either. But an output of a step must
    be assigned in each of its blocks.
    """
    if dtype in TORCH:
        return torch.zeros((), dtype=TORCH[dtype])
    if dtype is dtypes.string:
        return np.array(b"", dtype=object)
    return TensorList(dtype, None, [])


def _ending(op: Any, block: Block, k: int) -> Any:
    """Return the tensor of a block that is output `k` of its owner; None if it is another's."""
    regular = len(op.outputs) - len(op.extras)
    if k < regular:
        return block.outputs[k]
    home, tensor = op.extras[k - regular]
    return tensor if home is block else None


def _common_home(draft: Draft, tensors: list[Any], device: Any) -> Any:
    """Return the one device that all ends of a branch are on, or the branch's own."""
    refs = [draft.refs[id(tensor)] for tensor in tensors if tensor is not None]
    # Constants do not count: they are made wherever they are needed.
    homes = {draft.homes[ref] for ref in refs if ref not in draft.known_values}
    return homes.pop() if len(homes) == 1 else device


def _selected(op: Any, known: Any) -> Block:
    """Return the block that runs for a value of the selector."""
    index = int(known)
    if op.type.endswith("If"):
        index = 0 if index else 1
    elif not 0 <= index < len(op.blocks):
        index = len(op.blocks) - 1  # as TensorFlow's Case: the last one is the default
    block: Block = op.blocks[index]
    return block


def _add_known_block(draft: Draft, op: Any, block: Block, device: Any) -> None:
    """Add the one block that will run, as if it had no condition."""
    live = [k for k, output in enumerate(op.outputs) if draft.is_wanted(output)]
    endings = [_ending(op, block, k) for k in live]
    ends = [tensor for tensor in endings if tensor is not None]
    for inner in needed_in(block, ends, not op.outputs):
        draft.lower(inner)
    for k, tensor in zip(live, endings, strict=True):
        output = op.outputs[k]
        if tensor is not None and draft.is_read(tensor):
            draft.lazy.add(id(output))
        draft.refs[id(output)] = (
            draft.add_constant(_blank(output.dtype), device, output.dtype)
            if tensor is None
            else draft.refs[id(tensor)]
        )
