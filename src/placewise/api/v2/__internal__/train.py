"""tf.__internal__.train: what Keras 2 uses of training."""

from placewise.saving.checkpoint_state import (
    update_checkpoint_state_internal as update_checkpoint_state,
)
from placewise.training.mixed_precision_state import (
    is_mixed_precision_graph_rewrite_enabled as is_mixed_precision_graph_rewrite_enabled,
)
from placewise.training.mixed_precision_state import (
    set_using_mixed_precision_policy as set_using_mixed_precision_policy,
)
from placewise.training.moving_averages import assign_moving_average as assign_moving_average

__all__ = [
    "assign_moving_average",
    "is_mixed_precision_graph_rewrite_enabled",
    "set_using_mixed_precision_policy",
    "update_checkpoint_state",
]
