"""`tf.train.AdamOptimizer`."""

from __future__ import annotations

from typing import Any, ClassVar

from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.order import group
from placewise.ops.math.exponential import sqrt
from placewise.ops.state import reference
from placewise.ops.state import resource as resources
from placewise.ops.state.variable import is_variable
from placewise.training.rule_optimizer import RuleOptimizer, as_type
from placewise.training.slots import beside, is_eager
from placewise.training.update_target import update_target


class AdamOptimizer(RuleOptimizer):
    """Trains with Adam: steps whose size follows running means of the gradient and its square.

    `learning_rate`: the size of a step, a number or a tensor.
    `beta1`, `beta2`: how much of the mean, and of the mean square, each step keeps.
    `epsilon`: added to the root, against division by 0.
    `use_locking`: TensorFlow's way to keep updates apart; here updates of a variable never overlap.

    `minimize(loss)` returns the operation of one step; `compute_gradients` and `apply_gradients`
    are its halves. Both means are slots, variables beside each variable, and on its device.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
    ...     train = tf.compat.v1.train.AdamOptimizer(0.1).minimize(w * w)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(train)
    ...     print(round(float(session.run(w)), 3))
    0.9
    """

    _rule = "Adam"
    _slot_inputs: ClassVar[dict[str, str]] = {"m": "m", "v": "v"}
    _settings: ClassVar[dict[str, tuple[str, str]]] = {
        "lr": ("learning_rate", "_lr"),
        "beta1": ("beta1", "_beta1"),
        "beta2": ("beta2", "_beta2"),
        "epsilon": ("epsilon", "_epsilon"),
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = None if is_eager() else get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph),
            self._get_non_slot_variable("beta2_power", graph),
        )

    def _create_slots(self, var_list: list[Any]) -> None:
        # Beside the first variable by name: the same for every order of the list.
        first = min(var_list, key=lambda each: each.name)
        for name, start in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(self._call_if_callable(start), name, first)
        super()._create_slots(var_list)

    def _inputs(self, var: Any, dtype: Any) -> dict[str, Any]:
        beta1_power, beta2_power = self._get_beta_accumulators()
        return {
            **super()._inputs(var, dtype),
            "beta1_power": as_type(beta1_power.value(), dtype),
            "beta2_power": as_type(beta2_power.value(), dtype),
        }

    # All rows of the running means decay, not only those that have a gradient: hence no single op.

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_sparse_shared(grad.values, var, grad.indices, _reference_rows)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._apply_sparse_shared(grad, handle, indices, _resource_rows)

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        given = self._inputs(var, grad.dtype.base_dtype)
        rate = given["lr"] * sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        m = self._decayed(
            var, "m", grad * (1 - given["beta1"]), given["beta1"], indices, scatter_add
        )
        v = self._decayed(
            var, "v", (grad * grad) * (1 - given["beta2"]), given["beta2"], indices, scatter_add
        )
        changed = var.assign_sub(
            rate * m / (sqrt(v) + given["epsilon"]), use_locking=self._use_locking
        )
        return None if is_eager() else group(changed, m, v)

    def _decayed(
        self, var: Any, slot: str, addition: Any, beta: Any, indices: Any, scatter_add: Any
    ) -> Any:
        mean = self.get_slot(var, slot)
        smaller = mean.assign(mean.value() * beta, use_locking=self._use_locking)
        if is_eager():
            return scatter_add(mean, indices, addition)
        with get_default_graph().control_dependencies([smaller.op]):
            return scatter_add(mean, indices, addition)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        beta1_power, beta2_power = self._get_beta_accumulators()
        beta1, beta2 = self._tensors["beta1"], self._tensors["beta2"]
        if is_eager():
            beta1_power.assign(beta1_power * beta1)
            beta2_power.assign(beta2_power * beta2)
            return None
        with get_default_graph().control_dependencies(update_ops), beside(beta1_power):
            powers = [
                power.assign(power * beta, use_locking=self._use_locking)
                for power, beta in ((beta1_power, beta1), (beta2_power, beta2))
            ]
        return group(*update_ops, *powers, name=name_scope)


def _reference_rows(slot: Any, indices: Any, values: Any) -> Any:
    return reference.scatter_add(update_target(slot), indices, values)


def _resource_rows(slot: Any, indices: Any, values: Any) -> Any:
    added = resources.scatter_add(slot.handle, indices, values)
    if is_eager() or not is_variable(slot):
        return slot.value()
    with get_default_graph().control_dependencies([added]):
        return slot.value()
