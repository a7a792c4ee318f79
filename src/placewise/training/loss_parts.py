"""What part of a loss a replica of an Estimator's model differentiates.

The gradients of replicas are summed. So a loss that is a mean over a replica's batch counts as its
share of the mean over all batches; one that is a sum counts whole.
"""

from __future__ import annotations

from typing import Any

from placewise.graph.defaults import get_default_graph

_SUM = "weighted_sum"  # `tf.losses.Reduction.SUM`


def is_shared_mean() -> bool:
    """Return whether replicas of an Estimator share a loss of the default graph that is a mean."""
    graph = get_default_graph()
    return graph.loss_replicas > 1 and graph.last_loss_reduction != _SUM


def loss_part(loss: Any) -> Any:
    """Return what a replica differentiates for its loss."""
    if not is_shared_mean():
        return loss
    return loss * (1.0 / get_default_graph().loss_replicas)
