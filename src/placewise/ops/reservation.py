"""Asking for room before a kernel makes a result much larger than what it is given.

Most results are as large as an input that is there already: they are counted once they exist. A
shape given by number, or an outer product, may ask for a terabyte: that must not reach torch, which
would fill the host's memory first. Only devices that count are asked; a CPU pays nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from placewise.core.dtypes import DType, as_dtype, string
from placewise.core.errors import InvalidArgumentError, OpError, invalid
from placewise.core.shapes import Static
from placewise.memory.exhausted import host_out_of_memory, shape_text, type_name
from placewise.memory.host import available_bytes
from placewise.memory.ledgers import ledger_of, torch_shortage
from placewise.memory.pages import LEAST_BYTES
from placewise.ops.values import OBJECT, TORCH, dtype_of

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.ops.declare import Op


LARGE_ELEMENTS = 1 << 24  # elements: what may become larger is asked for first
# What torch says that it asked for: of the host in bytes, of a card in round numbers.
_ASKED = re.compile(r"allocate (\d+(?:\.\d+)?) (bytes|[KMGT]iB)")
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_ROUNDED = 100  # such a number is right to a part of this many
# Inputs on the host whose numbers say how large a result is.
SIZES = frozenset(
    {
        "shape",
        "dims",
        "limit",
        "num",
        "paddings",
        "multiples",
        "depth",
        "size",
        "input_sizes",
        "num_rows",
        "num_cols",
        "num_segments",
        "output_shape",
        "crop_size",
        "image_size",
        "num_samples",
        "fft_length",
        "lengths",
        "start",
    }
)
_MOST_ELEMENTS = 2**63 - 1  # of a shape, in TensorFlow


def may_outgrow(op: Op) -> bool:
    """Return whether a result of an op can be larger than all its inputs together."""
    tensors = [arg for arg in op.inputs if arg.name not in op.host and not arg.is_list]
    return not op.metadata and (has_sizes(op) or len(tensors) > 1)


def has_sizes(op: Op) -> bool:
    """Return whether how large a result is takes more to tell than the sizes of single tensors."""
    if op.grows != "sizes":
        return True
    return any(arg.name in SIZES and arg.name in op.host for arg in op.inputs)


def reserve(op: Op, values: Sequence[Any], attrs: dict[str, Any], device: Device) -> None:
    """Raise ResourceExhaustedError if a result of a call would not fit on its device."""
    if _most_elements(op, values) <= LARGE_ELEMENTS:
        return
    given = sum(one.numel() for one in _spread(values) if isinstance(one, torch.Tensor))
    for shape, dtype in results_of(op, values, attrs):
        elements = math.prod(shape)
        if elements > _MOST_ELEMENTS:
            raise _too_many(shape)
        nbytes = elements * dtype.itemsize
        if elements <= given or nbytes < LEAST_BYTES or _is_kept_on_host(dtype):
            continue
        ledger = ledger_of(device)
        if ledger is not None:
            ledger.require(shape, dtype)
            if device.torch_device == "cpu" and nbytes > available_bytes():
                raise ledger.shortage(shape, dtype, nbytes, available_bytes())


def _most_elements(op: Op, values: Sequence[Any]) -> int:
    """Return a number of elements that no result exceeds; quick, and often far too large."""
    most = 1
    for arg, value in zip(op.inputs, values, strict=True):
        if isinstance(value, torch.Tensor):
            most *= value.numel() or 1
        elif type(value) is list and op.grows == "product":
            most *= math.prod(one.numel() or 1 for one in value)
        elif isinstance(value, np.ndarray) and arg.name in SIZES:
            if value.dtype.kind not in "iu":
                return LARGE_ELEMENTS + 1
            for number in value.ravel().tolist():
                most *= abs(number) + 1
    return most * most if op.grows == "square" else most


def _spread(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        yield from value if type(value) is list else (value,)


def _is_kept_on_host(dtype: Any) -> bool:
    """Return whether what is on a GPU has its bytes in host memory: text and int32."""
    return dtype is torch.int32 or dtype is OBJECT


def _too_many(shape: tuple[int, ...]) -> InvalidArgumentError:
    return invalid(f"Shape {shape_text(shape)} would have more than 2**63 - 1 elements")


def results_of(op: Any, values: Any, attrs: dict[str, Any]) -> list[tuple[tuple[int, ...], Any]]:
    """Return shape and dtype of each result that the shape rule knows before it is made.

    The dtype is torch's; for text, NumPy's.
    """
    try:
        found = op.shape_rule(*[_static(value) for value in values], **attrs)
    except Exception:  # the kernel says what is wrong, in TensorFlow's words
        return []
    shapes = [found] if len(op.outputs) == 1 and not op.outputs[0].is_list else found
    if not isinstance(shapes, (list, tuple)) or len(shapes) != len(op.outputs):
        return []
    known = []
    for arg, shape in zip(op.outputs, shapes, strict=True):
        dtype = content_dtype(arg.dtype or _type_of(op, arg.type_attr, values, attrs))
        if dtype is None or type(shape) is not tuple or arg.name in op.host:
            continue
        if all(type(size) is int for size in shape):
            known.append((shape, dtype))
    return known


def content_dtype(dtype: DType) -> Any:
    """Return the dtype that contents of a dtype have: torch's, or NumPy's for text, or None."""
    return OBJECT if dtype is string else TORCH.get(dtype)


def _static(value: Any) -> Any:
    if type(value) is list:
        return [_static(one) for one in value]
    if isinstance(value, np.ndarray):
        return Static(value.shape, as_dtype(value.dtype), value)
    return Static(tuple(value.shape), dtype_of(value), None)


def _type_of(op: Op, name: str | None, values: Sequence[Any], attrs: dict[str, Any]) -> Any:
    said = attrs.get(name or "")
    if isinstance(said, DType):
        return said
    for arg, value in zip(op.inputs, values, strict=True):
        if arg.type_attr == name:
            one = value[0] if type(value) is list and value else value
            return as_dtype(one.dtype) if isinstance(one, np.ndarray) else dtype_of(one)
    return None


def allocation_error(
    text: str, device: Device, results: list[tuple[tuple[int, ...], Any]]
) -> OpError:
    """Return the error for memory that torch could not get: what for, as far as that is known.

    `results` are the results that were to be made; without them the message of torch must do.
    """
    asked = _ASKED.search(text)
    nbytes = int(float(asked[1]) * _UNITS[asked[2]]) if asked else 0
    shape, dtype = max(results, key=_bytes, default=((nbytes // 4,), torch.float32))
    if math.prod(shape) > _MOST_ELEMENTS:
        return _too_many(shape)
    exact = _bytes((shape, dtype))
    nbytes = exact if nbytes * (_ROUNDED - 1) < exact * _ROUNDED else nbytes
    is_host = device is None or device.is_host or _is_kept_on_host(dtype)
    ledger = None if is_host else ledger_of(device)
    if ledger is not None:
        host_bytes = None if device.has_own_memory else available_bytes()
        return ledger.shortage(shape, dtype, nbytes, host_bytes)
    shortage = None if is_host else torch_shortage(text, device, shape, dtype, nbytes)
    if shortage is not None:
        return shortage
    name = "/job:localhost/replica:0/task:0/device:CPU:0" if device is None else device.name
    return host_out_of_memory(
        name,
        shape,
        type_name(dtype),
        nbytes,
        available_bytes() if is_host else None,
        "cpu" if is_host else device.allocator_name,
    )


def _bytes(result: tuple[tuple[int, ...], Any]) -> int:
    shape, dtype = result
    return math.prod(shape) * int(dtype.itemsize)
