"""Torch's modes around a block, left again whatever happens on the way in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import _C


@contextmanager
def under(*modes: Any) -> Iterator[None]:
    """Run a block under modes of torch, the last one innermost.

    Ctrl-C may come when torch has put a mode on its stack and `with` does not know of it yet: the
    mode would see every operation from then on. So torch's own stacks say which to leave.
    """
    functions, dispatches = _C._len_torch_function_stack(), _C._len_torch_dispatch_stack()
    try:
        for mode in modes:
            mode.__enter__()
        yield
    finally:
        while (left := _C._len_torch_dispatch_stack()) > dispatches:
            _C._get_dispatch_stack_at(left - 1).__exit__(None, None, None)
        while (left := _C._len_torch_function_stack()) > functions:
            _C._get_function_stack_at(left - 1).__exit__(None, None, None)
