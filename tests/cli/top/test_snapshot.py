"""Frames as lines: who is on which card, what programs do, whose owner has died."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from dataclasses import replace

from placewise.cli.lease_files import Lease
from placewise.cli.top.export import COLUMNS, to_csv, to_json
from placewise.cli.top.plain import to_text
from placewise.cli.top.snapshot import Snapshot, summarize
from placewise.monitor.frame import Frame
from placewise.monitor.readings import CardReading, HostReading, ProcessFacts, Use
from placewise.monitor.status import DeviceUse, Status
from placewise.monitor.status_files import Entry

NOW = 1_700_000_000.0
HOST = HostReading("Test CPU", 8, 25.0, 2.0, 4 << 30, 16 << 30)
CARD = CardReading(
    vendor="nvidia",
    index=0,
    name="Tesla V100",
    bus_id="0000:3b:00.0",
    uuid="GPU-1",
    load_percent=87,
    memory_used_bytes=4 << 30,
    memory_total_bytes=16 << 30,
    temperature_celsius=61,
    power_watts=210.4,
    power_limit_watts=300,
    uses=(Use(41, 3 << 30),),
)


def facts(
    pid: int, user: str = "ann", parent: int = 1, command: str = "python x.py"
) -> ProcessFacts:
    uid = os.getuid() if user == "ann" else os.getuid() + 1
    return ProcessFacts(pid, parent, uid, user, command, 100 + pid)


def program(pid: int, **changes: object) -> Status:
    status = Status(
        uid=os.getuid(),
        pid=pid,
        start=100 + pid,
        namespace="",
        since=NOW - 60,
        updated=NOW - 0.2,
        command="placewise run --gpus 1 train.py",
        program="train.py",
        phase="training",
        phase_since=NOW - 30,
        steps=1200,
        steps_per_second=41.7,
        machine=None,
    )
    return replace(status, **changes)  # type: ignore[arg-type]


def frame(*cards: CardReading, programs: tuple[Entry, ...] = (), **known: ProcessFacts) -> Frame:
    return Frame(NOW, HOST, cards, programs, {item.pid: item for item in known.values()})


def busy() -> Snapshot:
    seen = frame(CARD, programs=(Entry(program(41), True),), ann=facts(41))
    return summarize(seen, [Lease(41, NOW - 60, "placewise run", ("GPU-1",))])


def test_a_program_on_a_card_is_one_line() -> None:
    (line,) = busy().processes
    assert (line.pid, line.user, line.cards, line.used_bytes) == (41, "ann", ("0",), 3 << 30)
    assert (line.phase, line.steps, line.steps_per_second) == ("training", 1200, 41.7)
    assert line.has_lease


def test_plain_text() -> None:
    assert to_text(busy()).splitlines() == [
        f"placewise top {time.strftime('%H:%M:%S', time.localtime(NOW))}  "
        "CPU 25% of 8 cores, memory 4 GiB / 16 GiB, Test CPU",
        "",
        "GPU  model       bus id        load          memory  temp        power  leased by",
        "0    Tesla V100  0000:3b:00.0   87%  4 GiB / 16 GiB  61 C  210 / 300 W  pid 41",
        "",
        "pid  user  GPU  memory  phase     steps  steps/s    time  command",
        " 41  ann   0     3 GiB  training   1200     41.7  1:00 m  train.py",
    ]


def test_json_has_all_of_it() -> None:
    said = json.loads(json.dumps(to_json(busy())))
    (gpu,), (process,) = said["gpus"], said["processes"]
    assert (gpu["load_percent"], gpu["leased_by"], gpu["power_limit_watts"]) == (87, [41], 300)
    assert gpu["processes"] == [{"pid": 41, "used_bytes": 3 << 30, "kind": "compute"}]
    assert (process["steps_per_second"], process["program"]) == (41.7, "train.py")
    assert said["host"]["cores"] == 8


def test_csv_has_a_line_for_host_card_and_process() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(busy()))))
    assert tuple(rows[0]) == COLUMNS
    assert [row["kind"] for row in rows] == ["host", "gpu", "process"]
    assert rows[1]["power_watts"] == "210.4"
    assert (rows[2]["pid"], rows[2]["gpu"], rows[2]["memory_used_bytes"]) == (
        "41",
        "0",
        str(3 << 30),
    )
    assert "time" not in to_csv(busy(), with_header=False)


def test_slices_stand_under_their_card() -> None:
    part = CardReading("nvidia", 2, "MIG 1g.5gb", uuid="MIG-1", uses=(Use(41, 5, part="MIG-1"),))
    seen = summarize(frame(replace(CARD, uses=(), slices=(part,)), ann=facts(41)))
    assert [line.label for line in seen.cards] == ["0", "0:2"]
    assert seen.processes[0].cards == ("0:2",)
    assert "\n  0:2  MIG 1g.5gb" in to_text(seen)


def test_no_gpu_says_so_and_shows_the_host() -> None:
    seen = summarize(replace(frame(), reasons=("there is no driver",)))
    assert seen.remarks == ("No GPU: there is no driver.",)
    assert "CPU 25% of 8 cores" in to_text(seen)


def test_a_program_that_died_is_named() -> None:
    seen = summarize(frame(CARD, programs=(Entry(program(77), False),), ann=facts(41)))
    (event,) = seen.events
    assert event.startswith("pid 77 (train.py) died without a word, last seen ")
    assert event.endswith(" while training, after 1200 steps")
    assert [line.pid for line in seen.processes] == [41]
    assert event in to_text(seen)


def test_root_is_told_of_the_dead_of_others_for_a_minute() -> None:
    dead = program(77, uid=os.getuid() + 1)
    assert len(summarize(frame(programs=(Entry(dead, False),))).events) == 1
    old = Entry(replace(dead, updated=NOW - 61), False)
    assert summarize(frame(programs=(old,))).events == ()


def test_a_lease_whose_owner_died_is_named() -> None:
    gone = Lease(88, NOW, "placewise run a.py", ("GPU-1", "GPU-2"))
    seen = summarize(frame(ann=facts(41)), gone=[gone])
    assert seen.events == ("pid 88 (placewise run a.py) had leased 2 GPUs and died: given back",)


def test_a_lease_that_a_child_of_its_dead_owner_holds_is_named() -> None:
    held = Lease(88, NOW, "placewise run a.py", ("GPU-1",))
    seen = summarize(frame(CARD, ann=facts(41)), [held])
    (remark,) = seen.remarks
    assert remark.startswith("pid 88 (placewise run a.py) has leased 1 GPU and is gone; a process")
    assert [(line.pid, line.is_known) for line in seen.processes] == [(41, True), (88, False)]
    (remark,) = summarize(frame(CARD, ann=facts(41)), [held], holders=lambda _: [89, 90]).remarks
    assert remark.endswith("the lease is still held by what it started: pid 89, 90")


def test_memory_of_a_process_that_is_gone_is_named() -> None:
    seen = summarize(frame(CARD))
    assert seen.remarks[-1].startswith(
        "pid 41 holds 3 GiB of GPU 0 and is not among this machine's"
    )
    assert seen.processes[0].phase == "ended"


def test_a_program_that_is_silent_says_for_how_long() -> None:
    stuck = Entry(program(41, updated=NOW - 33), True)
    assert summarize(frame(programs=(stuck,), ann=facts(41))).processes[0].phase == "silent 33 s"


def test_a_long_compilation_says_for_how_long() -> None:
    compiling = Entry(program(41, phase="compiling", phase_since=NOW - 12), True)
    seen = summarize(frame(programs=(compiling,), ann=facts(41)))
    assert seen.processes[0].phase == "compiling 12 s"


def test_leases_of_simulated_cards_are_no_leases_of_real_ones() -> None:
    simulated = replace(CARD, simulated=True, uses=())
    lease = Lease(41, NOW, "placewise run", ("simulated V100: GPU-1",))
    seen = summarize(frame(CARD, simulated, ann=facts(41)), [lease])
    assert [(line.label, len(line.leases)) for line in seen.cards] == [("0", 0), ("sim 0", 1)]


def test_programs_on_simulated_cards_share_them() -> None:
    from placewise.monitor.simulated import read_cards

    gpu = DeviceUse("GPU:0", "Tesla V100", "0000:01:00.0", "GPU-9", True, 1 << 30, 16 << 30)
    real = replace(gpu, uuid="GPU-8", simulated=False)
    programs = [program(1, devices=(gpu, real)), program(2, devices=(gpu,))]
    (card,) = read_cards(None, programs)
    assert (card.memory_used_bytes, card.simulated) == (2 << 30, True)
    assert card.uses == (Use(1, 1 << 30), Use(2, 1 << 30))
    assert [card.name for card in read_cards("K40c", programs)] == ["Tesla K40c", "Tesla V100"]
