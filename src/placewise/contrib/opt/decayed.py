"""Optimizers around optimizers: averages of variables, weights that decay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import placewise as tf
from placewise.graph.collections import global_variables
from placewise.graph.defaults import get_default_graph
from placewise.saving.saver import Saver
from placewise.training.adam import AdamOptimizer
from placewise.training.momentum import MomentumOptimizer
from placewise.training.moving_averages import ExponentialMovingAverage
from placewise.training.optimizer import Optimizer

if TYPE_CHECKING:
    _Optimizer = Optimizer
else:
    _Optimizer = object  # it is mixed into an optimizer, which comes after it


class MovingAverageOptimizer(Optimizer):
    """An optimizer that keeps moving averages of what it trains, and saves those."""

    def __init__(
        self,
        opt: Any,
        average_decay: float = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        super().__init__(False, type(self).__name__)
        self._optimizer, self._sequential = opt, sequential_update
        self._averages = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._trained: list[Any] | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Return the gradients of the optimizer inside."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operation that takes a step, then moves the averages."""
        pairs = list(grads_and_vars)
        applied = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        self._trained = [variable for _, variable in pairs]
        with get_default_graph().control_dependencies([applied] if self._sequential else []):
            moved = self._averages.apply(self._trained)
        return tf.group(applied, moved, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Any:
        """Return a saver that saves the averages under the variables' own names."""
        if self._trained is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        wanted = global_variables() if var_list is None else list(var_list)
        trained = {id(each) for each in self._trained}
        averages = {id(self._averages.average(each)) for each in self._trained}
        names = {}
        for each in wanted:
            if id(each) in trained:
                names[each.op.name] = self._averages.average(each)
            elif id(each) in averages:
                owner = next(v for v in self._trained if self._averages.average(v) is each)
                names[each.op.name] = owner
            else:
                names[each.op.name] = each
        return Saver(names, name=name, **kwargs)


class DecoupledWeightDecayExtension(_Optimizer):
    """Shrinks variables by a share at each step, beside what an optimizer does."""

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        self._decay_only: Any = None
        super().__init__(**kwargs)

    def minimize(self, loss: Any, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """Return a step; only `decay_var_list` shrinks, if it is given."""
        self._decay_only = None if decay_var_list is None else {id(v) for v in decay_var_list}
        return super().minimize(loss, *args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
    ) -> Any:
        """Return an operation that shrinks the variables, then takes the step."""
        if decay_var_list is not None:
            self._decay_only = {id(v) for v in decay_var_list}
        pairs = list(grads_and_vars)
        shrunk = []
        for gradient, variable in pairs:
            if gradient is None or (
                self._decay_only is not None and id(variable) not in self._decay_only
            ):
                continue
            shrunk.append(self._shrink(gradient, variable))
        with get_default_graph().control_dependencies(
            [getattr(each, "op", each) for each in shrunk]
        ):
            return super().apply_gradients(pairs, global_step=global_step, name=name)

    def _shrink(self, gradient: Any, variable: Any) -> Any:
        """Shrink a variable; of a table those rows that have a gradient."""
        share = tf.cast(self._call_if_callable(self._weight_decay), variable.dtype.base_dtype)
        if not isinstance(gradient, tf.IndexedSlices):
            return variable.assign_sub(share * variable)
        rows, _ = tf.unique(gradient.indices)
        return variable.scatter_sub(tf.IndexedSlices(share * tf.gather(variable, rows), rows))


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weights that decay by themselves."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weights that decay by themselves."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


def clip_gradients_by_global_norm(gradients_variables: Any, clip_norm: float = 20.0) -> Any:
    """Return gradients no longer together than `clip_norm`."""
    gradients, variables = zip(*gradients_variables, strict=True)
    clipped, _ = tf.clip_by_global_norm(list(gradients), clip_norm)
    return list(zip(clipped, variables, strict=True))
