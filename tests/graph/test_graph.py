"""Graphs as a user builds them: names, scopes, devices, control, collections."""

import threading

import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def names() -> list[str]:
    return [op.name for op in tf.get_default_graph().get_operations()]


def test_names_are_made_unique_ignoring_case():
    tf.constant(1, name="x")
    tf.constant(1, name="x")
    tf.constant(1, name="X")
    tf.constant(1)
    assert names() == ["x", "x_1", "X_2", "Const"]


def test_a_number_that_was_given_out_is_taken_for_who_asks_for_it():
    for name in ("x", "x", "x_1", "x_01", "x_3", "x", "x"):
        tf.constant(1, name=name)
    assert names() == ["x", "x_1", "x_1_1", "x_01", "x_3", "x_2", "x_4"]


def test_operands_that_are_no_tensors_become_constants_named_after_the_argument():
    tf.reshape([1.0], [1, 1])
    tf.concat([tf.constant([1.0], name="a"), [2.0]], 0)
    assert names() == [
        "Reshape/tensor",
        "Reshape/shape",
        "Reshape",
        "a",
        "concat/values_1",
        "concat/axis",
        "concat",
    ]


def test_scopes_prefix_and_can_be_entered_again():
    with tf.name_scope("tower_0") as scope:
        assert scope == "tower_0/"
        tf.constant(1)
    with tf.name_scope("tower_0"):
        tf.constant(1)
    with tf.name_scope("tower_0/"):
        tf.constant(1)
    assert names() == ["tower_0/Const", "tower_0_1/Const", "tower_0/Const_1"]


def test_an_invalid_name_is_refused():
    with pytest.raises(ValueError, match="'a b' is not a valid node name"):
        tf.constant(1, name="a b")


@pytest.mark.parametrize(
    ("scopes", "device"),
    [
        (["/job:worker/task:1", "/gpu:2"], "/job:worker/task:1/device:GPU:2"),
        (["/job:worker/task:1", "/gpu:2", None], ""),
        (["/job:worker/task:1", "/gpu:2", None, "/cpu:0"], "/device:CPU:0"),
        (["/job:worker/task:1", "/gpu:2", "/job:ps"], "/job:ps/task:1/device:GPU:2"),
        (["/gpu:3", lambda op: "/cpu:0"], "/device:CPU:0"),
        ([lambda op: "/cpu:0", "/gpu:3"], "/cpu:0"),
        ([lambda op: "/cpu:0" if op.type == "Const" else "/gpu:0"], "/cpu:0"),
    ],
)
def test_device_scopes_merge(scopes, device):
    import contextlib

    with contextlib.ExitStack() as stack:
        for scope in scopes:
            stack.enter_context(tf.device(scope))
        assert tf.constant(1).op.device == device


def test_control_dependencies_are_kept_and_forgotten():
    first = tf.no_op(name="first")
    with tf.control_dependencies([first]):
        inside = tf.identity(tf.constant(1.0))
        with tf.control_dependencies(None):
            outside = tf.constant(2.0)
    assert [op.name for op in inside.op.control_inputs] == ["first"]
    assert outside.op.control_inputs == []


def test_colocation_takes_groups_and_device():
    with tf.device("/gpu:1"):
        target = tf.constant(1.0, name="target")
    with tf.get_default_graph().colocate_with(target):
        other = tf.constant(2.0)
    assert other.op.colocation_groups() == [b"loc:@target"]
    assert other.op.device == "/device:GPU:1"
    assert target.op.colocation_groups() == [b"loc:@target"]


def test_elements_are_found_by_name():
    a = tf.constant(1.0, name="a")
    graph = tf.get_default_graph()
    assert graph.get_tensor_by_name("a:0") is a
    assert graph.get_operation_by_name("a") is a.op
    with pytest.raises(KeyError, match=r"does not exist\. The operation, 'foo'"):
        graph.get_tensor_by_name("foo:0")
    with pytest.raises(KeyError, match="exists but only has 1 outputs"):
        graph.get_tensor_by_name("a:3")
    with pytest.raises(ValueError, match="refers to an Operation, not a Tensor"):
        graph.get_tensor_by_name("a")
    with pytest.raises(KeyError, match="refers to an Operation not in the graph"):
        graph.get_operation_by_name("b")


def test_an_element_made_after_one_was_found_is_found_as_well():
    graph = tf.get_default_graph()
    first = tf.constant(1, name="first")
    assert graph.get_tensor_by_name("first:0") is first
    second = tf.constant(1, name="second")
    assert graph.get_operation_by_name("second") is second.op


def test_shapes_are_inferred_with_unknown_dimensions():
    x = tf.placeholder(tf.float32, [None, 3])
    assert tf.matmul(x, tf.ones([3, 5])).shape.as_list() == [None, 5]
    assert tf.reduce_sum(x, 1).shape.as_list() == [None]
    assert tf.placeholder(tf.float32).shape.ndims is None
    x.set_shape([7, None])
    assert x.shape.as_list() == [7, 3]
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([8, 3])


def test_contradictions_are_told_when_the_graph_is_built():
    a = tf.constant([1.0, 2.0])
    with pytest.raises(
        ValueError,
        match=r"Dimensions must be equal, but are 2 and 3 for 'Add' \(op: 'Add'\) with input "
        r"shapes: \[2\], \[3\]\.",
    ):
        tf.add(a, [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="has type int32 that does not match type float32"):
        tf.add(a, tf.constant([1, 2]))


def test_a_symbolic_tensor_is_no_value():
    a = tf.constant([1.0])
    with pytest.raises(TypeError, match=r"using a `tf\.Tensor` as a Python `bool` is not allowed"):
        bool(a)
    with pytest.raises(TypeError, match=r"iterating over `tf\.Tensor` is not allowed"):
        list(a)
    assert str(a) == 'Tensor("Const:0", shape=(1,), dtype=float32)'
    assert {a: 1}[a] == 1


def test_a_finalized_graph_takes_nothing_more():
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        tf.constant(1)


def test_graphs_do_not_mix():
    other = tf.Graph()
    with other.as_default():
        theirs = tf.constant(1.0)
    with pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(theirs, 1.0)


def test_building_from_threads_loses_nothing():
    graph = tf.get_default_graph()

    def work(index: int) -> None:
        with graph.as_default(), tf.name_scope(f"thread_{index}"):
            for _ in range(100):
                tf.constant(1.0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = graph.get_operations()
    assert len(made) == 800
    assert len({op.name for op in made}) == 800
    assert [op.id for op in made] == list(range(800))
