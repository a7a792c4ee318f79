"""A plan that a session runs: its program, what goes in, and what comes out as arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.graph.tensor import GraphTensor
from placewise.ops.values import Handle, from_numpy, to_numpy
from placewise.planning.compiling import compile_with
from placewise.planning.lending import given_away, lendable
from placewise.planning.plan import Plan
from placewise.planning.source import compiled
from placewise.session.failures import prepared, with_node_errors
from placewise.session.feeds import fits
from placewise.session.handles import TensorHandle
from placewise.session.recorded_plans import Variants


class Executable:
    """A compiled plan, ready for feeds in a fixed order."""

    __slots__ = ("given", "lent", "plan", "program", "run", "variants")

    def __init__(
        self, plan: Plan, handles: dict[Any, Handle], stream_of: Any, jit: bool = False
    ) -> None:
        self.plan = plan
        self.program = prepared(lambda: compiled(plan, handles, stream_of))
        if jit and plan.fetches:
            called = f"the run of {len(plan.fetches)} tensors"
            call = compile_with(called, plan, self.program, handles, stream_of)
            self.program = self.program._replace(call=call)
        self.run = with_node_errors(self.program.call, self.program)
        self.lent, self.given = lendable(plan), given_away(plan)
        self.variants = Variants(plan, handles, stream_of, True)

    def contents(self, arrays: list[Any]) -> list[Any]:
        """Return fed arrays as contents: what the plan only looks at is not copied."""
        return [
            torch.from_numpy(array)
            if is_lent and array.flags.carray and array.dtype.kind in "fiubc"
            else from_numpy(array)
            for array, is_lent in zip(arrays, self.lent, strict=True)
        ]

    def program_for(self, trace: Any, record: Any) -> Callable[[list[Any]], Any]:
        """Return what runs the plan and tells those that are not None, which it is given first."""
        return self.variants.program(self.program, trace is not None, record is not None)

    def close(self) -> None:
        """Let go of the program and the constants it has on devices."""
        self.program = self.program._replace(call=_closed, constants={})
        self.run = _closed
        self.variants.close()


def _closed(*_: Any) -> Any:
    raise RuntimeError("Attempted to use a closed Session.")


class Shortcut(NamedTuple):
    """What a run of one tensor needs to know when it is asked for again in the same words."""

    executable: Executable
    version: int  # the graph's
    feeds: tuple[tuple[GraphTensor, Any, bool], ...]  # of each: its dtype, whether it is lent
    on_arrays: Any  # the plan as a function of arrays, if it is so small

    def result(self, values: Any) -> Any:
        """Return the fetched array, computed without tensors; None if that cannot be."""
        for value, (tensor, dtype, _) in zip(values, self.feeds, strict=True):
            if (
                type(value) is not np.ndarray
                or value.dtype is not dtype
                or value.shape != tensor._dims
                or not value.flags.carray
            ):
                return None
        try:
            found = self.on_arrays(*values)
        except Exception:
            return None  # the plan itself tells
        return found if found.ndim else found[()]

    def contents(self, values: Any) -> list[Any] | None:
        """Return fed values as contents; None if one is not simply an array that fits."""
        found = []
        for value, (tensor, dtype, is_lent) in zip(values, self.feeds, strict=True):
            if type(value) is not np.ndarray or value.dtype is not dtype:
                return None
            if value.shape != tensor._dims and not fits(tensor._dims, value.shape):
                return None
            if is_lent and value.flags.carray:
                found.append(torch.from_numpy(value))
            else:
                found.append(from_numpy(value))
        return found


_PLAIN = frozenset({torch.float32, torch.float64, torch.int32, torch.int64, torch.bool})


def as_result(values: tuple[Any, ...], index: int, is_given: bool = False) -> Any:
    """Return a fetched value as an array that nothing else sees: state and constants are copied."""
    value = values[index]
    if type(value) is torch.Tensor and value.is_cpu and value.dtype in _PLAIN:
        array = value.numpy()
    elif type(value) is Handle and value.kind == "TensorHandle":
        return TensorHandle(value, value.dtype, None)
    else:
        array = to_numpy(value)
    if array.ndim == 0:
        return array[()]
    if 0 in array.strides:  # one number for many elements: who sets one would set all
        return array.copy()
    if is_given:
        return array
    # References: the tuple, the name here, the question. Of the storage: the tensor, the array and
    # the storage object just made.
    if not isinstance(value, torch.Tensor) or (
        sys.getrefcount(value) > 3
        or torch._C._storage_Use_Count(value.untyped_storage()._cdata) > 3
    ):
        return array.copy()
    return array
