"""What the cards are called, where they are, and which of them this process sees."""

import os

_LISTS = ("TEST_ACCELERATOR_NAMES", "TEST_ACCELERATOR_BUSES")


def mask() -> None:
    """Leave out the cards that CUDA_VISIBLE_DEVICES hides, as a driver does when it is loaded."""
    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    if shown is None or os.environ.get("TEST_ACCELERATOR_MASK") != "1":
        return
    count = int(os.environ.get("TEST_ACCELERATOR_CARDS", "4"))
    seen = []
    for text in shown.split(","):
        # What stands behind an index that does not exist is not looked at.
        if not text.strip().isdigit() or int(text) >= count:
            break
        seen.append(int(text))
    os.environ["TEST_ACCELERATOR_CARDS"] = str(len(seen))
    for variable in _LISTS:
        if values := os.environ.get(variable, ""):
            kept = values.split(",")
            os.environ[variable] = ",".join(kept[index] for index in seen)


def name_of(index: int) -> str:
    """Return the name of a card."""
    return _listed("TEST_ACCELERATOR_NAMES", index) or "Test Accelerator"


def bus_of(index: int) -> tuple[int, int, int] | None:
    """Return domain, bus and device of a card, if it has been given a place."""
    place = _listed("TEST_ACCELERATOR_BUSES", index)
    if not place:
        return None
    domain, bus, device = place.split(":")
    return int(domain, 16), int(bus, 16), int(device.partition(".")[0], 16)


def _listed(variable: str, index: int) -> str:
    values = os.environ.get(variable, "").split(",")
    return values[index] if index < len(values) else ""
