"""A part of a graph on its task: written as a message, read again, and compiled.

`to_message` and `graph_of` are the two ends of the wire; `compile_part` makes what runs, from the
graph of the session itself (where the session is in this process) or from one that was read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from placewise import messages
from placewise.cluster.graphs import forget_origins
from placewise.cluster.partition import PartSpec, Receive, Send, inner_operations
from placewise.cluster.task import Task, task_of
from placewise.cluster.wire import message
from placewise.core.dtypes import as_dtype
from placewise.core.errors import InvalidArgumentError
from placewise.core.gc_pause import gc_paused
from placewise.core.runtime import State, runtime
from placewise.graph.function_defs import Library, Scope, write
from placewise.graph.graph import Graph
from placewise.graph.graph_def import versions
from placewise.graph.import_graph_def import Importer
from placewise.graph.node_checks import check_nodes
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops.registry import load_everything
from placewise.ops.values import Handle
from placewise.planning.exchange import RECEIVE, START, Exchange
from placewise.planning.pipeline import build_plan
from placewise.session.executable import Executable

# Writing.


def to_message(part: PartSpec, graph: Graph, placement: Mapping[Any, Any]) -> tuple[Any, bytes]:
    """Return a part as a message and the bytes of its GraphDef."""
    spec = message("Part")()
    spec.fetches.extend(element.name for element in part.fetches)
    for tensor in part.feeds:
        _describe(spec.feeds.add(), tensor)
    for receive in part.receives:
        entry = spec.receives.add(before=receive.before.name, source=receive.task, key=receive.key)
        if isinstance(receive.source, GraphTensor):
            _describe(entry.argument, receive.source)
    for send in part.sends:
        after = "" if send.after is None else send.after.name
        spec.sends.add(tensor=send.source.name, after=after, target=send.target, key=send.key)
    raw = _graph_def(part, graph, placement).SerializeToString()
    spec.graph_bytes = len(raw)
    return spec, raw


def _describe(argument: Any, tensor: GraphTensor) -> None:
    argument.tensor = tensor.name
    argument.dtype = tensor.dtype.base_dtype.as_datatype_enum
    argument.unknown_rank = tensor._dims is None
    argument.shape.extend(-1 if size is None else size for size in tensor._dims or ())


def _graph_def(part: PartSpec, graph: Graph, placement: Mapping[Any, Any]) -> Any:
    graph_def = messages.GraphDef()
    graph_def.versions.CopyFrom(versions())
    names = {op.name for op in graph.get_operations()}
    scope = Scope(Library(graph_def, set(names)), graph_def.node, None)
    here = {op.name: placement[op] for op in part.operations}
    for op in part.operations:
        write(scope, op)
    for node in graph_def.node:
        device = here.get(node.name)
        node.device = device.name if device is not None and device.task == part.task else ""
        node.attr.pop("_class", None)
        kept = [text for text in node.input if not text.startswith("^") or text[1:] in here]
        del node.input[:]
        node.input.extend(kept)
    for function in graph_def.library.function:
        for node in function.node_def:
            if "/job:" in node.device and task_of(node.device) != part.task:
                node.device = ""
    return graph_def


# Reading.


class Loaded:
    """The graph of a part that arrived, and the part in terms of its tensors."""

    def __init__(self, spec: Any, raw: bytes, task: str) -> None:
        graph_def = messages.GraphDef()
        try:
            graph_def.ParseFromString(raw)
        except Exception:  # protobuf's DecodeError
            raise InvalidArgumentError(None, None, "A malformed GraphDef was received.") from None
        load_everything()
        self.graph = Graph()
        self._given: dict[str, dict[int, GraphTensor]] = {}
        self.part = PartSpec(task)
        with self.graph.as_default():
            self.part.feeds = [self._argument(item) for item in spec.feeds]
            received = [
                self._argument(item.argument) if item.argument.tensor else None
                for item in spec.receives
            ]
            self._read(graph_def)
        forget_origins(self.graph)
        for item, tensor in zip(spec.receives, received, strict=True):
            before = self._operation(item.before)
            self.part.receives.append(Receive(tensor, before, item.source, item.key))
        for item in spec.sends:
            after = self._operation(item.after) if item.after else None
            self.part.sends.append(Send(self._element(item.tensor), after, item.target, item.key))
        self.part.fetches = [self._element(name) for name in spec.fetches]
        self.part.operations = [op for op in self.graph.get_operations() if op.block is None]

    def _argument(self, argument: Any) -> GraphTensor:
        name, index = _tensor_name(argument.tensor)
        dims = None if argument.unknown_rank else [None if n < 0 else n for n in argument.shape]
        dtype = as_dtype(argument.dtype)
        made = self.graph.add(
            RECEIVE,
            self.graph.unique_name(f"{name}/_argument_{index}"),
            (),
            {},
            [(dtype, None if dims is None else tuple(dims))],
            None,
        )
        tensor: GraphTensor = made.outputs[0]
        self._given.setdefault(name, {})[index] = tensor
        return tensor

    def _read(self, graph_def: Any) -> None:
        given = [f"{name}:{k}" for name, outputs in self._given.items() for k in outputs]
        check_nodes(graph_def.node, given)
        library = {item.signature.name: item for item in graph_def.library.function}
        self._importer = importer = Importer(self.graph, library, "", {})
        importer.reserve(graph_def.node)
        for name, outputs in self._given.items():
            importer.values[name] = _padded(outputs)
        with self.graph._changed(name="", gradients=""):
            for node in graph_def.node:
                importer.add(node)
                for index, tensor in self._given.get(node.name, {}).items():
                    importer.values[node.name] = _replaced(
                        importer.values[node.name], index, tensor
                    )

    def _operation(self, name: str) -> Operation:
        operation = self._importer.operations.get(name)
        if operation is None:
            raise InvalidArgumentError(None, None, f"The part has no node '{name[:200]}'.")
        return operation

    def _element(self, name: str) -> Any:
        if ":" not in name:
            return self._operation(name)
        node, index = _tensor_name(name)
        outputs = self._importer.values.get(node, ())
        if index >= len(outputs) or outputs[index] is None:
            raise InvalidArgumentError(None, None, f"The part has no tensor '{name[:200]}'.")
        return outputs[index]


def _tensor_name(text: str) -> tuple[str, int]:
    name, _, index = text.rpartition(":")
    if not name or not index.isdigit() or int(index) > 65535:
        raise InvalidArgumentError(None, None, f"'{text[:200]}' is no name of a tensor.")
    return name, int(index)


def _padded(outputs: dict[int, GraphTensor]) -> list[Any]:
    return [outputs.get(index) for index in range(max(outputs) + 1)]


def _replaced(outputs: list[Any], index: int, tensor: GraphTensor) -> list[Any]:
    return [tensor if k == index else output for k, output in enumerate(outputs)]


# Running.


class Running(State, threading.local):
    """The step that a thread runs."""

    step: Any = None


_running = runtime.state(Running)


@contextmanager
def running(step: Any) -> Iterator[None]:
    """Let sends and receives of the thread be those of a step."""
    before, _running.step = _running.step, step
    try:
        yield
    finally:
        _running.step = before


def _receive_kernel(task: str, key: int, tensor: Any, device: Any) -> Callable[[], Any]:
    if tensor is None or not tensor.dtype._is_ref:
        return lambda: _running.step.receive(task, key)

    def receive() -> Handle:
        # What reads a variable expects one: it holds the content that the other task read.
        handle = Handle("Ref", tensor.op.name, device, tensor.dtype.base_dtype)
        handle.value = _running.step.receive(task, key)
        return handle

    return receive


def _send_kernel(target: str, key: int) -> Callable[..., None]:
    def send(content: Any = None) -> None:
        _running.step.send(target, key, torch.tensor(True) if content is None else content)

    return send


def _exchange(part: PartSpec, host: Any) -> Exchange:
    exchange = Exchange([op for op in part.operations if op.declaration is not RECEIVE])
    for item in part.receives:
        tensor = item.source if isinstance(item.source, GraphTensor) else None
        name = getattr(item.source, "name", item.before.name)
        kernel = _receive_kernel(item.task, item.key, tensor, host)
        exchange.receive(item.before.id, tensor, name, kernel, host)
    for send in part.sends:
        after = START if send.after is None else send.after.id
        exchange.send(after, send.source, _send_kernel(send.target, send.key), host)
    return exchange


class _PartPlacement(dict[Any, Any]):
    """Where the operations of a part run; what blocks have on other tasks runs on the host."""

    def __init__(self, part: PartSpec, placement: Mapping[Any, Any], host: Any) -> None:
        super().__init__()
        self._placement, self._task, self._host = placement, part.task, host

    def __missing__(self, op: Any) -> Any:
        device = self._placement[op]
        if device.task != self._task:
            device = self._host
        self[op] = device
        return device


def compile_part(
    part: PartSpec, placement: Mapping[Any, Any], task: Task, state: Any, foreign: Any = None
) -> Executable:
    """Return what runs a part on its task; `state` has the handles and random numbers.

    `foreign` reaches the state of other tasks that branches and loops of the part use.
    """
    with gc_paused():
        host = task.host
        placed = _PartPlacement(part, placement, host)
        exchange = _exchange(part, host)
        makers = [op for op in part.operations if op.declaration.makes_state]
        exchange.is_simple = any(placement[op].task != part.task for op in makers)
        plan = build_plan(part.fetches, part.feeds, placed, host, exchange=exchange)
        handles: dict[Any, Handle] = {}
        with task.lock:
            for ref, op in plan.handles.items():
                if foreign is not None and placement[op].task != part.task:
                    handles[ref] = foreign.handle(op, placement[op])
                else:
                    handles[ref] = state.handle(op, placed[op])
        if foreign is not None:
            foreign.redirect(plan, handles)
        return Executable(plan, handles, state.stream)


__all__ = ["Loaded", "compile_part", "inner_operations", "running", "to_message"]
