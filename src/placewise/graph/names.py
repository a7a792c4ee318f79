"""Names of operations: valid, unique ignoring case, under the scope in force."""

from __future__ import annotations

import functools
import re

from placewise.core.errors import hint

_DIGITS = frozenset("0123456789")
VALID = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


class Names:
    """The names a graph has given out.

    For each name asked for, how many it led to: 3 are `x`, `x_1` and `x_2`.
    """

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, name: str, mark: bool = True) -> str:
        """Return `name`, with _1, _2, … when it is taken."""
        key = name.lower()
        taken = self._taken
        number = taken.get(key)
        if number is None:
            if not self._is_numbered(key):
                if mark:
                    taken[key] = 1
                return name
            number = 1
        while f"{key}_{number}" in taken:
            number += 1
        if mark:
            taken[key] = number + 1
        return f"{name}_{number}"

    def _is_numbered(self, key: str) -> bool:
        """Return True if a name was given to someone who asked for it without its number."""
        if key[-1:] not in _DIGITS:
            return False
        asked, _, number = key.rpartition("_")
        if not (number.isascii() and number.isdigit()) or number[0] == "0":
            return False
        return int(number) < self._taken.get(asked, 0)

    def forget(self, name: str) -> None:
        """Let a name be given out again."""
        self._taken.pop(name.lower(), None)


@functools.lru_cache(maxsize=1024)
def checked(name: str) -> str:
    """Return a node name, or raise ValueError if it is not one."""
    if not VALID.match(name):
        raise ValueError(
            hint(
                f"'{name}' is not a valid node name",
                "names have letters, digits and _ . - / and begin with a letter, digit or dot: "
                "model/layer_1",
            )
        )
    return name
