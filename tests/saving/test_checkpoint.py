"""`tf.train.Checkpoint` and its manager: objects by the names of their attributes."""

import gc
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.core import trackable
from placewise.training.adam import AdamOptimizer
from tests.saving import values

DATA = Path(__file__).parent / "data"


def trained() -> tuple[Any, Any, Any]:
    model, optimizer, step = values.make_model(tf), AdamOptimizer(0.1), tf.Variable(7)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.w**2)
    optimizer.apply_gradients([(tape.gradient(loss, model.w), model.w)])
    return model, optimizer, step


def test_our_files_equal_tensorflows_byte_for_byte(tmp_path: Path) -> None:
    model, optimizer, step = trained()
    path = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step).save(
        tmp_path / "objects"
    )
    for end in ("index", "data-00000-of-00001"):
        assert Path(f"{path}.{end}").read_bytes() == (DATA / f"objects-1.{end}").read_bytes()
    assert (tmp_path / "checkpoint").read_text() == (
        'model_checkpoint_path: "objects-1"\nall_model_checkpoint_paths: "objects-1"\n'
    )


def test_tensorflows_checkpoint_is_restored() -> None:
    model, optimizer, step = trained()
    slot = optimizer.get_slot(model.w, "m")
    wanted = [model.w.numpy(), slot.numpy()]
    for variable in (model.w, slot, step, model.items[0], model.pair[0]):
        variable.assign(tf.zeros_like(variable))
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
    checkpoint.restore(str(DATA / "objects-1")).assert_consumed()
    assert [model.w.numpy().tolist(), slot.numpy().tolist()] == [w.tolist() for w in wanted]
    assert [int(step), int(model.items[0]), float(model.pair[0])] == [7, 3, 5.0]
    assert model.table["b"].numpy() == b"text"
    assert int(checkpoint.save_counter) == 1


def test_what_appears_later_gets_its_value_then(tmp_path: Path) -> None:
    whole = tf.Module()
    whole.a = tf.Variable(1.0)
    whole.rows = [tf.Variable(2.0), tf.Variable(3.0)]
    whole.by_name = {"x": tf.Variable(4.0)}
    whole.inner = tf.Module()
    whole.inner.b = tf.Variable(5.0)
    path = tf.train.Checkpoint(whole=whole).save(tmp_path / "c")
    root = tf.train.Checkpoint()
    status = root.restore(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).whole"):
        status.assert_consumed()
    root.whole = tf.Module()
    root.whole.rows = [tf.Variable(0.0)]
    root.whole.rows.append(tf.Variable(0.0))
    root.whole.by_name = {}
    root.whole.by_name["x"] = tf.Variable(0.0)
    root.whole.a = tf.Variable(0.0)
    inner = tf.Module()
    inner.b = tf.Variable(0.0)
    root.whole.inner = inner
    found = [root.whole.a, *root.whole.rows, root.whole.by_name["x"], inner.b]
    assert [float(each) for each in found] == [1.0, 2.0, 3.0, 4.0, 5.0]
    status.assert_consumed()


def test_slots_made_later_get_their_values_then() -> None:
    model, optimizer = values.make_model(tf), AdamOptimizer(0.1)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=tf.Variable(0))
    status = checkpoint.restore(str(DATA / "objects-1"))
    optimizer.apply_gradients([(tf.zeros([2]), model.w)])
    status.assert_consumed()
    assert float(optimizer._get_non_slot_variable("beta1_power")) == pytest.approx(0.9**3)


def test_what_does_not_match_is_told(tmp_path: Path) -> None:
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0], name="w")
    path = tf.train.Checkpoint(m=module).save(tmp_path / "c")
    module.x = tf.Variable(0.0)
    status = tf.train.Checkpoint(m=module).restore(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    assert status.assert_nontrivial_match() is status
    module.w = tf.Variable([[1.0]])
    with pytest.raises(ValueError, match=r"Received incompatible tensor with shape \(2,\)"):
        tf.train.Checkpoint(m=module).restore(path)
    module.w = tf.Variable([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32 does not equal"):
        tf.train.Checkpoint(m=module).restore(path)
    with pytest.raises(tf.errors.NotFoundError, match="missing the checkpoint suffix"):
        tf.train.Checkpoint(m=module).restore(str(tmp_path / "c"))
    with pytest.raises(ValueError, match="was expecting m to be a trackable object"):
        tf.train.Checkpoint(m=3)
    nothing = tf.train.Checkpoint(m=module).restore(None)
    with pytest.raises(AssertionError, match="nothing is being restored"):
        nothing.assert_consumed()


def test_values_without_a_place_are_said_once_nobody_waits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tf.train.Checkpoint(lost=tf.Variable(1.0)).write(tmp_path / "c")
    with caplog.at_level(logging.WARNING, "tensorflow"):
        tf.train.Checkpoint().read(path).expect_partial()
        gc.collect()
        assert not caplog.records
        tf.train.Checkpoint().read(path)
        gc.collect()
    assert "Value in checkpoint could not be found in the restored object: (root).lost" in [
        record.getMessage() for record in caplog.records
    ]


def test_a_root_may_be_given(tmp_path: Path) -> None:
    module = tf.Module()
    module.w = tf.Variable(1.0)
    path = tf.train.Checkpoint(module, step=tf.Variable(2)).save(tmp_path / "c")
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
        "step/.ATTRIBUTES/VARIABLE_VALUE",
        "w/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    module.w.assign(0.0)
    tf.train.Checkpoint(module).restore(path).expect_partial()
    assert float(module.w) == 1.0


def test_an_object_may_say_itself_what_its_state_is(tmp_path: Path) -> None:
    class Counter(trackable.Trackable):
        count = 3

        def _serialize_to_tensors(self) -> dict[str, Any]:
            return {"count": tf.constant(self.count)}

        def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
            self.count = int(restored_tensors["count"])

    counter = Counter()
    path = tf.train.Checkpoint(c=counter).write(tmp_path / "c")
    assert tf.train.load_variable(path, "c/.ATTRIBUTES/count") == 3
    counter.count = 0
    tf.train.Checkpoint(c=counter).read(path).assert_consumed()
    assert counter.count == 3


def test_a_checkpoint_by_names_is_read_too() -> None:
    module = tf.Module()
    module.a = tf.Variable(tf.zeros([4, 3]), name="float32")
    tf.train.Checkpoint(m=module).restore(str(DATA / "names"))
    assert (module.a.numpy() == values.array("float32")).all()


def test_names_with_dots_and_slashes_are_kept_apart(tmp_path: Path) -> None:
    module = tf.Module()
    module.table = {"a/b": tf.Variable(1.0), "a.b": tf.Variable(2.0)}
    path = tf.train.Checkpoint(m=module).write(tmp_path / "c")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "m/table/a.Sb/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert "m/table/a..b/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_a_manager_keeps_the_latest(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(x=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "all", max_to_keep=2)
    assert manager.latest_checkpoint is None
    for number in range(4):
        checkpoint.x.assign(float(number))
        manager.save()
    kept = [str(tmp_path / "all" / f"ckpt-{number}") for number in (3, 4)]
    assert manager.checkpoints == kept
    assert sorted(os.listdir(tmp_path / "all")) == ["checkpoint"] + [
        f"ckpt-{number}.{end}" for number in (3, 4) for end in ("data-00000-of-00001", "index")
    ]
    again = tf.train.CheckpointManager(checkpoint, str(tmp_path / "all"), max_to_keep=2)
    assert again.checkpoints == kept
    checkpoint.x.assign(9.0)
    assert again.restore_or_initialize() == kept[1]
    assert float(checkpoint.x) == 3.0
    assert tf.train.latest_checkpoint(tmp_path / "all") == kept[1]
    assert again.save(checkpoint_number=100) == str(tmp_path / "all" / "ckpt-100")


def test_a_manager_saves_every_so_many_steps(tmp_path: Path) -> None:
    step, told = tf.Variable(0), []
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step),
        tmp_path,
        max_to_keep=None,
        step_counter=step,
        checkpoint_interval=5,
        init_fn=lambda: told.append("init"),
    )
    assert manager.restore_or_initialize() is None
    assert told == ["init"]
    saved = []
    for number in range(12):
        step.assign(number)
        if manager.save() is not None:
            saved.append(number)
    assert saved == [0, 5, 10]
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="step_counter"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, 1, checkpoint_interval=1)


def test_in_a_graph_a_session_saves_and_restores(tmp_path: Path, graph_mode: None) -> None:
    import placewise.v1 as tf1

    a = tf1.Variable([1.0], name="a")
    b = tf1.get_variable("b", initializer=np.float32(2.0), use_resource=True)
    checkpoint = tf1.train.Checkpoint(a=a, b=b)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        path = checkpoint.save(str(tmp_path / "c"), session=session)
        session.run([a.assign([0.0]), b.assign(0.0)])
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert session.run([a, b]) == [[1.0], 2.0]
    with tf1.Session() as session:
        checkpoint.restore(path).initialize_or_restore(session)
        assert session.run([a, b]) == [[1.0], 2.0]


def test_only_the_first_save_adds_operations_to_a_graph(tmp_path: Path, graph_mode: None) -> None:
    variable = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
    add_one = variable.assign_add(1.0)
    checkpoint = tf.train.Checkpoint(v=variable)
    with tf.compat.v1.Session() as session:
        session.run(variable.initializer)
        checkpoint.save(tmp_path / "saved", None)
        tf.compat.v1.get_default_graph().finalize()
        session.run(add_one)
        path = checkpoint.save(tmp_path / "saved")
    assert path.endswith("saved-2")
    name = "v/.ATTRIBUTES/VARIABLE_VALUE"
    assert tf.train.load_checkpoint(path).get_tensor(name) == 2.0


def test_lists_and_dicts_of_a_module_stay_what_they_are() -> None:
    module = tf.Module()
    rows: list[Any] = []
    module.rows = rows
    rows.append(tf.Variable(1.0))
    assert module.rows is rows
    assert len(module.variables) == 1


def test_keras_2_writes_a_state_file_with_relative_paths(tmp_path):
    tf.__internal__.train.update_checkpoint_state(
        save_dir=str(tmp_path),
        model_checkpoint_path=str(tmp_path / "weights"),
        save_relative_paths=True,
        all_model_checkpoint_paths=[str(tmp_path / "weights")],
    )
    assert 'model_checkpoint_path: "weights"' in (tmp_path / "checkpoint").read_text()


def test_a_subclass_that_does_not_call_init_is_saved(tmp_path: Path) -> None:
    class Holder(tf.train.Checkpoint):
        def __init__(self) -> None:
            self.v = tf.Variable(2.0)

    holder = Holder()
    path = holder.save(tmp_path / "held")
    holder.v.assign(0.0)
    holder.restore(path).assert_consumed()
    assert float(holder.v) == 2.0


def test_a_view_compares_a_checkpoint_with_objects(tmp_path):
    saved = tf.Module()
    saved.a, saved.inner = tf.Variable(1.0), [tf.Variable(2.0), tf.Variable(3.0)]
    path = tf.train.Checkpoint(model=saved).write(tmp_path / "checkpoint")
    view = tf.train.CheckpointView(path)
    assert view.children(0) == {"model": 1}
    assert view.children(1) == {"a": 2, "inner": 3}
    assert view.descendants() == [0, 1, 2, 3, 4, 5]

    model = tf.Module()
    model.inner, model.b = [tf.Variable(0.0)], tf.Variable(0.0)
    matched, only_saved, only_here = view.diff(tf.train.Checkpoint(model=model))
    assert (matched[1], matched[4]) == (model, model.inner[0])
    assert only_saved == [2, 5]
    assert len(only_here) == 1 and only_here[0] is model.b


def test_a_view_wants_a_checkpoint_of_objects(tmp_path):
    path = str(tmp_path / "by_name")
    tf.raw_ops.SaveV2(prefix=path, tensor_names=["a"], shape_and_slices=[""], tensors=[1.0])
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(path)


def test_a_view_tells_of_two_objects_where_the_checkpoint_has_one(tmp_path, caplog):
    saved, model = tf.Module(), tf.Module()
    saved.a = saved.b = tf.Module()
    model.a, model.b = tf.Module(), tf.Module()
    view = tf.train.CheckpointView(tf.train.Checkpoint(saved).write(tmp_path / "checkpoint"))
    assert view.match(model) == {0: model, 1: model.a}
    assert "Inconsistent references when matching" in caplog.text
