"""Texts that occur often, each kept once and named by its number."""

from __future__ import annotations


class TextTable:
    """Numbers texts in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> list[str]:
        """All texts, by number."""
        return list(self._numbers)

    def number(self, text: str) -> int:
        """Return the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))
