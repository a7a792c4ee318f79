"""Drafts: who is gone leaves none, who still writes keeps his, and nothing else is touched."""

import os
import time
from pathlib import Path

import pytest

import placewise as tf
from placewise.ops.io import drafts

NAME = ".tempstate-0123456789abcdef"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "c.data-00000-of-00001"


def left(place: Path, suffix: str = NAME) -> Path:
    path = place.with_name(place.name + suffix)
    path.write_bytes(b"half")
    return path


def test_the_next_checkpoint_removes_the_draft_of_a_killed_one(place: Path) -> None:
    dead = left(place)
    index = left(place.with_name("c.index"))
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(place.with_name("c")))
    assert not dead.exists()
    assert not index.exists()
    assert sorted(path.name for path in place.parent.iterdir()) == [
        "c.data-00000-of-00001",
        "c.index",
    ]


def test_a_draft_that_is_being_written_stays(place: Path) -> None:
    name, file = drafts.open_draft(str(place))
    with file:
        drafts.clear_stale(str(place))
        assert os.path.exists(name)
    drafts.clear_stale(str(place))
    assert not os.path.exists(name)


def test_drafts_of_another_place_stay(place: Path) -> None:
    other = left(place.with_name("cc.data-00000-of-00001"))
    longer = left(place.with_name(place.name + ".more"))
    drafts.clear_stale(str(place))
    assert other.exists()
    assert longer.exists()


def test_a_draft_of_tensorflow_goes_when_it_is_old(place: Path) -> None:
    young, old = left(place, ".tempstate123"), left(place, ".tempstate456")
    before = time.time() - 2 * 3600
    os.utime(old, (before, before))
    drafts.clear_stale(str(place))
    assert young.exists()
    assert not old.exists()


def test_what_is_no_file_is_left_alone(place: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    link = place.with_name(place.name + NAME)
    link.symlink_to(target)
    pipe = place.with_name(place.name + NAME.replace("0", "1"))
    os.mkfifo(pipe)
    drafts.clear_stale(str(place))
    assert target.read_text() == "mine"
    assert link.is_symlink()
    assert pipe.exists()


def test_a_folder_that_a_killed_process_left_goes_at_once(place: Path) -> None:
    left = Path(f"{place}.tempstate-{'0' * 16}")
    left.mkdir()
    with drafts.draft_folder(str(place)) as folder:
        assert not left.exists()
        drafts.clear_stale(str(place))
        assert Path(folder).is_dir()  # locked: it is being written
    assert not Path(folder).exists()


def test_the_next_step_removes_the_draft_of_a_killed_one(tmp_path: Path) -> None:
    dead = left(tmp_path / "model-100.data-00000-of-00001")
    other = left(tmp_path / "other-100.data-00000-of-00001")
    drafts.clear_stale(str(tmp_path / "model-200.data-00000-of-00001"))
    assert not dead.exists()
    assert other.exists()
