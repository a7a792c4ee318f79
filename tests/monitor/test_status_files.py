"""Status files: written at once, read with every check, removed only when certainly ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from placewise.monitor import processes, status_files
from placewise.monitor.status import MAGIC, DeviceUse, Status, from_bytes, to_bytes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "status"
    monkeypatch.setenv("PLACEWISE_STATUS", str(place))
    return place


def own_status() -> Status:
    facts = processes.find(os.getpid())
    return Status(
        uid=os.getuid(),
        pid=os.getpid(),
        start=facts.start if facts else 0,
        namespace=status_files.namespace(),
        since=1000.0,
        updated=1001.5,
        command="placewise run train.py",
        program="train.py",
        phase="training",
        phase_since=1000.5,
        steps=7,
        steps_per_second=3.5,
        machine="V100",
        devices=(DeviceUse("GPU:0", "Tesla V100", "0000:01:00.0", "GPU-1", True, 5, 16),),
    )


def put(folder: Path, status: Status, token: str = "0" * 16) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"placewise-status-{status.pid}-{token}.json"
    path.write_bytes(to_bytes(status))
    return path


def test_what_is_written_is_read(folder: Path) -> None:
    file = status_files.create()
    assert file is not None
    file.write(own_status())
    file.write(replace(own_status(), steps=8))
    assert status_files.read_all() == [(replace(own_status(), steps=8), True)]
    assert folder.stat().st_mode & 0o777 == 0o700
    file.remove()
    assert list(folder.iterdir()) == []


def test_a_process_that_died_is_returned_once(folder: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    path = put(folder, replace(own_status(), pid=child.pid))
    assert [entry.is_alive for entry in status_files.read_all()] == [False]
    assert not path.exists()
    assert status_files.read_all() == []


def test_a_later_process_with_the_same_number_is_another(folder: Path) -> None:
    put(folder, replace(own_status(), start=own_status().start - 1))
    assert [entry.is_alive for entry in status_files.read_all()] == [False]


def test_a_process_of_another_container_is_left_alone(folder: Path) -> None:
    path = put(folder, replace(own_status(), pid=999_999, namespace="pid:[1]"))
    assert [entry.is_alive for entry in status_files.read_all()] == [None]
    assert path.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a status",
        MAGIC,
        MAGIC + b'"pid": 1}',
        b"{}" + b" " * 100,
        to_bytes(own_status())[:-9],
        to_bytes(own_status()).replace(b'"steps": 7', b'"steps": "7"'),
        to_bytes(own_status()).replace(b'"steps": 7', b'"extra": 7'),
        to_bytes(replace(own_status(), uid=os.getuid() + 1)),
        to_bytes(replace(own_status(), command="x" * (1 << 17))),
        MAGIC + b"[" * 50_000,
    ],
)
def test_what_is_no_status_is_neither_read_nor_removed(folder: Path, content: bytes) -> None:
    path = put(folder, own_status())
    path.write_bytes(content)
    assert status_files.read_all() == []
    assert path.read_bytes() == content


def test_other_names_links_and_pipes_are_not_touched(folder: Path, tmp_path: Path) -> None:
    dead = replace(own_status(), start=1)
    put(folder, dead).rename(folder / "notes.json")
    target = tmp_path / "target"
    target.write_bytes(to_bytes(dead))
    (folder / f"placewise-status-1-{'a' * 16}.json").symlink_to(target)
    os.mkfifo(folder / f"placewise-status-1-{'b' * 16}.json")
    before = sorted(os.listdir(folder))
    assert status_files.read_all() == []
    assert sorted(os.listdir(folder)) == before
    assert target.exists()


def test_a_folder_that_others_may_write_to_is_not_used(folder: Path) -> None:
    put(folder, own_status())
    folder.chmod(0o777)
    assert status_files.read_all() == []
    assert status_files.create() is None


def test_a_link_in_place_of_the_folder_is_not_used(folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", own_status())
    folder.symlink_to(tmp_path / "elsewhere")
    assert status_files.read_all() == []
    assert status_files.create() is None


def test_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEWISE_STATUS", "off")
    assert status_files.create() is None
    assert status_files.read_all() == []


def test_the_content_is_json() -> None:
    said = json.loads(to_bytes(own_status()))
    assert said["placewise-status"] == 1
    assert from_bytes(to_bytes(own_status()), os.getuid()) == own_status()
