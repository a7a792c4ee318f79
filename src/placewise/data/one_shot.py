"""The dataset of a one-shot iterator: a part of the graph that runs by itself, once."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from placewise import messages
from placewise.core.tensor import Tensor
from placewise.data.engine.source import Source
from placewise.functions.dataset_function import ImportedFunction
from placewise.planning.passes.prune import needed
from placewise.session.session import BaseSession


class Factory:
    """Makes the dataset of a one-shot iterator; GraphDefs have it as a function."""

    def __init__(self, graph: Any, concrete: Any, make: Callable[[], Source]) -> None:
        self.graph, self.concrete, self._make = graph, concrete, make

    def __call__(self) -> Source:
        """Return the dataset."""
        return self._make()


def factory_of(variant: Tensor) -> Factory:
    """Return what makes the dataset of a variant tensor, from constants alone."""
    operations = needed([variant], [])
    for op in operations:
        declaration = op.declaration
        if op.type.startswith("Placeholder"):
            raise ValueError(
                f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value."
            )
        if declaration.makes_state:
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. "
                "`Dataset.make_one_shot_iterator()` does not support datasets that capture "
                "stateful objects, such as a `Variable` or `LookupTable`. In these cases, use "
                "`Dataset.make_initializable_iterator()`. (Original error: Cannot capture a "
                f"stateful node (name:{op.name}, type:{op.type}) by value.)"
            )

    def make() -> Source:
        # The whole graph is placed, of which other parts may have asked for what they cannot get.
        config = messages.ConfigProto(allow_soft_placement=True)
        session = BaseSession(graph=variant.graph, config=config)
        try:
            (content,) = session._executable((variant,), []).program.call()
        finally:
            session.close()
        found: Source = content.value
        return found

    part = SimpleNamespace(inputs=[], internal_captures=[], get_operations=lambda: operations)
    return Factory(part, SimpleNamespace(outputs=[variant]), make)


def one_shot_attributes(node: Any, inputs: list[Any], library: Any) -> dict[str, Any]:
    """Return the factory of a one-shot iterator: the function that makes its dataset."""
    name = node.attr["dataset_factory"].func.name
    if name not in library:
        raise ValueError(
            f"Node '{node.name}' ({node.op}) calls function '{name}', which the GraphDef's library "
            "does not have."
        )
    function = ImportedFunction(library[name], library)
    make = Factory(function.graph, function.concrete, lambda: function.run([], [])[0].value)
    return {"dataset_factory": make}
