"""The gradient of an op without a written rule, from torch's autograd on its kernel.

It runs as an op of its own, so that tapes see it and it can be differentiated again.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.eager.tape import Call
from placewise.ops.declare import REQUIRED, Arg, Attr, Op
from placewise.ops.residence import gathered, is_resident


def vjp(call: Call, dys: list[Any]) -> list[Any]:
    """Return one gradient per input of a call (a list for a list input)."""
    tensors, on_host = _tensors(call, False), _tensors(call, True)
    flowing = [index for index, dy in enumerate(dys) if dy is not None]
    op = _vjp_op(call, len(tensors), flowing)
    kinds = [tensor.dtype.base_dtype for tensor in tensors]
    operands = [*tensors, *[dys[i] for i in flowing]]
    derivatives = current.interpreter.run(op, (operands, on_host), {"Tout": kinds}, None)
    results = iter(derivatives)
    arranged: list[Any] = []
    for arg, item in zip(call.op.inputs, call.inputs, strict=True):
        if arg.name in call.op.host:
            arranged.append([None] * len(item) if type(item) is list else None)
        elif type(item) is list:
            arranged.append([_of(one, results) for one in item])
        else:
            arranged.append(_of(item, results))
    return arranged


def _tensors(call: Call, on_host: bool) -> list[Tensor]:
    """Return the tensors among a call's inputs that its kernel reads on the host, or the others."""
    return [
        one
        for arg, item in zip(call.op.inputs, call.inputs, strict=True)
        if (arg.name in call.op.host) is on_host
        for one in (item if type(item) is list else [item])
        if isinstance(one, Tensor)
    ]


def _of(item: Tensor, results: Any) -> Any:
    if not isinstance(item, Tensor):
        return None
    gradient = next(results)
    return gradient if item.dtype.is_floating or item.dtype.is_complex else None


def _differs(value: torch.Tensor) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _vjp_op(call: Call, count: int, flowing: list[int]) -> Op:
    op = Op(
        f"{call.op.name}Vjp",
        (Arg("values", None, "T", None, True), Arg("on_host", None, "Thost", None, True)),
        (Arg("gradients", None, "Tout", None, True),),
        (Attr("Tout", "list(type)", REQUIRED),),
        {},
        host=frozenset({"on_host"}),
        devices=call.op.devices,
        gpu_types=call.op.gpu_types,
    )
    op.kernels[None] = lambda values, on_host, **_: _run(
        call, values[:count], on_host, values[count:], flowing
    )
    return op


def _run(
    call: Call, values: list[Any], on_host: list[Any], dys: list[Any], flowing: list[int]
) -> list[Any]:
    nested = any(isinstance(v, torch.Tensor) and v.requires_grad for v in (*values, *dys))
    with torch.enable_grad():
        leaves = [
            (v if v.requires_grad else v.detach().requires_grad_()) if _differs(v) else v
            for v in values
        ]
        arguments = _arguments(call, leaves, on_host)
        kernel = call.op.kernels[None]
        if where := next((v.device for v in leaves if is_resident(v)), None):
            arguments = list(gathered(arguments, str(where)))
            kernel = call.op.kernels.get("GPU", kernel)
        outputs = kernel(*arguments, **call.attrs)
        flat = _flat(outputs)
        followed = [(flat[i], dy) for i, dy in zip(flowing, dys, strict=True)]
        followed = [(out, dy) for out, dy in followed if _differs(out) and out.requires_grad]
        sources = [leaf for leaf in leaves if _differs(leaf)]
        if followed and sources:
            derivatives = torch.autograd.grad(
                [out for out, _ in followed],
                sources,
                [dy for _, dy in followed],
                allow_unused=True,
                create_graph=nested,
            )
        else:
            derivatives = (None,) * len(sources)  # type: ignore[assignment]
    gradients = iter(derivatives)
    result = []
    for leaf, value in zip(leaves, values, strict=True):
        gradient = next(gradients) if _differs(leaf) else None
        result.append(torch.zeros_like(value) if gradient is None else gradient)
    return [g if nested else g.detach() for g in result]


def _arguments(call: Call, leaves: list[Any], on_host: list[Any]) -> list[Any]:
    """Put leaves, and arrays of host arguments, where the call had tensors."""
    contents = {False: iter(leaves), True: iter(on_host)}
    arguments: list[Any] = []
    for arg, item in zip(call.op.inputs, call.inputs, strict=True):
        content = contents[arg.name in call.op.host]
        if type(item) is list:
            arguments.append([next(content) if isinstance(one, Tensor) else one for one in item])
        else:
            arguments.append(next(content) if isinstance(item, Tensor) else item)
    return arguments


def _flat(outputs: Any) -> list[Any]:
    if not isinstance(outputs, (tuple, list)):
        return [outputs]
    return [one for item in outputs for one in (item if isinstance(item, list) else [item])]
