"""Whole programs on test cards in place of simulated GPUs: they print the same."""

from pathlib import Path

import pytest

from tests.accelerator.cards import on_cards
from tests.programs import test_contrib
from tests.programs.running import warm
from tests.programs.test_tutorials import EXPECTED, HERE, LOGGED, MACHINES, in_order, kind_of

# What speaks of the card itself: case, reason.
OF_A_SIMULATED_CARD = {
    "eager/divided_devices.py": "a test card has no compute capability, which it prints",
}


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - set(OF_A_SIMULATED_CARD)))
def test_program_prints_the_same_on_a_card(
    name: str,
    backend_on_path: None,
    tmp_path: Path,
) -> None:
    machine = MACHINES.get(name, "K40c")
    arguments, environment = on_cards(["run", "--simulate", machine, str(HERE / name)])
    done = warm(kind_of(name)).run(arguments, tmp_path, environment)
    assert done.status == 0, done.stderr
    missing = in_order(EXPECTED[name], done.stdout)
    assert missing is None, f"{missing!r} is not in its place in:\n{done.stdout}"
    for line in LOGGED.get(name, ()):
        assert "Tesla" in line or line in done.stderr, line


@pytest.mark.parametrize("name", sorted(test_contrib.EXPECTED))
def test_program_of_contrib_prints_the_same_on_a_card(
    name: str,
    backend_on_path: None,
    tmp_path: Path,
) -> None:
    arguments, environment = on_cards(["run", "--simulate", "K40c", str(HERE / name)])
    done = warm(kind_of(name)).run(arguments, tmp_path, environment)
    assert done.status == 0, done.stderr
    for line in test_contrib.EXPECTED[name]:
        assert line in done.stdout
