"""tf.__internal__.distribute.interim."""

from placewise.distribute.merge_calls import maybe_merge_call as maybe_merge_call
