"""`rpc.Client`: calls functions that another process serves."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from placewise.core import dtypes, nest
from placewise.core.errors import InvalidArgumentError, OpError
from placewise.distribute.rpc.server import check_layer
from placewise.messages import StructuredValue
from placewise.ops.convert import convert_to_tensor
from placewise.saving.structured_values import decoded


class Client:
    """Calls functions of a server; `Client.create` makes one, with a method per function."""

    @staticmethod
    def create(rpc_layer: str, address: str, name: str = "", timeout_in_ms: int = 0) -> Client:
        """Return a client of the server at an address, once that is there.

        Each function that is registered is a method, which returns a `StatusOrResult` at once;
        `<name>_blocking` returns the value. `timeout_in_ms` bounds every call; 0: no bound.
        """
        check_layer(rpc_layer)
        return GrpcClient(address, name, timeout_in_ms)

    def call(
        self,
        method_name: str,
        args: Sequence[Any] | None = None,
        output_specs: Any = None,
        timeout_in_ms: int = 0,
    ) -> StatusOrResult:
        """Call a function by its name; return at once, with what will be its result.

        `output_specs`: the structure of the result. `timeout_in_ms`: 0 for the client's own.
        """
        raise NotImplementedError("Must be implemented in inherited classes.")


class GrpcClient(Client):
    """Calls functions over gRPC."""

    def __init__(self, address: str, name: str = "", timeout_in_ms: int = 0) -> None:
        self._name, self._timeout_in_ms = name, timeout_in_ms
        transport = importlib.import_module("placewise.distribute.rpc.transport")  # loads gRPC
        self._calls = transport.Calls(address)
        for method, arguments, results in self._calls.methods(_seconds(timeout_in_ms)):
            specs = [decoded(StructuredValue.FromString(raw)) for raw in (arguments, results)]
            for suffix in ("", "_blocking"):
                called = self._method(method, specs, bool(suffix))
                called.__doc__ = f"RPC Call for {method} method to server {address}"
                setattr(self, f"{method}{suffix}", called)

    def _method(self, name: str, specs: list[Any], is_blocking: bool) -> Callable[..., Any]:
        arguments, outputs = specs

        def call(*args: Any, timeout_in_ms: int = 0) -> Any:
            nest.assert_same_structure(tuple(args), tuple(arguments))
            result = self.call(name, args, outputs, timeout_in_ms)
            return result.get_value() if is_blocking else result

        return call

    def call(
        self,
        method_name: str,
        args: Sequence[Any] | None = None,
        output_specs: Any = None,
        timeout_in_ms: int = 0,
    ) -> StatusOrResult:
        """Call a function by its name; return at once, with what will be its result."""
        tensors = [convert_to_tensor(item) for item in nest.flatten(list(args or ()))]
        limit = timeout_in_ms or self._timeout_in_ms
        call = self._calls.begin(method_name, tensors, _seconds(limit))
        return StatusOrResult(self._calls, call, output_specs)


def _seconds(milliseconds: int) -> float | None:
    return milliseconds / 1000 if milliseconds > 0 else None


class StatusOrResult:
    """What a call returns, or its error; all methods wait for the end of the call."""

    def __init__(self, calls: Any, call: Any, output_specs: Any) -> None:
        self._calls, self._call, self._specs = calls, call, output_specs
        self._ended: Any = None

    def _outcome(self) -> list[Any] | OpError:
        if self._ended is None:
            self._ended = self._calls.end(self._call)
        outcome: list[Any] | OpError = self._ended
        return outcome

    def is_ok(self) -> Any:
        """Return a tensor that says whether the call succeeded."""
        return convert_to_tensor(not isinstance(self._outcome(), OpError))

    def get_error(self) -> tuple[Any, Any]:
        """Return the error's code, 0 for none, and its message, as tensors."""
        outcome = self._outcome()
        failed = isinstance(outcome, OpError)
        code, text = (outcome.error_code, outcome.message) if failed else (0, "")  # type: ignore[union-attr]
        return convert_to_tensor(code, dtypes.int64), convert_to_tensor(text)

    def get_value(self) -> Any:
        """Return what the function returned; raises its error."""
        outcome = self._outcome()
        if isinstance(outcome, OpError):
            raise outcome
        wanted = [item for item in nest.flatten(self._specs) if item is not None]
        if len(wanted) != len(outcome):
            said = f"Incorrect number of output types specified.{len(wanted)} {len(outcome)}"
            raise InvalidArgumentError(None, None, said)
        if self._specs is None:
            return None
        return nest.pack_sequence_as(self._specs, outcome)


for _kind in (Client, GrpcClient, StatusOrResult):
    _kind.__module__ = "tensorflow.python.distribute.experimental.rpc.rpc_ops"
