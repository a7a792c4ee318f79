"""tf.__internal__.graph_util: whether two GraphDefs say the same."""

from placewise.saving.frozen_graphs import graph_defs_equal as graph_defs_equal
