"""Bundles and tables of slices: TensorFlow's files are read, ours equal them, damage is noticed."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

import placewise as tf
from placewise.ops.checkpoint import bundle_writer, save_ops
from placewise.ops.checkpoint.formats import opened
from placewise.ops.checkpoint.slices import parse
from tests.saving import values

DATA = Path(__file__).parents[2] / "saving" / "data"


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    return (
        found.shape == wanted.shape
        and (found == wanted).all()
        and (wanted.dtype == object or found.dtype == wanted.dtype)
    )


@pytest.mark.parametrize("name", values.NAMES)
def test_tensorflows_tensors_are_read(name: str) -> None:
    with opened(DATA / "names") as checkpoint:
        assert same(checkpoint.read(name), np.asarray(values.array(name)))


@pytest.mark.parametrize("file", ["names", "v1", "v1_sharded"])
def test_a_tensor_saved_in_parts_is_put_together(file: str) -> None:
    whole = values.array("float32")
    with opened(DATA / file) as checkpoint:
        assert same(checkpoint.read("part"), whole)
        assert same(checkpoint.read_part("part", parse("4 3 1,2:1,2")[1]), whole[1:3, 1:3])


@pytest.mark.parametrize("file", ["v1", "v1_sharded"])
def test_the_first_format_is_read(file: str) -> None:
    with opened(DATA / file) as checkpoint:
        assert checkpoint.names() == sorted([*values.IN_V1, "part"])
        for name in values.IN_V1:
            assert same(checkpoint.read(name), np.asarray(values.array(name)))


def test_several_data_files_are_read() -> None:
    with opened(DATA / "sharded") as checkpoint:
        assert checkpoint.read("a").tolist() == [1.0, 2.0]
        assert checkpoint.read("b").tolist() == [3.0]


def write_names(prefix: Path) -> None:
    whole = values.array("float32")
    names = sorted([*values.NAMES, "part", "part"])
    parts = ["" for _ in names]
    first = names.index("part")
    parts[first : first + 2] = ["4 3 0,2:0,3", "4 3 2,2:0,3"]
    tensors = [None if name == "part" else tf.constant(values.array(name)) for name in names]
    tensors[first : first + 2] = [tf.constant(whole[:2]), tf.constant(whole[2:])]
    save_ops.save_v2(str(prefix), names, parts, tensors)


def test_our_files_equal_tensorflows_byte_for_byte(tmp_path: Path) -> None:
    write_names(tmp_path / "names")
    for end in ("index", "data-00000-of-00001"):
        ours = (tmp_path / f"names.{end}").read_bytes()
        assert ours == (DATA / f"names.{end}").read_bytes()


def test_the_first_format_is_written_and_read_again(tmp_path: Path) -> None:
    tensors = [tf.constant(values.array(name)) for name in values.IN_V1]
    save_ops.save(str(tmp_path / "v1"), list(values.IN_V1), tensors)
    with opened(tmp_path / "v1") as checkpoint:
        for name in values.IN_V1:
            assert same(checkpoint.read(name), np.asarray(values.array(name)))


def test_checkpoints_are_merged_into_one(tmp_path: Path) -> None:
    parts = [str(tmp_path / "x_temp" / f"part-{n}") for n in range(2)]
    save_ops.save_v2(parts[0], ["a", "p"], ["", "2 0,1"], [tf.constant(1.0), tf.constant([5])])
    save_ops.save_v2(parts[1], ["b", "p"], ["", "2 1,1"], [tf.constant("s"), tf.constant([6])])
    save_ops.merge_v2_checkpoints(parts, str(tmp_path / "x"))
    assert sorted(os.listdir(tmp_path)) == [
        "x.data-00000-of-00002",
        "x.data-00001-of-00002",
        "x.index",
    ]
    with opened(tmp_path / "x") as checkpoint:
        assert checkpoint.read("a") == 1.0
        assert checkpoint.read("b") == b"s"
        assert checkpoint.read("p").tolist() == [5, 6]


def test_a_kill_at_any_moment_leaves_a_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def save(number: int) -> None:
        save_ops.save_v2(str(tmp_path / "m"), ["x"], [""], [tf.fill([4], number)])

    def content() -> set[int]:
        with opened(tmp_path / "m") as checkpoint:
            return set(checkpoint.read("x").tolist())

    save(0)
    held = 0
    for fatal in range(30):
        calls = [0]

        def counting(real, calls=calls, fatal=fatal):  # type: ignore[no-untyped-def]
            def call(*args, **kwargs):  # type: ignore[no-untyped-def]
                calls[0] += 1
                if calls[0] == fatal:
                    raise Killed
                return real(*args, **kwargs)

            return call

        with monkeypatch.context() as patch:
            for name in ("link", "replace", "unlink", "fsync"):
                patch.setattr(bundle_writer.os, name, counting(getattr(os, name)))
            try:
                save(fatal + 1)
                is_killed = False
            except Killed:
                is_killed = True
        found = content()
        assert found in ({held}, {fatal + 1}), f"killed at call {fatal}"
        (held,) = found
        if calls[0] < fatal:
            assert not is_killed
            break
    else:
        raise AssertionError("more calls than expected")
    assert held == fatal + 1


def test_overwriting_leaves_tensorflows_names_and_no_others(tmp_path: Path) -> None:
    for _ in range(3):
        save_ops.save_v2(str(tmp_path / "m"), ["x"], [""], [tf.constant(1.0)])
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00001", "m.index"]


def test_damaged_data_raises_and_names_the_file(tmp_path: Path) -> None:
    write_names(tmp_path / "m")
    path = tmp_path / "m.data-00000-of-00001"
    whole = path.read_bytes()
    for place in range(0, len(whole), 13):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(tf.errors.DataLossError, match=re.escape(str(path))):
            for name in [*values.NAMES, "part"]:
                save_ops.restore_v2(
                    str(tmp_path / "m"), [name], [""], [opened(tmp_path / "m").dtype(name)]
                )


def test_cut_off_data_raises_and_names_the_file(tmp_path: Path) -> None:
    save_ops.save_v2(str(tmp_path / "m"), ["x"], [""], [tf.ones([10])])
    path = tmp_path / "m.data-00000-of-00001"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(tf.errors.DataLossError, match=re.escape(str(path))):
        save_ops.restore_v2(str(tmp_path / "m"), ["x"], [""], [tf.float32])


def test_a_damaged_index_raises_and_names_the_file(tmp_path: Path) -> None:
    save_ops.save_v2(str(tmp_path / "m"), ["x"], [""], [tf.ones([10])])
    path = tmp_path / "m.index"
    path.write_bytes(path.read_bytes()[:20] + b"?" + path.read_bytes()[21:])
    with pytest.raises(tf.errors.DataLossError, match=re.escape(str(path))):
        save_ops.restore_v2(str(tmp_path / "m"), ["x"], [""], [tf.float32])


def test_a_missing_checkpoint_raises_in_tensorflows_words(tmp_path: Path) -> None:
    with pytest.raises(
        tf.errors.NotFoundError,
        match=r"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for",
    ):
        save_ops.restore_v2(str(tmp_path / "m"), ["x"], [""], [tf.float32])


def test_a_failed_save_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="duplicate key"):
        save_ops.save_v2(str(tmp_path / "m"), ["x", "x"], ["", ""], [tf.ones([1]), tf.ones([1])])
    assert os.listdir(tmp_path) == []


def test_bfloat16_and_unsigned_numbers_come_back(tmp_path: Path) -> None:
    kinds = [tf.bfloat16, tf.uint16, tf.uint32, tf.uint64, tf.complex128]
    tensors = [tf.cast(tf.constant([1, 2, 3]), kind) for kind in kinds]
    names = [kind.name for kind in kinds]
    save_ops.save_v2(str(tmp_path / "m"), names, [""] * 5, tensors)
    found = save_ops.restore_v2(str(tmp_path / "m"), names, [""] * 5, kinds)
    assert [each.dtype for each in found] == kinds
    assert [tf.cast(each, tf.int32).numpy().tolist() for each in found] == [[1, 2, 3]] * 5
