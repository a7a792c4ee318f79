"""Optimizers whose update is one op: a subclass names the op, its slots and its settings.

The four forms of an op (whole or rows, reference or resource) differ only in their names, and
their inputs are filled in by name: so one table serves all four.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from placewise.core.dtypes import DType
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import REGISTRY
from placewise.ops.math.cast import cast
from placewise.ops.state import training_refs as training_refs  # declares the ops
from placewise.training.optimizer import Optimizer
from placewise.training.update_target import update_target

if TYPE_CHECKING:
    from placewise.graph.resource_variables import ResourceVariable
    from placewise.graph.variables import RefVariable
    from placewise.ops.indexed_slices import IndexedSlices


class RuleOptimizer(Optimizer):
    """An optimizer on `Apply{rule}` and its three other forms."""

    _rule: str
    # Input of the op → name of the slot; input of the op → (name of the tensor, attribute).
    _slot_inputs: ClassVar[dict[str, str]] = {}
    _settings: ClassVar[dict[str, tuple[str, str]]] = {}

    def _prepare(self) -> None:
        self._tensors: dict[str, Any] = {
            name: convert_to_tensor(self._call_if_callable(getattr(self, attribute)), name=label)
            for name, (label, attribute) in self._settings.items()
        }

    def _options(self) -> dict[str, Any]:
        """Return the attributes of the op beside `use_locking`."""
        return {}

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            for slot in self._slot_inputs.values():
                self._zeros_slot(var, slot, self._name)

    def _inputs(self, var: Any, dtype: DType) -> dict[str, Any]:
        """Return the inputs of the op by name, but for the gradient and its rows."""
        found = {"var": update_target(var)}
        for name, slot in self._slot_inputs.items():
            found[name] = update_target(self.get_slot(var, slot))
        for name, tensor in self._tensors.items():
            found[name] = as_type(tensor, dtype)
        return found

    def _run(self, form: str, var: Any, grad: Any, indices: Any = None) -> Any:
        op = REGISTRY[form + self._rule]
        given = self._inputs(var, grad.dtype.base_dtype)
        given.update(grad=grad, delta=grad, indices=indices)
        inputs = [given[arg.name] for arg in op.inputs]
        return op.bind(*inputs, use_locking=self._use_locking, **self._options())

    def _apply_dense(self, grad: Tensor, var: RefVariable) -> Any:
        return self._run("Apply", var, grad)

    def _resource_apply_dense(self, grad: Tensor, handle: ResourceVariable) -> Any:
        return self._run("ResourceApply", handle, grad)

    def _apply_sparse(self, grad: IndexedSlices, var: RefVariable) -> Any:
        return self._run("SparseApply", var, grad.values, grad.indices)

    def _resource_apply_sparse(
        self, grad: Tensor, handle: ResourceVariable, indices: Tensor
    ) -> Any:
        return self._run("ResourceSparseApply", handle, grad, indices)


def as_type(tensor: Tensor, dtype: DType) -> Any:
    """Return a setting in a variable's dtype."""
    return tensor if tensor.dtype.base_dtype is dtype else cast(tensor, dtype)
