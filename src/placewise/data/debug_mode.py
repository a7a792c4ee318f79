"""`tf.data.experimental.enable_debug_mode`: functions of datasets as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from placewise.core import nest
from placewise.core.runtime import State, runtime
from placewise.devices.inventory import inventory
from placewise.functions.dataset_function import StructuredFunction
from placewise.functions.structure import replaced
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import eager_scope, executing_eagerly
from placewise.ops.values import Handle, wrap


@dataclass(slots=True)
class DebugMode(State):
    """Whether functions of datasets that are made now run as plain Python."""

    is_on: bool = False


debug_mode = runtime.state(DebugMode)


def enable_debug_mode() -> None:
    """Run functions of `tf.data` eagerly, element by element, from now on in this process.

    Breakpoints and `print` then work in functions of `map`, `filter`, `reduce` and the like. Each
    is still traced once, to find what its results are, and calls run one after the other. Datasets
    that exist already keep running graphs.

    Raises ValueError inside of a `tf.function` or graph.
    """
    if not executing_eagerly():
        raise ValueError("`enable_debug_mode() is only supported in eager mode.")
    debug_mode.is_on = True


class EagerFunction(StructuredFunction):
    """A function of one element whose Python runs at each call."""

    def __init__(self, eager: Callable[..., Any], traced: Any, input_spec: Any, name: str) -> None:
        super().__init__(traced, input_spec, name=name, autograph=False)
        self._eager = eager
        self._several = input_spec if type(input_spec) is tuple else (input_spec,)
        self._dtypes = [tensor.dtype for tensor in self.concrete.outputs]
        # What the Python does besides is not in the graph: calls must keep their order.
        self.is_pure = False

    def run(self, contents: list[Any], captured: list[Any]) -> tuple[Any, ...]:
        """Return the contents of the results for the contents of one element.

        Captures are not needed: the Python function holds them itself.
        """
        cpu = inventory().cpu
        tensors = iter(
            [wrap(item, item.device if isinstance(item, Handle) else cpu) for item in contents]
        )
        with eager_scope():
            arguments = [replaced(spec, tensors, _as_given) for spec in self._several]
            result = self._eager(*arguments)
            flat = [
                leaf for leaf in nest.flatten(result, expand_composites=True) if leaf is not None
            ]
            pairs = zip(flat, self._dtypes, strict=True)
            return tuple([_on_host(convert_to_tensor(leaf, dtype), cpu) for leaf, dtype in pairs])


def _on_host(tensor: Any, cpu: Any) -> Any:
    """Return the content of a tensor where datasets keep theirs; the Python may use any device."""
    content = tensor._value
    is_there = isinstance(content, Handle) or tensor._device is cpu
    return content if is_there else tensor.cpu()._value


def _as_given(variable: Any, handle: Any) -> Any:
    return handle
