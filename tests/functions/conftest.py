"""Tests here set seeds: what follows must not notice."""

from collections.abc import Iterator

import pytest

from placewise.ops.random.streams import SEEDS


@pytest.fixture(autouse=True)
def same_seeds() -> Iterator[None]:
    """Put the global random numbers back where they were."""
    before = dict(SEEDS.__dict__)
    yield
    SEEDS.__dict__.update(before)
