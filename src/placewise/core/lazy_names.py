"""Names that a module gives without importing where they come from before they are used.

Files of one folder may need each other in circles: a graph makes its recorder, a recorder belongs
to a graph. Each folder with such circles has one `lazy.py`, a table of the names that are used
against the direction of its imports; everything else is imported at the top of a file.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(module: str, table: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module `a.b.lazy`, which imports a name on first use.

    `table` has for each module below `a.b` the names it gives, as `name` or `own_name=name_there`;
    the names of the entry "" are such modules themselves.
    """
    package = module.rpartition(".")[0]
    sources = {
        entry.partition("=")[0]: (f"{package}.{source}", entry.rpartition("=")[2])
        for source, entries in table.items()
        for entry in entries.split()
    }

    def __getattr__(name: str) -> Any:  # noqa: N807 - the module protocol's own name
        try:
            source, name_there = sources[name]
        except KeyError:
            raise AttributeError(f"{name} is not in the table of {module}", name=name) from None
        if source.endswith("."):
            value: Any = importlib.import_module(source + name_there)
        else:
            value = getattr(importlib.import_module(source), name_there)
        setattr(sys.modules[module], name, value)  # the next use does not come here
        return value

    return __getattr__
