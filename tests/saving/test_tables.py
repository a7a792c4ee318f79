"""Tables in checkpoints and SavedModels: files move along, what was inserted is kept."""

import os
from pathlib import Path
from typing import Any

import pytest

import placewise as tf
import placewise.v1 as tf1
from placewise import messages
from tests.saving import values

DATA = Path(__file__).parent / "data"


@pytest.fixture
def words(tmp_path: Path) -> str:
    """A file of two words."""
    (tmp_path / "words.txt").write_text("a\nb\n")
    return str(tmp_path / "words.txt")


def found(model: Any) -> Any:
    """Ask a model of `values.make_tables`, by its function and by its signature."""
    asked = {"texts": tf.constant(values.TEXTS), "numbers": tf.constant(values.NUMBERS, tf.int64)}
    answers = [model.find(**asked)]
    if hasattr(model, "signatures"):
        answers.append(model.signatures["serving_default"](**asked))
    several = [{name: each.numpy().tolist() for name, each in one.items()} for one in answers]
    assert all(one == several[0] for one in several)
    return several[0]


def found_in_a_session(folder: Any) -> Any:
    with tf1.Session(graph=tf1.Graph()) as session:
        meta = tf1.saved_model.load(session, ["serve"], str(folder))
        signature = meta.signature_def["serving_default"]
        feeds = {"texts": values.TEXTS, "numbers": values.NUMBERS}
        return {
            name: session.run(
                info.name, {signature.inputs[key].name: given for key, given in feeds.items()}
            ).tolist()
            for name, info in signature.outputs.items()
        }


def test_tables_of_files_are_saved_with_the_files(tmp_path: Path, words: str) -> None:
    tf.saved_model.save(values.make_tables(tf, words), tmp_path / "one")
    os.unlink(words)
    (tmp_path / "one").rename(tmp_path / "two")
    saved = messages.SavedModel.FromString((tmp_path / "two" / "saved_model.pb").read_bytes())
    assert str(tmp_path).encode() not in saved.SerializeToString()
    assert {each.filename for each in saved.meta_graphs[0].asset_file_def} == {"words.txt"}
    assert (tmp_path / "two" / "assets" / "words.txt").read_text() == "a\nb\n"
    assert found(tf.saved_model.load(tmp_path / "two")) == values.FOUND
    assert found_in_a_session(tmp_path / "two") == values.FOUND


def test_tensorflows_tables_are_loaded() -> None:
    assert found(tf.saved_model.load(DATA / "saved_tables")) == values.FOUND
    assert found_in_a_session(DATA / "saved_tables") == values.FOUND


def test_tables_that_were_loaded_are_saved_again(tmp_path: Path) -> None:
    tf.saved_model.save(tf.saved_model.load(DATA / "saved_tables"), tmp_path / "again")
    assert found(tf.saved_model.load(tmp_path / "again")) == values.FOUND
    assert found_in_a_session(tmp_path / "again") == values.FOUND


def test_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    class Words(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = []
            for number in range(3):
                folder = tmp_path / str(number % 2)
                folder.mkdir(exist_ok=True)
                (folder / "words.txt").write_text(f"word{number % 2}\n")
                start = tf.lookup.TextFileInitializer(
                    folder / "words.txt", tf.string, -2, tf.int64, -1
                )
                self.tables.append(tf.lookup.StaticHashTable(start, -1))

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, keys: Any) -> Any:
            return [table.lookup(keys) for table in self.tables]

    tf.saved_model.save(Words(), tmp_path / "m")
    assert sorted(os.listdir(tmp_path / "m" / "assets")) == ["words.txt", "words.txt_1"]
    results = tf.saved_model.load(tmp_path / "m").find(tf.constant(["word0", "word1"]))
    assert [each.numpy().tolist() for each in results] == [[0, -1], [-1, 0], [0, -1]]


def test_a_file_is_read_by_a_signature_of_a_moved_model(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")

    class Words(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.file = tf.saved_model.Asset(tmp_path / "text")

        @tf.function(input_signature=[])
        def read(self) -> Any:
            return tf.io.read_file(self.file.asset_path)

    tf.saved_model.save(Words(), tmp_path / "one")
    (tmp_path / "text").unlink()
    (tmp_path / "one").rename(tmp_path / "two")
    with tf1.Session(graph=tf1.Graph()) as session:
        meta = tf1.saved_model.load(session, ["serve"], str(tmp_path / "two"))
        name = meta.signature_def["serving_default"].outputs["output_0"].name
        assert session.run(name) == b"hello"


def test_graphs_take_the_files_of_their_tables_along(
    tmp_path: Path, words: str, graph_mode: None
) -> None:
    table = tf1.contrib.lookup.index_table_from_file(words, num_oov_buckets=2)
    x = tf1.placeholder(tf1.string, [None], name="x")
    y = tf1.identity(table.lookup(x), name="y")
    (path,) = tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS)
    assert path.name.endswith("asset_path:0")
    start = tf1.tables_initializer()
    with tf1.Session() as session:
        session.run(start)
        tf1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": y}, start)
    os.unlink(words)
    for folder in (tmp_path / "m", DATA / "saved_words"):  # ours, TensorFlow 1's
        with tf1.Session(graph=tf1.Graph()) as session:
            tf1.saved_model.load(session, ["serve"], str(folder))
            assert session.run("y:0", {"x:0": values.TEXTS}).tolist() == [0, 1, 2]


def test_checkpoints_keep_what_was_inserted(tmp_path: Path, words: str) -> None:
    path = tf.train.Checkpoint(tables=values.make_tables(tf, words)).write(tmp_path / "ours")
    shapes = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    assert shapes == tf.train.load_checkpoint(DATA / "tables").get_variable_to_shape_map()
    for each in (path, DATA / "tables"):  # ours, TensorFlow's
        model = values.make_tables(tf, words, are_filled=False)
        model.plain.insert(["gone"], tf.constant([5], tf.int64))
        tf.train.Checkpoint(tables=model).read(each).assert_consumed()
        assert found(model) == values.FOUND
        assert int(model.plain.size()) == 2


def test_buckets_stand_where_tensorflow_looks_for_them(tmp_path: Path, words: str) -> None:
    path = tf.train.Checkpoint(tables=values.make_tables(tf, words)).write(tmp_path / "ours")
    ours, theirs = tf.train.load_checkpoint(path), tf.train.load_checkpoint(DATA / "tables")
    for name in ("dense", "texts"):
        for part in ("keys", "values"):
            key = f"tables/{name}/.ATTRIBUTES/table-{part}"
            assert ours.get_tensor(key).tolist() == theirs.get_tensor(key).tolist()


def test_a_table_made_later_gets_what_waits_for_it(words: str) -> None:
    root = tf.Module()
    status = tf.train.Checkpoint(tables=root).read(DATA / "tables").expect_partial()
    root.plain = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    assert root.plain.lookup(tf.constant(["x"])).numpy().tolist() == [2]
    status.assert_existing_objects_matched()


def test_savers_and_checkpoints_of_graphs_keep_tables(tmp_path: Path, graph_mode: None) -> None:
    lookup = tf1.lookup.experimental
    one = lookup.MutableHashTable(tf1.string, tf1.int64, -1)
    other = lookup.MutableHashTable(tf1.string, tf1.int64, -1, checkpoint=False, name="other")
    dense = lookup.DenseHashTable(tf1.int64, tf1.int64, -1, -1, -2, 4, name="dense")
    insert = [
        one.insert(tf1.constant(["a"]), tf1.constant([1], tf1.int64)),
        other.insert(tf1.constant(["a"]), tf1.constant([2], tf1.int64)),
        dense.insert(tf1.constant([5], tf1.int64), tf1.constant([3], tf1.int64)),
    ]
    find = [
        one.lookup(tf1.constant(["a"])),
        other.lookup(tf1.constant(["a"])),
        dense.lookup(tf1.constant([5], tf1.int64)),
    ]
    clear = [
        one.remove(tf1.constant(["a"])),
        other.remove(tf1.constant(["a"])),
        dense.remove(tf1.constant([5], tf1.int64)),
    ]
    saver = tf1.train.Saver()
    checkpoint = tf1.train.Checkpoint(one=one, other=other, dense=dense)
    with tf1.Session() as session:
        session.run(insert)
        path = saver.save(session, str(tmp_path / "names"))
        assert sorted(tf1.train.load_checkpoint(path).get_variable_to_shape_map()) == [
            "MutableHashTable-keys",
            "MutableHashTable-values",
            "dense-keys",
            "dense-values",
        ]
        objects = checkpoint.write(str(tmp_path / "objects"), session)
        session.run(clear)
        saver.restore(session, path)
        assert [each.tolist() for each in session.run(find)] == [[1], [-1], [3]]
        session.run(clear)
        checkpoint.read(objects).assert_consumed().run_restore_ops(session)
        assert [each.tolist() for each in session.run(find)] == [[1], [2], [3]]


def test_objects_may_say_in_the_older_way_how_they_are_saved(tmp_path: Path) -> None:
    from placewise.saving.saveable import SaveableObject, SaveSpec

    class Held(tf.Module):
        value = 1.0

        def _gather_saveables_for_checkpoint(self) -> Any:
            owner = self

            class Own(SaveableObject):
                def __init__(self, name: str) -> None:
                    tensor = tf.constant(owner.value)
                    super().__init__(owner, [SaveSpec(tensor, "", f"{name}-number")], name)

                def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
                    owner.value = float(restored_tensors[0])

            return {"own": Own}

    held = Held()
    path = tf.train.Checkpoint(held=held).write(tmp_path / "c")
    held.value = 2.0
    tf.train.Checkpoint(held=held).read(path).assert_consumed()
    assert held.value == 1.0
    assert (
        "held/.ATTRIBUTES/own-number" in tf.train.load_checkpoint(path).get_variable_to_shape_map()
    )
