"""What operations and graphs tell of themselves, and operations made by the name of their op."""

import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_create_op_takes_flat_inputs():
    graph = tf.get_default_graph()
    a, b = tf.constant([1.0]), tf.constant([2.0])
    with tf.name_scope("s"):
        added = graph.create_op("Add", [a, b], name="mine")
    packed = graph.create_op("Pack", [a, b], attrs={"axis": tf.AttrValue(i=0)})
    assert (added.name, packed.outputs[0].shape.as_list()) == ("s/mine", [2, 1])
    with tf.Session() as session:
        assert session.run(added.outputs[0]).tolist() == [3.0]
    with pytest.raises(RuntimeError, match="Op type not registered 'Nope'"):
        graph.create_op("Nope", [])
    with pytest.raises(TypeError, match="Input #0 is not a tensor"):
        graph.create_op("Add", [1.0, 2.0])


def test_an_operation_tells_what_it_is():
    x = tf.concat([tf.constant([1]), tf.constant([2])], 0, name="joined")
    told = x.op.op_def
    assert [arg.name for arg in told.input_arg] == ["values", "axis"]
    assert told.input_arg[0].number_attr == "N"
    assert x.op.traceback[-1][0] == __file__
    x.op._set_attr("_note", tf.AttrValue(s=b"hi"))
    assert x.op.get_attr("_note") == b"hi"
    assert x.op.node_def.attr["_note"].s == b"hi"
    with pytest.raises(ValueError, match="Operation 'joined' has no attr named 'zzz'"):
        x.op.get_attr("zzz")


def test_a_graph_tells_what_it_is():
    graph = tf.get_default_graph()
    assert not graph.building_function
    assert graph.graph_def_versions.producer == 134
    with tf.name_scope("a"), tf.name_scope("b"):
        assert graph.get_name_scope() == "a/b"
    with pytest.raises(ValueError, match="'bad name' is not a valid scope name"):
        tf.name_scope("bad name").__enter__()


def test_containers_keep_state_apart_and_are_reset():
    graph = tf.get_default_graph()
    with graph.container("mine"):
        v = tf.Variable(1.0)
    w = tf.Variable(2.0)
    assert v.op.get_attr("container") == b"mine"
    assert w.op.get_attr("container") == b""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    tf.Session.reset("", ["mine"])
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(w)
