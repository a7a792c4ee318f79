"""slim.data_decoder: what turns a record into the tensors of items."""

from __future__ import annotations

from typing import Any


class DataDecoder:
    """Turns a record into items: override `decode` and `list_items`."""

    def decode(self, data: Any, items: Any) -> list[Any]:
        """Return the tensors of these items of a record."""
        raise NotImplementedError

    def list_items(self) -> list[str]:
        """Return the names of the items."""
        raise NotImplementedError
