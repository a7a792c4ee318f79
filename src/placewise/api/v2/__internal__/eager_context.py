"""tf.__internal__.eager_context: running ops at once, whatever surrounds them."""

from placewise.ops.flow.context import init_scope as eager_mode

__all__ = ["eager_mode"]
