"""A function traced for one kind of arguments: a graph with inputs and outputs, and its plans."""

from __future__ import annotations

import functools
import inspect
from typing import Any, cast

from placewise.core import nest
from placewise.core.names import uid
from placewise.core.scope import Scope, current, watch
from placewise.core.shapes import TensorShape
from placewise.devices.inventory import inventory
from placewise.functions import function_types, lazy
from placewise.functions.call_form import signature_text, tell_tapes
from placewise.functions.call_log import run
from placewise.functions.descriptions import described
from placewise.functions.execution import Executor
from placewise.functions.func_graph import FuncGraph
from placewise.functions.inline import Inliner
from placewise.functions.messages import to_function_def
from placewise.functions.shapeless import without_shapes
from placewise.functions.structure import packer
from placewise.functions.typed_signature import function_type_of
from placewise.graph.effects import acting
from placewise.graph.tensor import GraphTensor
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.values import EagerTensor, Handle


class ConcreteFunction(function_types.ConcreteFunction):
    """A callable graph: `inputs` are fed, `outputs` come back, `captured_inputs` are built in."""

    def __init__(
        self,
        graph: FuncGraph,
        structured_outputs: Any,
        compile_with: Any = None,
        call: Any = None,
    ) -> None:
        self.graph = graph
        self.structured_outputs = structured_outputs  # of a loaded function: specs
        self.structured_tensors = structured_outputs
        self.signature_defaults: dict[str, Any] = {}  # of a SavedModel's signature, by input
        self.outputs: list[GraphTensor] = [
            graph_tensor
            for graph_tensor in nest.flatten(structured_outputs, expand_composites=True)
            if graph_tensor is not None
        ]
        graph.outputs, graph.structured_outputs = self.outputs, structured_outputs
        self._number = uid()
        self.effects = acting(graph.get_operations())
        self.executor = Executor(
            graph,
            graph.inputs,
            self.outputs,
            self.effects,
            compile_with,
            returned=len(self.outputs),
        )
        self._call_form = call  # (python arguments, how they were given), for structured calls
        self._pack = packer(structured_outputs)
        self._differentiable: dict[Any, Any] = {}
        self._kept: list[Any] = []  # what must live as long as the function

    # What it is.

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Put the function into the library of a graph, by default the one in force.

        Where ops run at once there is no library: functions are found without one.
        """
        graph = g if g is not None else getattr(current.interpreter, "graph", None)
        if graph is not None and (overwrite or self.called not in graph.library):
            graph.library[self.called] = self

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Put the function into the library; its gradient is written where it is asked for."""
        self.add_to_graph(g)

    @property
    def name(self) -> bytes:
        """A name no other function has; bytes, as TensorFlow gives it."""
        return self.called.encode()

    @property
    def called(self) -> str:
        """The name as text."""
        return f"__inference_{self.graph.name}_{self._number}"

    @property
    def inputs(self) -> list[GraphTensor]:
        """The placeholders of the graph: arguments, then what is captured."""
        return [*self.graph.inputs, *self.graph.internal_captures]

    @property
    def captured_inputs(self) -> list[Any]:
        """What the function uses from outside."""
        return self.graph.external_captures

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables the function reads."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable ones among them."""
        return self.graph.trainable_variables

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of what it returns, in the structure it returns."""
        return nest.map_structure(lambda t: t if t is None else t.dtype, self.structured_tensors)

    @property
    def output_shapes(self) -> Any:
        """The shapes of what it returns, in the structure it returns."""
        return nest.map_structure(
            lambda t: TensorShape(None) if t is None else t.shape, self.structured_tensors
        )

    @property
    def structured_input_signature(self) -> Any:
        """The arguments as (args, kwargs), with specs for tensors."""
        return self._call_form.structured() if self._call_form is not None else ((), {})

    @property
    def function_type(self) -> Any:
        """The signature, with the types of parameters and results."""
        return function_type_of(self)

    @property
    def function_def(self) -> Any:
        """The function as a FunctionDef message."""
        return to_function_def(self)

    def source(self) -> str:
        """Return the Python that a call executes, for arguments on the default device."""
        homes = (inventory().default,) * len(self.graph.inputs)
        return self.executor.runner(homes).program.source

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Return what goes in and what comes out, for people: a line each, or all in one line."""
        if verbose:
            return described(self)
        return self._summary()

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        signature = inspect.Signature.__str__(self.function_type)
        return f"<ConcreteFunction {signature} at 0x{id(self):X}>"

    # Calling.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call with arguments as they were when the function was traced, or with tensors alone."""
        if self._call_form is None:
            return self.call_flat([convert_to_tensor(arg) for arg in args])
        form = self._call_form
        tensors, fit = form.tensors(args, kwargs, self.graph.inputs, self.graph.name, self._summary)
        return self._pack((self if fit else self._shapeless).run_flat(tensors))

    @functools.cached_property
    def _shapeless(self) -> ConcreteFunction:
        """The function with nothing known of its arguments' shapes, for calls with other shapes."""
        graph, outputs = without_shapes(self.graph, self.outputs, self.effects)
        return ConcreteFunction(graph, outputs, self.executor.compile_with)

    def _summary(self) -> str:
        return signature_text(self._call_form, self.structured_outputs)

    def call_flat(self, tensors: list[Any]) -> Any:
        """Call with the tensors of all arguments, flat; returns the structure it was traced to."""
        return self._pack(self.run_flat(tensors))

    def run_flat(self, tensors: list[Any]) -> list[Any]:
        """Call with tensors, and return tensors."""
        if current.interpreter is not Scope.eager:
            return self._inlined(tensors)
        if inventory().is_joined:
            result = self._run_elsewhere(tensors)
            if result is not None:
                return result
        if current.tapes:
            result = self._followed(tensors)
            if result is not None:
                return result
        if watch.on or watch.unit is not None:
            return run(self, tensors)
        return self.executor.run(tensors)

    def _run_elsewhere(self, tensors: list[Any]) -> list[Any] | None:
        """Run on another process if a device of it is in force, or state of it is used."""
        present = inventory()
        device = present.find(current.request) if current.request else None
        if device is not None and device.remote is not None:
            # A scheduled step may use any device of its worker, and its results come with the
            # answer: the worker may be gone when they are asked for.
            is_step = current.request == current.task_request
            pinned = "" if is_step else current.request
            return cast("list[Any]", device.remote.run_function(self, tensors, is_step, pinned))
        for item in [*tensors, *self.graph.external_captures]:
            home = item._value.device if type(item) is EagerTensor and _is_state(item) else None
            if home is not None and home.remote is not None:
                return cast("list[Any]", home.remote.run_function(self, tensors, True, ""))
        return None

    def _followed(self, tensors: list[Any]) -> list[Any] | None:
        """Call for the tapes that follow anything the function reads; None if there is none."""
        graph = self.graph
        tell_tapes(graph.variables)
        every = [*tensors, *graph.external_captures]
        tapes = [tape for tape in current.tapes if tape.recording]
        constants = [
            pair
            for pair in graph.constants.values()
            if any(id(pair[0]) in tape.known for tape in tapes)
        ]
        every += [outer for outer, _ in constants]
        order = sum(any(id(item) in tape.known for item in every) for tape in tapes)
        return self.differentiable(constants).call(every, order) if order else None

    def differentiable(self, constants: list[Any] | None = None) -> Any:
        """Return the function with what its gradient needs; constants become inputs."""
        key = tuple([id(outer) for outer, _ in constants or ()])
        result = self._differentiable.get(key)
        if result is None:
            result = self._differentiable[key] = lazy.Differentiable(self, constants)
        return result

    def _inlined(self, tensors: list[Any]) -> list[Any]:
        """Write the function into the graph in force."""
        target = current.interpreter.graph
        tell_tapes(self.graph.variables)
        with target.name_scope(self.graph.scope):
            inliner = Inliner(target, "")
            pairs = zip(self.graph.inputs, tensors, strict=True)
            for inner, outer in [*pairs, *[(i, o) for o, i in self.graph.captures]]:
                inliner.bind(inner, convert_to_tensor(outer))
            if isinstance(target, FuncGraph):  # it knows the tensors that its constants stand for
                for outer, inner in self.graph.constants.values():
                    inliner.bind(inner, target.capture(outer))
            inliner.copy_needed(self.graph, [*self.outputs, *self.effects], self.inputs)
            outputs = [inliner.tensor(output) for output in self.outputs]
            if target.runs_effects or not self.effects:
                return outputs
            ran = [inliner.operations[op.id] for op in self.effects]
            with target.control_dependencies(ran):
                return [identity(output) for output in outputs]


def _is_state(tensor: EagerTensor) -> bool:
    return isinstance(tensor._value, Handle)


ConcreteFunction.__module__ = "tensorflow.python.eager.polymorphic_function.concrete_function"
