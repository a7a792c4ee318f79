"""Every test starts and ends without a global seed."""

from collections.abc import Iterator

import pytest

from placewise.ops.random.streams import set_seed


@pytest.fixture(autouse=True)
def no_seed() -> Iterator[None]:
    set_seed(None)
    yield
    set_seed(None)
