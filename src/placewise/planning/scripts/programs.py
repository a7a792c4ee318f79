"""Steps as a program of the native module (`native/programs.c`): parts, one after the other.

TorchScript's interpreter still has torch allocate a tensor for every operator. Values between the
parts of a program are never tensors: elementwise operators (`elementwise.py`), products of matrices
and sums of rows (`matrices.py`) write into memory that is freed at the end.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from placewise import native
from placewise.planning.scripts import matrices
from placewise.planning.scripts.elementwise import Elementwise, Place
from placewise.planning.scripts.matrices import Rows
from placewise.planning.scripts.recording import NotScripted, Recorded

_ELEMENTWISE = 0  # in C's `enum`
_MOST_ADDRESSES = 4000  # C has room for a few more
_MOST_ROOM = 1 << 22  # numbers between parts
_ALIGNED = 16  # numbers


@dataclass
class Program:
    """A program that grows step by step. `dims` returns the dimensions of a float32 tensor."""

    dims: Callable[[Any], tuple[int, ...]]
    parts: list[Elementwise | Rows] = field(default_factory=list)
    _views: dict[Any, Place] = field(default_factory=dict)  # those of steps of the program
    _own: set[Any] = field(default_factory=set)  # what parts compute
    _made: list[list[Any]] = field(default_factory=list)  # the same, of each part

    @property
    def is_exact(self) -> bool:
        """Whether the results equal torch's to the bit."""
        return all(part.is_exact for part in self.parts if isinstance(part, Elementwise))

    def cost(self, inputs: int, outputs: int) -> float:
        """Return about how many microseconds a call takes, without what torch computes as well."""
        elementwise = [part for part in self.parts if isinstance(part, Elementwise)]
        curves = sum(part.curves() for part in elementwise)
        count = sum(map(len, elementwise))
        return 3 + 0.5 * inputs + 1.5 * outputs + 0.2 * len(self.parts) + 0.1 * count - curves

    def takes(self, recorded: Recorded, items: list[Any], outputs: list[Any]) -> bool:
        """Add a step, unless it is none of a program."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Elementwise) and last.takes(recorded, items, outputs, self._origin):
            self._note(last, outputs)
            return True
        part = Elementwise()
        if part.takes(recorded, items, outputs, self._origin):
            self._add(part)
            self._note(part, outputs)
            return True
        try:
            rows = matrices.taken(recorded, items, outputs, self._origin)
        except (NotScripted, RuntimeError):
            return False
        self._add(rows)
        self._made[-1].append(rows.ref)
        self._own.add(rows.ref)
        return True

    def _add(self, part: Elementwise | Rows) -> None:
        self.parts.append(part)
        self._made.append([])

    def _note(self, part: Elementwise, outputs: list[Any]) -> None:
        for ref in outputs:
            view = part.view(ref)
            if view is not None:
                self._views[ref] = view
            else:
                self._own.add(ref)
                self._made[-1].append(ref)

    def _origin(self, item: Any) -> Place:
        if item in self._views:
            return self._views[item]
        return item, torch.empty(self.dims(item), device="meta")

    def is_outside(self, ref: Any) -> bool:
        """Return whether a value of a step is a view of what no step of the program computes."""
        return ref in self._views and self._views[ref][0] not in self._own

    def linked(self, outputs: list[Any]) -> Linked:
        """Return the parts that outputs need."""
        parts = list(zip(self.parts, self._made, strict=True))
        for ref in outputs:
            if ref in self._views:
                copy = Elementwise()
                copy.copies(ref, self._origin)
                parts.append((copy, [ref]))
        needed = set(outputs)
        kept: list[tuple[Elementwise | Rows, list[Any], list[Any]]] = []
        for part, made in reversed(parts):
            written = [ref for ref in made if ref in needed]
            if not written:
                continue
            read = part.reads(written) if isinstance(part, Elementwise) else list(part.reads)
            needed.update(read)
            kept.append((part, written, read))
        return Linked(self, kept[::-1], outputs)


@dataclass
class Linked:
    """The parts of a program, each with what it writes and reads of other parts."""

    program: Program
    parts: list[tuple[Elementwise | Rows, list[Any], list[Any]]]
    outputs: list[Any]

    def reads(self) -> list[Any]:
        """Return what comes from outside: Ref or Read."""
        own = {ref for _, written, _ in self.parts for ref in written}
        read = (item for _, _, items in self.parts for item in items)
        return list(dict.fromkeys(item for item in read if item not in own))

    def function(self, inputs: list[Any], constants: dict[Any, torch.Tensor]) -> Callable[..., Any]:
        """Return the function from inputs to outputs: a tensor, or a tuple of several."""
        fixed = {item: tensor.contiguous() for item, tensor in constants.items()}
        passed = [*self.outputs, *inputs, *fixed]
        numbers = {item: number for number, item in enumerate(passed)}
        begins, room = self._between(numbers)
        words = array("i", [len(passed), len(begins), room, 0, *begins])
        for part, written, read in self.parts:
            if isinstance(part, Elementwise):
                addresses = [numbers[item] for item in (*written, *read)]
                own = array("i", [len(addresses), *addresses])
                own += part.words(read, fixed, written)
                words.extend([_ELEMENTWISE, len(own)])
                words += own
                words[3] += 1
            else:
                before = len(words)
                words += matrices.written(part, numbers.__getitem__)
                while before < len(words):
                    before += 2 + words[before + 1]
                    words[3] += 1
        return self._caller(words.tobytes(), inputs, list(fixed.values()))

    def _between(self, numbers: dict[Any, int]) -> tuple[list[int], int]:
        """Number what is between parts; return where each value begins, and how much there is."""
        last = {item: place for place, (_, _, read) in enumerate(self.parts) for item in read}
        free: dict[int, list[int]] = {}
        begins: list[int] = []
        room, count = 0, len(numbers)
        where: dict[Any, tuple[int, int]] = {}
        for place, (_, written, read) in enumerate(self.parts):
            for ref in written:
                if ref in numbers:
                    continue
                size = -(-math.prod(self.program.dims(ref)) // _ALIGNED) * _ALIGNED
                if not free.get(size):
                    free.setdefault(size, []).append(room)
                    room += size
                where[ref] = size, free[size].pop()
                numbers[ref] = count + len(begins)
                begins.append(where[ref][1])
            for item in read:
                if item in where and last[item] == place:
                    size, begin = where.pop(item)
                    free[size].append(begin)
        if count + len(begins) > _MOST_ADDRESSES or room > _MOST_ROOM:
            raise NotScripted("it has too many values")
        return begins, room

    def _caller(
        self, words: bytes, inputs: list[Any], fixed: list[torch.Tensor]
    ) -> Callable[..., Any]:
        """Return the function, written as Python: a loop over few tensors would cost more."""
        names = [f"x{i}" for i in range(len(inputs))]
        results = [f"y{i}" for i in range(len(self.outputs))]
        # C reads as many numbers as the graph says, in order. A tensor may be of another shape:
        # `set_shape` takes any, and `assign` without `validate_shape` gives variables others. The
        # lines of the plan, which run instead, hold for every shape.
        tests = [f"if {name}.shape != {name}_dims: raise Changed" for name in names]
        tests += [f"if not {name}.is_contiguous(): {name} = {name}.contiguous()" for name in names]
        makes = [f"{name} = empty_like(like{i})" for i, name in enumerate(results)]
        addresses = [f"{name}.data_ptr()" for name in (*results, *names)]
        addresses += [str(tensor.data_ptr()) for tensor in fixed]
        # A thread of Python begins with as many threads of the BLAS as there are cores; torch's
        # own calls set that right at the first one.
        starts = ["get_num_threads()"] if any(isinstance(p, Rows) for p, _, _ in self.parts) else []
        lines = [f"def call({', '.join(names)}):", *tests, *starts, *makes]
        lines += [f"run(words, {', '.join(addresses)})", f"return {', '.join(results)}"]
        space: dict[str, Any] = {
            "Changed": NotScripted,
            "run": native.code.run_program,
            "words": words,
            "get_num_threads": torch.get_num_threads,
            "empty_like": torch.empty_like,  # quicker than to read dimensions and a dtype
            "fixed": fixed,  # alive as long as their addresses are used
        }
        dims = self.program.dims
        space |= {f"{n}_dims": torch.Size(dims(i)) for n, i in zip(names, inputs, strict=True)}
        # One number in place of all: only its dimensions are read.
        space |= {
            f"like{i}": torch.zeros(1).expand(dims(ref)) for i, ref in enumerate(self.outputs)
        }
        exec("\n    ".join(lines), space)
        function: Callable[..., Any] = space.pop("call")
        return function
