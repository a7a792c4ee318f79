"""A user's function over the elements of a dataset: traced once, run on contents."""

from __future__ import annotations

import re
from typing import Any

from placewise.core import nest
from placewise.core.dtypes import as_dtype
from placewise.core.tensor import Tensor
from placewise.devices.inventory import inventory
from placewise.functions.autograph import converted
from placewise.functions.call_form import CallForm
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.execution import Executor
from placewise.functions.func_graph import FuncGraph
from placewise.functions.parameters import taken_apart
from placewise.functions.trace import Making, trace
from placewise.graph.function_bodies import body_of
from placewise.graph.import_graph_def import Importer
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.specs import type_spec_from_value
from placewise.ops.tensor_array import TensorArraySpec
from placewise.ops.values import Handle


class StructuredFunction:
    """A function of one element; a tuple is handed over as several arguments.

    `captured` are the tensors it uses from outside: they must be handed to `run` as contents.
    `parallel_calls` is how many calls may run at once (0: the program did not say, -1: as many as
    is good).
    """

    parallel_calls = 0
    is_implied = True  # a node has it as a function of the library

    def __init__(
        self, python_function: Any, input_spec: Any, name: str = "Dataset", autograph: bool = True
    ) -> None:
        several = input_spec if type(input_spec) is tuple else (input_spec,)
        named = [(f"args_{index}", spec) for index, spec in enumerate(several)]
        taken = taken_apart(named, len(named))
        self.python_function = python_function
        function = _converted(python_function) if autograph else python_function

        def noted(*arguments: Any) -> Any:
            made = function(*arguments)
            # A traced function has tensors only: what else they were is found here.
            self._arrays = [
                TensorArraySpec.from_value(leaf) if isinstance(leaf, TensorArray) else None
                for leaf in nest.flatten(made)
            ]
            return made

        def traced(making: Making) -> Any:
            return trace(noted, name, taken, None, making, may_change_arguments=True)

        making = Making(True)
        self.concrete = traced(making)
        if making.made:  # as in tf.function: variables are made once, then it is traced again
            self.concrete = traced(Making(False))
        results = self.concrete.structured_tensors
        specs = [
            array or _spec(leaf)
            for array, leaf in zip(self._arrays, nest.flatten(results), strict=True)
        ]
        self.output_spec = nest.pack_sequence_as(results, specs)
        self._prepare()

    def _prepare(self) -> None:
        graph = self.concrete.graph
        self.graph: FuncGraph = graph
        self.captured: list[Any] = graph.external_captures
        self._executor = Executor(
            graph,
            [*graph.inputs, *graph.internal_captures],
            self.concrete.outputs,
            self.concrete.effects,
            on_host=True,
        )
        self._runner: Any = None
        self._devices: Any = None
        self.is_stateful = bool(self.concrete.effects)
        self.is_pure = not self.is_stateful and _is_pure(graph)

    def run(self, contents: list[Any], captured: list[Any]) -> tuple[Any, ...]:
        """Return the contents of the results for the contents of one element."""
        if self._devices is not inventory():
            self._devices = inventory()
            cpu = self._devices.cpu
            homes = [cpu] * len(contents)
            homes += [item.device if isinstance(item, Handle) else cpu for item in captured]
            self._runner = self._executor.runner(tuple(homes))
        result: tuple[Any, ...] = self._runner.run([*contents, *captured])
        return result


class ImportedFunction(StructuredFunction):
    """A function of a GraphDef's library; its last arguments are what it captured."""

    def __init__(self, function_def: Any, library: dict[str, Any]) -> None:
        signature = function_def.signature
        graph = FuncGraph(signature.name, None)
        body = body_of(function_def, library)
        with graph.as_default():
            graph.inputs = [
                graph.argument(as_dtype(arg.type), None, arg.name) for arg in signature.input_arg
            ]
            named = zip(body.arguments, graph.inputs, strict=True)
            importer = Importer(graph, library, "", {f"{name}:0": one for name, one in named})
            importer.inner = True
            importer.add_all(body.nodes)
            results = [importer.tensor(text) for text in body.results]
        form = CallForm([], 0)
        self.concrete = ConcreteFunction(graph, tuple(results), None, form)
        self._prepare()


def external_state(graph: Any) -> str | None:
    """Return the first op of a function that a checkpoint of an iterator cannot keep, or None.

    That is one which draws at random, reads or writes variables, or calls Python, also in functions
    of datasets made inside. Ops of datasets, of tables and those that only report do not count.
    """
    for operation in graph.get_operations():
        declared = operation.declaration
        if declared.stateful and not _KEPT.search(declared.name):
            name: str = declared.name
            return name
        for value in operation.attrs.values():
            inner = value.graph if isinstance(value, StructuredFunction) else None
            if inner is not None and (found := external_state(inner)) is not None:
                return found
    return None


_KEPT = re.compile(r"Dataset|Iterator|Table|Optional|^(Assert|Print|PrintV2|NoOp)$")


def _converted(function: Any) -> Any:
    return converted(function)


def _spec(leaf: Any) -> Any:
    spec = type_spec_from_value(leaf)
    if isinstance(leaf, Tensor):
        return type(spec)(spec.shape, spec.dtype)
    return spec


def _is_pure(graph: FuncGraph) -> bool:
    """Return whether calls may run at once: nothing is drawn at random, written or called back."""
    return all(
        not operation.declaration.stateful or operation.declaration.name == "ReadVariableOp"
        for operation in graph.get_operations()
    )
