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
    with pytest.raises(tf.errors.CancelledError, match=r"Session has been closed\."):
        session.run(w)


def test_reads_of_resource_variables_are_named_below_the_operation_that_wants_them():
    v = tf.get_variable("v", [2, 2], use_resource=True)
    x = tf.placeholder(tf.float32, [2, 2])
    tf.matmul(x, v, name="product")
    tf.nn.bias_add(x, v[0], name="biased")
    tf.add(x, v, name="sum")
    with tf.name_scope("scope"):
        tf.concat([v, v], 0, name="joined")
    reads = [
        op.name for op in tf.get_default_graph().get_operations() if "ReadVariableOp" in op.name
    ]
    assert reads[1:] == [  # the first one is of the variable itself
        "product/ReadVariableOp",
        "ReadVariableOp",
        "sum/ReadVariableOp",
        "scope/joined/ReadVariableOp",
        "scope/joined/ReadVariableOp_1",
    ]


def test_an_input_is_replaced_by_a_tensor_that_is_made_later():
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.square(x, name="y")
    total = tf.add_n([y, y, x], name="total")
    late = tf.multiply(x, 3.0, name="late")
    total.op._update_input(1, late)
    assert [tensor.name for tensor in total.op.inputs] == ["y:0", "late:0", "x:0"]
    assert y.consumers() == late.consumers() == [total.op]
    gradient = tf.gradients(total, x)[0]
    with tf.Session() as session:
        values = session.run([total, gradient], {x: [1.0, 2.0]})
    assert values[0].tolist() == [5.0, 12.0]  # x² + 3x + x
    assert values[1].tolist() == [6.0, 8.0]


@pytest.mark.parametrize(
    ("index", "name", "error", "words"),
    [
        (5, "x", tf.errors.OutOfRangeError, r"Input index \[5\] is greater .* inputs \[2\]"),
        (0, "longer", tf.errors.InvalidArgumentError, r"incompatible shapes: \[2\] and \[3\]"),
        (0, "whole", tf.errors.InvalidArgumentError, "incompatible dtypes: float32 and int32"),
        (0, None, TypeError, "tensor must be a Tensor"),
    ],
)
def test_an_input_that_does_not_fit_is_refused(index, name, error, words):
    tensors = {
        "x": tf.placeholder(tf.float32, [2]),
        "longer": tf.placeholder(tf.float32, [3]),
        "whole": tf.placeholder(tf.int32, [2]),
    }
    total = tf.add(tensors["x"], tensors["x"])
    with pytest.raises(error, match=words):
        total.op._update_input(index, tensors.get(name))
    assert list(total.op.inputs) == [tensors["x"]] * 2


def test_a_finalized_graph_keeps_its_inputs():
    x, y = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
    total = tf.add(x, x)
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized"):
        total.op._update_input(0, y)
