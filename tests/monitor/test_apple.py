"""Apple's GPU, from what `ioreg` prints."""

from __future__ import annotations

import plistlib

from placewise.monitor import apple
from placewise.monitor.host import parse_vm_stat
from placewise.monitor.readings import Use

PRINTED = plistlib.dumps(
    [
        {
            "IOObjectClass": "AGXAcceleratorG13X",
            "model": "Apple M1 Pro",
            "gpu-core-count": 16,
            "PerformanceStatistics": {
                "Device Utilization %": 42,
                "In use system memory": 800 << 20,
            },
            "IORegistryEntryChildren": [
                {"IOUserClientCreator": "pid 320, python3.11"},
                {"IOUserClientCreator": "pid 320, python3.11"},
                {"IOUserClientCreator": "pid 99, WindowServer"},
                {},
            ],
        }
    ]
)


def test_what_ioreg_says() -> None:
    (card,) = apple.parse(PRINTED, 16 << 30)
    assert card.name == "Apple M1 Pro, 16 cores"
    assert (card.load_percent, card.memory_used_bytes) == (42, 800 << 20)
    assert card.memory_total_bytes == 16 << 30
    assert card.uses == (Use(320), Use(99))
    assert "need root" in card.note


def test_nothing_that_can_be_read() -> None:
    assert apple.parse(b"", None) == apple.parse(b"not a list", None) == ()


def test_the_hosts_memory() -> None:
    text = (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\n"
        "Pages free:                    100.\n"
        "Pages active:                  500.\n"
        "Pages speculative:              50.\n"
        "File-backed pages:             150.\n"
    )
    assert parse_vm_stat(text, 1000 * 16384) == 700 * 16384
    assert parse_vm_stat("", 10) is None
