"""Loops that Python is too slow for, in C: `code` is the extension module, or None.

It is None where no compiler was there at installation, where the binary is of other sources than
those beside it, or where `PLACEWISE_NATIVE=0` says so. Every caller has an implementation in Python
as well, which gives the same results and is the one to read:

    if native.code is not None:
        native.code.hash_buckets(...)

Callers ask at every call, so that tests can take either way.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from placewise.core import environment
from placewise.native.sources import fingerprint

__all__ = ["code", "fingerprint", "load", "state"]

if TYPE_CHECKING:
    from types import ModuleType


def load() -> tuple[ModuleType | None, str]:
    """Return the extension module or None, and which of these and why."""
    if environment.read("PLACEWISE_NATIVE") == "0":
        return None, "off by PLACEWISE_NATIVE=0"
    try:
        from placewise import _native as module  # noqa: PLC0415 - may be missing
    except ImportError as error:
        return None, f"not built ({error})"
    if getattr(module, "FINGERPRINT", None) != fingerprint(Path(__file__).parent):
        return None, "built of other sources: install placewise again"
    return module, "built"


if TYPE_CHECKING:
    from placewise import _native as code

    state: str
else:
    code, state = load()
