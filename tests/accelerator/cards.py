"""`placewise` with the test device in place of simulated GPUs: as many cards, named alike.

    python tests/accelerator/cards.py run --simulate 4xK20m program.py

runs the program on four test cards of 5 GiB each. Without --simulate there are four of 16 GiB.
"""

import os
import sys
from pathlib import Path

from placewise.devices.machine import parse_machine

BACKEND = Path(__file__).with_name("backend")


def on_cards(arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return arguments of `placewise` without --simulate, and the environment of the cards."""
    paths = (str(BACKEND), os.environ.get("PYTHONPATH", ""))
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    if "--simulate" in arguments:
        place = arguments.index("--simulate")
        cards = parse_machine(arguments[place + 1])
        arguments = arguments[:place] + arguments[place + 2 :]
        environment["TEST_ACCELERATOR_CARDS"] = str(len(cards))
        environment["TEST_ACCELERATOR_NAMES"] = ",".join(card.name for card in cards)
        environment["TEST_ACCELERATOR_BUSES"] = ",".join(card.bus_id for card in cards)
        environment["TEST_ACCELERATOR_MASK"] = "1"
        if cards:
            card = cards[0]
            environment["TEST_ACCELERATOR_MEMORY"] = str(card.total_bytes)
            environment["TEST_ACCELERATOR_DRIVER"] = str(card.total_bytes - card.free_bytes)
    return arguments, environment


def main() -> None:
    """Replace this process by `placewise` on test cards."""
    arguments, environment = on_cards(sys.argv[1:])
    command = [sys.executable, "-m", "placewise", *arguments]
    os.execve(sys.executable, command, {**os.environ, **environment})


if __name__ == "__main__":
    main()
