"""Datasets made of several others: zipped, one after the other, by choice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from absl import logging

from placewise.core.errors import FailedPreconditionError, OpError, invalid
from placewise.data.engine.source import (
    INFINITE,
    UNKNOWN,
    Element,
    Failure,
    Source,
    Unary,
    dataset_op,
    first_failure,
)


@dataset_op("ZipDataset(input_datasets: N*variant")
class Zip(Source):
    """The elements of several datasets, side by side, as long as all have some."""

    def __init__(self, structure: Any, sources: list[Source]) -> None:
        super().__init__(structure)
        self.inputs = tuple(sources)

    def iterate(self) -> Iterator[Element]:
        """Return the elements side by side.

        In the round where one ends the others are asked as well: a cache learns only by that that
        it is complete.
        """
        iterators = [source.iterate() for source in self.inputs]
        for parts in zip_longest(*iterators):
            if None in parts:
                return
            yield first_failure(parts) or tuple([leaf for part in parts for leaf in part])

    def count(self) -> int:
        """Return the least of all."""
        counts = [each.count() for each in self.inputs]
        if UNKNOWN in counts:
            return UNKNOWN
        finite = [count for count in counts if count >= 0]
        return min(finite) if finite else INFINITE


@dataset_op("ConcatenateDataset(input_dataset: variant, another_dataset: variant")
class Concatenate(Source):
    """The elements of one dataset, then those of another."""

    def __init__(self, structure: Any, first: Source, second: Source) -> None:
        super().__init__(structure)
        self.inputs = (first, second)

    def iterate(self) -> Iterator[Element]:
        """Return the elements of both."""
        for each in self.inputs:
            yield from each.iterate()

    def count(self) -> int:
        """Return the sum."""
        counts = [each.count() for each in self.inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)


@dataset_op(
    "DirectedInterleaveDataset(selector_input_dataset: variant, data_input_datasets: N*variant;"
    " stop_on_empty_dataset: bool = False"
)
class DirectedInterleave(Source):
    """Elements of several datasets, in the order a further one says."""

    def __init__(
        self,
        structure: Any,
        selector: Source,
        sources: list[Source],
        *,
        stop_on_empty_dataset: bool,
    ) -> None:
        super().__init__(structure)
        self.inputs = (selector, *sources)
        self._stops = stop_on_empty_dataset

    def iterate(self) -> Iterator[Element]:
        """Return elements as chosen; a choice of a dataset that has ended is passed over."""
        iterators: list[Any] = [each.iterate() for each in self.inputs[1:]]
        left = len(iterators)
        for element in self.inputs[0].iterate():
            if element.__class__ is Failure:
                yield element
                continue
            number = int(element[0])
            if not 0 <= number < len(iterators):
                raise invalid(f"Selector index out of range: {number} >= {len(iterators)}")
            if iterators[number] is None:
                continue
            for element in iterators[number]:
                yield element
                break
            else:
                if self._stops:
                    return
                iterators[number] = None
                left -= 1
                if not left:
                    return

    def count(self) -> int:
        """Return what can be told without running: endless or unknown."""
        counts = [each.count() for each in self.inputs[1:]]
        return INFINITE if INFINITE in counts else UNKNOWN


@dataset_op("OptionsDataset(input_dataset: variant; serialized_options: string = ''")
class WithOptions(Unary):
    """The same elements: options change how, not what."""

    is_transparent = True

    def __init__(self, structure: Any, source: Source, *, serialized_options: Any) -> None:
        super().__init__(structure, source)
        self.rows = source.rows

    def iterate(self) -> Iterator[Element]:
        """Return the elements."""
        return self.source.iterate()

    def numbers(self) -> Iterator[int]:
        """Return the row numbers."""
        return self.source.numbers()


@dataset_op(
    "AssertCardinalityDataset(input_dataset: variant, cardinality: int64", host=("cardinality",)
)
class AssertCardinality(Unary):
    """The same elements; fails if there are not as many as was said."""

    def __init__(self, structure: Any, source: Source, cardinality: int) -> None:
        super().__init__(structure, source)
        self._cardinality = cardinality

    def iterate(self) -> Iterator[Element]:
        """Return the elements, and count them."""
        seen, wanted = 0, self._cardinality
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
                continue
            seen += 1
            if wanted >= 0 and seen > wanted:
                raise self._wrong(f"at least {_elements(seen)}")
            yield element
        if wanted == INFINITE or (wanted >= 0 and seen < wanted):
            raise self._wrong(_elements(seen))

    def _wrong(self, found: str) -> Exception:
        wanted = (
            "an infinite number of elements"
            if self._cardinality == INFINITE
            else _elements(self._cardinality)
        )
        return FailedPreconditionError(
            None, None, f"Input dataset was expected to contain {wanted} but contained {found}."
        )

    def count(self) -> int:
        """Return what was said."""
        return self._cardinality


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


@dataset_op("IgnoreErrorsDataset(input_dataset: variant; log_warning: bool = False")
class IgnoreErrors(Unary):
    """The elements that can be had; those whose making fails are left out."""

    def __init__(self, structure: Any, source: Source, *, log_warning: bool) -> None:
        super().__init__(structure, source)
        self._log_warning = log_warning

    def iterate(self) -> Iterator[Element]:
        """Return the elements; after a failure the input goes on with the next."""
        elements = self.source.iterate()
        while True:
            try:
                element = next(elements)
            except StopIteration:
                return
            except OpError as error:
                element = Failure.of(error)
            if element.__class__ is not Failure:
                yield element
            elif self._log_warning:
                logging.warning("Error raised with error message %s", element.error)

    def count(self) -> int:
        """Return -2: unknown."""
        return UNKNOWN
