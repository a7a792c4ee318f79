"""tf.__internal__.distribute: how Keras meets strategies."""

from placewise.api.v2.__internal__.distribute import interim as interim
from placewise.distribute.merge_calls import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)
from placewise.distribute.sharded_variable import ShardedVariable as ShardedVariable
