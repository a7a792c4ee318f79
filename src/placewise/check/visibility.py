"""Rules about which cards a process sees, and under which numbers."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding, Severity
from placewise.check.machine import MachineFacts
from placewise.check.numbers import read_number
from placewise.devices.environment import Environment
from placewise.devices.machine import parse_machine
from placewise.devices.slices import slice_names
from placewise.devices.visibility import Visibility, choose, look, order_cards

UNSET = "unset CUDA_VISIBLE_DEVICES"


def seen_by(facts: MachineFacts) -> Visibility:
    """Return which of the cards a process with these variables sees."""
    return look(
        [item.card for item in facts.cards],
        Environment(
            visible=facts.variables.get("CUDA_VISIBLE_DEVICES"),
            order=facts.variables.get("CUDA_DEVICE_ORDER"),
        ),
    )


def mask(facts: MachineFacts) -> Iterator[Finding]:
    """CUDA_VISIBLE_DEVICES hides cards: all of them, or by a mistake in it."""
    text = facts.variables.get("CUDA_VISIBLE_DEVICES")
    if text is None or not facts.cards:
        return
    cards = [item.card for item in facts.cards]
    ordered = [cards[place] for place in order_cards(cards, _order(facts))]
    chosen, note = choose(ordered, text)
    shown = f"CUDA_VISIBLE_DEVICES={text!r}"
    if text.strip() == "NoDevFiles":  # what Slurm sets for a job without GPUs
        yield _masked(shown, "ask the scheduler for one: srun --gres=gpu:1 …")
    elif note and "MIG instance only" not in note:
        why = note.removeprefix("CUDA_VISIBLE_DEVICES: ")
        left = "no card is left" if not chosen else f"{len(chosen)} of {len(cards)} cards are left"
        yield Finding(
            "mask-mistake",
            "unusable" if not chosen else "warning",
            f"{shown} has a mistake: {why}; {left}.",
            "CUDA reads the list up to the first entry it cannot use, without a word.",
            _correct_mask(facts),
        )
    elif not chosen:
        yield _masked(shown, UNSET)


def _masked(shown: str, fix: str) -> Finding:
    return Finding(
        "masked",
        "unusable",
        f"{shown} hides every card from the process.",
        "An empty list or -1 means: no GPU. Job schedulers and notebooks set it.",
        fix,
    )


def _correct_mask(facts: MachineFacts) -> str:
    numbers = ",".join(str(index) for index in range(len(facts.cards)))
    return f"export CUDA_VISIBLE_DEVICES={numbers}  (the cards that are here; choose among them)"


def _order(facts: MachineFacts) -> str | None:
    return facts.variables.get("CUDA_DEVICE_ORDER")


def order_mistake(facts: MachineFacts) -> Iterator[Finding]:
    """CUDA_DEVICE_ORDER has a value that CUDA does not know."""
    order = _order(facts)
    if order in (None, "", "FASTEST_FIRST", "PCI_BUS_ID"):
        return
    yield Finding(
        "order-mistake",
        "warning",
        f"CUDA_DEVICE_ORDER={order!r} is not a value that CUDA knows.",
        "It is ignored: cards are numbered fastest first, not as nvidia-smi shows them.",
        "export CUDA_DEVICE_ORDER=PCI_BUS_ID",
    )


def index_confusion(facts: MachineFacts) -> Iterator[Finding]:
    """CUDA numbers different cards otherwise than nvidia-smi does."""
    if _order(facts) == "PCI_BUS_ID" or not facts.is_real:
        return
    cards = [item.card for item in facts.cards]
    order = order_cards(cards, _order(facts))
    if order == tuple(range(len(cards))):
        return
    pairs = ", ".join(
        f"nvidia-smi {place} ({cards[place].name}) is CUDA {number}"
        for number, place in sorted(enumerate(order), key=lambda pair: pair[1])
    )
    yield Finding(
        "index-confusion",
        "warning",
        f"CUDA numbers the cards otherwise than nvidia-smi: {pairs}.",
        "CUDA counts the fastest card first. A number read from nvidia-smi selects another card.",
        "export CUDA_DEVICE_ORDER=PCI_BUS_ID",
    )


def mig_without_instances(facts: MachineFacts) -> Iterator[Finding]:
    """A card is in MIG mode, and nobody has divided it."""
    empty = [item for item in facts.cards if item.mig_enabled and not item.card.slices]
    for item in empty:
        names = slice_names(item.card.model) if item.card.model else ()
        place = facts.cards.index(item)
        yield Finding(
            "mig-empty",
            "unusable" if len(empty) == len(facts.cards) else "warning",
            f"{item.card.name} (nvidia-smi {place}) is in MIG mode and has no instance.",
            "A card in MIG mode is used through its instances only; CUDA shows none.",
            f"sudo nvidia-smi mig -i {place} -cgi {names[-1] if names else 0} -C   (or leave MIG "
            f"mode: sudo nvidia-smi -i {place} -mig 0)",
        )


def mig_one_of_several(facts: MachineFacts) -> Iterator[Finding]:
    """A process sees one MIG instance only, the first unless it says which."""
    slices = [part for item in facts.cards for part in item.card.slices]
    text = facts.variables.get("CUDA_VISIBLE_DEVICES")
    if len(slices) < 2 or (text or "").upper().startswith("MIG-"):
        return
    yield Finding(
        "mig-one-instance",
        "warning",
        f"There are {len(slices)} MIG instances, and a process sees one: the first "
        f"({slices[0].name}).",
        "Programs that do not choose all share the first instance, while the others are idle.",
        f"export CUDA_VISIBLE_DEVICES={slices[1].uuid}  (another for each program; "
        "nvidia-smi -L lists them)",
    )


def compute_mode(facts: MachineFacts) -> Iterator[Finding]:
    """An administrator has closed a card, or opened it for one process at a time."""
    closed = [item for item in facts.cards if _is_closed(facts, item.health.compute_mode, item)]
    for item in closed:
        place = facts.cards.index(item)
        mode = item.health.compute_mode
        state = (
            "forbids computing (compute mode Prohibited)"
            if mode == "prohibited"
            else "takes one process at a time (compute mode Exclusive), and has one"
        )
        severity: Severity = "unusable" if len(closed) == len(facts.cards) else "warning"
        yield Finding(
            "compute-mode",
            severity,
            f"{item.card.name} (nvidia-smi {place}) {state}.",
            "CUDA fails on it: all CUDA-capable devices are busy or unavailable.",
            f"sudo nvidia-smi -i {place} -c DEFAULT",
        )


def _is_closed(facts: MachineFacts, mode: str, item: object) -> bool:
    if mode == "prohibited":
        return True
    reading = next(one.reading for one in facts.cards if one is item)
    return mode == "exclusive" and bool(reading.processes)


def simulation(facts: MachineFacts) -> Iterator[Finding]:
    """PLACEWISE_SIMULATE stands in for the real cards, or is no machine."""
    text = facts.variables.get("PLACEWISE_SIMULATE")
    if text is None:
        return
    try:
        parse_machine(text)
    except ValueError as error:
        yield Finding(
            "simulate-mistake",
            "error",
            f"PLACEWISE_SIMULATE={text!r}: {error}",
            "Every program stops with this error when it looks for devices.",
            "export PLACEWISE_SIMULATE=4xV100, or unset PLACEWISE_SIMULATE",
        )
        return
    if facts.slots_of("NVIDIA") or facts.slots_of("AMD"):
        yield Finding(
            "simulated",
            "warning",
            f"PLACEWISE_SIMULATE={text!r} is set, and this machine has a card of its own.",
            "Programs compute on the CPU as if there were those cards; the real one is idle.",
            "unset PLACEWISE_SIMULATE",
        )


def multiprocessor_count(facts: MachineFacts) -> Iterator[Finding]:
    """TF_MIN_GPU_MULTIPROCESSOR_COUNT leaves cards out, or is no number."""
    text = facts.variables.get("TF_MIN_GPU_MULTIPROCESSOR_COUNT")
    if text is None:
        return
    fix = "unset TF_MIN_GPU_MULTIPROCESSOR_COUNT"
    number = read_number(text)
    if number is None:
        what = f"TF_MIN_GPU_MULTIPROCESSOR_COUNT={text!r} is no number, so it is ignored."
        yield Finding("multiprocessors", "warning", what, "Small cards are left out below 8.", fix)
        return
    small = [item.card.name for item in facts.cards if 0 < item.card.multiprocessors < number]
    if small:
        yield Finding(
            "multiprocessors",
            "unusable" if len(small) == len(facts.cards) else "warning",
            f"TF_MIN_GPU_MULTIPROCESSOR_COUNT={text} leaves out {', '.join(small)}.",
            "Cards with fewer multiprocessors are not listed as devices.",
            fix,
        )


RULES = (
    mask,
    order_mistake,
    index_confusion,
    mig_without_instances,
    mig_one_of_several,
    compute_mode,
    simulation,
    multiprocessor_count,
)
