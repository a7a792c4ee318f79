"""tf.__internal__.mixed_precision."""

from placewise.training.mixed_precision_state import (
    register_loss_scale_wrapper as register_loss_scale_wrapper,
)
