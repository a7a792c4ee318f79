"""Plans as FX graphs of torch, and those as machine code.

A plan's Python is traced once on fake tensors. What it changes in place is functionalized: it
becomes a result, so that torch's compiler sees values only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from placewise.core.scope import current
from placewise.ops.values import Handle
from placewise.planning.torch_modes import under

_MAX_CALLS = 20_000  # of a graph: a loop unrolled beyond that compiles for ever


class NotCompiled(Exception):  # noqa: N818 - a reason, no error
    """Why a plan stays as it is."""


class Compiled:
    """Machine code for inputs of certain shapes: results, then what variables become."""

    __slots__ = ("changed", "count", "run")

    def __init__(self, run: Callable[..., Any], count: int, changed: list[int]) -> None:
        self.run, self.count, self.changed = run, count, changed


def machine_code(call: Callable[..., Any], inputs: list[Any], variables: list[Handle]) -> Compiled:
    """Return compiled code for a plan's Python that reads and assigns `variables`."""
    _check_compiler()
    contents = [handle.value for handle in variables]
    if any(content is None for content in contents):
        raise NotCompiled("a variable has no value yet")
    facts: dict[str, Any] = {}

    def pure(*values: Any) -> Any:
        before = values[len(inputs) :]
        for handle, value in zip(variables, before, strict=True):
            handle.value = value
        with under(_Bounded()):
            results = call(*values[: len(inputs)])
        facts["count"] = len(results)
        facts["changed"] = [
            place for place, handle in enumerate(variables) if handle.value is not before[place]
        ]
        return [*results, *[variables[place].value for place in facts["changed"]]]

    example = [*inputs, *contents]
    graph = _traced(pure, example)
    _write_out_scalars(graph)
    return Compiled(_built(graph, example), facts["count"], facts["changed"])


@functools.cache
def can_compile_for(torch_device: str) -> bool:
    """Return whether torch's compiler writes code for a kind of device."""
    from torch._inductor.codegen import common  # brings torch's compiler along  # noqa: PLC0415 - a slow part of torch that few programs use

    common.init_backend_registration()
    return torch.device(torch_device).type in common.device_codegens


def _traced(pure: Callable[..., Any], example: list[Any]) -> Any:
    from torch._inductor.decomposition import select_decomp_table  # noqa: PLC0415 - a slow part of torch that few programs use
    from torch.fx.experimental.proxy_tensor import make_fx  # noqa: PLC0415 - a slow part of torch that few programs use

    current.is_compiling = True
    try:
        return make_fx(
            torch.func.functionalize(pure, remove="mutations"),
            decomposition_table=select_decomp_table(),
            tracing_mode="fake",
            _allow_non_fake_inputs=True,
        )(*example)
    finally:
        current.is_compiling = False


def _built(graph: Any, example: list[Any]) -> Callable[..., Any]:
    from torch._inductor.compile_fx import compile_fx_inner  # noqa: PLC0415 - a slow part of torch that few programs use

    # The graph is functional and of basic calls already: what comes first in torch's compiler,
    # and takes half of its time, has nothing left to do.
    with torch.no_grad():
        built = compile_fx_inner(graph, example)
    return lambda *values: built(list(values))


def _write_out_scalars(graph: Any) -> None:
    """Let constant scalars be part of the code: as tensors, each would be an input of its own."""
    for node in list(graph.graph.nodes):
        if node.op != "get_attr":
            continue
        value = getattr(graph, node.target)
        if not isinstance(value, torch.Tensor) or value.dim() or value.is_complex():
            continue
        with graph.graph.inserting_before(node):
            literal = graph.graph.call_function(
                torch.ops.aten.full.default,
                ([], value.item()),
                {"dtype": value.dtype, "device": value.device, "pin_memory": False},
            )
            literal.meta.update(node.meta)
        node.replace_all_uses_with(literal)
        graph.graph.erase_node(node)
    graph.recompile()


VALUE_READS = (
    torch.Tensor.numpy,
    torch.Tensor.item,
    torch.Tensor.tolist,
    torch.Tensor.__bool__,
    torch.Tensor.__int__,
    torch.Tensor.__float__,
    torch.Tensor.__index__,
)


class _Bounded(torch.overrides.TorchFunctionMode):
    """Stops a plan that looks at values, or makes too many calls: one with a long loop."""

    def __init__(self) -> None:
        super().__init__()
        self.left = _MAX_CALLS

    def __torch_function__(
        self,
        func: Any,
        types: tuple[Any, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if func in VALUE_READS and torch._is_functional_tensor(args[0]):  # no constant
            raise NotCompiled("Python looks at a value that it computes")
        self.left -= 1
        if self.left < 0:
            raise NotCompiled(f"it makes more than {_MAX_CALLS:,} calls, in a loop")
        return func(*args, **(kwargs or {}))


def _check_compiler() -> None:
    problem = compiler_problem()
    if problem is not None:
        raise NotCompiled(problem)


@functools.cache
def compiler_problem() -> str | None:
    """Return why nothing can be compiled on this machine; None if all is well."""
    try:
        from torch._inductor.cpp_builder import get_cpp_compiler  # noqa: PLC0415 - a slow part of torch that few programs use

        get_cpp_compiler()
    except Exception:
        return "there is no C++ compiler on this machine (install g++ or clang)"
    return None
