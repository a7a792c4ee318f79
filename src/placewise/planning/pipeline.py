"""The passes that make a plan of a graph, in order: read `PASSES` from top to bottom.

Each pass is a function of the draft, in a file of its own under `passes`. Its docstring says what
it needs from those before it and what it guarantees; a test holds the order to that. Emission
follows: `emission.source.compile_plan` writes the finished plan as Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.graph.tensor import GraphTensor
from placewise.planning.draft import BoundTensor, Draft
from placewise.planning.exchange import Exchange
from placewise.planning.passes.combination import combine
from placewise.planning.passes.early_sums import sum_early
from placewise.planning.passes.feeds import define_feeds
from placewise.planning.passes.fetches import define_fetches
from placewise.planning.passes.in_place import write_in_place
from placewise.planning.passes.lifetimes import set_lifetimes
from placewise.planning.passes.lowering import lower
from placewise.planning.passes.numpy_chains import choose_numpy_chains
from placewise.planning.passes.prune import prune
from placewise.planning.passes.unread import drop_unread
from placewise.planning.passes.usage import find_used
from placewise.planning.plan import Plan

Pass = Callable[[Draft], None]

PASSES: tuple[Pass, ...] = (
    # Over the graph: what is there, what is needed of it, and how it is best computed.
    define_feeds,
    prune,
    find_used,
    choose_numpy_chains,
    # From the graph to steps: constants are folded, duplicates merged, copies put in.
    lower,
    define_fetches,
    # Over the steps: fewer calls, less memory.
    drop_unread,
    combine,
    write_in_place,
    sum_early,
    set_lifetimes,
)


def build_plan(
    fetches: list[Any],
    feeds: list[GraphTensor],
    placement: Any,
    client: Any,
    feed_homes: list[Any] | None = None,
    bound: list[BoundTensor] | None = None,
    result_homes: list[Any] | None = None,
    exchange: Exchange | None = None,
) -> Plan:
    """Return the plan that computes `fetches` from `feeds`.

    `placement` maps each operation to its device. Feeds come from the device `client` (the CPU), or
    from `feed_homes`; fetches go there, or `stay` where they are computed. `bound` are (tensor,
    content, device) of tensors that never change. `exchange` is what a part of a graph that runs on
    several tasks receives and sends.
    """
    draft = Draft(fetches, feeds, placement, client, feed_homes, bound, result_homes, exchange)
    for run_pass in PASSES:
        run_pass(draft)
    draft.plan.is_part = exchange is not None
    return draft.plan
