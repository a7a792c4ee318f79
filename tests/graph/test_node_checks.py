"""Nodes of a GraphDef that TensorFlow refuses are refused, in its words."""

import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def constant(graph_def, name="s", device="", groups=()):
    node = graph_def.node.add(name=name, op="Const", device=device)
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1.0))
    if groups:
        node.attr["_class"].list.s.extend(f"loc:@{group}".encode() for group in groups)


def identity(graph_def, *inputs, name="y", dtype=tf.float32):
    node = graph_def.node.add(name=name, op="Identity", input=inputs)
    node.attr["T"].type = dtype.as_datatype_enum


@pytest.mark.parametrize(
    "name", ["a b\n", "", "a b", "_x", "a:0", "^a", "-a", "a\\b", "ä", "a\n", "/a", "a,b"]
)
def test_a_name_with_other_characters_is_refused(name):
    graph_def = tf.GraphDef()
    constant(graph_def, name)
    with pytest.raises(ValueError, match="Node name contains invalid characters"):
        tf.import_graph_def(graph_def, name="")


@pytest.mark.parametrize("name", ["a/b", "a.b", "0", "a>b", "a/", "a//b", ".", "a-b", "A_"])
def test_a_name_that_tensorflow_takes_is_taken(name):
    graph_def = tf.GraphDef()
    constant(graph_def, name)
    tf.import_graph_def(graph_def, name="")
    assert [op.name for op in tf.get_default_graph().get_operations()] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "s:-1",
        "s:+0",
        "s:x",
        "s:",
        "^s:0",
        "",
        "^",
        "s:0:0",
        ":0",
        "nope",
        "^nope",
        " s",
        "s:" + "9" * 20,
    ],
)
def test_an_input_that_is_none_is_refused(text):
    graph_def = tf.GraphDef()
    constant(graph_def)
    identity(graph_def, text)
    with pytest.raises(ValueError) as raised:
        tf.import_graph_def(graph_def, name="")
    assert str(raised.value) == f"Node 'y': Unknown input node '{text}'"


def test_an_output_that_a_node_has_not_is_refused():
    graph_def = tf.GraphDef()
    constant(graph_def)
    identity(graph_def, "s:1")
    with pytest.raises(
        ValueError,
        match="Node 'y': Connecting to invalid output 1 of source node s which has 1 outputs",
    ):
        tf.import_graph_def(graph_def, name="")


def test_a_node_without_an_op_is_refused():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="n")
    with pytest.raises(ValueError, match="Node 'n' does not specify an operation"):
        tf.import_graph_def(graph_def, name="")


def test_the_number_and_order_of_inputs_is_checked():
    for inputs, words in (
        (["s", "s"], "do not match 2 inputs"),
        ([], "do not match 0 inputs"),
        (["^s", "s"], "Control dependencies must come after regular dependencies"),
    ):
        graph_def = tf.GraphDef()
        constant(graph_def)
        identity(graph_def, *inputs)
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            tf.import_graph_def(graph_def, name="")


def test_an_input_of_another_dtype_is_refused():
    graph_def = tf.GraphDef()
    constant(graph_def)
    identity(graph_def, "s", dtype=tf.int32)
    with pytest.raises(
        ValueError, match="Input 0 of node y was passed float from s:0 incompatible with expected"
    ):
        tf.import_graph_def(graph_def, name="")


def test_nodes_that_wait_for_each_other_are_refused():
    graph_def = tf.GraphDef()
    identity(graph_def, "z")
    identity(graph_def, "y", name="z")
    with pytest.raises(ValueError, match="2 nodes in a cycle"):
        tf.import_graph_def(graph_def, name="")


def test_two_nodes_of_a_name_are_refused():
    graph_def = tf.GraphDef()
    constant(graph_def)
    constant(graph_def)
    with pytest.raises(ValueError, match="Node 's' is not unique"):
        tf.import_graph_def(graph_def, name="")


def devices():
    return {op.name: op.device for op in tf.get_default_graph().get_operations()}


def test_a_node_in_a_group_gets_the_device_of_its_first_member_that_has_one():
    graph_def = tf.GraphDef()
    constant(graph_def, "late", "/cpu:2", ["s"])
    constant(graph_def, "s", "/cpu:1")
    constant(graph_def, "chained", "/cpu:3", ["late"])
    constant(graph_def, "open")
    constant(graph_def, "cleared", "/cpu:2", ["open"])
    constant(graph_def, "second", "/cpu:2", ["open", "s"])
    constant(graph_def, "own", "/cpu:2", ["own"])
    tf.import_graph_def(graph_def, name="")
    assert devices() == {
        "late": "/device:CPU:1",
        "s": "/device:CPU:1",
        "chained": "/device:CPU:1",
        "open": "",
        "cleared": "",
        "second": "/device:CPU:1",
        "own": "/device:CPU:2",
    }


def test_a_group_of_a_node_that_is_not_there_is_refused():
    graph_def = tf.GraphDef()
    constant(graph_def, "y", groups=["ghost"])
    with pytest.raises(
        ValueError, match="Node 'y' expects to be colocated with unknown node 'ghost'"
    ):
        tf.import_graph_def(graph_def, name="")


def test_scopes_of_the_importing_program_fill_what_nodes_leave_open():
    graph_def = tf.GraphDef()
    constant(graph_def, "a", "/cpu:1")
    constant(graph_def, "b")
    with tf.device("/job:worker/gpu:0"):
        tf.import_graph_def(graph_def, name="")
    assert devices() == {"a": "/job:worker/device:CPU:1", "b": "/job:worker/device:GPU:0"}


def test_a_device_that_is_none_is_refused():
    graph_def = tf.GraphDef()
    constant(graph_def, "a", "/foo:0")
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"):
        tf.import_graph_def(graph_def, name="")


def test_datasets_and_iterators_can_be_read_and_run():
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.range(7).skip(2).take(3)
        iterator = tf.data.make_initializable_iterator(dataset)
        taken = iterator.get_next()
        names = [iterator.initializer.name, taken.name]
    graph_def = graph.as_graph_def()
    for node in graph_def.node:
        node.attr.pop("structure", None)
    first, element = tf.import_graph_def(graph_def, return_elements=names, name="")
    with tf.Session() as session:
        session.run(first)
        assert [session.run(element) for _ in range(3)] == [2, 3, 4]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
