"""The facts about a machine, from all sources."""

from __future__ import annotations

from types import MappingProxyType

from placewise.check.cluster_config import hosts_of
from placewise.check.machine import Amd, CardFacts, Driver, LeaseFacts, MachineFacts
from placewise.check.reading import host, kernel, nvidia, packages
from placewise.check.reading.sources import Sources
from placewise.devices.machine import parse_machine
from placewise.devices.nvml import Reading


def read_machine(sources: Sources, simulated: str | None = None) -> MachineFacts:
    """Return the facts about a machine; with `simulated`, its cards are those of that one."""
    if simulated is None:
        driver, cards = nvidia.read_driver(sources)
    else:
        driver, cards = Driver(), simulated_cards(simulated)
    is_real = simulated is None
    return MachineFacts(
        system=kernel.read_system(sources),
        simulated=simulated,
        slots=kernel.read_slots(sources),
        driver=driver,
        cards=cards,
        files=kernel.read_device_files(sources) if is_real else (),
        amd=kernel.read_amd(sources) if is_real else Amd(),
        torch=packages.read_torch(sources),
        requirements=packages.read_requirements(sources),
        processor=host.read_processor(sources),
        temporary=host.read_folder(sources, host.temporary_path(sources)),
        home=host.read_folder(sources, host.home_path(sources)),
        shared_memory=host.read_folder(sources, "/dev/shm"),
        limits=host.read_limits(sources),
        leases=tuple(
            LeaseFacts(card, holder)
            for card, holders in sources.leases.items()
            for holder in holders
        ),
        unresolved_hosts=host.find_unresolved(
            sources, hosts_of(sources.variables.get("TF_CONFIG", ""))
        ),
        variables=MappingProxyType(dict(sources.variables)),
    )


def simulated_cards(machine: str) -> tuple[CardFacts, ...]:
    """Return the cards of a simulated machine, in bus order, with nothing on them."""
    cards = sorted(parse_machine(machine), key=lambda card: card.bus_id)
    return tuple(CardFacts(card, Reading(card.total_bytes, 0)) for card in cards)
