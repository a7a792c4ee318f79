"""Constant folding: what depends on constants alone is computed once, when the plan is made."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops.declare import WIDE_UNSIGNED
from placewise.ops.values import to_numpy
from placewise.planning.draft import Draft
from placewise.planning.plan import Host, ref_of

_MAX_FOLDED_BYTES = 1 << 20
_ALWAYS_FOLDED_BYTES = 1 << 14
_FILLING = {"OnesLike": 1, "ZerosLike": 0}


def fold(draft: Draft, op: Operation, inputs: list[Any], device: Any) -> bool:
    """Compute now what depends on constants alone, if it is small; return whether it was done."""
    if op.declaration.name in _FILLING and _fill(draft, op, device):
        return True
    for item in inputs:
        for argument in item if type(item) is list else (item,):
            if ref_of(argument) not in draft.known_values:
                return False
    # Handles and lists are state of a run: a constant would be one for all runs.
    if any(output.dtype.base_dtype in (dtypes.resource, dtypes.variant) for output in op.outputs):
        return False
    if any(_is_too_large(output, op.inputs) for output in op.outputs):
        return False
    try:
        # On the host, whatever the device: there the constants are.
        result = kernel_of(op, op.declaration, draft.client)(
            *[_content(draft, item) for item in inputs], **op.attrs
        )
    except Exception:
        return False  # it fails again when it runs, where the error belongs
    has_several = len(op.declaration.outputs) != 1 or op.declaration.outputs[0].is_list
    contents = _flat(result) if has_several else [result]
    for output, content in zip(op.outputs, contents, strict=True):
        ref = draft.known_constant(to_numpy(content), device, output.dtype)
        draft.refs.setdefault(id(output), ref)
    return True


def kernel_of(op: Operation, declaration: Any, device: Any) -> Any:
    """Return the kernel of an operation for a device and the dtypes of its inputs."""
    is_wide_unsigned = "wide_unsigned" in declaration.kernels and any(
        tensor._dtype.base_dtype in WIDE_UNSIGNED for tensor in op.inputs
    )
    return declaration.kernel_on(device, is_wide_unsigned)


def _fill(draft: Draft, op: Operation, device: Any) -> bool:
    """Let a small value that is the same whatever its input holds be a constant."""
    output = op.outputs[0]
    dims, dtype = output._dims, output.dtype
    if dims is None or None in dims or not dtype.is_floating or _is_too_large(output, op.inputs):
        return False
    value: Any = np.full(list(dims), _FILLING[op.type], dtype._numpy)
    draft.refs[id(output)] = draft.known_constant(value, device, dtype)
    return True


def _content(draft: Draft, item: Any) -> Any:
    if type(item) is list:
        return [_content(draft, argument) for argument in item]
    if type(item) is Host:
        return draft.known_values[item.ref]
    return draft.plan.constants[item]


def _is_too_large(output: GraphTensor, inputs: tuple[GraphTensor, ...]) -> bool:
    """Return True for what is better computed at each run than kept as long as the plan.

    zeros([1000, 1000]) is made quickly but would hold 4 MB; a result no larger than its inputs
    costs no more than those, which the graph holds anyway.
    """
    size = _bytes(output)
    if size <= _ALWAYS_FOLDED_BYTES:
        return False
    return size > _MAX_FOLDED_BYTES or size > sum(map(_bytes, inputs))


def _bytes(tensor: GraphTensor) -> int:
    dims = tensor._dims
    if dims is None or None in dims:
        return 0
    return math.prod(dims) * tensor.dtype.size  # type: ignore[arg-type]


def _flat(result: Any) -> list[Any]:
    return [content for item in result for content in (item if isinstance(item, list) else [item])]
