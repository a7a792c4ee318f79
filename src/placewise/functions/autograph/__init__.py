"""Control flow from Python: functions converted so that tensors may decide in `if` and loops."""

from placewise.functions.autograph.api import converted as converted
from placewise.functions.autograph.loops import register_for as register_for
from placewise.functions.autograph.staged_loop import StagedLoop as StagedLoop
