"""`tensorflow.python.util.all_util`: which names of a module are public."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_REFERENCE = re.compile(r"@@([a-zA-Z0-9_]+)")


def make_all(module_name: str, doc_string_modules: Sequence[Any] | None = None) -> list[str]:
    """Return the names that docstrings list as `@@name`, of what a module has."""
    modules = [sys.modules[module_name]] if doc_string_modules is None else doc_string_modules
    have = set(dir(sys.modules[module_name]))
    listed = {name for module in modules for name in _REFERENCE.findall(module.__doc__ or "")}
    return sorted(name for name in listed if name in have)


def reveal_undocumented(symbol_name: str, target_module: Any = None) -> None:
    """Do nothing to a name that is there; AttributeError for one that is not."""
    module, _, name = symbol_name.rpartition(".")
    getattr(target_module or sys.modules[module], name)


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[Any] | None = None,
) -> None:
    """Take all names out of a module that its docstrings do not list; modules and `_x` stay."""
    allowed = set(allowed_exception_list or ()) | set(make_all(module_name, doc_string_modules))
    module = sys.modules[module_name]
    for name in dir(module):
        if name.startswith("_") or name in allowed or isinstance(getattr(module, name), ModuleType):
            continue
        delattr(module, name)
