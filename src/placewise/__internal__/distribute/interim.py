"""tf.__internal__.distribute.interim."""

from placewise.distribute.merging import maybe_merge_call as maybe_merge_call
