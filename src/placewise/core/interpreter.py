"""The contract of interpreters: everything the package asks of what gives an op call its meaning.

`placewise.eager.dispatch` runs an op at once, `placewise.graph.recorder` writes it into a graph,
`placewise.functions.func_graph` writes it into the body of a function. `Deferred` stands in for
one of them until the first op of the process is called, so that importing placewise loads no torch.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Interpreter(Protocol):
    """What an op call means in this thread: run it, or write it down.

    Ops and graphs stand above this layer, so their types are `Any` here.
    """

    # Is a function being traced? Then ops go into its body, and tensors from outside are captured.
    is_function: bool = False
    # Does `tf.Variable(...)` add a variable to the graph? If not, it makes an eager variable.
    makes_variables: bool = False

    @property
    def graph(self) -> Any:
        """The graph that ops are written into; None where ops run at once."""

    @property
    def control_flow(self) -> Any:
        """The module with control flow for graphs; None where ops run at once."""

    @property
    def tf1_nodes(self) -> Any:
        """The module with what TensorFlow 1 writes as other nodes; None where ops run at once."""

    @abstractmethod
    def run(self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Run or record one op; return its output, or a list of its outputs."""

    @abstractmethod
    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> Any:
        """Return a tensor that holds a host array."""

    @abstractmethod
    def capture(self, tensor: Any, name: str | None) -> Any:
        """Return a tensor in the form in which ops may use it here."""

    @abstractmethod
    def seeds(self, op_seed: Any) -> tuple[Any, Any]:
        """Return the global seed, and the seed of an op that was given `op_seed`."""

    @abstractmethod
    def make_variable(self, options: dict[str, Any]) -> Any:
        """Return a variable of the graph; called only if `makes_variables`."""

    @abstractmethod
    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[Any]:
        """Return a context in which ops wait for `control_inputs`."""

    @abstractmethod
    def group(self, inputs: Any, name: str | None) -> Any:
        """Return an operation that runs after all inputs; None where they have run already."""

    @abstractmethod
    def with_control_inputs(self, tensors: Any, control_inputs: Any, name: str | None) -> Any:
        """Return the tensors, each available only once all of them are."""


class Deferred(Interpreter):
    """Stands in for an interpreter that is not imported yet: the first call loads it."""

    @abstractmethod
    def load(self) -> Interpreter:
        """Import the interpreter, put it in this one's place and return it."""

    @property
    def graph(self) -> Any:
        """The graph of the interpreter, which is loaded for it."""
        return self.load().graph

    @property
    def control_flow(self) -> Any:
        """The control flow of the interpreter, which is loaded for it."""
        return self.load().control_flow

    @property
    def tf1_nodes(self) -> Any:
        """The TensorFlow 1 nodes of the interpreter, which is loaded for them."""
        return self.load().tf1_nodes

    def run(self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Load the interpreter, then run or record the op there."""
        return self.load().run(op, inputs, attrs, name)

    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> Any:
        """Load the interpreter, then make the constant there."""
        return self.load().constant(value, dtype, shape, name)

    def capture(self, tensor: Any, name: str | None) -> Any:
        """Load the interpreter, then capture the tensor there."""
        return self.load().capture(tensor, name)

    def seeds(self, op_seed: Any) -> tuple[Any, Any]:
        """Load the interpreter, then ask it for the seeds."""
        return self.load().seeds(op_seed)

    def make_variable(self, options: dict[str, Any]) -> Any:
        """Load the interpreter, then make the variable there."""
        return self.load().make_variable(options)

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[Any]:
        """Load the interpreter, then enter its context."""
        return self.load().control_dependencies(control_inputs)

    def group(self, inputs: Any, name: str | None) -> Any:
        """Load the interpreter, then group there."""
        return self.load().group(inputs, name)

    def with_control_inputs(self, tensors: Any, control_inputs: Any, name: str | None) -> Any:
        """Load the interpreter, then tie the tensors together there."""
        return self.load().with_control_inputs(tensors, control_inputs, name)
