"""The dataset of a one-shot iterator: a part of the graph that runs by itself, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise import messages
from placewise.data.engine.source import Source
from placewise.planning.passes.prune import needed
from placewise.session.session import BaseSession


def factory_of(variant: Any) -> Callable[[], Source]:
    """Return a function that makes the dataset of a variant tensor from constants alone."""
    for op in needed([variant], []):
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

    return make
