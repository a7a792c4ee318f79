"""Unicode properties as classes of characters: general categories and scripts."""

from __future__ import annotations

import sys
import unicodedata
from functools import lru_cache

from placewise.ops.strings.scripts import NAMES, script_runs


@lru_cache(maxsize=64)
def property_class(name: str) -> str | None:
    """Return the inside of a regular expression's class for a category or script; None: unknown."""
    if name == "Any":
        return "\\U00000000-\\U0010ffff"
    if name in NAMES:
        wanted = NAMES[name]
        runs = [(start, end) for start, end, script in script_runs() if script == wanted]
    else:
        runs = _category_runs(name)
    if not runs:
        return None
    return "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in runs)


def _category_runs(name: str) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    start = None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(name)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            runs.append((start, code - 1))
            start = None
    return runs
