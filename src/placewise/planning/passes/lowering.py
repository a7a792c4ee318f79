"""Pass 5: operations become steps; see the folder `lowering`, one file per kind of operation."""

from __future__ import annotations

import functools

from placewise.planning.draft import Draft
from placewise.planning.lowering.exchanges import lower_part
from placewise.planning.lowering.operations import lower_operation


def lower(draft: Draft) -> None:
    """Make the steps of all operations, in order.

    Needs: all passes before it. Guarantees: each needed tensor has a value in `draft.refs`, each
    step stands after those it reads, on the device of its operation, with its inputs on that
    device.
    """
    draft.lower = functools.partial(lower_operation, draft)
    if draft.exchange is not None:
        lower_part(draft, draft.exchange)
        return
    for op in draft.operations:
        lower_operation(draft, op)
