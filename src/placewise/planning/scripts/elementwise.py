"""Calls of elementwise operators as a program of the native module (`native/elementwise.c`).

TorchScript's interpreter still has torch allocate and walk a tensor for every operator. A program
computes a block of numbers through all operators before the next block, so that what lies between
them is never a tensor. Views of inputs cost nothing, and parts of a result (`cat`, gradients of
slices) are written where they belong.

Add, subtract, multiply, divide and negate give torch's bits. `sigmoid` and `tanh` are
within 3 ulp, as torch's own are; about one in fifty differs from torch's in the last bit.
"""

from __future__ import annotations

import functools
import itertools
import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from placewise.planning.scripts.recording import Call, NotScripted, Recorded, Slot

_aten = torch.ops.aten
# The operators of which C has a loop, in the order of its `enum`: those that make a new tensor and
# those that write into their first argument are the same to a program.
_BINARY = {
    _aten.add.Tensor: 0,
    _aten.add_.Tensor: 0,
    _aten.sub.Tensor: 1,
    _aten.sub_.Tensor: 1,
    _aten.mul.Tensor: 2,
    _aten.mul_.Tensor: 2,
    _aten.div.Tensor: 3,
    _aten.div_.Tensor: 3,
    _aten.sigmoid_backward.default: 7,
    _aten.tanh_backward.default: 8,
}
_UNARY = {
    _aten.neg.default: 4,
    _aten.neg_.default: 4,
    _aten.sigmoid.default: 5,
    _aten.sigmoid_.default: 5,
    _aten.tanh.default: 6,
    _aten.tanh_.default: 6,
}
# Kernels that are one of these calls: chains of them are left to programs.
KERNELS = frozenset({torch.add, torch.sub, torch.mul, torch.neg})
_CURVES = (5, 6)
_APPROXIMATE = (*_CURVES, 8)  # the gradient of tanh: torch has one rounding less
_COPY, _STORE = 9, 10
_FLAT, _SINGLE, _GRID = 0, 1, 2
_MOST_VALUES = 4000  # C has room for a few more


# Where a value is: the tensor it is a view of, and a tensor without contents that says how.
Place = tuple[Any, torch.Tensor]
Origin = Callable[[Any], Place]


@dataclass(frozen=True, eq=False)
class _View:
    """A view of an input: a tensor without contents says where its elements are."""

    source: Any  # Ref or Read
    layout: torch.Tensor


class _Result(NamedTuple):
    """What an instruction computes."""

    instruction: int
    dims: tuple[int, ...]


class _Piece(NamedTuple):
    """A value in a part of an assembled tensor."""

    value: Any
    offset: int
    row_stride: int
    columns: int


@dataclass(frozen=True)
class _Assembled:
    """A tensor that is made of pieces; it is 0 elsewhere."""

    layout: torch.Tensor
    pieces: tuple[_Piece, ...] = ()


class _Window(NamedTuple):
    """A view of an assembled tensor, to be written into; `number` is that of the whole."""

    number: int
    layout: torch.Tensor


@dataclass
class Elementwise:
    """A program that grows step by step."""

    _values: dict[Any, Any] = field(default_factory=dict)  # Ref or Read → its value
    _sources: dict[Any, None] = field(default_factory=dict)  # what views are of, in order
    _instructions: list[tuple[int, list[Any]]] = field(default_factory=list)  # code, operands
    _size: int | None = None
    _grid: tuple[int, int] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the results equal torch's to the bit."""
        return not any(code in _APPROXIMATE for code, _ in self._instructions)

    def curves(self) -> int:
        """Return how many instructions are `sigmoid` or `tanh`."""
        return sum(code in _CURVES for code, _ in self._instructions)

    def __len__(self) -> int:
        return len(self._instructions)

    def takes(
        self, recorded: Recorded, items: list[Any], outputs: list[Any], origin: Origin
    ) -> bool:
        """Add the calls of a step, unless one is none of a program.

        `items` are the tensors that the step reads, `outputs` what it computes.
        """
        before = self._size, self._grid, len(self._instructions)
        kept = [(table, len(table)) for table in (self._sources, self._values)]
        try:
            values = {number: self._value(item, origin) for number, item in enumerate(items)}
            for call in recorded.calls:
                self._add(call, values)
            results = [values[number] for number in recorded.results]
            if any(type(value) is _Window for value in results):
                raise NotScripted("a part of a tensor is written")
        except (NotScripted, RuntimeError):
            self._size, self._grid, count = before
            del self._instructions[count:]
            for table, size in kept:
                while len(table) > size:
                    table.popitem()
            return False
        self._values.update(zip(outputs, results, strict=True))
        return True

    def copies(self, item: Any, origin: Origin) -> None:
        """Let a view be a value of its own."""
        value = self._value(item, origin)
        self._fit(_dims(value))
        self._laid_out(value, _dims(value))

    def view(self, ref: Any) -> Place | None:
        """Return of what a value is a view; None if it is computed."""
        value = self._values[ref]
        if type(value) is not _View:
            return None
        return value.source, value.layout

    def _value(self, item: Any, origin: Origin) -> Any:
        if item not in self._values:
            source, layout = origin(item)
            self._sources[source] = None
            self._values[item] = _View(source, layout)
        return self._values[item]

    def _add(self, call: Call, values: dict[int, Any]) -> None:
        """Add a call, or raise NotScripted."""
        code = _BINARY.get(call.operator)
        if code is not None:
            if len(call.args) > 2 and call.args[2] != 1:
                raise NotScripted("a product is added")
            result = self._computed(code, [self._operand(item, values) for item in call.args[:2]])
        elif call.operator in _UNARY:
            code = _UNARY[call.operator]
            result = self._computed(code, [self._operand(call.args[0], values)])
        elif call.operator is _aten.cat.default:
            result = self._joined([values[slot.number] for slot in call.args[0]], call.args[1])
        elif call.operator is _aten.zeros.default and call.args[1] is torch.float32:
            result = _Assembled(torch.empty(call.args[0], device="meta"))
        elif call.operator is _aten.copy_.default:
            self._write(values[call.args[0].number], self._operand(call.args[1], values), values)
            return
        else:
            self._see(call, values)
            return
        values[call.results[0]] = result

    def _operand(self, item: Any, values: dict[int, Any]) -> Any:
        if type(item) is not Slot:
            if type(item) not in (int, float):
                raise NotScripted("an argument is no number")
            return float(item)
        return values[item.number]

    def _computed(self, code: int, operands: list[Any]) -> Any:
        """Return the result of an instruction."""
        if code == 0 and all(type(value) is _Assembled for value in operands):
            return self._united(*operands)
        shapes = [_dims(value) for value in operands if type(value) is not float]
        dims = shapes[0] if len(set(shapes)) == 1 else _broadcast(*shapes)
        self._fit(dims)
        kinds = {self._laid_out(value, dims)[0] for value in operands}
        if kinds == {_SINGLE}:
            raise NotScripted("one number is spread")
        self._instructions.append((code, [(value, dims) for value in operands]))
        return _Result(len(self._instructions) - 1, dims)

    def _fit(self, dims: tuple[int, ...]) -> None:
        """All instructions of a program are over as many elements."""
        size = math.prod(dims)
        if self._size is None and size:
            self._size = size
        if size != self._size:
            raise NotScripted("it has another size")

    def _laid_out(self, value: Any, dims: tuple[int, ...]) -> tuple[int, int, int, int]:
        """Return how the elements of an operand are found: kind, offset and strides."""
        if type(value) is float:
            return _SINGLE, 0, 0, 0
        if type(value) is _Result:
            if math.prod(value.dims) != self._size:
                raise NotScripted("a result is broadcast")
            return _FLAT, 0, 0, 1
        if type(value) is not _View:
            raise NotScripted("an assembled tensor is read")
        return self._found(value.layout.expand(dims))

    def _found(self, layout: torch.Tensor) -> tuple[int, int, int, int]:
        offset = int(layout.storage_offset())
        axes = _collapsed(layout)
        if not axes:
            return _FLAT if self._size == 1 else _SINGLE, offset, 0, 0
        if len(axes) == 1 and axes[0][1] in (0, 1):
            return (_FLAT, offset, 0, 1) if axes[0][1] else (_SINGLE, offset, 0, 0)
        if len(axes) == 1:
            axes.append((1, 1))  # a column of a matrix
        if len(axes) > 2 or axes[1][1] not in (0, 1):
            raise NotScripted("its elements lie too far apart")
        (rows, row_stride), (columns, column_stride) = axes
        self._divide(rows, columns)
        return _GRID, offset, row_stride, column_stride

    def _divide(self, rows: int, columns: int) -> None:
        """All instructions of a program go over rows of one length."""
        if self._grid is None:
            self._grid = (rows, columns)
        if self._grid != (rows, columns):
            raise NotScripted("its rows have another length")

    # Parts.

    def _joined(self, values: list[Any], axis: int) -> _Assembled:
        shapes = [_dims(value) for value in values]
        axis %= len(shapes[0])
        dims = list(shapes[0])
        dims[axis] = sum(shape[axis] for shape in shapes)
        whole = torch.empty(dims, device="meta")
        parts = whole.split([shape[axis] for shape in shapes], axis)
        pieces = zip(parts, values, strict=True)
        return _Assembled(whole, tuple(self._piece(part, value) for part, value in pieces))

    def _write(self, target: Any, value: Any, values: dict[int, Any]) -> None:
        if type(target) is not _Window or _dims(value) != tuple(target.layout.shape):
            raise NotScripted("it is copied elsewhere")
        whole = values[target.number]
        if whole.pieces:
            raise NotScripted("it is written twice")
        pieces = (self._piece(target.layout, value),)
        for number, other in values.items():
            if other is whole:
                values[number] = _Assembled(whole.layout, pieces)

    def _piece(self, layout: torch.Tensor, value: Any) -> _Piece:
        """Return the piece that a value is in the place of an assembled tensor."""
        if type(value) not in (_View, _Result):
            raise NotScripted("a part is no plain value")
        dims = tuple(layout.shape)
        self._fit(dims)
        if self._laid_out(value, dims)[0] == _SINGLE:
            raise NotScripted("one number is spread")
        kind, offset, row_stride, column_stride = self._found(layout)
        if kind == _SINGLE or not column_stride:
            raise NotScripted("one number is spread")
        columns = self._size if kind == _FLAT else self._grid[1]  # type: ignore[index]
        return _Piece(value, offset, row_stride, columns or 0)

    def _united(self, left: _Assembled, right: _Assembled) -> _Assembled:
        """Return the sum of two tensors whose pieces do not touch each other."""
        pieces = (*left.pieces, *right.pieces)
        spans = sorted((piece.offset, piece.offset + piece.columns) for piece in pieces)
        width = pieces[0].row_stride if pieces else 0
        is_apart = all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
        is_even = all(piece.row_stride == width for piece in pieces)
        if left.layout.shape != right.layout.shape or not (is_apart and is_even and pieces):
            raise NotScripted("parts overlap")
        if spans[-1][1] > width:
            raise NotScripted("parts are no columns")
        return _Assembled(left.layout, pieces)

    def _see(self, call: Call, values: dict[int, Any]) -> None:
        """Add a call that returns views of its first argument."""
        arguments = call.operator._schema.arguments
        alias = arguments[0].alias_info
        if alias is None or alias.is_write or type(call.args[0]) is not Slot:
            raise NotScripted(f"it calls {call.operator}")
        number = call.args[0].number
        value = values[number]
        if type(value) is _Result:
            layout = torch.empty(value.dims, device="meta")
        elif type(value) in (_View, _Assembled):
            layout = value.layout
        else:
            raise NotScripted("a view of a part")
        positional = [layout, *call.args[1:]]
        named = {}
        for place, argument in enumerate(arguments):
            if argument.kwarg_only:
                named[argument.name] = positional[place]
        count = len(positional) - len(named)
        views = call.operator(*positional[:count], **named)
        for target, view in zip(call.results, views if call.is_list else [views], strict=True):
            if type(value) is _View:
                values[target] = _View(value.source, view)
            elif view.shape == layout.shape:
                values[target] = value
            elif type(value) is _Result and view.is_contiguous() and view.numel() == layout.numel():
                values[target] = _Result(value.instruction, tuple(view.shape))
            elif type(value) is _Assembled:
                values[target] = _Window(number, view)
            else:
                raise NotScripted("a view of a result")

    # The program.

    def reads(self, outputs: list[Any]) -> list[Any]:
        """Return the inputs that the program reads to compute outputs: Ref or Read."""
        used = {value for _, operands in self._instructions for value, _ in operands}
        for ref in outputs:
            value = self._values[ref]
            used |= {p.value for p in value.pieces} if type(value) is _Assembled else {value}
        read = {value.source for value in used if type(value) is _View}
        return [source for source in self._sources if source in read]

    def words(self, sources: list[Any], constants: Any, outputs: list[Any]) -> array[int]:
        """Return the program from sources to outputs; its addresses are outputs, then sources.

        `constants` are the contents of sources that never change.
        """
        if self._size is None:
            raise NotScripted("it computes nothing")
        return _Assembler(self, sources, constants, outputs).words()


@functools.lru_cache(maxsize=1024)
def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(torch.broadcast_shapes(*shapes))


def _dims(value: Any) -> tuple[int, ...]:
    return value.dims if type(value) is _Result else tuple(value.layout.shape)


def _collapsed(layout: torch.Tensor) -> list[tuple[int, int]]:
    """Return sizes and strides of a layout, with as few axes as say the same."""
    axes: list[tuple[int, int]] = []
    for size, stride in zip(layout.shape, layout.stride(), strict=True):
        if size == 1:
            continue
        if axes and axes[-1][1] == stride * size:
            axes[-1] = (axes[-1][0] * size, stride)
        else:
            axes.append((size, stride))
    return axes


class _Assembler:
    """Writes the words of a program."""

    def __init__(
        self, program: Elementwise, sources: list[Any], constants: Any, outputs: list[Any]
    ) -> None:
        self._program = program
        self._sources, self._constants = sources, constants
        self._outputs = outputs
        self._grid = program._grid or (1, program._size or 0)
        self._operands: dict[Any, int] = {}
        self._scalars: dict[bytes, int] = {}  # by its bits: -0.0 is not 0.0
        self._places = {source: i for i, source in enumerate(sources)}

    def words(self) -> array[int]:
        """Return the header, the tables and the instructions."""
        program = self._program
        values = [program._values[ref] for ref in self._outputs]
        steps, stores = list(program._instructions), []
        sizes, direct = [], {}
        for place, value in enumerate(values):
            dims = _dims(value)
            covered = math.prod(dims)
            if type(value) is _Assembled:
                stores += [(place, piece) for piece in value.pieces]
                covered = len(value.pieces) * (program._size or 0)
            elif type(value) is _Result and value.instruction not in direct:
                direct[value.instruction] = place
            else:  # a view, or a result once more
                program._fit(dims)
                if type(value) is _View and program._laid_out(value, dims)[0] == _SINGLE:
                    raise NotScripted("one number is spread")
                steps.append((_COPY, [(value, dims)]))
                direct[len(steps) - 1] = place
            sizes.append((math.prod(dims), int(covered != math.prod(dims))))
        return self._words(steps, stores, direct, sizes)

    def _words(self, steps: Any, stores: Any, direct: Any, sizes: Any) -> array[int]:
        instructions, count = self._allocated(steps, stores, direct)
        first_scalar = len(self._operands)
        first_output = first_scalar + len(self._scalars)
        first_register = first_output + len(sizes)
        if first_register + count > _MOST_VALUES:
            raise NotScripted("it has too many values")
        starts = {"operand": 0, "scalar": first_scalar, "output": first_output}
        starts["register"] = first_register

        def number(value: Any) -> int:
            return int(starts[value[0]] + value[1])

        addresses = len(sizes) + len(self._sources)
        head = [*self._grid, addresses, len(self._operands), len(self._scalars), len(sizes)]
        words = array("i", [*head, count, len(instructions)])
        for operand in self._operands:
            words.extend(operand)
        words.frombytes(b"".join(self._scalars))
        for size in sizes:
            words.extend(size)
        for code, target, read, more in instructions:
            place = target if code == _STORE else number(target)
            sources = [number(value) for value in read]
            # An instruction of one source names it twice; those that store have two numbers more.
            words.extend([code, place, *([*sources, *more] if more else [*(sources * 2)[:2], 0])])
        return words

    def _allocated(self, steps: Any, stores: Any, direct: Any) -> Any:
        """Return instructions on numbered values: those of registers that are free again serve."""
        last: dict[int, int] = {}
        for place, (_, operands) in enumerate(steps):
            for value, _ in operands:
                if type(value) is _Result:
                    last[value.instruction] = place
        for _, piece in stores:
            if type(piece.value) is _Result:
                last[piece.value.instruction] = len(steps)
        where: dict[int, tuple[str, int]] = {}
        free: list[int] = []
        count = 0
        written: list[tuple[int, Any, list[tuple[str, int]], Any]] = []
        for place, (code, operands) in enumerate(steps):
            read = [self._read(value, dims, where) for value, dims in operands]
            done = {v.instruction for v, _ in operands if type(v) is _Result}
            free += [where[k][1] for k in done if last[k] == place and where[k][0] == "register"]
            if place in direct:
                where[place] = ("output", direct[place])
            else:
                if not free:
                    free.append(count)
                    count += 1
                where[place] = ("register", free.pop())
                if place not in last:  # nobody reads it
                    free.append(where[place][1])
            written.append((code, where[place], read, None))
        for output, piece in stores:
            value = self._read(piece.value, _dims(piece.value), where)
            stride = piece.row_stride or self._grid[1]
            written.append((_STORE, output, [value], (piece.offset, stride)))
        return written, count

    def _read(self, value: Any, dims: tuple[int, ...], where: Any) -> tuple[str, int]:
        if type(value) is _Result:
            found: tuple[str, int] = where[value.instruction]
            return found
        if type(value) is float:
            return self._scalar(value)
        kind, offset, row_stride, column_stride = self._program._laid_out(value, dims)
        place = self._places[value.source]
        fixed = self._constants.get(value.source)
        if fixed is not None and kind == _SINGLE:
            return self._scalar(float(fixed.reshape(-1)[offset]))
        operand = (len(self._outputs) + place, kind, offset, row_stride, column_stride)
        return "operand", self._operands.setdefault(operand, len(self._operands))

    def _scalar(self, number: float) -> tuple[str, int]:
        bits = array("f", [number]).tobytes()
        return "scalar", self._scalars.setdefault(bits, len(self._scalars))
