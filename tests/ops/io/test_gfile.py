"""`tf.io.gfile` and whole files."""

from __future__ import annotations

from pathlib import Path

import pytest

import placewise as tf

gfile = tf.io.gfile


def test_folders_are_made_listed_walked_and_removed(tmp_path: Path) -> None:
    gfile.makedirs(tmp_path / "a" / "b")
    gfile.makedirs(tmp_path / "a" / "b")
    gfile.mkdir(tmp_path / "a")
    (tmp_path / "a" / "x.txt").write_text("hi")
    assert gfile.listdir(tmp_path / "a") == ["b", "x.txt"]
    top = str(tmp_path / "a")
    assert list(gfile.walk(top)) == [(top, ["b"], ["x.txt"]), (f"{top}/b", [], [])]
    assert gfile.glob(f"{top}/*.txt") == [f"{top}/x.txt"]
    assert gfile.isdir(top) and gfile.stat(top).is_directory
    gfile.rmtree(top)
    assert not gfile.exists(top)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda d: gfile.listdir(d / "no"), "NotFoundError", "Could not find directory"),
        (lambda d: gfile.remove(d / "no"), "NotFoundError", "No such file or directory"),
        (lambda d: gfile.remove(d), "FailedPreconditionError", "Is a directory"),
        (lambda d: gfile.mkdir(d / "no" / "x"), "NotFoundError", "No such file"),
        (lambda d: gfile.makedirs(d / "f" / "x"), "FailedPreconditionError", "is not a directory"),
        (lambda d: gfile.copy(d / "f", d / "f"), "AlreadyExistsError", "file already exists"),
        (lambda d: gfile.rename(d / "f", d / "f"), "AlreadyExistsError", "file already exists"),
        (lambda d: gfile.rmtree(d / "no"), "NotFoundError", "not found"),
        (lambda d: gfile.stat(d / "no"), "NotFoundError", "No such file"),
        (lambda d: gfile.GFile(d / "no").read(), "NotFoundError", "No such file"),
        (lambda d: gfile.GFile(d / "f", "x"), "InvalidArgumentError", "mode is not"),
        (lambda d: gfile.GFile(d / "f").write("a"), "PermissionDeniedError", "for writing"),
        (lambda d: gfile.GFile(d / "f", "w").read(), "PermissionDeniedError", "for reading"),
        (lambda d: gfile.exists("gs://bucket/x"), "UnimplementedError", "scheme 'gs'"),
    ],
)
def test_errors_are_tensorflows(tmp_path: Path, call: object, error: str, words: str) -> None:
    (tmp_path / "f").write_text("text")
    with pytest.raises(getattr(tf.errors, error), match=words):
        call(tmp_path)


def test_a_file_is_read_by_parts(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"line1\nline2\r\nend")
    with gfile.GFile(path) as file:
        assert file.read(2) == "li"
        assert file.readline() == "ne1\n"
        assert file.tell() == 6
        file.seek(0)
        assert file.readlines() == ["line1\n", "line2\n", "end"]
        file.seek(-3, 2)
        assert file.read() == "end"
    assert gfile.GFile(path, "rb").read() == b"line1\nline2\r\nend"


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    tf.io.write_file(str(path), "first")
    tf.io.write_file(str(path), "second")
    assert tf.io.read_file(str(path)).numpy() == b"second"
    assert [each.name for each in path.parent.iterdir()] == ["file"]


def test_a_file_object_writes_and_appends(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with gfile.GFile(path, "w") as file:
        file.write("abc")
        file.flush()
        assert path.read_text() == "abc"
    with gfile.GFile(path, "a") as file:
        file.write(b"def")
    assert path.read_text() == "abcdef"


def test_a_file_opened_to_read_and_write_is_made_by_the_first_write(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.GFile(path, "r+").read()
    with gfile.GFile(path, "r+") as file:
        file.write("x")
    assert gfile.GFile(path).read() == "x"


def test_the_first_write_empties_a_file_opened_to_read_and_write(tmp_path: Path) -> None:
    path = tmp_path / "note"
    path.write_text("hello")
    with gfile.GFile(str(path), "r+") as file:
        assert file.read() == "hello"
        file.write("HE")
        file.write("Y")
    assert path.read_text() == "HEY"
