"""A folder of leases may hold anything: only leases are read, and nothing else is ever removed."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from placewise.cli import lease_folder, leases
from placewise.cli.lease_files import Lease
from placewise.cli.lease_folder import MUTEX, UnavailableError

NAME = "placewise-lease-1-0123456789abcdef.json"
UID = os.getuid()
TEXT = '{"placewise-lease": 1, ' + json.dumps(
    {"uid": UID, "pid": 1, "since": 0, "command": "x", "cards": ["a"]}
).removeprefix("{")


@pytest.fixture(autouse=True)
def held() -> Iterator[None]:
    """Close what a test leases in this process."""
    yield
    while leases.state.held:
        os.close(leases.state.held.pop())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "leases"
    folder.mkdir()
    (folder / MUTEX).touch()
    monkeypatch.setenv("PLACEWISE_LEASES", str(folder))
    return folder


def test_the_lease_of_a_dead_process_is_removed(home: Path) -> None:
    (home / NAME).write_text(TEXT)
    assert leases.current() == {}
    assert [path.name for path in home.iterdir()] == [MUTEX]


def test_a_lease_that_is_held_is_read_and_kept(home: Path) -> None:
    leases.take(lambda taken: ["card"])
    found = leases.current()
    assert [lease.pid for lease in found["card"]] == [os.getpid()]
    assert len(list(home.iterdir())) == 2


def as_other_json(folder: Path) -> None:
    (folder / "package.json").write_text('{"name": "mine"}')
    (folder / "1-gone.json").write_text(TEXT)


def as_wrong_magic(folder: Path) -> None:
    (folder / NAME).write_text(TEXT.replace("placewise-lease", "placewise-other"))


def as_empty(folder: Path) -> None:
    (folder / NAME).touch()


def as_broken_json(folder: Path) -> None:
    (folder / NAME).write_text(TEXT[:-3])


def as_deep_json(folder: Path) -> None:
    (folder / NAME).write_text('{"placewise-lease": 1, "uid": ' + "[" * 60000)


def as_another_users(folder: Path) -> None:
    (folder / NAME).write_text(TEXT.replace(f'"uid": {UID}', f'"uid": {UID + 1}'))


def as_huge(folder: Path) -> None:
    (folder / NAME).write_text(TEXT)
    os.truncate(folder / NAME, 1 << 40)


def as_link(folder: Path) -> None:
    (folder.parent / "target.json").write_text(TEXT)
    (folder / NAME).symlink_to(folder.parent / "target.json")


def as_pipe(folder: Path) -> None:
    os.mkfifo(folder / NAME)


def as_folder(folder: Path) -> None:
    (folder / NAME).mkdir()


def as_socket(folder: Path) -> None:
    # The path of a socket has to be short.
    before = os.getcwd()
    os.chdir(folder)
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as plug:
        plug.bind(NAME)
    os.chdir(before)


def as_unreadable(folder: Path) -> None:
    (folder / NAME).write_text("")
    (folder / NAME).chmod(0)


@pytest.mark.parametrize(
    "plant",
    [
        as_other_json,
        as_wrong_magic,
        as_empty,
        as_broken_json,
        as_deep_json,
        as_another_users,
        as_huge,
        as_link,
        as_pipe,
        as_folder,
        as_socket,
        as_unreadable,
    ],
)
def test_what_is_no_lease_is_left_alone(home: Path, plant: Callable[[Path], None]) -> None:
    plant(home)
    before = {path.name: path.lstat() for path in home.iterdir()}
    assert leases.current() == {}
    assert leases.take(lambda taken: [] if not taken else ["never"]) == []
    after = {path.name: path.lstat() for path in home.iterdir()}
    assert {
        name: (found.st_ino, found.st_size, found.st_mtime_ns) for name, found in after.items()
    } == {name: (found.st_ino, found.st_size, found.st_mtime_ns) for name, found in before.items()}
    assert not (home.parent / "target.json").exists() or plant is as_link


def test_a_lease_under_which_another_file_was_put_is_not_removed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / NAME).write_text(TEXT)
    lock = leases._try_lock

    def swap(handle: int, kind: int) -> bool:
        locked = lock(handle, kind)
        if kind == leases.fcntl.LOCK_SH:
            (home / "new").write_text("something else")
            os.replace(home / "new", home / NAME)
        return locked

    monkeypatch.setattr(leases, "_try_lock", swap)
    assert leases.current() == {}
    assert (home / NAME).read_text() == "something else"


def test_looking_creates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEWISE_LEASES", str(tmp_path / "none"))
    assert leases.current() == {}
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("PLACEWISE_LEASES", str(tmp_path))
    assert leases.current() == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_a_lock_that_is_no_file_is_refused(home: Path, make: Callable[[Path], None]) -> None:
    (home / MUTEX).unlink()
    make(home / MUTEX)
    assert leases.current() == {}
    with pytest.raises(UnavailableError, match="cannot keep leases in"):
        leases.take(lambda taken: ["card"])


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the shared folder of a machine whose temporary folder is the test's own."""
    monkeypatch.delenv("PLACEWISE_LEASES", raising=False)
    tmp_path.chmod(0o1777)
    monkeypatch.setattr(
        lease_folder,
        "_is_for_all",
        lambda path, real=lease_folder._is_for_all: path != "/run/lock" and real(path),
    )
    monkeypatch.setattr(lease_folder.tempfile, "gettempdir", lambda: str(tmp_path))
    return tmp_path / "placewise-leases"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_shared_folder_is_for_all_with_the_sticky_bit(shared: Path) -> None:
    before = os.umask(0o077)
    try:
        leases.take(lambda taken: ["card"])
    finally:
        os.umask(before)
    assert mode(shared) == 0o1777
    assert {mode(path) for path in shared.glob("placewise-lease-*.json")} == {0o644}


def as_plain(path: Path) -> None:
    path.mkdir(mode=0o755)


def as_open_to_all(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def as_link_elsewhere(path: Path) -> None:
    (path.parent / "elsewhere").mkdir()
    path.symlink_to(path.parent / "elsewhere")


def as_file(path: Path) -> None:
    path.touch()


def with_a_pipe_for_a_lock(path: Path) -> None:
    path.mkdir()
    path.chmod(0o1777)
    os.mkfifo(path / MUTEX)


@pytest.mark.parametrize(
    "prepare", [as_plain, as_open_to_all, as_link_elsewhere, as_file, with_a_pipe_for_a_lock]
)
def test_each_user_has_a_folder_where_the_shared_one_cannot_be_trusted(
    shared: Path, prepare: Callable[[Path], None]
) -> None:
    prepare(shared)
    leases.take(lambda taken: ["card"])
    own = shared.with_name(f"placewise-leases-{UID}")
    assert mode(own) == 0o700
    assert len(list(own.iterdir())) == 2
    assert list(leases.current()) == ["card"]
    assert not shared.is_dir() or [path.name for path in shared.iterdir()] in ([], [MUTEX])


def test_no_leases_where_neither_folder_can_be_trusted(shared: Path) -> None:
    as_plain(shared)
    as_open_to_all(shared.with_name(f"placewise-leases-{UID}"))
    assert leases.current() == {}
    with pytest.raises(UnavailableError, match=r"mode 1777\); .*others may write to it"):
        leases.take(lambda taken: ["card"])


def test_a_lease_says_who_since_when() -> None:
    assert str(Lease(7, 0.0, "placewise run x.py", ())).startswith("pid 7 since 19")
