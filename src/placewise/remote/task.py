"""A task of a cluster as an eager program reaches it: runs ops and functions there."""

from __future__ import annotations

import secrets
import threading
import weakref
from typing import Any

import numpy as np
import torch

from placewise import messages
from placewise.cluster.channels import WORKER, Peer
from placewise.cluster.membership import is_wanted
from placewise.cluster.sessions import Remote
from placewise.cluster.wire import message
from placewise.core import dtypes
from placewise.core.errors import (
    AbortedError,
    FailedPreconditionError,
    InvalidArgumentError,
    UnavailableError,
)
from placewise.devices.inventory import inventory
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder
from placewise.ops.array.shape import identity
from placewise.ops.state import kept_tensors, resource
from placewise.ops.values import EagerTensor, wrap
from placewise.remote.calls import Call, Source, function_body, number, on_host, source_of
from placewise.remote.values import RemoteHandle, RemoteTensor, remote_tensor

_PING_SECONDS = 10.0
_MOST_FORGOTTEN = 64  # numbers that wait until the task is told


class Calls:
    """The graphs of calls, shared by all tasks of a cluster."""

    def __init__(self) -> None:
        self.known: dict[Any, Call] = {}
        self.tasks: list[RemoteTask] = []  # all that were joined
        self.lock = threading.RLock()

    def get(self, key: Any, make: Any) -> Call:
        """Return the graph of calls alike, made now if this is the first."""
        call = self.known.get(key)
        if call is None:
            with self.lock:
                call = self.known.get(key)
                if call is None:
                    call = self.known[key] = make()
        return call


class RemoteTask:
    """Runs what belongs to a task on it. Threads may share it."""

    def __init__(self, name: str, address: str, filters: list[str], calls: Calls) -> None:
        self.name, self.address, self.calls = name, address, calls
        self.devices: list[Any] = []
        self._config = messages.ConfigProto(device_filters=filters, allow_soft_placement=True)
        self._sessions: weakref.WeakKeyDictionary[Graph, Remote] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()
        self._forgotten: list[int] = []
        self._destroyed: list[RemoteHandle] = []

    @property
    def default(self) -> Any:
        """The device of ops that ask for none: its first GPU, else its CPU."""
        return next((d for d in self.devices if d.is_accelerator), self.devices[0])

    @property
    def home(self) -> str:
        """What the names of its devices begin with."""
        return str(self.devices[0].name.removesuffix(self.devices[0].local_name))

    # Ops.

    def run_op(self, device: Any, op: Any, tensors: list[Any], attrs: dict[str, Any]) -> Any:
        """Run an op on a device of the task; return its outputs, flat, and as the op gives them."""
        if _makes_state(op):
            return self._made(device, op, attrs)
        sources = [_sources(item, self) for item in tensors]
        key = (op, device.name, _text(attrs), _keys(sources))

        def make() -> Call:
            call = Call(device.name)

            def body(inputs: list[Any]) -> tuple[list[Any], list[Any]]:
                try:
                    return _flat(op.bind(*inputs, **attrs, name=None)), []
                except ValueError as problem:  # of a shape rule, where a kernel says the same
                    raise InvalidArgumentError(None, None, str(problem)) from None

            call.write(sources, body, device.name, fetches=False)
            if not call.outputs:
                call.targets = [o for o in call.graph.get_operations() if o.type == op.name]
            return call

        outputs = self._run(self.calls.get(key, make), sources, device)
        return tuple(outputs), _shaped(op, outputs, tensors)

    def _made(self, device: Any, op: Any, attrs: dict[str, Any]) -> Any:
        name = attrs.get("shared_name") or f"placewise/{secrets.token_hex(8)}"
        handle = RemoteHandle(op, {**attrs, "shared_name": name}, device)
        tensor = wrap(handle, device, op)
        if op is resource.var_handle.op:
            copy = RemoteHandle(op, handle.attrs, device)
            weakref.finalize(handle, self._destroy, copy)
        return (tensor,), tensor

    def put(self, content: Any, device: Any) -> RemoteTensor:
        """Return a content of this process as a tensor on a device of the task."""
        tensor: RemoteTensor
        (tensor,), _ = self.run_op(device, identity.op, [wrap(content, None)], {})
        return tensor

    def fetch(self, tensor: RemoteTensor) -> Any:
        """Return the content of a tensor that the task keeps."""
        key = ("fetch", tensor.dtype, len(tensor._dims))

        def make() -> Call:
            call = Call("")
            source = Source("kept", (tensor.dtype, len(tensor._dims)))
            call.write([source], lambda inputs: (inputs, []), "", fetches=True)
            return call

        call = self.calls.get(key, make)
        return self._session(call).run(
            tuple(call.outputs), call.feeds, [number(tensor.key)], 0, None, None
        )[0]

    def read(self, handle: RemoteHandle) -> Any:
        """Return the content of a variable on the task; None of what is none, or has none."""
        if handle.op is not resource.var_handle.op:
            return None
        key = ("read", handle.shared_name)

        def make() -> Call:
            call = Call("")
            with call.graph.as_default():
                state = call.state(handle)
                call.outputs = [resource.read_variable(state, dtype=handle.dtype)]
            return call

        call = self.calls.get(key, make)
        try:
            return self._step(call, tuple(call.outputs), [], [])[0]
        except FailedPreconditionError:
            return None

    # Functions.

    def run_function(self, concrete: Any, tensors: list[Any], fetches: bool, device: str) -> Any:
        """Run a function, its ops on `device` or anywhere on the task; `fetches`: results come."""
        captures = [
            (outer, inner)
            for outer, inner in concrete.graph.captures
            if isinstance(outer, EagerTensor)
        ]
        every = [*tensors, *(outer for outer, _ in captures)]
        sources = [source_of(item, self) for item in every]
        home = "" if fetches else self.home
        key = (concrete, device, home, _keys(sources))

        def make() -> Call:
            call = Call(device)
            body = function_body(call, concrete, [inner for _, inner in captures])
            call.write(sources, body, home, fetches)
            return call

        call = self.calls.get(key, make)
        if fetches:
            contents = self._fetched(call, sources)
            return [wrap(content, inventory().default) for content in contents]
        return self._run(call, sources, self.default)

    # Running.

    def run_once(self, call: Call) -> None:
        """Run the operations of a graph that is not needed again."""
        session = self._session(call)
        try:
            session.run(tuple(call.targets), [], [], 0, None, None)
        finally:
            session.close()

    def _fetched(self, call: Call, sources: list[Any]) -> list[Any]:
        feeds, contents = _feeds(call, sources)
        fetched: list[Any] = self._step(call, (*call.outputs, *call.targets), feeds, contents)
        return fetched

    def _run(self, call: Call, sources: list[Any], device: Any) -> list[Any]:
        """Run a call whose results stay on the task; return them as remote tensors."""
        keys = [secrets.randbits(62) for _ in call.outputs]
        feeds, contents = _feeds(call, sources)
        feeds, contents = [*feeds, *call.keys], [*contents, *map(number, keys)]
        shapes = iter(self._step(call, (*call.shapes, *call.targets), feeds, contents))
        tensors = []
        for key, output, static in zip(keys, call.outputs, call.static_shapes, strict=True):
            known = static.is_fully_defined()
            dims = tuple(static) if known else tuple(np.asarray(next(shapes)).tolist())
            tensors.append(remote_tensor(self, key, output.dtype, dims, device))
        return tensors

    def _step(self, call: Call, elements: Any, feeds: list[Any], contents: list[Any]) -> Any:
        try:
            self._let_go()
            return self._session(call).run(tuple(elements), feeds, contents, 0, None, None)
        except (AbortedError, UnavailableError) as problem:
            self.reset()
            if getattr(problem, "task", None) is None:
                problem.task = self.name  # type: ignore[union-attr]
            raise

    def _session(self, call: Call) -> Remote:
        with self._lock:
            session = self._sessions.get(call.graph)
            if session is None:
                self._check_there()
                session = Remote(f"grpc://{self.address}", call.graph, self._config)
                session._peer.name = self.name  # errors name the task
                self._sessions[call.graph] = session
            return session

    def _check_there(self) -> None:
        """Raise for a task of the session that is gone: opening it would wait for all of them."""
        ping = message("DescribeRequest")()
        peers = [
            Peer(task.name, task.address)
            for task in self.calls.tasks
            if is_wanted(task.name, list(self._config.device_filters))
        ]
        calls = [(peer, peer.start(f"/{WORKER}/Describe", ping, _PING_SECONDS)) for peer in peers]
        for peer, call in calls:
            peer.finish(call)

    def reset(self) -> None:
        """Forget the sessions: the task was lost, or started again."""
        with self._lock:
            self._sessions = weakref.WeakKeyDictionary()
            self._forgotten.clear()
            self._destroyed.clear()

    # Letting go.

    def forget(self, key: int) -> None:
        """Let a kept tensor go, some time; called when its Python object is gone."""
        self._forgotten.append(key)

    def _destroy(self, handle: RemoteHandle) -> None:
        self._destroyed.append(handle)

    def _let_go(self) -> None:
        """Tell the task of what is not needed any more, in one message for many."""
        if len(self._forgotten) < _MOST_FORGOTTEN and not self._destroyed:
            return
        keys, self._forgotten = self._forgotten, []
        handles, self._destroyed = self._destroyed, []
        if keys:
            call = self.calls.get("forget", _forget_call)
            self._session(call).run(
                tuple(call.targets), call.feeds, [torch.tensor(keys)], 0, None, None
            )
        for handle in handles:
            call = Call("")
            with call.graph.as_default():
                call.targets = [resource.destroy(call.state(handle))]
            self.run_once(call)


def _forget_call() -> Call:
    call = Call("")
    with call.graph.as_default():
        keys = placeholder(dtypes.int64, [None])
        call.feeds, call.targets = [keys], [kept_tensors.forget(keys)]
    return call


def _makes_state(op: Any) -> bool:
    names = {attr.name for attr in op.attrs}
    return (
        not op.inputs
        and len(op.outputs) == 1
        and op.outputs[0].dtype == dtypes.resource
        and "shared_name" in names
    )


def _sources(item: Any, task: RemoteTask) -> Any:
    if type(item) is list:
        return [source_of(one, task) for one in item]
    return source_of(item, task)


def _keys(sources: list[Any]) -> tuple[Any, ...]:
    """Return what calls alike have in common: state by its name, values by their kinds."""
    return tuple(
        _keys(source)
        if isinstance(source, list)
        else (source.kind, getattr(source.detail, "shared_name", source.detail))
        for source in sources
    )


def _feeds(call: Call, sources: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return what a call is fed, and with which contents; takes the elements it needs."""
    feeds, contents = list(call.feeds), _contents(sources)
    for place, placeholders in call.elements:
        feeds += placeholders
        contents += map(on_host, sources[place].content.value.contents())
    return feeds, contents


def _contents(sources: list[Any]) -> list[Any]:
    contents: list[Any] = []
    for source in sources:
        if isinstance(source, list):
            contents += _contents(source)
        elif source.content is not None and source.kind != "iterator":
            contents.append(source.content)
    return contents


def _text(attrs: dict[str, Any]) -> str:
    return repr(sorted(attrs.items(), key=lambda item: item[0]))


def _flat(made: Any) -> list[Any]:
    if made is None:
        return []
    if isinstance(made, (list, tuple)):
        return [tensor for item in made for tensor in _flat(item)]
    return [made] if hasattr(made, "op") and hasattr(made, "dtype") else []


def _shaped(op: Any, outputs: list[Any], tensors: list[Any]) -> Any:
    """Return flat outputs as a call of the op gives them."""
    if not op.outputs:
        return None
    if len(op.outputs) == 1:
        return outputs if op.outputs[0].is_list else outputs[0]
    if not any(arg.is_list for arg in op.outputs):
        return outputs
    lists = [arg for arg in op.outputs if arg.is_list]
    each = (len(outputs) - (len(op.outputs) - len(lists))) // len(lists)
    rest = iter(outputs)
    return [[next(rest) for _ in range(each)] if arg.is_list else next(rest) for arg in op.outputs]
