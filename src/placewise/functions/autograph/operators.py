"""The operators that converted code calls, by the name `ag__`."""

import sys

from placewise.functions.autograph import calls
from placewise.functions.autograph.branches import fallen_through as fallen_through
from placewise.functions.autograph.branches import if_ as if_
from placewise.functions.autograph.branches import if_exp as if_exp
from placewise.functions.autograph.calls import callee as callee
from placewise.functions.autograph.logic import and_ as and_
from placewise.functions.autograph.logic import assert_ as assert_
from placewise.functions.autograph.logic import chained as chained
from placewise.functions.autograph.logic import not_ as not_
from placewise.functions.autograph.logic import or_ as or_
from placewise.functions.autograph.loops import for_ as for_
from placewise.functions.autograph.loops import while_ as while_
from placewise.functions.autograph.state import state as state
from placewise.functions.autograph.state import undefined as undefined

calls.operators = sys.modules[__name__]
