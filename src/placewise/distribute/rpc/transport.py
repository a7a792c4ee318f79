"""The gRPC side of `rpc.Server` and `rpc.Client`: who is answered, calls, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from placewise.cluster.access import Access
from placewise.cluster.channels import Peer, options
from placewise.cluster.server import bind, split
from placewise.cluster.settings import read_settings
from placewise.cluster.status import to_error, to_status
from placewise.cluster.tensors import from_message, parse, to_message
from placewise.cluster.threads import Threads
from placewise.cluster.wire import RPC, message
from placewise.core.errors import OpError
from placewise.ops.convert import convert_to_tensor
from placewise.ops.values import to_numpy

_MOST_THREADS = 100


class Service:
    """A gRPC server with two methods, `Call` and `List`; holds its port from the start."""

    def __init__(self, address: str, methods: dict[str, Callable[..., Any]]) -> None:
        settings = read_settings()
        host, port = split(address)
        self._server = grpc.server(Threads(_MOST_THREADS), options=options(settings))
        self.port = bind(self._server, host, port, settings)
        self._server.add_generic_rpc_handlers((_Handlers(methods, Access([address], settings)),))

    def start(self) -> None:
        """Answer calls."""
        self._server.start()

    def stop(self) -> None:
        """Answer no more."""
        self._server.stop(0)


class _Handlers(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc ships no types
    def __init__(self, methods: dict[str, Callable[..., Any]], access: Access) -> None:
        self._call, self._list, self._access = methods["call"], methods["list"], access

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of a call."""
        answer = {f"/{RPC}/Call": self._called, f"/{RPC}/List": self._listed}.get(
            handler_call_details.method
        )
        if answer is None:
            return None

        def checked(received: bytes, context: Any) -> bytes:
            refusal = self._access.refusal(context)
            if refusal:
                context.abort(grpc.StatusCode.PERMISSION_DENIED, refusal)
            try:
                reply = answer(received)
            except Exception as problem:
                reply = message("RpcReply")(status=to_status(problem))
            raw: bytes = reply.SerializeToString()
            return raw

        return grpc.unary_unary_rpc_method_handler(checked)

    def _called(self, received: bytes) -> Any:
        request = parse("RpcRequest", received)
        tensors = [convert_to_tensor(to_numpy(from_message(item))) for item in request.arguments]
        reply = message("RpcReply")()
        results = self._call(request.method, tensors)
        reply.results.extend(to_message(result._value) for result in results)
        return reply

    def _listed(self, received: bytes) -> Any:
        del received
        reply = message("RpcListReply")()
        for name, arguments, results in self._list():
            reply.methods.add(name=name, arguments=arguments, results=results)
        return reply


class Calls:
    """Calls to one server."""

    def __init__(self, address: str) -> None:
        self._peer = Peer(f"the server at {address}", address)

    def methods(self, seconds: float | None) -> list[tuple[str, bytes, bytes]]:
        """Return names, and the structures of arguments and results, of what is served."""
        request = message("Empty")()
        seconds = seconds or read_settings().start_seconds
        reply = self._peer.call(f"/{RPC}/List", request, timeout=seconds, wait=True)
        return [(item.name, item.arguments, item.results) for item in reply.methods]

    def begin(self, method: str, tensors: list[Any], seconds: float | None) -> Any:
        """Start a call; `end` returns what it returned."""
        request = message("RpcRequest")(method=method)
        request.arguments.extend(to_message(tensor._value) for tensor in tensors)
        return self._peer.start(f"/{RPC}/Call", request, seconds)

    def end(self, call: Any) -> list[Any] | OpError:
        """Return the tensors that a call returned, or its error, waiting for it."""
        try:
            reply = self._peer.finish(call)
        except OpError as problem:
            return problem
        except Exception as problem:  # a Python error of the function there
            return _as_op_error(problem)
        return [convert_to_tensor(to_numpy(from_message(item))) for item in reply.results]


def _as_op_error(problem: Exception) -> OpError:
    status = to_status(problem)
    status.kind = ""
    error = to_error(status)
    return error if isinstance(error, OpError) else OpError(None, None, str(problem), 2)
