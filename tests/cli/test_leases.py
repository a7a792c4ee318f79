"""`--gpus free`: cards are chosen and leased in one step, and given back however a process ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from placewise.cli.errors import UnusableError
from placewise.cli.gpu_selection import parse_free

from .conftest import Run

HOLD = "import os, sys; print(os.environ['CUDA_VISIBLE_DEVICES'], flush=True); sys.stdin.read()"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "leases"
    monkeypatch.setenv("PLACEWISE_LEASES", str(folder))
    return folder


class Holders(list[subprocess.Popen[str]]):
    def start(self, *options: str, program: str = HOLD) -> subprocess.Popen[str]:
        self.append(
            subprocess.Popen(
                [sys.executable, "-m", "placewise", "run", *options, "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return self[-1]


@pytest.fixture
def holders(home: Path) -> Iterator[Holders]:
    started = Holders()
    yield started
    for process in started:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_many_started_at_once_never_share(holders: Holders) -> None:
    for _ in range(30):
        holders.start("--simulate", "4xV100", "--gpus", "free:1")
    deadline = time.monotonic() + 60
    while sum(process.poll() is None for process in holders) > 4:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    winners = [process for process in holders if process.poll() is None]
    assert sorted(map(said, winners)) == ["0", "1", "2", "3"]
    assert {process.returncode for process in holders if process not in winners} == {75}


def test_a_lease_ends_with_its_process_however_it_ends(holders: Holders, placewise: Run) -> None:
    first = holders.start("--simulate", "2xV100", "--gpus", "free")
    assert said(first) == "0,1"
    options = ("run", "--simulate", "2xV100", "--gpus", "free:1")
    kept = {"PLACEWISE_LEASES": os.environ["PLACEWISE_LEASES"]}
    refused = placewise(*options, "-c", "pass", **kept)
    assert refused.returncode == 75
    assert "--gpus free:1: no GPU is free\n" in refused.stderr
    assert f"GPU:0 Tesla V100-SXM2-16GB: pid {first.pid} since 20" in refused.stderr
    assert "(placewise run --simulate 2xV100 --gpus free -c import os" in refused.stderr
    waiting = holders.start("--simulate", "2xV100", "--gpus", "free:1", "--wait", "60")
    time.sleep(0.3)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert said(waiting) == "0"


def test_devices_names_who_has_leased_what(holders: Holders, placewise: Run) -> None:
    holder = holders.start("--simulate", "2xV100", "--gpus", "free:1")
    said(holder)
    kept = {"PLACEWISE_LEASES": os.environ["PLACEWISE_LEASES"]}
    text = placewise("devices", "--simulate", "2xV100", **kept).stdout
    assert text.count(f"leased by pid {holder.pid} since ") == 1
    gpus = json.loads(placewise("devices", "--simulate", "2xV100", "--json", **kept).stdout)["gpus"]
    assert [[lease["pid"] for lease in gpu["leases"]] for gpu in gpus] == [[holder.pid], []]


def test_free_leaves_alone_what_another_run_chose_itself(holders: Holders, placewise: Run) -> None:
    chosen = holders.start("--simulate", "3xV100", "--gpus", "0,2")
    assert said(chosen) == "0,2"
    kept = {"PLACEWISE_LEASES": os.environ["PLACEWISE_LEASES"]}
    options = ("run", "--simulate", "3xV100", "--gpus")
    show = ("-c", "import os; print(os.environ['CUDA_VISIBLE_DEVICES'])")
    assert placewise(*options, "free", *show, **kept).stdout == "1\n"
    asked = placewise(*options, "2,", *show, **kept)
    assert asked.stdout == "2\n"
    assert f"(CUDA 2) is also used by pid {chosen.pid} since" in asked.stderr
    # Another machine has other cards.
    assert placewise("run", "--simulate", "3xA100", "--gpus", "free", *show, **kept).stdout == (
        "0,1,2\n"
    )


def test_cards_hidden_by_the_environment_stay_hidden(home: Path, placewise: Run) -> None:
    done = placewise(
        "run",
        "--simulate",
        "4xV100",
        "--gpus",
        "free",
        "-c",
        "import os; print(os.environ['CUDA_VISIBLE_DEVICES'])",
        CUDA_VISIBLE_DEVICES="3,1",
        PLACEWISE_LEASES=str(home),
    )
    assert done.stdout == "3,1\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--simulate", "2", "--gpus", "free:3"], "--gpus free:3: this process sees 2 usable GPUs"),
        (["--simulate", "0", "--gpus", "free"], "--gpus free: this process sees 0 usable GPUs"),
        (["--simulate", "2", "--gpus", "free:x"], "--gpus free:x: how many? such as free:2"),
    ],
)
def test_what_cannot_be_asked_for(
    placewise: Run, home: Path, options: list[str], expected: str
) -> None:
    done = placewise("run", *options, "-c", "pass", PLACEWISE_LEASES=str(home))
    assert (done.returncode, done.stderr) == (2, f"placewise run: {expected}\n")


def test_a_folder_that_cannot_be_used_says_so(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "file").write_text("")
    done = placewise(
        "run",
        "--simulate",
        "1",
        "--gpus",
        "free",
        "-c",
        "pass",
        PLACEWISE_LEASES=str(tmp_path / "file" / "below"),
    )
    assert done.returncode == 2
    assert "cannot keep leases in" in done.stderr


def test_free_with_a_number() -> None:
    assert parse_free("2") is None
    with pytest.raises(UnusableError, match="how many"):
        parse_free("free:0")


def test_looking_at_devices_leaves_a_folder_of_other_files_alone(
    tmp_path: Path, placewise: Run
) -> None:
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "linked.json").symlink_to(tmp_path / "settings.json")
    os.mkfifo(tmp_path / "pipe.json")
    placewise("devices", "--simulate", "1", PLACEWISE_LEASES=str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "linked.json",
        "pipe.json",
        "settings.json",
    ]
