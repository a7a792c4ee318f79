"""`tf.train.Saver`: what is saved comes back, old checkpoints go, errors say what to do."""

import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise.v1 as tf
from placewise.saving.saveable import SaveableObject, SaveSpec
from tests.saving import values

pytestmark = pytest.mark.usefixtures("graph_mode")
DATA = Path(__file__).parent / "data"


def make_variables() -> list[Any]:
    return [
        tf.Variable([1.0, 2.0], name="a"),
        tf.get_variable("scope/b", [2], tf.int64, tf.ones_initializer(), use_resource=True),
        tf.Variable(["x", "yy"], name="c"),
    ]


def test_variables_come_back(tmp_path: Path) -> None:
    variables = make_variables()
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "m"), global_step=3)
    assert path == str(tmp_path / "m-3")
    with tf.Session() as session:
        saver.restore(session, path)
        found = [value.tolist() for value in session.run(variables)]
    assert found == [[1.0, 2.0], [1, 1], [b"x", b"yy"]]


def test_tensorflows_checkpoint_is_restored() -> None:
    made = [
        tf.get_variable(name, initializer=np.zeros_like(values.array(name)))
        for name in ("float32", "float64", "int64", "bool", "complex64")
    ]
    saver = tf.train.Saver()
    with tf.Session() as session:
        saver.restore(session, str(DATA / "names"))
        for variable, value in zip(made, session.run(made), strict=True):
            assert (value == values.array(variable.op.name)).all()


def test_a_checkpoint_of_the_first_format_is_restored_and_written(tmp_path: Path) -> None:
    made = tf.Variable(np.zeros((4, 3), np.float32), name="float32")
    saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
    with tf.Session() as session:
        saver.restore(session, str(DATA / "v1"))
        assert (session.run(made) == values.array("float32")).all()
        path = saver.save(session, str(tmp_path / "old"))
        session.run(made.initializer)
        saver.restore(session, path)
        assert (session.run(made) == values.array("float32")).all()
    assert (tmp_path / "old").is_file()


def test_variables_of_several_devices_are_saved_to_several_files(tmp_path: Path) -> None:
    with tf.device("/cpu:0"):
        a = tf.Variable([1.0], name="a")
    b = tf.Variable([2.0], name="b")
    saver = tf.train.Saver(sharded=True)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "m"))
        session.run([a.assign([0.0]), b.assign([0.0])])
        saver.restore(session, path)
        assert session.run([a, b]) == [[1.0], [2.0]]
    names = sorted(name for name in os.listdir(tmp_path) if "data" in name or "_temp" in name)
    assert names == ["m.data-00000-of-00002", "m.data-00001-of-00002"]


def test_a_dict_gives_the_names(tmp_path: Path) -> None:
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver({"first": a, "second": b}).save(session, str(tmp_path / "m"))
        assert tf.train.list_variables(path) == [("first", []), ("second", [])]
        tf.train.Saver({"second": a}).restore(session, path)
        assert session.run(a) == 2.0


def test_only_the_latest_are_kept_and_noted(tmp_path: Path) -> None:
    tf.Variable(1.0)
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(4):
            saver.save(session, str(tmp_path / "m"), global_step=step)
    kept = [str(tmp_path / "m-2"), str(tmp_path / "m-3")]
    assert saver.last_checkpoints == kept
    assert sorted(os.listdir(tmp_path)) == ["checkpoint"] + [
        f"m-{step}.{end}" for step in (2, 3) for end in ("data-00000-of-00001", "index", "meta")
    ]
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert state.model_checkpoint_path == kept[1]
    assert list(state.all_model_checkpoint_paths) == kept
    assert tf.train.latest_checkpoint(str(tmp_path)) == kept[1]
    again = tf.train.Saver(max_to_keep=2)
    again.recover_last_checkpoints([*state.all_model_checkpoint_paths, "gone"])
    assert again.last_checkpoints == kept


def test_one_is_kept_every_so_many_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    tf.Variable(1.0)
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(6):
            saver.save(session, str(tmp_path / "m"), global_step=step, write_meta_graph=False)
            now[0] += 1200
    assert sorted(name for name in os.listdir(tmp_path) if "index" in name) == [
        "m-4.index",
        "m-5.index",
    ]


def test_relative_paths_move_with_their_folder(tmp_path: Path) -> None:
    tf.Variable(1.0)
    (tmp_path / "one").mkdir()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver(save_relative_paths=True, pad_step_number=True)
        saver.save(session, str(tmp_path / "one" / "m"), global_step=7)
    (tmp_path / "one").rename(tmp_path / "two")
    assert tf.train.latest_checkpoint(str(tmp_path / "two")) == str(tmp_path / "two" / "m-00000007")


def test_reshape_restores_into_another_shape(tmp_path: Path) -> None:
    a = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="a")
    with tf.Session() as session:
        session.run(a.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    tf.reset_default_graph()
    a = tf.Variable(tf.zeros([4]), name="a")
    with tf.Session() as session:
        tf.train.Saver(reshape=True, restore_sequentially=True).restore(session, path)
        assert session.run(a).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_an_object_can_say_itself_how_it_is_saved(tmp_path: Path) -> None:
    a = tf.Variable(2.0, name="a")

    class Doubled(SaveableObject):
        def __init__(self) -> None:
            super().__init__(a, [SaveSpec(a * 2.0, "", "twice")], "twice")

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            return a.assign(restored_tensors[0] / 2.0)

    saver = tf.train.Saver([Doubled()])
    with tf.Session() as session:
        session.run(a.initializer)
        path = saver.save(session, str(tmp_path / "m"))
        assert tf.train.load_variable(path, "twice") == 4.0
        session.run(a.assign(0.0))
        saver.restore(session, path)
        assert session.run(a) == 2.0


def test_a_variable_on_a_simulated_gpu_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACEWISE_SIMULATE", "1")
    with tf.device("/device:GPU:0"):
        a = tf.Variable([1.0, 2.0], name="a")
    with tf.Session() as session:
        session.run(a.initializer)
        saver = tf.train.Saver()
        path = saver.save(session, str(tmp_path / "m"))
        session.run(a.assign([0.0, 0.0]))
        saver.restore(session, path)
        assert session.run(a).tolist() == [1.0, 2.0]


def failing(function: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(Exception) as caught:
        function(*args, **kwargs)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_errors_are_tensorflows(tmp_path: Path) -> None:
    assert failing(tf.train.Saver).startswith("ValueError: No variables to save\n")
    a = tf.Variable([1.0, 2.0], name="a")
    assert "At least two variables have the same name: a" in failing(tf.train.Saver, [a, a])
    assert "passed in a dict or a list" in failing(tf.train.Saver, a)
    assert "Not a variable" in failing(tf.train.Saver, {"x": tf.constant(1.0)})
    saver = tf.train.Saver()
    prefix = str(tmp_path / "m")
    with tf.Session() as session:
        assert "FailedPreconditionError" in failing(saver.save, session, prefix)
        session.run(a.initializer)
        path = saver.save(session, prefix)
        assert "'sess' must be a Session" in failing(saver.save, None, prefix)
        assert "must not contain path" in failing(
            saver.save, session, prefix, latest_filename="a/b"
        )
        assert failing(saver.restore, session, None).startswith("ValueError: Can't load")
        assert "not a valid checkpoint" in failing(saver.restore, session, prefix + "x")
        b = tf.Variable([1.0], name="b")
        said = failing(tf.train.Saver([b]).restore, session, path)
        assert said.startswith("NotFoundError: Restoring from checkpoint failed.")
        assert "Key b not found in checkpoint" in said
        said = failing(tf.train.Saver({"a": b}).restore, session, path)
        assert said.startswith("InvalidArgumentError: Restoring from checkpoint failed.")
        assert "lhs shape= [1] rhs shape= [2]" in said
        data = Path(f"{path}.data-00000-of-00001")
        data.write_bytes(b"12345678")
        said = failing(saver.restore, session, path)
        assert re.match(r"DataLossError: Checksum does not match", said)
        assert str(data) in said


def test_a_saver_without_variables_may_be_allowed(tmp_path: Path) -> None:
    saver = tf.train.Saver(allow_empty=True)
    with tf.Session() as session:
        assert saver.save(session, str(tmp_path / "m")) is None
        saver.restore(session, str(tmp_path / "m"))


def test_the_messages_of_a_saver_go_both_ways() -> None:
    tf.Variable(1.0, name="a")
    saver = tf.train.Saver(max_to_keep=3)
    message = saver.to_proto()
    assert message.filename_tensor_name == "save/Const:0"
    assert message.save_tensor_name == "save/control_dependency:0"
    assert message.restore_op_name == "save/restore_all"
    again = tf.train.Saver.from_proto(message)
    assert again.as_saver_def() == message


def test_a_checkpoint_of_objects_is_restored_by_names() -> None:
    w = tf.get_variable("w", [2], use_resource=True)
    with tf.Session() as session:
        tf.train.Saver([w]).restore(session, str(DATA / "objects-1"))
        assert (
            session.run(w).tolist()
            == tf.train.load_variable(
                str(DATA / "objects-1"), "model/w/.ATTRIBUTES/VARIABLE_VALUE"
            ).tolist()
        )


def test_a_variable_may_begin_with_a_checkpoints_value() -> None:
    with tf.variable_scope("new"):
        a = tf.get_variable("float32", [4, 3])
        b = tf.get_variable("resource", [4, 3], use_resource=True)
    c = tf.get_variable("other", [4, 3])
    tf.train.init_from_checkpoint(str(DATA / "names"), {"/": "new/", "float32": c})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in session.run([a, b, c]):
            assert (value == values.array("float32")).all()
    with pytest.raises(ValueError, match="Tensor none is not found in"):
        tf.train.init_from_checkpoint(str(DATA / "names"), {"none": "other"})
    with pytest.raises(ValueError, match="doesn't match with shape of tensor"):
        tf.train.init_from_checkpoint(str(DATA / "names"), {"int64": "other", "empty": "other"})


def test_a_reader_tells_what_is_there() -> None:
    reader = tf.train.NewCheckpointReader(str(DATA / "names"))
    assert reader.has_tensor("part")
    assert not reader.has_tensor("none")
    assert reader.get_variable_to_shape_map()["float32"] == [4, 3]
    assert reader.get_variable_to_dtype_map()["string"] == tf.string
    assert reader.get_tensor("scalar") == 2.5
    assert b"float32 (DT_FLOAT) [4,3]\n" in reader.debug_string()
    with pytest.raises(tf.errors.NotFoundError, match="Key none not found in checkpoint"):
        reader.get_tensor("none")


def test_the_parts_of_a_partitioned_variable_are_saved_as_one(tmp_path: Path) -> None:
    part = tf.get_variable(
        "part",
        [4, 3],
        partitioner=tf.fixed_size_partitioner(2),
        initializer=tf.zeros_initializer(),
    )
    saver = tf.train.Saver()
    with tf.Session() as session:
        for prefix in (DATA / "names", DATA / "v1"):
            saver.restore(session, str(prefix))
            assert (session.run(tf.convert_to_tensor(part)) == values.array("float32")).all()
        path = saver.save(session, str(tmp_path / "m"))
    assert tf.train.list_variables(path) == [("part", [4, 3])]
    assert (tf.train.load_variable(path, "part") == values.array("float32")).all()
