"""`rpc.Server`: serves functions by name over gRPC."""

from __future__ import annotations

import importlib
import weakref
from typing import Any

from placewise.core import nest
from placewise.core.errors import InvalidArgumentError
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.polymorphic import Function
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec
from placewise.saving.structured_values import encoded


class Server:
    """Serves functions to clients of other processes; `Server.create` makes one.

    >>> server = tf.distribute.experimental.rpc.Server.create("grpc", "localhost:0")
    >>> @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    ... def double(x):
    ...     return x * 2
    >>> server.register("double", double)
    >>> server.start()
    """

    @staticmethod
    def create(rpc_layer: str, address: str) -> Server:
        """Return a server at an address such as localhost:2222; `rpc_layer` is "grpc"."""
        check_layer(rpc_layer)
        return GrpcServer(address)

    def register(self, method_name: str, func: Function | ConcreteFunction) -> None:
        """Let clients call a function by a name."""
        raise NotImplementedError("Please use create_server method to create aconcrete server.")

    def start(self) -> None:
        """Answer calls from now on."""
        raise NotImplementedError("Please use create_server method to create aconcrete server.")


def check_layer(rpc_layer: str) -> None:
    """Raise ValueError for a transport that there is not."""
    if rpc_layer != "grpc":
        raise ValueError("Only GRPC backend is supported at the moment.")


class GrpcServer(Server):
    """Serves functions over gRPC until its object is gone."""

    def __init__(self, address: str) -> None:
        self.functions: dict[str, ConcreteFunction] = {}
        transport = importlib.import_module("placewise.distribute.rpc.transport")  # loads gRPC
        self._service = transport.Service(address, _methods(self.functions))
        weakref.finalize(self, self._service.stop)

    def register(self, method_name: str, func: Function | ConcreteFunction) -> None:
        """Let clients call a function by a name; a `tf.function` needs an input signature."""
        if isinstance(func, Function):
            if func.input_signature is None:
                raise ValueError("Input signature not specified for the function.")
            func = func.get_concrete_function()
        if not isinstance(func, ConcreteFunction):
            raise ValueError("Only TF functions are supported with Register method")
        if method_name in self.functions:
            raise InvalidArgumentError(None, None, f"{method_name} is already registered.")
        self.functions[method_name] = func

    def start(self) -> None:
        """Answer calls from now on."""
        self._service.start()


def _methods(functions: dict[str, ConcreteFunction]) -> dict[str, Any]:
    """Return what the service answers; holds the functions, and not the server."""
    return {
        "call": lambda name, tensors: _call(functions, name, tensors),
        "list": lambda: [(name, *_specs(function)) for name, function in functions.items()],
    }


def _call(functions: dict[str, ConcreteFunction], name: str, tensors: list[Any]) -> list[Any]:
    function = functions.get(name)
    if function is None:
        raise InvalidArgumentError(None, None, f"{name[:200]} is not registered.")
    wanted = nest.flatten(function.structured_input_signature, expand_composites=True)
    if len(tensors) < len(wanted):
        said = f"index {len(tensors)} is out of range [0, {len(tensors)})"
        raise InvalidArgumentError(None, None, said)
    if len(tensors) > len(wanted):
        said = f"{name} takes {len(wanted)} arguments, received {len(tensors)}"
        raise InvalidArgumentError(None, None, said)
    for index, (tensor, spec) in enumerate(zip(tensors, wanted, strict=True)):
        if tensor.dtype != spec.dtype:
            said = f"Expects arg[{index}] to be {spec.dtype.name} but {tensor.dtype.name} is"
            raise InvalidArgumentError(None, None, f"{said} provided")
        if not spec.shape.is_compatible_with(tensor.shape):
            said = f"Expects arg[{index}] to have shape {spec.shape}, got {tensor.shape}"
            raise InvalidArgumentError(None, None, said)
    args, kwargs = nest.pack_sequence_as(
        function.structured_input_signature, tensors, expand_composites=True
    )
    results = function(*args, **kwargs)
    flat = nest.flatten(results, expand_composites=True)
    return [convert_to_tensor(result) for result in flat if result is not None]


def _specs(function: ConcreteFunction) -> tuple[bytes, bytes]:
    """Return the structures of arguments and results, as bytes of StructuredValues."""
    args, _ = function.structured_input_signature
    outputs = nest.map_structure(
        lambda tensor: None if tensor is None else TensorSpec(tensor.shape, tensor.dtype),
        function.structured_tensors,
    )
    return encoded(args).SerializeToString(), encoded(outputs).SerializeToString()


for _kind in (Server, GrpcServer):
    _kind.__module__ = "tensorflow.python.distribute.experimental.rpc.rpc_ops"
