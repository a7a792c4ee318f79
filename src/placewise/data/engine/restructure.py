"""A dataset seen with another structure: its contents are the same, what they are called is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from placewise.data.engine.source import Element, Failure, Source, Unary, dataset_op


@dataset_op("_ViewDataset(input_dataset: variant")
class View(Unary):
    """Tensors as ragged tensors without partitions, and the like."""

    def __init__(self, structure: Any, source: Source) -> None:
        super().__init__(structure, source)

    def iterate(self) -> Iterator[Element]:
        """Return the elements in the other structure."""
        made, given = self.structure, self.source.structure
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
            else:
                yield made.element(given.contents(element))
