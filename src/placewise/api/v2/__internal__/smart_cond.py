"""tf.__internal__.smart_cond."""

from placewise.graph.cond import smart_cond as smart_cond
