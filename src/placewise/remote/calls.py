"""An op or a function as a graph that another task runs, made once for all calls like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError, UnimplementedError, hint
from placewise.core.scope import current
from placewise.functions.inline import Inliner
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder
from placewise.memory.transfer import to_host
from placewise.ops.array.shape import shape_of
from placewise.ops.state import kept_tensors
from placewise.ops.values import EagerTensor, Handle, from_numpy
from placewise.remote.values import RemoteHandle, RemoteTensor

_SMALL = 64  # elements of a host input that are written into the graph


class Source(NamedTuple):
    """How a call's input reaches the graph: `kind` and `detail` are the same in calls alike."""

    kind: str  # "fed", "kept", "state", "constant", "iterator"
    detail: Any
    content: Any = None  # what is fed


def source_of(value: Any, task: Any) -> Source:
    """Return how an input of a call on a task reaches it."""
    if isinstance(value, RemoteTensor) and value.task is task and value._content is None:
        return Source("kept", (value.dtype, len(value._dims)), number(value.key))
    if isinstance(value, EagerTensor):
        content = value._value
        if isinstance(content, RemoteHandle):
            return Source("state", content)
        if isinstance(content, Handle) and content.kind == "Iterator":
            return Source("iterator", None, content)
        if isinstance(content, Handle):
            raise _not_there(content, task)
        return Source("fed", (value.dtype, len(value._shape_tuple)), on_host(content))
    array = np.asarray(value)
    if array.size <= _SMALL and array.dtype != object:
        return Source("constant", (str(array.dtype), array.shape, array.tobytes()))
    return Source("fed", (dtypes.as_dtype(array.dtype), array.ndim), from_numpy(array))


def on_host(content: Any) -> Any:
    """Return a content in host memory; text is there."""
    return to_host(content) if isinstance(content, torch.Tensor) else content


def number(key: int) -> torch.Tensor:
    """Return the number of a kept tensor as it is fed."""
    return torch.tensor(key, dtype=torch.int64)


def _not_there(handle: Handle, task: Any) -> Exception:
    name = handle.name if handle.named is None else handle.named.name
    return InvalidArgumentError(
        None,
        None,
        hint(
            f"{task.name} cannot use '{name}', which lives in this process",
            "make it under tf.device of a task, or in the scope of ParameterServerStrategy",
        ),
    )


class Call:
    """A graph with its inputs; `fetches` and `keeps` are what comes back and what stays there."""

    def __init__(self, device: str) -> None:
        self.graph = Graph()
        self.device = device
        self.feeds: list[Any] = []
        self.outputs: list[Any] = []
        self.keys: list[Any] = []
        self.targets: list[Any] = []
        self.shapes: list[Any] = []
        # For each time an iterator of this process is asked: which input it is, and what is fed.
        self.elements: list[tuple[int, list[Any]]] = []
        self._states: dict[str, Any] = {}

    def write(
        self,
        sources: list[Any],
        body: Callable[[list[Any]], tuple[list[Any], list[Any]]],
        home: str,
        fetches: bool,
    ) -> None:
        """Write inputs, then what `body` makes of them: outputs, and operations to run."""
        with self.graph.as_default(), self.graph.device(self.device or None):
            inputs = [self._input(source) for source in sources]
            self.outputs, self.targets = body(inputs)
        if fetches:
            return
        with self.graph.as_default(), self.graph.device(home):
            for output in self.outputs:
                key = placeholder(dtypes.int64, [])
                self.keys.append(key)
                self.targets.append(kept_tensors.keep(output, key))
            self.shapes = [
                shape_of(output) for output in self.outputs if not output.shape.is_fully_defined()
            ]

    def _input(self, source: Any) -> Any:
        if isinstance(source, list):
            return [self._input(one) for one in source]
        if source.kind == "fed":
            # Sizes are left open: one graph serves all, and errors are the kernel's.
            dtype, rank = source.detail
            self.feeds.append(placeholder(dtype, [None] * rank))
            return self.feeds[-1]
        if source.kind == "kept":
            dtype, rank = source.detail
            self.feeds.append(placeholder(dtypes.int64, []))
            return kept_tensors.kept(self.feeds[-1], dtype=dtype, shape=(None,) * rank)
        if source.kind == "constant":
            name, dims, raw = source.detail
            return np.frombuffer(raw, name).reshape(dims).copy()
        if source.kind == "iterator":
            return ITERATOR
        return self.state(source.detail)

    def state(self, handle: RemoteHandle) -> Any:
        """Return the resource of a handle; several inputs may be one variable."""
        known = self._states.get(handle.shared_name)
        if known is None:
            place = handle.device.name if handle.is_pinned else None
            # The outer scope does not count: what is pinned is so completely, the rest is not.
            with self.graph._changed(devices=()), self.graph.device(place):
                known = self._states[handle.shared_name] = handle.op.bind(**handle.attrs)
        return known

    @property
    def static_shapes(self) -> list[Any]:
        """The shape of each output as far as it is known before a run."""
        return [output.shape for output in self.outputs]


ITERATOR: Any = object()  # the input of a graph that is an iterator of this process


def function_body(call: Call, concrete: Any, captures: list[Any]) -> Callable[[list[Any]], Any]:
    """Return what writes a function into a graph; its last inputs stand for `captures`.

    What a function takes from an iterator of this process is taken here, and fed.
    """

    def write(inputs: list[Any]) -> tuple[list[Any], list[Any]]:
        graph = concrete.graph
        inliner = Inliner(current.interpreter.graph, "")
        for number, (tensor, outer) in enumerate(
            zip([*graph.inputs, *captures], inputs, strict=True)
        ):
            if outer is ITERATOR:
                _bind_elements(call, number, tensor, inliner)
            inliner.bind(tensor, outer)
        inliner.copy_needed(graph, [*concrete.outputs, *concrete.effects], concrete.inputs)
        outputs = [inliner.tensor(output) for output in concrete.outputs]
        ran = [inliner.operations.get(op.id) for op in concrete.effects]
        return outputs, [op for op in ran if op is not None]

    return write


def _bind_elements(call: Call, number: int, resource: Any, inliner: Inliner) -> None:
    """Let what is taken from an iterator be placeholders."""
    for op in resource.op.graph.get_operations():
        if not any(tensor is resource for tensor in op.inputs):
            continue
        if op.type != "IteratorGetNext" or op.block is not None:
            raise UnimplementedError(
                None,
                None,
                hint(
                    f"{op.type} '{op.name}' takes elements of a per-worker dataset in a branch or "
                    "loop, which a worker cannot do yet",
                    "take them outside of it: batch = next(iterator), once for each step",
                ),
            )
        fed = [placeholder(output.dtype, output.shape) for output in op.outputs]
        for output, source in zip(op.outputs, fed, strict=True):
            inliner.bind(output, source)
        call.elements.append((number, fed))
