"""Watching every op for NaN and infinity, and how much of a traceback is shown."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.dtypes import FLOATS
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.core.runtime import State, runtime
from placewise.core.scope import current, watch
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, Op, define
from placewise.ops.families import same_shape
from placewise.ops.values import EagerTensor, from_numpy, wrap

check_numerics_v2 = define(
    "CheckNumericsV2(tensor: T; message: string) -> output: T",
    T=FLOATS,
    doc="Return `tensor`, or raise if it holds NaN or an infinity, and say of which sign.",
)
check_numerics_v2.shape(same_shape)


def _counts(tensor: torch.Tensor) -> dict[str, int]:
    """Return how many elements are not finite, by kind."""
    if bool(torch.isfinite(tensor).all()):  # the check waits for a device, as TensorFlow's
        return {}
    infinite = torch.isinf(tensor)
    found = {
        "-Inf": int((infinite & (tensor < 0)).sum()),
        "+Inf": int((infinite & (tensor > 0)).sum()),
        "NaN": int(torch.isnan(tensor).sum()),
    }
    return {kind: count for kind, count in found.items() if count}


def _told(message: str, found: dict[str, int]) -> str:
    kinds = list(found)
    listed = " and ".join(kinds) if len(kinds) < 3 else f"{kinds[0]}, {kinds[1]}, and {kinds[2]}"
    return f"{message} : Tensor had {listed} values"


@check_numerics_v2.kernel
def check_numerics_v2_kernel(tensor: torch.Tensor, *, message: str) -> Any:
    if found := _counts(tensor):
        raise invalid(_told(message, found))
    return tensor


@check_numerics_v2.gradient
def check_numerics_v2_gradient(call: Call, dy: Tensor) -> Any:
    return check_numerics_v2(
        dy, message="Not a number (NaN) or infinity (Inf) values detected in gradient."
    )


def _watch(op: Op, inputs: Tensor, outputs: Tensor) -> None:
    """Raise if what an op returned holds NaN or an infinity."""
    if op.numerics == "none":
        return
    for index, output in enumerate(outputs):
        value = output._value
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            continue
        if index and op.numerics == "first":
            continue
        if found := _counts(value):
            message = _description(op, inputs, output, index, len(outputs), found)
            raise InvalidArgumentError(
                None, None, _told(message, found) + " [Op:CheckNumericsV2] name: "
            )


def _description(
    op: Op, inputs: Tensor, output: Tensor, index: int, count: int, found: dict[str, int]
) -> str:
    lines = [
        "",
        "",
        f'!!! Detected Infinity or NaN in output {index} of eagerly-executing op "{op.name}" '
        f"(# of outputs: {count}) !!!",
        f"  dtype: {output.dtype!s}",
        f"  shape: {output.shape}",
    ]
    lines += [
        f"  # of {kind if kind != 'NaN' else '+NaN'} elements: {number}"
        for kind, number in found.items()
    ]
    given = [_shown(one) for item in inputs for one in (item if type(item) is list else [item])]
    if len(given) == 1:
        lines += ["", f"  Input tensor: {given[0]}"]
    elif given:
        lines += ["", f"  Input tensors ({len(given)}):"]
        lines += [f"         {place}: {text}" for place, text in enumerate(given)]
    return "\n".join([*lines, "", ""])


def _shown(item: Any) -> str:
    if isinstance(item, EagerTensor):
        return str(item)
    return str(wrap(from_numpy(item), current.fast))


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Make every op whose result holds NaN or an infinity raise InvalidArgumentError."""
    if _watch not in watch.after_op:
        watch.after_op.append(_watch)
        watch.refresh()


def disable_check_numerics() -> None:
    """Let ops return NaN and infinities again."""
    if _watch in watch.after_op:
        watch.after_op.remove(_watch)
        watch.refresh()


class TracebackFiltering(State):
    """Whether tracebacks leave the library's own frames out."""

    on: bool = True


_filtering = runtime.state(TracebackFiltering)


def enable_traceback_filtering() -> None:
    """Leave the library's own frames out of tracebacks."""
    _filtering.on = True


def disable_traceback_filtering() -> None:
    """Show the library's own frames in tracebacks."""
    _filtering.on = False


def is_traceback_filtering_enabled() -> bool:
    """Return True if tracebacks leave the library's own frames out."""
    return _filtering.on
