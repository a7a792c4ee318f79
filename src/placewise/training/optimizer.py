"""`tf.train.Optimizer`: gradients of a loss, and what is done with them to variables.

Works on reference and resource variables of a graph, and on eager variables. A subclass says how
one variable is updated: `_apply_dense`, `_apply_sparse` for reference variables,
`_resource_apply_dense`, `_resource_apply_sparse` for the others; `_create_slots`, `_prepare` and
`_finish` stand around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Sequence, ValuesView
from typing import TYPE_CHECKING, Any

from placewise.autodiff.gradient_tape import GradientTape
from placewise.autodiff.graph_gradients import gradients
from placewise.core import dtypes, nest
from placewise.core.dtypes import DType
from placewise.core.errors import hint
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.core.trackable import Trackable
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.distinct import unique
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group
from placewise.ops.flow.order import tuple as tie
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.unsorted_segments import unsorted_segment_sum
from placewise.ops.state import reference
from placewise.ops.state import resource as resources
from placewise.ops.state.variable import is_variable
from placewise.training import slots
from placewise.training.loss_parts import loss_part
from placewise.training.replicas import apply_together, replica_in_force, whole
from placewise.training.slots import is_eager
from placewise.training.update_target import is_updatable, update_target

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.resource_variables import ResourceVariable


_FLOATS = (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16)


class Optimizer(Trackable):
    """What all optimizers share; a subclass knows how one variable is updated."""

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        # Slot name → key of a variable → (the variable, its slot).
        self._slots: dict[str, dict[Any, tuple[Any, Any]]] = {}
        self._non_slot_dict: dict[tuple[str, Any], Any] = {}
        # What a checkpoint has for slots that are not made yet: by slot name and variable.
        self._slot_restores: dict[tuple[str, int], Any] = {}

    def get_name(self) -> str:
        """Return the name the optimizer was given."""
        return self._name

    # The two halves of a step.

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Return an operation that takes one step against the gradient of `loss`.

        When eager, `loss` is a function, and the step is taken at once. Without `var_list`, all
        trainable variables are changed; `global_step` is increased by one.
        """
        grads_and_vars = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if all(gradient is None for gradient, _ in grads_and_vars):
            raise ValueError(
                hint(
                    "No gradients provided for any variable, check your graph for ops that do not "
                    "support gradients, between variables "
                    f"{[str(variable) for _, variable in grads_and_vars]} and loss {loss}.",
                    "does the loss use these variables, and only ops with gradients? tf.argmax, "
                    "tf.cast to integers and NumPy cut the way",
                )
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Return (gradient of `loss`, variable) for every variable; the gradient may be None."""
        if is_eager():
            return self._eager_gradients(loss, var_list, grad_loss)
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        if callable(loss):
            loss = loss()
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        variables = self._variables_to_train(var_list)
        found = gradients(
            loss_part(loss),
            [update_target(each) for each in variables],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = tie(found)
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes(
            [v for g, v in pairs if g is not None and v.dtype is not dtypes.resource]
        )
        return pairs

    def _variables_to_train(self, var_list: Any) -> list[Any]:
        graph = get_default_graph()
        if var_list is None:
            found = graph.get_collection("trainable_variables")
            found += graph.get_collection("trainable_resource_variables")
        else:
            found = _listed(var_list)
        found += graph.get_collection("streaming_model_ports")
        if not found:
            raise ValueError("No variables to optimize.")
        return found

    def _eager_gradients(
        self, loss: Any, var_list: list[Any] | None, grad_loss: Any
    ) -> list[tuple[Any, Any]]:
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        with GradientTape() as tape:
            if var_list is not None:
                var_list = _listed(var_list)
                tape.watch(var_list)
            value = loss()
        variables = list(tape.watched_variables()) if var_list is None else var_list
        found = tape.gradient(value, variables, grad_loss) if variables else []
        return list(zip(found, variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operation that changes each variable by its gradient; when eager, do it."""
        pairs = [(_as_gradient(gradient), variable) for gradient, variable in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        used = [(g, v) for g, v in pairs if g is not None]
        if not used:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        variables = [variable for _, variable in used]
        for variable in variables:
            if not is_updatable(variable):
                raise NotImplementedError("Trying to update a Tensor ", variable)
        replica = replica_in_force()
        if replica is not None:
            return apply_together(self, replica, used, global_step, name)
        if is_eager():
            self._create_slots(variables)
            self._prepare()
            self._finish([self._update(g, v) for g, v in used], "update")
            if global_step is not None:
                global_step.assign_add(1)
            return None
        return self._applied_in_graph(used, variables, global_step, name)

    def _applied_in_graph(
        self, used: list[tuple[Any, Any]], variables: list[Any], global_step: Any, name: str | None
    ) -> Any:
        graph = get_default_graph()
        with slots.apart(variables):
            self._create_slots(variables)
        updates = []
        with graph.name_scope(name or self._name) as scope:
            self._prepare()
            for gradient, variable in used:
                name = variable.name.partition(":")[0]
                with graph.name_scope(f"update_{name}"), slots.beside(variable):
                    updates.append(self._update(gradient, variable))
            if global_step is None:
                applied = self._finish(updates, scope)
            else:
                with graph.control_dependencies([self._finish(updates, "update")]):
                    applied = _counted(graph, global_step, scope)
        operation = graph.as_operation(applied)
        train_ops = graph.get_collection_ref("train_op")
        if operation not in train_ops:
            train_ops.append(operation)
        return operation

    def _update(self, gradient: Any, variable: Any) -> Any:
        """Return the operation that updates one variable, its constraint included."""
        constraint = variable.constraint
        is_sparse = isinstance(gradient, IndexedSlices)
        if is_sparse and constraint is not None:
            raise RuntimeError("Cannot use a constraint function on a sparse variable.")
        if is_sparse and is_variable(variable):
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, variable, gradient.indices
            )
        if is_sparse:
            return self._apply_sparse_duplicate_indices(gradient, variable)
        apply = self._resource_apply_dense if is_variable(variable) else self._apply_dense
        updated = apply(gradient, variable)
        if constraint is None:
            return updated
        if is_eager():
            return variable.assign(constraint(variable))
        with get_default_graph().control_dependencies([updated]):
            # The value after the update: the one read before it is not what is bounded.
            return variable.assign(constraint(variable.read_value()))

    # Slots and other state.

    def get_slot(self, var: Any, name: str) -> Any:
        """Return the slot of a variable by name, or None."""
        _, found = self._slots.get(name, {}).get(_key(var), (None, None))
        return found

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Return all variables the optimizer made in this graph, by name."""
        graph = None if is_eager() else get_default_graph()
        found = [
            slot
            for by_variable in self._slots.values()
            for _, slot in by_variable.values()
            if getattr(slot, "_graph", None) is graph
        ]
        found += [each for (_, where), each in self._non_slot_dict.items() if where is graph]
        return sorted(found, key=lambda each: each.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, tuple[Any, Any]]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Any, val: Tensor, slot_name: str, op_name: str) -> Any:
        """Return the slot, made from a tensor if there is none yet."""
        return self._slot(var, slot_name, lambda: slots.create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(
        self,
        var: Any,
        initializer: Callable[..., Any],
        shape: TensorShape,
        dtype: DType,
        slot_name: str,
        op_name: str,
    ) -> Any:
        """Return the slot, made by an initializer if there is none yet."""
        return self._slot(
            var,
            slot_name,
            lambda: slots.create_slot_with_initializer(var, initializer, shape, dtype, op_name),
        )

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """Return the slot, made of zeros if there is none yet."""
        return self._slot(var, slot_name, lambda: slots.create_zeros_slot(var, op_name))

    def _slot(self, var: Any, slot_name: str, make: Callable[..., Any]) -> Any:
        by_variable = self._slot_dict(slot_name)
        key = _key(var)
        if key not in by_variable:
            by_variable[key] = (var, make())
            waiting = self._slot_restores.pop((slot_name, id(var)), None)
            if waiting is not None:
                waiting.restore(by_variable[key][1])
        return by_variable[key][1]

    def _create_non_slot_variable(self, initial_value: float, name: str, colocate_with: Any) -> Any:
        """Return a variable that belongs to the optimizer as a whole."""
        key = (name, slots.graph_of(colocate_with))
        if key not in self._non_slot_dict:
            with slots.beside(colocate_with):
                self._non_slot_dict[key] = slots.variable_like(colocate_with, initial_value, name)
            self._handle_deferred_dependencies(name, self._non_slot_dict[key])
        return self._non_slot_dict[key]

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        graph = None if is_eager() else get_default_graph()
        own = {name: each for (name, where), each in self._non_slot_dict.items() if where is graph}
        return {**super()._trackable_children(save_type, **kwargs), **own}

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Any:
        # A function uses what was made outside of it.
        return self._non_slot_dict.get((name, graph), self._non_slot_dict.get((name, None)))

    # What subclasses give.

    def _valid_dtypes(self) -> Any:
        return _FLOATS

    def _assert_valid_dtypes(self, tensors: list[Any]) -> None:
        valid = self._valid_dtypes()
        for each in tensors:
            dtype = each.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(
                    f"Invalid type {dtype!r} for {each.name}, expected: {list(valid)}."
                )

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def _create_slots(self, var_list: list[Any]) -> None:
        """Make the slots of the variables."""

    def _prepare(self) -> None:
        """Make the tensors that all updates share."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        """Update a reference variable by a tensor."""
        raise NotImplementedError

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        """Update a resource variable by a tensor."""
        raise NotImplementedError

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        """Update rows of a reference variable, each named once."""
        raise NotImplementedError

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        """Update rows of a resource variable, each named once."""
        raise NotImplementedError

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        """Update rows of a reference variable; rows named several times are summed first."""
        values, indices = summed_by_row(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: ResourceVariable, indices: Tensor
    ) -> Any:
        """Update rows of a resource variable; rows named several times are summed first."""
        values, rows = summed_by_row(grad, indices)
        return self._resource_apply_sparse(values, handle, rows)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """Return the operation that ends a step, after all updates."""
        return None if is_eager() else group(*update_ops, name=name_scope)


def _as_gradient(gradient: Any) -> Any:
    if gradient is None or isinstance(gradient, (Tensor, IndexedSlices)):
        return gradient
    try:
        return convert_to_tensor(gradient)
    except (TypeError, ValueError):
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}"
        ) from None


def _key(variable: Any) -> Any:
    """Return what a variable is known by: the state it stands for."""
    variable = whole(variable)
    if is_updatable(variable) and not slots.is_distributed(variable):
        return id(update_target(variable))
    return id(variable)


def _counted(graph: Graph, global_step: Any, name: str) -> Any:
    """Add one to the step, under a name of its own."""
    with slots.beside(global_step):
        if is_variable(global_step):
            one = convert_to_tensor(1, global_step.dtype.base_dtype)
            return resources.assign_add_variable(global_step.handle, one, name=name)
        return reference.assign_add(update_target(global_step), 1, name=name)


def summed_by_row(values: Tensor, indices: Tensor) -> tuple[Any, Any]:
    """Return slices with each row once: the sum of those that name it."""
    rows, positions = unique(indices)
    return unsorted_segment_sum(values, positions, shape(rows)[0]), rows


def _listed(var_list: Any) -> list[Any]:
    """Return variables as a flat list; views of dicts and generators are allowed."""
    if isinstance(var_list, (KeysView, ValuesView, Iterator)):
        var_list = list(var_list)
    return list(nest.flatten(var_list))
