"""Names of operations: valid, unique ignoring case, under the scope in force."""

from __future__ import annotations

import functools
import re

VALID = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


class Names:
    """The names a graph has given out."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, name: str, mark: bool = True) -> str:
        """Return `name`, with _1, _2, … when it is taken."""
        key = name.lower()
        number = self._taken.get(key, 0)
        if mark:
            self._taken[key] = number + 1
        if not number:
            return name
        numbered = f"{key}_{number}"
        while numbered in self._taken:
            number += 1
            numbered = f"{key}_{number}"
        if mark:
            self._taken[key] = number + 1
            self._taken[numbered] = 1
        return numbered if key == name else f"{name}_{number}"


@functools.lru_cache(maxsize=1024)
def checked(name: str) -> str:
    """Return a node name, or raise ValueError if it is not one."""
    if not VALID.match(name):
        raise ValueError(f"'{name}' is not a valid node name")
    return name
