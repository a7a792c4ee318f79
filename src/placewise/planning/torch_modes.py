"""Torch's modes around a block, left again whenever Ctrl-C comes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import _C


@contextmanager
def under(*modes: Any) -> Iterator[None]:
    """Run a block under modes of torch, the last one innermost.

    Ctrl-C may come when torch has put a mode on its stack and `with` does not know of it yet, or
    on the way out: the mode would see every operation from then on. So torch's own stacks say
    which to leave.
    """
    functions, dispatches = _C._len_torch_function_stack(), _C._len_torch_dispatch_stack()
    try:
        for mode in modes:
            mode.__enter__()
        yield
    finally:
        try:
            _leave(functions, dispatches)
        except KeyboardInterrupt:
            _leave(functions, dispatches)
            raise


def _leave(functions: int, dispatches: int) -> None:
    """Leave modes until so many are on the stacks."""
    while (left := _C._len_torch_dispatch_stack()) > dispatches:
        try:
            _C._get_dispatch_stack_at(left - 1).__exit__(None, None, None)
        finally:
            if _C._len_torch_dispatch_stack() == left:  # interrupted before torch took it away
                _C._pop_torch_dispatch_stack(None)
    while (left := _C._len_torch_function_stack()) > functions:
        _C._get_function_stack_at(left - 1).__exit__(None, None, None)
