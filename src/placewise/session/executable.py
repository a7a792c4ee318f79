"""A plan that a session runs: its program, what goes in, and what comes out as arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from placewise.graph.tensor import GraphTensor
from placewise.ops.values import Handle, from_numpy, to_numpy
from placewise.planning.compilation import compile_with
from placewise.planning.emission.source import compile_plan
from placewise.planning.errors import prepared, with_node_errors
from placewise.planning.plan import Plan
from placewise.planning.zero_copy import uncopied_feeds, uncopied_fetches
from placewise.session.closed import closed_session
from placewise.session.feeds import fits
from placewise.session.handles import TensorHandle
from placewise.session.recorded_plans import Variants

if TYPE_CHECKING:
    from placewise.planning.run_record import Run
    from placewise.session.metadata import Trace


class Executable:
    """A compiled plan, ready for feeds in a fixed order."""

    __slots__ = ("plan", "program", "run", "uncopied_feeds", "uncopied_fetches", "variants")

    def __init__(
        self, plan: Plan, handles: dict[Any, Handle], stream_of: Any, jit: bool = False
    ) -> None:
        self.plan = plan
        self.program = prepared(lambda: compile_plan(plan, handles, stream_of))
        if jit and plan.fetches:
            called = f"the run of {len(plan.fetches)} tensors"
            call = compile_with(called, plan, self.program, handles, stream_of)
            self.program = self.program._replace(call=call)
        self.run = with_node_errors(self.program.call, self.program)
        self.uncopied_feeds = uncopied_feeds(plan)
        self.uncopied_fetches = uncopied_fetches(plan)
        self.variants = Variants(plan, handles, stream_of, True)

    def contents(self, arrays: list[Any]) -> list[Any]:
        """Return fed arrays as contents: what the plan only looks at is not copied."""
        return [
            torch.from_numpy(array)
            if is_uncopied and array.flags.carray and array.dtype.kind in "fiubc"
            else from_numpy(array)
            for array, is_uncopied in zip(arrays, self.uncopied_feeds, strict=True)
        ]

    def program_for(self, trace: Trace | None, record: Run | None) -> Callable[[list[Any]], Any]:
        """Return the program that reports to a trace and a record; it takes them first."""
        return self.variants.program(self.program, trace is not None, record is not None)

    def close(self, problem: Callable[[], Exception] = closed_session) -> None:
        """Drop the program and the constants it has on devices; a later run raises `problem()`."""

        def closed(*_: object) -> Any:
            raise problem()

        self.program = self.program._replace(call=closed, constants={})
        self.run = closed
        self.variants.close()


class Shortcut(NamedTuple):
    """What later runs of one tensor with the same feeds need, without resolving fetches again."""

    executable: Executable
    version: int  # the graph's
    feeds: tuple[tuple[GraphTensor, Any, bool], ...]  # of each: its dtype, whether it is uncopied
    on_arrays: Any  # the plan as a function of arrays, if it is so small

    def result(self, values: Any) -> Any:
        """Return the fetched array, computed by NumPy alone; None if the fed values do not fit."""
        for value, (tensor, dtype, _) in zip(values, self.feeds, strict=True):
            if (
                type(value) is not np.ndarray
                or value.dtype is not dtype
                or value.shape != tensor._dims
                or not value.flags.carray
            ):
                return None
        try:
            array = self.on_arrays(*values)
        except Exception:
            return None  # the plan itself raises TensorFlow's error
        return array if array.ndim else array[()]

    def contents(self, values: Any) -> list[Any] | None:
        """Return fed values as contents; None if one is not simply an array that fits."""
        contents = []
        for value, (tensor, dtype, is_uncopied) in zip(values, self.feeds, strict=True):
            if type(value) is not np.ndarray or value.dtype is not dtype:
                return None
            if value.shape != tensor._dims and not fits(tensor._dims, value.shape):
                return None
            if is_uncopied and value.flags.carray:
                contents.append(torch.from_numpy(value))
            else:
                contents.append(from_numpy(value))
        return contents


_PLAIN = frozenset({torch.float32, torch.float64, torch.int32, torch.int64, torch.bool})


def as_result(values: tuple[Any, ...], index: int, is_uncopied: bool = False) -> Any:
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
    if (
        0 in array.strides
    ):  # broadcast: all elements share one number, so writing one would write all
        return array.copy()
    if is_uncopied:
        return array
    # A variable or a constant must not be changed through the array. Only references of our own are
    # allowed: to the tensor, the tuple, the name here and the argument of getrefcount; to the
    # storage, the tensor, the array and the storage object just made.
    if not isinstance(value, torch.Tensor) or (
        sys.getrefcount(value) > 3
        or torch._C._storage_Use_Count(value.untyped_storage()._cdata) > 3
    ):
        return array.copy()
    return array
