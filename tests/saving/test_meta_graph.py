"""Meta graphs written and read, in both directions with TensorFlow; frozen graphs."""

from pathlib import Path

import numpy as np
import pytest

import placewise.v1 as tf
from tests.saving import values

pytestmark = pytest.mark.usefixtures("graph_mode")
DATA = Path(__file__).parent / "data"


def test_tensorflows_meta_graph_is_imported_and_runs() -> None:
    saver = tf.train.import_meta_graph(str(DATA / "names.meta"))
    with tf.Session() as session:
        saver.restore(session, str(DATA / "names"))
        (total,) = tf.get_collection("sum")
        assert (session.run(total) == values.array("float32") + 1).all()
        for variable in tf.global_variables():
            name = variable.op.name.partition("/")[0]
            if name in values.NAMES:
                assert (session.run(variable) == values.array(name)).all()


def test_a_meta_graph_under_a_scope(tmp_path: Path) -> None:
    saver = tf.train.import_meta_graph(str(DATA / "names.meta"), import_scope="inside")
    assert all(v.name.startswith("inside/") for v in tf.global_variables())
    with tf.Session() as session:
        saver.restore(session, str(DATA / "names"))
        assert session.run("inside/sum:0").shape == (4, 3)


def test_collections_go_both_ways(tmp_path: Path) -> None:
    a = tf.get_variable("a", [2], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [2], use_resource=True, trainable=False)
    total = tf.add(a, b, name="total")
    for key, value in (("t", total), ("op", total.op), ("n", 3), ("f", 1.5), ("s", "word")):
        tf.add_to_collection(key, value)
    tf.add_to_collection("step", a)
    saver = tf.train.Saver()
    path = str(tmp_path / "graph.meta")
    message = tf.train.export_meta_graph(path, saver_def=saver.as_saver_def(), as_text=True)
    assert {op.name for op in message.meta_info_def.stripped_op_list.op} >= {"VariableV2", "SaveV2"}
    tf.reset_default_graph()
    tf.train.import_meta_graph(path)
    assert [v.name for v in tf.global_variables()] == ["a:0", "b:0"]
    assert [v.name for v in tf.trainable_variables()] == ["a:0"]
    assert tf.trainable_variables()[0] is tf.global_variables()[0]
    graph = tf.get_default_graph()
    assert tf.get_collection("t") == [graph.get_tensor_by_name("total:0")]
    assert tf.get_collection("op") == [graph.get_operation_by_name("total")]
    assert tf.get_collection("n") + tf.get_collection("f") == [3, 1.5]
    assert tf.get_collection("s") == [b"word"]
    assert tf.global_variables()[1].shape == [2]


def test_what_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    tf.constant(1.0)
    tf.add_to_collection("strange", object())
    message = tf.train.export_meta_graph()
    assert "strange" not in message.collection_def


def test_devices_can_be_cleared() -> None:
    with tf.device("/gpu:3"):
        tf.constant(1.0, name="c")
    assert tf.train.export_meta_graph().graph_def.node[0].device == "/device:GPU:3"
    message = tf.train.export_meta_graph(clear_devices=True)
    assert message.graph_def.node[0].device == ""


def test_a_missing_file_is_told() -> None:
    with pytest.raises(OSError, match=r"File /none.meta does not exist\."):
        tf.train.import_meta_graph("/none.meta")


def test_variables_become_constants() -> None:
    a = tf.get_variable("a", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    b = tf.get_variable("b", [2], use_resource=True, initializer=tf.ones_initializer())
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.add(tf.matmul(x, a) + b, tf.gather(b, [0]), name="y")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(
            session, session.graph.as_graph_def(), ["y"]
        )
    frozen = tf.graph_util.remove_training_nodes(frozen, ["y"])
    assert {node.op for node in frozen.node} <= {
        "Const",
        "Placeholder",
        "MatMul",
        "AddV2",
        "Add",
        "GatherV2",
    }
    tf.reset_default_graph()
    (y,) = tf.import_graph_def(frozen, return_elements=["y:0"], name="")
    with tf.Session() as session:
        assert session.run(y, {"x:0": np.ones((1, 2))}).tolist() == [[6.0, 8.0]]


def test_a_part_of_a_graph_is_taken_out(tmp_path: Path) -> None:
    a = tf.constant(1.0, name="a")
    tf.negative(a, name="b")
    tf.exp(a, name="c")
    whole = tf.get_default_graph().as_graph_def()
    part = tf.graph_util.extract_sub_graph(whole, ["b"])
    assert [node.name for node in part.node] == ["a", "b"]
    with pytest.raises(AssertionError, match="none is not in graph"):
        tf.graph_util.extract_sub_graph(whole, ["none"])
    path = tf.train.write_graph(part, str(tmp_path), "part.pbtxt")
    assert 'name: "b"' in Path(path).read_text()
