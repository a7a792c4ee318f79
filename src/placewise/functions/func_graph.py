"""The graph of a traced function: arguments, and what it takes in from outside.

A tensor of the surroundings that is used inside becomes a further input, a small one that has its
value already a constant. Operations that act on something run whether or not a result needs them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.gc_pause import seldom_searched
from placewise.core.scope import current, replaced
from placewise.core.shapes import TensorShape
from placewise.core.tensor import out_of_scope
from placewise.eager.tape import Tape
from placewise.functions.tensor_array import FunctionTensorArray
from placewise.graph.defaults import process_graph
from placewise.graph.graph import Graph
from placewise.graph.recorder import Recorder, held_dims
from placewise.graph.relocation import relocated
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only
from placewise.ops.random.streams import SEEDS
from placewise.ops.values import EagerTensor, Handle, to_numpy

if TYPE_CHECKING:
    from placewise.graph.resource_variables import ResourceVariable


_SMALL = 128  # elements of a tensor that becomes a constant where it is used
_PLACEHOLDER = graph_only.placeholder.op
_NO_CONSTANT = (dtypes.resource, dtypes.variant)


_SURROUNDING = object()


class FuncGraph(Graph):
    """Operations of a function; `inputs` are its arguments, `captures` what it uses besides."""

    runs_effects = True
    array_class = FunctionTensorArray

    def __init__(self, name: str, outer: Any = _SURROUNDING) -> None:
        super().__init__()
        self.name = name
        self.scope = re.sub(r"^[^A-Za-z0-9.]+|[^A-Za-z0-9._/-]", "", name) or "function"
        # The graph around it; None where ops run at once.
        self.outer = outer = current_graph() if outer is _SURROUNDING else outer
        # Among graphs `==` means identity, as in them: TensorFlow asks what the outermost does.
        self.tensor_equality = outer is None or outer.tensor_equality
        self.inputs: list[GraphTensor] = []
        self.outputs: list[Any] = []
        self.structured_outputs: Any = None
        self.captured: dict[int, tuple[Any, GraphTensor]] = {}
        self.constants: dict[int, tuple[Any, GraphTensor]] = {}
        self.accessed = _Accessed()
        # The devices asked for where ops run at once, when it was last written.
        self.surrounding_requests: tuple[str, tuple[str, ...]] = ("", ())
        self.seed = SEEDS.seed if outer is None else outer.seed

    @property
    def captures(self) -> list[tuple[Any, GraphTensor]]:
        """The (outer, inner) pairs of what the function uses from outside."""
        return list(self.captured.values())

    @property
    def external_captures(self) -> list[Any]:
        """What the function uses from outside."""
        return [outer for outer, _ in self.captured.values()]

    @property
    def internal_captures(self) -> list[GraphTensor]:
        """What stands inside for what is used from outside."""
        return [inner for _, inner in self.captured.values()]

    @property
    def outer_graph(self) -> Any:
        """The graph around this one; for a function that is called eagerly the process's own."""
        return self.outer if self.outer is not None else process_graph()

    @property
    def building_function(self) -> bool:
        """True: this graph is the body of a function."""
        return True

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that were read, but for those that are arguments."""
        return tuple([v for v in self.accessed.every.values() if not self._is_argument(v)])

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that were read and are trainable."""
        return tuple([v for v in self.variables if v.trainable])

    def _is_argument(self, variable: ResourceVariable) -> bool:
        handle = variable.handle
        return isinstance(handle, GraphTensor) and handle.op.graph is self

    @contextmanager
    def as_default(self) -> Iterator[FuncGraph]:
        """Write ops into this graph, in this thread."""
        own = current.request, current.requests
        self.surrounding_requests = getattr(current_graph(), "surrounding_requests", own)
        with (
            seldom_searched(),
            replaced(
                interpreter=FunctionRecorder(self),
                request="",
                requests=(),
                name_scope="",
                tapes=(self.accessed,),
            ),
        ):
            yield self

    def control_dependencies(self, control_inputs: Any) -> Any:
        """Let the ops of a block wait for others; what ran outside already is not waited for."""
        if control_inputs is not None:
            control_inputs = [one for one in control_inputs if not isinstance(one, EagerTensor)]
        return super().control_dependencies(control_inputs)

    # Inputs.

    def argument(self, dtype: Any, dims: Any, name: str, handle: Handle | None = None) -> Any:
        """Add a placeholder outside of all scopes: an argument, or something captured."""
        attrs = {"dtype": dtype, "shape": None if dims is None else TensorShape(dims)}
        with (
            self._changed(name="", devices=(), control=(), colocate=(), block=None),
            self._lock,
        ):
            operation: Any = self.add(
                _PLACEHOLDER, self.unique_name(name), (), attrs, [(dtype, dims)], None
            )
            if handle is not None:
                operation.handle_dtype, operation.handle_shape = handle.dtype, handle.shape
        output: GraphTensor = operation.outputs[0]
        return output

    def capture(
        self, tensor: Any, name: str | None = None, shape: ShapeLike | None = None
    ) -> GraphTensor:
        """Return what stands inside for a tensor of the surroundings."""
        inside = self.captured.get(id(tensor)) or self.constants.get(id(tensor))
        if inside is not None:
            return inside[1]
        if isinstance(tensor, EagerTensor):
            content = tensor._value
            is_small = math.prod(tensor._shape_tuple) <= _SMALL
            by_reference = getattr(tensor, "is_captured_by_reference", False)
            if tensor.dtype not in _NO_CONSTANT and is_small and not by_reference:
                result: GraphTensor = self._constant(tensor)
                self.constants[id(tensor)] = tensor, result
                return result
            handle = content if isinstance(content, Handle) else None
            result = self.argument(
                tensor.dtype,
                tensor._shape_tuple,
                _plain(name or f"captured_{self.version}"),
                handle,
            )
        else:
            result = self.argument(tensor.dtype.base_dtype, tensor._dims, _plain(tensor.op.name))
            result.op.handle_dtype, result.op.handle_shape = held_type(tensor), held_shape(tensor)
        self.captured[id(tensor)] = tensor, result
        return result

    def _constant(self, tensor: EagerTensor) -> GraphTensor:
        value = to_numpy(tensor._value).copy()
        with (
            self._changed(name="", devices=(), control=(), colocate=(), block=None),
            self._lock,
        ):
            operation = self.add(
                graph_only.const.op,
                self.unique_name("Const"),
                (),
                {"value": value, "dtype": tensor.dtype},
                [(tensor.dtype, value.shape)],
                None,
            )
        output: GraphTensor = operation.outputs[0]
        return output

    def inside(self, tensor: TensorLike) -> Any:
        """Return what stands inside for a tensor, itself if it is one of this graph's."""
        if isinstance(tensor, GraphTensor) and tensor.op.graph is self:
            return tensor
        own_tensor = self.captured.get(id(tensor)) or self.constants.get(id(tensor))
        if own_tensor is None and isinstance(tensor, GraphTensor):
            return relocated(tensor, self)
        return None if own_tensor is None else own_tensor[1]

    def is_inside_of(self, graph: Graph) -> bool:
        """Return True if `graph` is one of those around this one."""
        at = self.outer
        while at is not None:
            if at is graph:
                return True
            at = getattr(at, "outer", None)
        return False


class _Accessed(Tape):
    """Notes which variables a function reads."""

    __slots__ = ("every",)

    def __init__(self) -> None:
        super().__init__()
        self.every: dict[int, Any] = {}

    def variable_accessed(self, variable: ResourceVariable) -> None:
        """Note a variable."""
        self.every.setdefault(id(variable.handle), variable)

    def ran(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attrs: Any) -> None:
        """Write nothing down: the graph is what is written."""


class FunctionRecorder(Recorder):
    """Writes ops into the graph of a function; tensors of the surroundings are captured."""

    graph: FuncGraph
    is_function = True
    makes_variables = False  # they are lifted out of functions

    def _known_now(self, value: EagerTensor, name: str) -> GraphTensor:
        return self.graph.capture(value)

    def _foreign(self, value: GraphTensor, user: str) -> GraphTensor:
        graph = self.graph
        if (result := relocated(value, graph)) is not None:
            return result
        if not graph.is_inside_of(value.op.graph):
            raise out_of_scope(value)
        return graph.capture(value)


def held_type(tensor: Any) -> Any:
    """Return the dtype of what a resource tensor leads to, if it is a variable."""
    if tensor.dtype is not dtypes.resource:
        return None
    return getattr(tensor.op, "handle_dtype", None) or tensor.op.attrs.get("dtype")


def held_shape(tensor: Any) -> Any:
    """Return the shape of what a resource tensor leads to, if it is a variable."""
    if tensor.dtype is not dtypes.resource:
        return None
    dims = held_dims(tensor.op)
    return None if dims is None else TensorShape(dims)


def _plain(name: str) -> str:
    return name.rpartition("/")[2] or "captured"


def current_graph() -> Any:
    """Return the graph that ops are written into; None where they run at once."""
    return current.interpreter.graph


FuncGraph.__module__ = "tensorflow.python.framework.func_graph"
