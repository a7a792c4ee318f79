"""A parser in which an option may go without its value: `--watch` and `--watch=60`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


class Parser(argparse.ArgumentParser):
    """Options in `implied` have that value when nothing but their name is written.

    argparse's own optional values take the next word, which is the program.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.implied: dict[str, str] = {}
        super().__init__(*args, **kwargs)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words of which some options lack their values."""
        if self.implied and args is not None:
            args = self._with_values(args)
        return super().parse_known_args(args, namespace)

    def _with_values(self, words: Sequence[str]) -> list[str]:
        """Return the words with implied values, up to the program: the rest is the program's."""
        flags = {
            name for action in self._actions if action.nargs == 0 for name in action.option_strings
        }
        result = list(words)
        place = 0
        while place < len(result) and result[place].startswith("--"):
            word = result[place]
            if word in self.implied:
                result[place] = f"{word}={self.implied[word]}"
            elif "=" not in word and word not in flags:
                place += 1  # its value
            place += 1
            while place < len(result) and result[place] in flags:
                place += 1  # -v
        return result
