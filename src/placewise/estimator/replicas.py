"""An Estimator's model, trained on several replicas: `RunConfig(train_distribute=…)`.

Every replica calls the model function on a batch of its own. The strategy is used by what it can
do; nothing here knows which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.estimator.modes import EstimatorSpec
from placewise.graph.defaults import get_default_graph
from placewise.training.loss_parts import is_shared_mean
from placewise.training.session_run_hook import SessionRunHook


class _StartsIterator(SessionRunHook):
    """Starts the replicas' iterator when the session is there."""

    def __init__(self, start: list[Any]) -> None:
        self._start = start

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Start the iterator."""
        session.run(self._start)


def distributed_inputs(strategy: Any, make: Callable[[], Any]) -> tuple[Any, Any, list[Any]]:
    """Return features and labels of every replica, and the hook that starts their iterator.

    `make` returns the dataset; its batches are those of one replica.
    """
    iterator = strategy.make_input_fn_iterator(lambda context: make())
    hooks = [_StartsIterator(iterator.initialize())]
    element = iterator.get_next()
    if isinstance(element, (list, tuple)):
        if len(element) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return element[0], element[1], hooks
    return element, None, hooks


def train_spec(
    strategy: Any, model_fn: Callable[..., EstimatorSpec], features: Any, labels: Any
) -> EstimatorSpec:
    """Call the model function on every replica and return what all of them are together.

    Its step is the steps of all; hooks and scaffold are those of the first replica.
    """
    specs: list[EstimatorSpec] = []

    def on_replica(features: Any, labels: Any) -> Any:
        spec = model_fn(features, labels)
        specs.append(spec)
        return spec.loss

    get_default_graph().loss_replicas = strategy.num_replicas_in_sync
    losses = strategy.extended.call_for_each_replica(on_replica, args=(features, labels))
    loss = strategy.reduce("MEAN" if is_shared_mean() else "SUM", losses, axis=None)
    train = tf.group(*[spec.train_op for spec in specs])
    return specs[0]._replace(loss=loss, train_op=train)
