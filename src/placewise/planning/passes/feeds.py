"""Pass 1: fed tensors and bound ones become values of the plan."""

from __future__ import annotations

from placewise.planning.draft import Draft
from placewise.planning.plan import FED, Ref


def define_feeds(draft: Draft) -> None:
    """Give each fed or bound tensor its value.

    Needs: nothing. Guarantees: what is in `draft.refs` is not computed by any later pass.
    """
    for index, tensor in enumerate(draft.feeds):
        ref = Ref(FED, index)
        draft.refs[id(tensor)] = ref
        draft.homes[ref] = draft.client if draft.feed_homes is None else draft.feed_homes[index]
        draft.dtypes[ref] = tensor.dtype
    for tensor, content, device in draft.bound:
        ref = draft.refs[id(tensor)] = draft.add_constant(content, device, tensor.dtype)
        draft.plan.bound.add(ref)
    draft.plan.feeds = list(draft.feeds)
