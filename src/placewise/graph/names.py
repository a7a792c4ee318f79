"""Names of operations: valid, unique ignoring case, under the scope in force."""

from __future__ import annotations

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
        while f"{key}_{number}" in self._taken:
            number += 1
        if mark:
            self._taken[key] = number + 1
            self._taken[f"{key}_{number}"] = 1
        return f"{name}_{number}"


def checked(name: str) -> str:
    """Return a node name, or raise ValueError if it is not one."""
    if not VALID.match(name):
        raise ValueError(f"'{name}' is not a valid node name")
    return name
