"""Parts of programs on the rows of matrices: products, sums of rows, copies into a larger tensor.

Products are the native module's where a step's own product is (`ops/linalg/matrix_products.py`),
else those of the BLAS that torch was built with, asked for as torch asks. Rows are added in torch's
order. The results have the bits of the steps.
"""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from placewise import native
from placewise.ops.linalg import matrix_products
from placewise.planning.scripts.elementwise import Origin, Place
from placewise.planning.scripts.recording import NotScripted, Recorded, Slot

_aten = torch.ops.aten
_OWN = matrix_products.OPERATOR
PRODUCT, SUM, COPY, OWN_PRODUCT = 1, 2, 3, 4  # in C's `enum`
_NOWHERE = (-1, 0, 0)


@functools.cache
def has_products() -> bool:
    """Return whether the BLAS that torch was built with can be called by address."""
    for name in ("libtorch_cpu.so", "libtorch_cpu.dylib"):
        path = Path(torch.__file__).parent / "lib" / name
        if path.exists():
            sgemm = getattr(ctypes.CDLL(str(path)), "sgemm_", None)
            if sgemm is not None and native.code is not None:
                native.code.set_sgemm(ctypes.cast(sgemm, ctypes.c_void_p).value or 0)
                return True
    return False


@dataclass(frozen=True)
class Rows:
    """One call on rows: `kind` with the places it reads and numbers; writes the whole of `ref`."""

    kind: int
    ref: Any
    reads: tuple[Any, ...]
    # From the number of the address of a value to the words of each call.
    words: Callable[[Callable[[Any], int]], list[list[int]]]


def taken(recorded: Recorded, items: list[Any], outputs: list[Any], origin: Origin) -> Rows:
    """Return the part that a step is, or raise NotScripted."""
    if len(outputs) != 1:
        raise NotScripted("it has several results")
    places: dict[int, Place] = {number: origin(item) for number, item in enumerate(items)}
    part: Rows | None = None
    for call in recorded.calls:
        if part is not None:
            raise NotScripted("it goes on after its rows")
        make = _MAKERS.get(call.operator)
        if make is not None:
            part = make(outputs[0], [_resolved(item, places) for item in call.args])
            result = call.results[0]
        else:
            _see(call, places)
    if part is None or recorded.results != [result]:
        raise NotScripted("it is no call on rows")
    return part


def _resolved(item: Any, places: dict[int, Place]) -> Any:
    if type(item) is list:
        return [_resolved(part, places) for part in item]
    return places[item.number] if type(item) is Slot else item


def _see(call: Any, places: dict[int, Place]) -> None:
    """Follow a call that returns a view of its first argument."""
    arguments = call.operator._schema.arguments
    alias = arguments[0].alias_info
    if alias is None or alias.is_write or call.is_list or any(a.kwarg_only for a in arguments):
        raise NotScripted(f"it calls {call.operator}")
    source, layout = places[call.args[0].number]
    places[call.results[0]] = source, call.operator(layout, *call.args[1:])


def _torch_product(ref: Any, args: list[Any]) -> Rows:
    if not has_products():
        raise NotScripted("no BLAS")
    if len(args) == 2:
        left, right = args
        return _product(PRODUCT, ref, left, right, None)
    bias, left, right, *factors = args
    if factors != [1, 1]:
        raise NotScripted("a product is scaled")
    return _product(PRODUCT, ref, left, right, bias)


def _own_product(ref: Any, args: list[Any]) -> Rows:
    return _product(OWN_PRODUCT, ref, *args)


def _product(kind: int, ref: Any, left: Place, right: Place, bias: Place | None) -> Rows:
    rows, depth = left[1].shape
    columns = right[1].shape[1]
    if not rows * depth * columns:
        raise NotScripted("nothing to multiply")
    is_a_transposed, *a = _matrix(left[1])
    is_b_transposed, *b = _matrix(right[1])
    read = [left[0], right[0]]
    added = list(_NOWHERE)
    if bias is not None:
        layout = bias[1].expand(rows, columns)
        if layout.stride(1) != 1:
            raise NotScripted("what is added is not in rows")
        added = [0, int(layout.storage_offset()), layout.stride(0)]
        read.append(bias[0])

    def words(address: Callable[[Any], int]) -> list[list[int]]:
        third = [address(read[2]), *added[1:]] if bias is not None else added
        places = [address(read[0]), *a, address(read[1]), *b, *third]
        head = [rows, columns, depth, is_a_transposed, is_b_transposed]
        return [[*head, *places, address(ref)]]

    return Rows(kind, ref, tuple(read), words)


def _matrix(layout: torch.Tensor) -> tuple[int, int, int]:
    """Return whether a matrix is by columns, where it begins, and the stride; as torch chooses."""
    (rows, columns), (row_stride, column_stride) = layout.shape, layout.stride()
    offset = int(layout.storage_offset())
    if column_stride == 1 and row_stride >= max(1, columns):
        return 0, offset, row_stride
    if row_stride == 1 and column_stride >= max(1, rows):
        return 1, offset, column_stride
    raise NotScripted("its elements lie too far apart")


def _sum(ref: Any, args: list[Any]) -> Rows:
    (source, layout), axes, _, dtype = args
    rank = layout.dim()
    if rank != 2 or [axis % rank for axis in axes] != [0] or dtype not in (None, torch.float32):
        raise NotScripted("it adds other axes")
    rows, columns = layout.shape
    if layout.stride(1) != 1 or not rows * columns:
        raise NotScripted("its elements lie too far apart")
    place = [int(layout.storage_offset()), layout.stride(0)]

    def words(address: Callable[[Any], int]) -> list[list[int]]:
        return [[rows, columns, address(source), *place, address(ref), 0, 0]]

    return Rows(SUM, ref, (source,), words)


def _joined(ref: Any, args: list[Any]) -> Rows:
    parts, axis = args
    layouts = [layout for _, layout in parts]
    whole = torch.cat(layouts, axis)
    targets = whole.split([layout.shape[axis] for layout in layouts], axis)
    copies = []
    for (source, layout), target in zip(parts, targets, strict=True):
        to, from_ = _rows(target, target.shape), _rows(layout, target.shape)
        copies.append((source, *to[:2], *from_[2:], *to[2:]))

    def words(address: Callable[[Any], int]) -> list[list[int]]:
        return [
            [rows, columns, address(source), offset, stride, address(ref), to, to_stride]
            for source, rows, columns, offset, stride, to, to_stride in copies
        ]

    return Rows(COPY, ref, tuple(source for source, _ in parts), words)


def _rows(layout: torch.Tensor, shape: Any) -> tuple[int, int, int, int]:
    """Return rows, columns, offset and stride of a layout of two axes."""
    if layout.dim() != 2 or layout.shape != shape or layout.stride(1) != 1 or not layout.numel():
        raise NotScripted("its elements lie too far apart")
    rows, columns = layout.shape
    return rows, columns, int(layout.storage_offset()), layout.stride(0)


_MAKERS: dict[Any, Callable[[Any, list[Any]], Rows]] = {
    _aten.mm.default: _torch_product,
    _aten.addmm.default: _torch_product,
    _OWN: _own_product,
    _aten.sum.dim_IntList: _sum,
    _aten.cat.default: _joined,
}


def written(part: Rows, address: Callable[[Any], int]) -> array[int]:
    """Return the words of a part, each call with its kind and number of words before it."""
    words = array("i")
    for numbers in part.words(address):
        words.extend([part.kind, len(numbers), *numbers])
    return words
