"""`jit_compile=True`: the Python of a plan handed to torch's compiler.

The plan is run once on stand-ins without data, which writes down the torch calls; variables become
further inputs and outputs. What the compiler cannot see through (values looked at by Python, random
numbers, strings, state other than variables) leaves the function as it is, said once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.scope import local
from placewise.ops.values import Handle
from placewise.planning.source import _draws

_lock = threading.RLock()
_STATE = frozenset({
    "ReadVariableOp", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp",
    "ResourceGather", "VariableShape", "VarIsInitializedOp",
})  # fmt: skip


class NotCompiled(Exception):
    """Why a plan stays as it is."""


def compile_with(executor: Any, plan: Any, program: Any, handles: Any) -> Callable[..., Any]:
    """Return what runs instead of a plan's program: compiled at the first call for its shapes."""
    name = executor.graph.name
    try:
        variables = _checked(plan, handles)
    except NotCompiled as reason:
        _say(name, str(reason))
        return program.call
    return _Compiled(name, program.call, variables)


def _checked(plan: Any, handles: Any) -> list[Handle]:
    """Return the variables of a plan; NotCompiled if it does what a compiler cannot see."""
    for step in plan.every:
        if step.device.account is not None:
            raise NotCompiled("it runs on a simulated GPU, whose memory is counted step by step")
        op = step.op
        if op is None:
            continue
        if step.kernel is not None and _draws(step.kernel):
            raise NotCompiled(f"{op.type} draws random numbers")
        if op.declaration.stateful and not op.blocks and not _is_plain_state(op):
            raise NotCompiled(f"{op.type} acts on more than variables")
        for tensor in (*op.inputs, *op.outputs):
            if tensor.dtype.base_dtype in (dtypes.string, dtypes.variant):
                raise NotCompiled(f"{op.type} works on {tensor.dtype.base_dtype.name}")
    if any(tensor.dtype is dtypes.resource for tensor in plan.feeds):
        raise NotCompiled("a variable is an argument")
    found = [value for value in plan.constants.values() if isinstance(value, Handle)]
    found += list(handles.values())
    return list({id(handle): handle for handle in found}.values())


def _is_plain_state(op: Any) -> bool:
    return op.type in _STATE or op.type.startswith("ResourceApply")


class _Compiled:
    """A plan's program, compiled for each combination of shapes it meets."""

    def __init__(self, name: str, call: Callable[..., Any], variables: list[Handle]) -> None:
        self.name, self.call, self.variables = name, call, variables
        self._made: dict[Any, Any] = {}

    def __call__(self, *inputs: Any) -> Any:
        variables = self.variables
        contents = [handle.value for handle in variables]
        key = tuple([(each.shape, each.dtype) for each in inputs]), tuple(
            [None if each is None else each.shape for each in contents])  # fmt: skip
        made = self._made.get(key)
        if made is None:
            made = self._compile(key, inputs, contents)
        if made is _AS_IT_IS:
            return self.call(*inputs)
        run, count, changed = made
        found = run(*inputs, *contents)
        for index, value in zip(changed, found[count:], strict=True):
            variables[index].value = value
        return tuple(found[:count])

    def _compile(self, key: Any, inputs: Any, contents: list[Any]) -> Any:
        with _lock:
            try:
                made: Any = _traced(self.call, list(inputs), self.variables, contents)
            except Exception as problem:
                _say(self.name, _told(problem))
                made = _AS_IT_IS
            self._made[key] = made
        return made


_AS_IT_IS: Any = object()


def _traced(
    call: Callable[..., Any], inputs: list[Any], variables: list[Handle], contents: list[Any]
) -> Any:
    from torch.fx.experimental.proxy_tensor import make_fx

    if any(each is None for each in contents):
        raise NotCompiled("a variable has no value yet")
    shape: dict[str, Any] = {}

    def pure(*values: Any) -> Any:
        given = values[len(inputs) :]
        for handle, value in zip(variables, given, strict=True):
            handle.value = value
        results = call(*values[: len(inputs)])
        changed = [i for i, h in enumerate(variables) if h.value is not given[i]]
        shape["changed"], shape["count"] = changed, len(results)
        return [*results, *[variables[i].value for i in changed]]

    example = [*inputs, *contents]
    local.is_compiling = True
    try:
        graph = make_fx(pure, tracing_mode="fake", _allow_non_fake_inputs=True)(*example)
    finally:
        local.is_compiling = False
        for handle, value in zip(variables, contents, strict=True):
            handle.value = value
    _write_out_scalars(graph)
    run = torch._inductor.compile(graph, example)
    return run, shape["count"], shape["changed"]


def _write_out_scalars(graph: Any) -> None:
    """Let constant scalars be part of the code: as tensors, each would be an input of its own."""
    for node in list(graph.graph.nodes):
        if node.op != "get_attr":
            continue
        value = getattr(graph, node.target)
        if not isinstance(value, torch.Tensor) or value.dim() or value.is_complex():
            continue
        with graph.graph.inserting_before(node):
            made = graph.graph.call_function(
                torch.ops.aten.full.default, ([], value.item()),
                {"dtype": value.dtype, "device": value.device, "pin_memory": False},
            )  # fmt: skip
            made.meta.update(node.meta)
        node.replace_all_uses_with(made)
        graph.graph.erase_node(node)
    graph.recompile()


def _told(problem: Exception) -> str:
    text = str(problem).strip().split("\n")[0]
    if isinstance(problem, NotCompiled):
        return text
    return f"the compiler stopped at {type(problem).__name__}: {text[:200]}"


_said: set[tuple[str, str]] = set()


def _say(name: str, reason: str) -> None:
    if (name, reason) not in _said:
        _said.add((name, reason))
        logging.getLogger("tensorflow").warning(
            "jit_compile: the function '%s' runs uncompiled, because %s.", name, reason
        )
