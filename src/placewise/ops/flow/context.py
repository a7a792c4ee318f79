"""What a program may ask about where it runs: eager or graph, name scope, time, log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.determinism import determinism
from placewise.core.errors import FailedPreconditionError
from placewise.core.scope import Scope, current, era, replaced
from placewise.core.tensor import Tensor
from placewise.devices.test_queries import is_built_with_cuda, is_built_with_rocm
from placewise.ops.declare import op
from placewise.ops.values import EagerTensor


def executing_eagerly() -> bool:
    """Return True where an op runs as soon as it is called."""
    return current.interpreter is Scope.eager


def inside_function() -> bool:
    """Return True while a function is being traced into a graph."""
    return current.interpreter.is_function


def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Return True for a tensor of a graph, which has no value yet."""
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


def get_current_name_scope() -> str:
    """Return the prefix that `tf.name_scope` gives here, without the last slash."""
    return current.name_scope.rstrip("/")


@contextmanager
def init_scope() -> Iterator[None]:
    """Run a block outside of all functions that are being traced, unseen by gradient tapes.

    Outside of them ops run at once, or are written into the graph that the functions are traced in.
    There the name scope stays in force, and in a graph the device scopes, of the function or else
    those it is traced in; control dependencies, branches and loops do not.
    """
    graph = None if executing_eagerly() else current.interpreter.graph
    outer = graph
    while outer is not None and outer.building_function:
        outer = outer.outer
    if graph is None or outer is None:
        name = current.name_scope if graph is None else graph.get_name_scope()
        request, requests = getattr(
            graph, "surrounding_requests", (current.request, current.requests)
        )
        scope = f"{name.rstrip('/')}/" if name else ""
        with eager_scope(), replaced(name_scope=scope, request=request, requests=requests):
            yield
        return
    scopes = {"devices": devices_in_force(graph, outer), "name": graph.scopes.name}
    with ExitStack() as stack:
        if outer is not graph:
            stack.enter_context(outer.as_default())
        stack.enter_context(outer._changed(control=(), block=None, **scopes))
        stack.enter_context(replaced(tapes=()))
        yield


def devices_in_force(graph: Any, outer: Any) -> Any:
    """Return the innermost device scopes there are, from a graph to one around it."""
    while graph is not None and graph is not outer and not graph.scopes.devices:
        graph = graph.outer if graph.building_function else None
    return () if graph is None else graph.scopes.devices


@contextmanager
def eager_scope() -> Iterator[None]:
    """Run a block where ops run at once, unseen by gradient tapes."""
    if executing_eagerly():
        with replaced(tapes=()):
            yield
        return
    with replaced(interpreter=Scope.eager, tapes=(), name_scope=""):
        yield


def control_dependencies(control_inputs: Any) -> Any:
    """Return a context in which ops of a graph wait for other ops.

    `control_inputs`: the operations and tensors to wait for; None forgets those of the scopes
        outside.

    Only ops made inside wait, not those that were made before. Where ops run at once nothing has to
    wait; functions among `control_inputs` are called.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
    ...     with tf.control_dependencies([v.assign(5.0)]):
    ...         after = v.read_value()
    ...     session.run(after)
    np.float32(5.0)
    """
    return current.interpreter.control_dependencies(control_inputs)


@op(
    "Timestamp() -> ts: float64",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    repeatable=False,
)
def timestamp(name: str | None = None) -> Any:
    """Return the seconds since the first of January 1970."""
    return timestamp.bind(name)


timestamp.shape(lambda: ())


@timestamp.kernel
def timestamp_kernel() -> Any:
    if determinism.deterministic:
        raise FailedPreconditionError(
            None, None, "Timestamp cannot be called when determinism is enabled"
        )
    return torch.tensor(time.time(), dtype=torch.float64)


def get_build_info() -> dict[str, Any]:
    """Return what the kernels are for: CUDA or ROCm (cards may be simulated), which versions."""
    cuda, rocm = torch.version.cuda, torch.version.hip
    found: dict[str, Any] = {
        "is_cuda_build": is_built_with_cuda(),
        "is_rocm_build": is_built_with_rocm(),
        "is_tensorrt_build": False,
    }
    if cuda is not None:
        found["cuda_version"] = cuda
        cudnn = torch.backends.cudnn.version()
        if cudnn is not None:
            found["cudnn_version"] = str(cudnn // 10000 if cudnn >= 90000 else cudnn // 1000)
    if rocm is not None:
        found["rocm_version"] = rocm
    return found


def executing_eagerly_outside_functions() -> bool:
    """Return whether ops run at once where no function is being traced."""
    if era.base is not None:
        return False
    graph = current.interpreter.graph
    return graph is None or bool(getattr(current.interpreter, "is_function", False))
