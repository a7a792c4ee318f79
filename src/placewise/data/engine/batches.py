"""Datasets whose elements are several of another, or parts of one: batches and their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import DataLossError, OpError, invalid
from placewise.data.engine import components
from placewise.data.engine.source import (
    UNKNOWN,
    Element,
    Failure,
    Source,
    Unary,
    dataset_op,
    first_failure,
)
from placewise.ops.values import TORCH, Variant


def _batches(count: int, size: int, drop: bool) -> int:
    if count < 0:
        return count
    return count // size if drop else -(-count // size)


@dataset_op(
    "BatchDatasetV2(input_dataset: variant, batch_size: int64, drop_remainder: bool;"
    " parallel_copy: bool = False",
    host=("batch_size", "drop_remainder"),
)
class Batch(Unary):
    """Consecutive elements, stacked."""

    def __init__(
        self, structure: Any, source: Source, size: int, drop: bool, *, parallel_copy: bool = False
    ) -> None:
        super().__init__(structure, source)
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        self._size, self._drop = size, drop

    def iterate(self) -> Iterator[Element]:
        """Return the batches; a failure takes the elements beside it with it."""
        size, drop = self._size, self._drop
        rows = self.source.rows
        items: Iterator[Any] = self.source.iterate() if rows is None else self.source.numbers()
        gathered: Any = self.source.structure.stack if rows is None else rows.batch

        def following() -> Element | None:
            some = list(islice(items, size))
            if rows is None and (failure := first_failure(some)):
                return failure
            try:
                return gathered(some) if some and (len(some) == size or not drop) else None
            except OpError as error:
                return Failure.of(error)

        return iter(following, None)

    def count(self) -> int:
        """Return how many batches there are."""
        return _batches(self.source.count(), self._size, self._drop)


@dataset_op(
    "PaddedBatchDatasetV2(input_dataset: variant, batch_size: int64, padded_shapes: N*int64,"
    " padding_values: [Toutput_types], drop_remainder: bool",
    host=("batch_size", "padded_shapes", "drop_remainder"),
)
class PaddedBatch(Unary):
    """Consecutive elements, padded to one shape and stacked."""

    def __init__(
        self,
        structure: Any,
        source: Source,
        size: int,
        shapes: list[Any],
        values: list[Any],
        drop: bool,
    ) -> None:
        super().__init__(structure, source)
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        self._size, self._drop = size, drop
        self._shapes = [tuple(int(d) for d in shape) for shape in shapes]
        self._fillers = [value.item() if hasattr(value, "item") else value for value in values]

    def iterate(self) -> Iterator[Element]:
        """Return the batches."""
        some: list[Element] = []
        for element in self.source.iterate():
            if element.__class__ is Failure:
                some = []
                yield element
                continue
            some.append(element)
            if len(some) == self._size:
                yield self._padded(some)
                some = []
        if some and not self._drop:
            yield self._padded(some)

    def _padded(self, elements: list[Element]) -> Element:
        columns = zip(zip(*elements, strict=True), self._shapes, self._fillers, strict=True)
        try:
            return tuple(
                components.padded(list(column), shape, filler, index)
                for index, (column, shape, filler) in enumerate(columns)
            )
        except OpError as error:
            return Failure.of(error)

    def count(self) -> int:
        """Return how many batches there are."""
        return _batches(self.source.count(), self._size, self._drop)


@dataset_op("UnbatchDataset(input_dataset: variant")
class Unbatch(Unary):
    """The rows of each element."""

    def iterate(self) -> Iterator[Element]:
        """Return the rows."""
        whole = self.source.structure
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
                continue
            counts = {
                count
                for leaf, kind in zip(element, whole.kinds, strict=True)
                if (count := components.rows_of(leaf, kind)) >= 0
            }
            if len(counts) > 1:
                yield Failure.of(
                    invalid("Input element must have the same batch size in each component.")
                )
                continue
            for index in range(max(counts, default=0)):
                yield whole.row(element, index)

    def count(self) -> int:
        """Return -2 unless nothing, or everything for ever, is read; or batches are all equal."""
        given = self.source.count()
        if given <= 0 and given != UNKNOWN:
            return given
        whole = self.source.structure
        known = not {"sparse", "none"} & set(whole.kinds)
        sizes = {spec.shape[0] for spec in whole.leaves if known and spec.shape.rank}
        if given > 0 and len(sizes) == 1 and (size := sizes.pop()) is not None:
            return given * int(size)
        return UNKNOWN


@dataset_op(
    "RebatchDatasetV2(input_dataset: variant, batch_sizes: int64, drop_remainder: bool",
    host=("batch_sizes", "drop_remainder"),
)
class Rebatch(Unary):
    """The rows of all elements, in batches of other sizes, which take turns."""

    def __init__(self, structure: Any, source: Source, sizes: Any, drop: bool) -> None:
        super().__init__(structure, source)
        self._sizes = [int(each) for each in (sizes if hasattr(sizes, "__len__") else [sizes])]
        self._drop = drop

    def iterate(self) -> Iterator[Element]:
        """Return the batches."""
        whole = self.source.structure
        held: list[Element] = []
        turn = 0
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
                continue
            for index in range(whole.rows(element)):
                while self._sizes[turn] == 0:
                    yield self._empty()
                    turn = (turn + 1) % len(self._sizes)
                held.append(whole.row(element, index))
                if len(held) == self._sizes[turn]:
                    yield self._stacked(held)
                    held = []
                    turn = (turn + 1) % len(self._sizes)
        if held:
            if not self._drop:
                yield self._stacked(held)
            return
        while self._sizes[turn] == 0:  # as in TensorFlow, where only zeros never end
            yield self._empty()
            turn = (turn + 1) % len(self._sizes)

    def _empty(self) -> Element:
        """Return a batch of no rows."""
        made = []
        for spec, kind in zip(self.structure.leaves, self.structure.kinds, strict=True):
            if kind != "plain":
                raise invalid(
                    "`rebatch` cannot make a batch of no rows of ragged or sparse tensors."
                )
            dims = [0, *[size or 0 for size in spec.shape.as_list()[1:]]]
            text = spec.dtype is dtypes.string
            made.append(
                np.empty(dims, object) if text else torch.zeros(dims, dtype=TORCH[spec.dtype])
            )
        return tuple(made)

    def _stacked(self, rows: list[Element]) -> Element:
        batch: Element = self.source.structure.stack(rows)
        return batch

    def count(self) -> int:
        """Return -2: unknown."""
        return UNKNOWN


@dataset_op(
    "DenseToSparseBatchDataset(input_dataset: variant, batch_size: int64, row_shape: int64",
    host=("batch_size", "row_shape"),
)
class SparseBatch(Unary):
    """Consecutive tensors of maybe different sizes, as one sparse tensor."""

    def __init__(self, structure: Any, source: Source, size: int, row_shape: Any) -> None:
        super().__init__(structure, source)
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        self._size = size
        self._row_shape = [int(d) for d in row_shape]

    def iterate(self) -> Iterator[Element]:
        """Return the batches."""
        elements = self.source.iterate()
        while some := list(islice(elements, self._size)):
            try:
                yield first_failure(some) or (self._batch([leaf for (leaf,) in some]),)
            except OpError as error:
                yield Failure.of(error)

    def _batch(self, column: list[Any]) -> Any:
        dims = list(self._row_shape)
        for element in column:
            self._check(components.shape_of(element))
        for axis, wanted in enumerate(dims):
            longest = max(components.shape_of(each)[axis] for each in column)
            if wanted == -1:
                dims[axis] = longest
        places, values = [], []
        for row, each in enumerate(column):
            shape = components.shape_of(each)
            inner = torch.cartesian_prod(*[torch.arange(d) for d in shape]).reshape(-1, len(shape))
            lead = torch.full((len(inner), 1), row)
            places.append(torch.cat([lead, inner], 1))
            values.append(each.reshape(-1))
        whole = torch.tensor([len(column), *dims], dtype=torch.int64)
        return (torch.cat(places), components.concatenated(values), whole)

    def _check(self, shape: Sequence[int]) -> None:
        element, row = _bracketed(shape), _bracketed(self._row_shape)
        if len(shape) != len(self._row_shape):
            raise invalid(
                f"Input element had shape ({element}) that is incompatible with the row shape "
                f"({row})."
            )
        if any(-1 != most < length for length, most in zip(shape, self._row_shape, strict=True)):
            raise DataLossError(
                None,
                None,
                f"Input element had shape ({element}) that is larger than the row shape ({row}).",
            )

    def count(self) -> int:
        """Return how many batches there are."""
        return _batches(self.source.count(), self._size, False)


def _bracketed(shape: Sequence[int]) -> str:
    return f"[{','.join('?' if length == -1 else str(length) for length in shape)}]"


class Window(Source):
    """Elements that are there already: what `window` and `group_by_window` hand out."""

    def __init__(self, structure: Any, elements: list[Element]) -> None:
        super().__init__(structure)
        self._elements = elements

    def iterate(self) -> Iterator[Element]:
        """Return them."""
        return iter(self._elements)

    def count(self) -> int:
        """Return how many there are."""
        return len(self._elements)


@dataset_op(
    "WindowDataset(input_dataset: variant, size: int64, shift: int64, stride: int64,"
    " drop_remainder: bool",
    host=("size", "shift", "stride", "drop_remainder"),
)
class Windows(Unary):
    """Datasets of `size` elements each, which begin `shift` apart and take every stride-th."""

    def __init__(
        self, structure: Any, source: Source, size: int, shift: int, stride: int, drop: bool
    ) -> None:
        super().__init__(structure, source)
        for value, what in ((size, "size"), (shift, "shift"), (stride, "stride")):
            if value <= 0:
                raise invalid(f"Window {what} must be greater than zero.")
        self._size, self._shift, self._stride, self._drop = size, shift, stride, drop

    def iterate(self) -> Iterator[Element]:
        """Return the windows."""
        span = (self._size - 1) * self._stride + 1
        inner = [type(self.source.structure)(leaf) for leaf in self.source.structure.leaves]
        elements = self.source.iterate()
        held: list[Any] = []
        while True:
            if len(held) < span:
                held += islice(elements, span - len(held))
            if not held or (self._drop and len(held) < span):
                return
            chosen = held[: span : self._stride]
            if failure := first_failure(chosen):  # only of elements that are in the window
                yield failure
            else:
                yield tuple(
                    Variant(Window(structure, [(leaf,) for leaf in column]))
                    for structure, column in zip(inner, zip(*chosen, strict=True), strict=True)
                )
            if self._shift >= len(held):
                for _ in islice(elements, self._shift - len(held)):
                    pass
                held = []
            else:
                held = held[self._shift :]

    def count(self) -> int:
        """Return how many windows there are."""
        given = self.source.count()
        if given < 0:
            return given
        if self._drop:
            span = (self._size - 1) * self._stride + 1
            return max(0, (given - span) // self._shift + 1)
        return -(-given // self._shift)
