"""The live view, as a user sees it: in a terminal emulator, and key by key."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from placewise.cli.top.app import TopApp
from placewise.cli.top.snapshot import Snapshot, summarize
from placewise.monitor.status_files import Entry

from .picture import PICTURE, draw, staged
from .terminal import Terminal
from .test_snapshot import CARD, facts, frame, program


class Programs(list[subprocess.Popen[bytes]]):
    """Programs that run until they are ended; none loads torch."""

    def start(self, name: str) -> int:
        command = [sys.executable, "-m", "placewise", "run", "-c", "import time; time.sleep(300)"]
        self.append(subprocess.Popen([*command, name]))
        return self[-1].pid


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Programs]:
    monkeypatch.setenv("PLACEWISE_STATUS", str(tmp_path / "status"))
    monkeypatch.setenv("PLACEWISE_LEASES", str(tmp_path / "leases"))
    started = Programs()
    yield started
    for process in started:
        process.kill()
        process.wait()


def test_a_session_in_a_terminal(programs: Programs) -> None:
    first, second = programs.start("first"), programs.start("second")
    options = ("top", "--simulate", "2xV100", "--interval", "0.3")
    with Terminal(*options, columns=110, rows=24) as terminal:
        shown = terminal.wait_for("Tesla V100", "q Quit", "2 processes", " first", " second")
        assert shown.splitlines()[0].startswith("placewise top ")
        assert "sim 1" in shown

        terminal.send("sssss")
        shown = terminal.wait_for("by pid")
        assert shown.index(str(min(first, second))) < shown.index(str(max(first, second)))
        terminal.send("r")
        terminal.wait_for("by pid, reversed")
        terminal.send("t")
        terminal.wait_for("as a tree")
        terminal.send("tr")
        terminal.wait_for("by pid", absent=("reversed", "as a tree"))

        terminal.send("/second\r")
        shown = terminal.wait_for("1 process of 2 with 'second'")
        assert " first" not in shown

        terminal.send("kkk")
        terminal.wait_for(f"End pid {second} of ", "n  leave it alone")
        terminal.send("n")
        terminal.wait_for("q Quit", absent=("leave it alone",))
        assert programs[1].poll() is None
        terminal.send("k")
        terminal.wait_for("ask it to end (SIGTERM)")
        terminal.send("y")
        terminal.wait_for(f"pid {second} (-c import", "died without a word", "0 processes of 1")
        assert programs[1].wait(timeout=10) == -signal.SIGTERM

        terminal.send("/\x1b")
        terminal.wait_for("1 process, by pid")
        terminal.resize(80, 24)
        shown = terminal.wait_for("q Quit", f"{first}")
        assert max(map(len, shown.splitlines())) <= 80
        terminal.send("q")
        assert terminal.ended() == 0


def snapshot(user: str = "ann") -> Snapshot:
    known = {"one": facts(41, user), "two": facts(42)}
    return summarize(frame(CARD, programs=(Entry(program(42), True),), **known))


def test_a_process_of_another_user_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 777)
    said: list[str] = []

    async def press() -> None:
        app = TopApp(lambda: snapshot("zoe"), 60, snapshot("zoe"))
        monkeypatch.setattr(app, "notify", lambda text, **_: said.append(text))
        async with app.run_test() as pilot:
            await pilot.press("k")
            assert len(app.screen_stack) == 1, "no question is asked"

    asyncio.run(press())
    assert said == ["pid 41 belongs to zoe: only zoe and root may end it"]


def test_the_chosen_process_stays_chosen_when_the_order_changes() -> None:
    frames = [snapshot()]

    async def press() -> None:
        app = TopApp(lambda: frames[-1], 60, frames[0])
        async with app.run_test() as pilot:
            await pilot.press("down")
            chosen = app._chosen()
            assert chosen is not None
            assert chosen.pid == 42
            frames.append(replace(frames[0], processes=frames[0].processes[::-1]))
            app._read()
            await pilot.pause(0.2)
            await pilot.press("s", "s", "s", "s", "s", "r")
            assert app._chosen() == chosen

    asyncio.run(press())


def test_an_empty_machine_is_shown_and_has_nothing_to_end() -> None:
    said: list[str] = []

    async def press() -> None:
        empty = summarize(frame())
        app = TopApp(lambda: empty, 60, empty)
        app.notify = lambda text, **_: said.append(text)  # type: ignore[method-assign,assignment]
        async with app.run_test(size=(60, 10)) as pilot:
            await pilot.press("k", "t", "s", "space")
            assert "No GPU was found." in app.export_screenshot().replace("&#160;", " ")

    asyncio.run(press())
    assert said == ["there is no process to end"]


def test_the_picture_of_the_documentation_shows_what_is_drawn() -> None:
    drawn, kept = draw(), PICTURE.read_text()
    assert len(kept) < 100_000
    for line in staged().processes:
        assert str(line.pid) in drawn
        assert str(line.pid) in kept
