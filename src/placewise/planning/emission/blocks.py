"""Branches and loops as Python's `if` and `while` over the local variables of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from placewise.ops.contentless import loop_test
from placewise.ops.flow.list_values import TensorList
from placewise.planning.exchange import check_wanted
from placewise.planning.plan import Choice, Loop, Number, Ref, Step, outputs_of, ref_of


def write(writer: Any, step: Any, lines: list[str], pad: str) -> Sequence[Ref]:
    """Write the lines of a step that owns parts; return what is to be deleted after it."""
    if isinstance(step, Loop):
        return _write_loop(writer, step, lines, pad)
    _write_choice(writer, step, lines, pad)
    frees: Sequence[Ref] = step.frees
    return frees


def _append(writer: Any, step: Step, lines: list[str], line: str) -> None:
    """Append a line that may raise: the error then names the step's operation."""
    lines.append(line)
    writer.steps[len(lines)] = step


def _on_host(writer: Any, item: Any) -> str:
    """Return the Python for a value that Python itself reads."""
    argument: str = writer.argument(item)
    home = writer.plan.homes.get(ref_of(item))
    if home is None or not home.has_own_memory or type(item) is Number:
        return argument
    # int() and `if` would fetch it as well, but by a way of torch's that no record hears of.
    return f"array({argument})"


def _loop_test(writer: Any, item: Any) -> str:
    """Return the Python for the test of a loop."""
    home = writer.plan.homes.get(ref_of(item))
    if home is None or home.has_contents or type(item) is Number:
        return _on_host(writer, item)
    # What is not known on a planned GPU is assumed: a loop must end, so it says that it is one.
    writer.space["loop_test"] = loop_test
    return f"loop_test({writer.argument(item)})"


def _write_choice(writer: Any, step: Choice, lines: list[str], pad: str) -> None:
    writer.report_moves(step.number, lines, pad)
    selector = _on_host(writer, step.inputs[0])
    if step.op.type.endswith("If"):
        heads = [f"if {selector}:", "else:"]
    else:
        _append(writer, step, lines, f"{pad}pick{step.number} = int({selector})")
        heads = [f"elif pick{step.number} == {i}:" for i in range(len(step.parts))]
        heads[0] = heads[0][2:]
        # The last branch is the default, for any number out of range.
        heads[-1] = "else:" if len(heads) > 1 else "if True:"
    names = [writer.name(Ref(step.number, k)) for k in step.live]
    for head, part in zip(heads, step.parts, strict=True):
        _append(writer, step, lines, pad + head)
        writer.write_steps(part.steps, lines, pad + "    ")
        ends = [writer.argument(item) for item in part.results]
        _assign(names, ends, lines, pad + "    ")
        writer.delete(part.drops, lines, pad + "    ")
        if not part.steps and not names:
            lines.append(f"{pad}    pass")


def _assign(names: list[str], values: list[str], lines: list[str], pad: str) -> None:
    """Write one assignment of all: variables of a loop may swap their values."""
    pairs = [(name, value) for name, value in zip(names, values, strict=True) if name != value]
    if pairs:
        targets, sources = (", ".join(side) for side in zip(*pairs, strict=True))
        lines.append(f"{pad}{targets} = {sources}")


def _write_loop(writer: Any, step: Loop, lines: list[str], pad: str) -> Sequence[Ref]:
    names = [writer.name(Ref(step.number, k)) for k in step.carried]
    histories = [writer.name(Ref(step.number, k)) for k in step.histories]
    first = [writer.argument(item) for item in step.inputs[: len(names)]]
    _assign(names, first, lines, pad)
    frees = _delete_first_values(writer, step, lines, pad)
    lines += [f"{pad}{name} = []" for name in histories]
    has_count = step.limit is not None or step.count is not None
    count = f"count{step.number}"
    if has_count:
        lines.append(f"{pad}{count} = 0")
    head = "while True:"
    if step.limit is not None:
        writer.report_moves(step.number, lines, pad)
        limit = f"limit{step.number}"
        _append(writer, step, lines, f"{pad}{limit} = int({_on_host(writer, step.limit)})")
        head = f"while {count} < {limit}:"
    _append(writer, step, lines, pad + head)
    if writer.plan.is_part:
        writer.space["check"] = check_wanted
        _append(writer, step, lines, f"{pad}    check()")
    _write_iteration(writer, step, lines, pad + "    ", names, histories)
    if has_count:
        lines.append(f"{pad}    {count} += 1")
    writer.delete(step.parts[1].drops, lines, pad + "    ")
    _write_end(writer, step, lines, pad, histories)
    return frees


def _write_iteration(
    writer: Any, step: Loop, lines: list[str], pad: str, names: list[str], histories: list[str]
) -> None:
    """Write the test and the body. The test has steps: it cannot be the condition of `while`."""
    test, body = step.parts
    writer.write_steps(test.steps, lines, pad)
    writer.report_moves((step.number, "test"), lines, pad)
    _append(writer, step, lines, f"{pad}if not {_loop_test(writer, test.results[0])}: break")
    writer.delete(test.drops, lines, pad)
    writer.write_steps(body.steps, lines, pad)
    values = [writer.argument(item) for item in body.results]
    # Before the variables change: a history may keep the value that a variable had until now.
    for name, value in zip(histories, values[len(names) :], strict=True):
        lines.append(f"{pad}{name}.append({value})")
    _assign(names, values[: len(names)], lines, pad)


def _write_end(writer: Any, step: Loop, lines: list[str], pad: str, histories: list[str]) -> None:
    """Write that histories, plain lists so far, and the count become what kernels read."""
    for name, k in zip(histories, step.histories, strict=True):
        dtype = step.op.extras[k - len(step.op.spread[0])][1].dtype.base_dtype
        writer.space[f"kept_{name}"] = partial(TensorList, dtype, None)
        lines.append(f"{pad}{name} = kept_{name}({name})")
    if step.count is not None:
        writer.space["whole"] = _int32
        name = writer.name(Ref(step.number, step.count))
        lines.append(f"{pad}{name} = whole(count{step.number})")


def _delete_first_values(writer: Any, step: Loop, lines: list[str], pad: str) -> Sequence[Ref]:
    """Delete first values that nothing else needs before the loop runs; return the others.

    The variables hold them now. With the second name gone, the first iteration can free them, as
    each later one frees the values before. The step stays as it is: a plan is written once more for
    each kind of record.
    """
    inside = {ref for part in step.parts for ref in part.uses}
    limit = set() if step.limit is None else {ref_of(step.limit)}
    own = set(outputs_of(step))
    early = [ref for ref in step.frees if ref not in inside | limit | own]
    writer.delete(early, lines, pad)
    return [ref for ref in step.frees if ref not in early]


def _int32(number: int) -> Any:
    return torch.tensor(number, dtype=torch.int32)
