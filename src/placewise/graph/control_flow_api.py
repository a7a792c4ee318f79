"""What control flow is in graphs: the table through which the public functions reach it."""

from placewise.graph.cond import case as case
from placewise.graph.cond import cond as cond
from placewise.graph.cond import switch_case as switch_case
from placewise.graph.tensor_array import GraphTensorArray as TensorArray
from placewise.graph.while_loop import while_loop as while_loop
from placewise.graph.while_loop_rows import foldl as foldl
from placewise.graph.while_loop_rows import foldr as foldr
from placewise.graph.while_loop_rows import map_fn as map_fn
from placewise.graph.while_loop_rows import scan as scan

__all__ = [
    "TensorArray",
    "case",
    "cond",
    "foldl",
    "foldr",
    "map_fn",
    "scan",
    "switch_case",
    "while_loop",
]
