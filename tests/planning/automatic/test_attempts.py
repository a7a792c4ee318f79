"""Attempts with less memory and fewer cards."""

from __future__ import annotations

import pytest

import placewise.v1 as tf
from placewise.devices.inventory import place, simulate

from .test_placement import step


def seconds(machine: str, depth: int) -> float:
    with simulate(machine), tf.Graph().as_default():
        place("auto")
        step(depth)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assignment = session._placement.assignment
    assert assignment.fits and assignment.is_served
    return float(assignment.seconds)


@pytest.mark.parametrize("depth", [12])
def test_more_cards_are_never_slower_than_fewer(
    graph_mode: None, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So short a search ends far from the best placement, and elsewhere with other cards.
    monkeypatch.setattr("placewise.placement.automatic.assignment.VISITS", 20_000)
    two, four, eight = (seconds(f"{cards}xV100:14MiB", depth) for cards in (2, 4, 8))
    assert eight <= four <= two
