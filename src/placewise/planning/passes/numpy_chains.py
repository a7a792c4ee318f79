"""Pass 4: long chains of small operations outside of loops are marked to be done with NumPy."""

from __future__ import annotations

from placewise.planning.draft import Draft
from placewise.planning.scalars import chains


def choose_numpy_chains(draft: Draft) -> None:
    """Mark tensors of chains that NumPy computes in less time than torch.

    Needs: `draft.operations` (prune), `draft.refs` of the feeds. Guarantees: an operation whose
    output is in `draft.numpy_tensors` can be written as a Python expression.
    """
    draft.numpy_tensors |= chains.find(draft)
