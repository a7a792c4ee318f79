"""The picture of the live view in the documentation; `make pictures` draws it anew."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from placewise.cli.lease_files import Lease
from placewise.cli.top.app import TopApp
from placewise.cli.top.snapshot import Snapshot, summarize
from placewise.monitor.frame import Frame
from placewise.monitor.readings import CardReading, HostReading, ProcessFacts, Use
from placewise.monitor.status import Status
from placewise.monitor.status_files import Entry

PICTURE = Path(__file__).parents[3] / "docs" / "images" / "top.svg"
NOW = 1_760_000_000.0
GIB = 1 << 30


def _card(index: int, load: int, used: float, heat: int, watts: int, *uses: Use) -> CardReading:
    return CardReading(
        vendor="nvidia",
        index=index,
        name="NVIDIA A100-SXM4-40GB",
        bus_id=f"0000:0{index + 1}:00.0",
        uuid=f"GPU-{index}",
        load_percent=load,
        memory_used_bytes=int(used * GIB),
        memory_total_bytes=40 * GIB,
        temperature_celsius=heat,
        power_watts=watts,
        power_limit_watts=400,
        uses=uses,
    )


def _program(pid: int, words: str, phase: str, steps: int, rate: float | None) -> Entry:
    status = Status(
        uid=1000,
        pid=pid,
        start=1,
        namespace="",
        since=NOW - 4000 + pid % 97,
        updated=NOW,
        command=f"placewise run {words}",
        program=words,
        phase=phase,
        phase_since=NOW - 12,
        steps=steps,
        steps_per_second=rate,
        machine=None,
    )
    return Entry(status, True)


def staged() -> Snapshot:
    """Return a frame of a machine with work on it."""
    cards = (
        _card(0, 97, 31.2, 71, 361, Use(4711, 31 * GIB)),
        _card(1, 94, 31.1, 69, 355, Use(4712, 31 * GIB)),
        _card(2, 12, 6.5, 44, 90, Use(5120, 6 * GIB)),
        _card(3, 0, 0.4, 33, 52),
    )
    commands = {4711: "ann", 4712: "ann", 5120: "bob"}
    facts = {
        pid: ProcessFacts(pid, 4700 if user == "ann" else 1, 1000, user, "", 1)
        for pid, user in commands.items()
    }
    programs = (
        _program(4711, "[worker 0] train.py --epochs 90", "training", 182_310, 41.7),
        _program(4712, "[worker 1] train.py --epochs 90", "training", 182_310, 41.7),
        _program(5120, "finetune.ipynb", "compiling", 0, None),
    )
    host = HostReading("AMD EPYC 7543", 32, 38.0, 12.0, 97 * GIB, 256 * GIB)
    frame = Frame(NOW, host, cards, programs, facts)
    return summarize(frame, [Lease(5120, NOW - 600, "placewise run finetune.ipynb", ("GPU-2",))])


def draw() -> str:
    """Return the live view of the staged frame as SVG, without fonts from the network."""

    async def shot() -> str:
        app = TopApp(staged, 60, staged())
        async with app.run_test(size=(110, 16)) as pilot:
            await pilot.pause()
            return app.export_screenshot(title="placewise top")

    drawn = asyncio.run(shot())
    return re.sub(r"@font-face\s*\{[^}]*\}\s*", "", drawn)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw())
