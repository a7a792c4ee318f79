"""slim.data_provider: items of data by name, as tensors."""

from __future__ import annotations

from typing import Any


class DataProvider:
    """Gives the tensors of items."""

    def __init__(self, items_to_tensors: dict[str, Any], num_samples: int | None) -> None:
        self._items_to_tensors, self._num_samples = items_to_tensors, num_samples

    def get(self, items: Any) -> list[Any]:
        """Return the tensors of these items."""
        self._check(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Any:
        """Return the names of all items."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> int | None:
        """Return how many cases there are."""
        return self._num_samples

    def _check(self, items: Any) -> None:
        known = self.list_items()
        for item in items:
            if item not in known:
                raise ValueError(f"Item [{item}] not known: there are {sorted(known)}")
