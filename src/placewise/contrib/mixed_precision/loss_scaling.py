"""Losses scaled up so that gradients of low precision do not vanish: how far, and by whom."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.graph.cond import cond
from placewise.graph.variable import VariableV1
from placewise.training.optimizer import Optimizer


class LossScaleManager:
    """Says how much losses are scaled, and changes that by what gradients are like."""

    def get_loss_scale(self) -> Any:
        """Return the scale, a scalar float32 tensor."""
        raise NotImplementedError

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Return the operation that takes in whether all gradients of a step were finite."""
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays."""

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = tf.convert_to_tensor(loss_scale, tf.float32)

    def get_loss_scale(self) -> Any:
        """Return the scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Return an operation that does nothing."""
        return tf.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A scale that grows after finite steps in a row, and shrinks after steps that were not.

    `incr_every_n_steps`: after how many finite steps in a row it is multiplied by `incr_ratio`.
    `decr_every_n_nan_or_inf`: after how many others by `decr_ratio`.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._good_limit, self._bad_limit = incr_every_n_steps, decr_every_n_nan_or_inf
        self._growth, self._shrinking = incr_ratio, decr_ratio
        start = tf.convert_to_tensor(init_loss_scale, tf.float32)
        self._loss_scale: Any = VariableV1(start, name="loss_scale", trainable=False)
        self._good: Any = VariableV1(0, name="good_steps", trainable=False)
        self._bad: Any = VariableV1(0, name="bad_steps", trainable=False)

    def get_loss_scale(self) -> Any:
        """Return the variable of the scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Return the operation that counts a step, and changes the scale once there are enough."""
        return cond(finite_grads, self._after_finite, self._after_infinite)

    def _set(self, scale: Any) -> Any:
        assigned = self._loss_scale.assign(scale)
        return tf.group(assigned, self._good.assign(0), self._bad.assign(0))

    def _after_finite(self) -> Any:
        def grow() -> Any:
            larger = self._loss_scale * self._growth
            return self._set(
                cond(
                    tf.math.is_finite(larger),
                    lambda: self._loss_scale * self._growth,
                    lambda: tf.identity(self._loss_scale),
                )
            )

        return cond(
            self._good + 1 >= self._good_limit, grow, lambda: tf.group(self._good.assign_add(1))
        )

    def _after_infinite(self) -> Any:
        return cond(
            self._bad + 1 >= self._bad_limit,
            lambda: self._set(tf.maximum(1.0, self._loss_scale * self._shrinking)),
            lambda: tf.group(self._bad.assign_add(1), self._good.assign(0)),
        )


class LossScaleOptimizer(Optimizer):
    """An optimizer of scaled losses: steps whose gradients are not all finite are left out."""

    def __init__(self, opt: Any, loss_scale_manager: LossScaleManager) -> None:
        self._opt, self._manager = opt, loss_scale_manager

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Any:
        """Return (gradient, variable) pairs: those of the scaled loss, divided by the scale."""
        scale = tf.convert_to_tensor(self._manager.get_loss_scale())

        def scaled() -> Any:
            value = loss() if callable(loss) else loss
            return value * tf.cast(scale, value.dtype)

        target = scaled if tf.executing_eagerly() else scaled()
        pairs = self._opt.compute_gradients(
            target,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = tf.math.reciprocal(scale)
        return [
            (
                gradient if gradient is None else gradient * tf.cast(inverse, gradient.dtype),
                variable,
            )
            for gradient, variable in pairs
        ]

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return the operation of a step, if all gradients are finite, and of the scale."""
        pairs = list(grads_and_vars)
        finite = [tf.reduce_all(tf.math.is_finite(gradient)) for gradient, _ in pairs]
        is_finite = tf.reduce_all(tf.stack(finite))

        def apply() -> Any:
            return self._opt.apply_gradients(pairs, global_step, name)

        step = cond(is_finite, apply, tf.no_op)
        return tf.group(step, self._manager.update_loss_scale(is_finite))
