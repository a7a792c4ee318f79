"""Variables of TensorFlow 1: names and places of their operations, and what changes them."""

import numpy as np
import pytest

from placewise.compat import v1 as tf
from placewise.core import errors

pytestmark = pytest.mark.usefixtures("graph_mode")


def names() -> list[str]:
    return [op.name for op in tf.get_default_graph().get_operations()]


def groups(name: str) -> list[bytes]:
    return tf.get_default_graph().get_operation_by_name(name).colocation_groups()


@pytest.fixture(params=[False, True], ids=["reference", "resource"])
def kind(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def initialized(value: object, kind: bool, **options: object) -> tuple[object, object]:
    variable = tf.Variable(value, use_resource=kind, **options)
    session = tf.Session()
    session.run(variable.initializer)
    return variable, session


def test_operations_of_a_reference_variable() -> None:
    variable = tf.Variable(1.0)
    assert names() == ["Variable/initial_value", "Variable", "Variable/Assign", "Variable/read"]
    assert groups("Variable/Assign") == groups("Variable/read") == [b"loc:@Variable"]
    assert repr(variable) == "<tf.Variable 'Variable:0' shape=() dtype=float32_ref>"


def test_operations_of_a_resource_variable() -> None:
    variable = tf.Variable([1.0, 2.0], name="w", use_resource=True)
    assert names() == [
        "w/Initializer/initial_value",
        "w",
        "w/IsInitialized/VarIsInitializedOp",
        "w/Assign",
        "w/Read/ReadVariableOp",
    ]
    assert repr(variable) == "<tf.Variable 'w:0' shape=(2,) dtype=float32>"


def test_an_initializer_stands_beside_its_variable_whatever_the_device() -> None:
    with tf.device("/gpu:0"):
        tf.get_variable("w", [2])
    first = tf.get_default_graph().get_operation_by_name("w/Initializer/random_uniform")
    assert first.device == ""
    assert groups("w/Initializer/random_uniform") == [b"loc:@w"]
    assert tf.get_default_graph().get_operation_by_name("w").device == "/device:GPU:0"


def test_reads_may_be_kept_on_another_device(kind: bool) -> None:
    variable = tf.Variable(1.0, caching_device="/cpu:0", use_resource=kind)
    assert variable.value().device == "/device:CPU:0"


def test_an_update_is_put_beside_the_variable_and_its_value_is_not() -> None:
    variable = tf.Variable([1.0, 2.0])
    with tf.device("/gpu:0"):
        variable.assign([3.0, 4.0])
    graph = tf.get_default_graph()
    assert groups("Assign") == [b"loc:@Variable"]
    assert graph.get_operation_by_name("Assign").device == ""
    assert graph.get_operation_by_name("Assign/value").device == "/device:GPU:0"


def test_assignments(kind: bool) -> None:
    variable, session = initialized([1.0, 2.0], kind)
    assert session.run(variable.assign([3.0, 4.0])).tolist() == [3, 4]
    assert session.run(variable.assign_add([1.0, 1.0])).tolist() == [4, 5]
    assert session.run(tf.assign_sub(variable, [1.0, 1.0])).tolist() == [3, 4]
    assert session.run(variable.assign([0.0, 0.0], read_value=False)) is None
    assert session.run(variable).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("add", 12.0),
        ("sub", 8.0),
        ("update", 2.0),
        ("mul", 20.0),
        ("div", 5.0),
        ("min", 2.0),
        ("max", 10.0),
    ],
)
def test_rows_are_changed(kind: bool, function: str, expected: float) -> None:
    variable, session = initialized([10.0, 7.0], kind)
    scatter = getattr(tf, f"scatter_{function}")
    assert session.run(scatter(variable, [0], [2.0])).tolist() == [expected, 7.0]
    slices = tf.IndexedSlices(tf.constant([7.0]), tf.constant([1]))
    getattr(variable, f"scatter_{function}")(slices)


def test_slices_are_changed(kind: bool) -> None:
    variable, session = initialized([[1.0, 2.0], [3.0, 4.0]], kind)
    assert session.run(tf.scatter_nd_update(variable, [[0, 1]], [9.0])).tolist()[0] == [1, 9]
    assert session.run(variable.scatter_nd_add([[1]], [[1.0, 1.0]])).tolist()[1] == [4, 5]
    assert session.run(variable[0, :1].assign([5.0])).tolist()[0] == [5, 9]
    batch = tf.batch_scatter_update(variable, [[0], [1]], [[6.0], [7.0]])
    assert session.run(batch).tolist() == [[6, 9], [4, 7]]


def test_assigning_a_part_twice_makes_two_operations() -> None:
    part = tf.Variable([1.0, 2.0])[0]
    part.assign(1.0)
    part.assign(2.0)
    assert "strided_slice/_assign_1" in names()


def test_counting_up_ends_at_the_limit(kind: bool) -> None:
    variable, session = initialized(0, kind)
    count = variable.count_up_to(2)
    assert [session.run(count), session.run(count)] == [0, 1]
    with pytest.raises(errors.OutOfRangeError, match="Reached limit of 2"):
        session.run(count)


def test_reading_after_an_assignment_sees_it(kind: bool) -> None:
    variable, session = initialized([1.0], kind)
    with tf.control_dependencies([variable.assign([5.0])]):
        read = variable.read_value()
    assert session.run(read).tolist() == [5.0]


def test_a_variable_without_a_value_says_so() -> None:
    tf.Variable(1.0, name="w")
    with (
        tf.Session() as session,
        pytest.raises(errors.FailedPreconditionError, match="uninitialized value w"),
    ):
        session.run("w:0")


def test_initialized_value_is_the_initial_one_until_there_is_another(kind: bool) -> None:
    variable = tf.Variable(1.0, use_resource=kind)
    value = variable.initialized_value()
    with tf.Session() as session:
        assert session.run(value) == 1.0
        session.run(variable.initializer)
        session.run(variable.assign(2.0))
        assert session.run(value) == 2.0


def test_a_first_value_may_come_from_a_variable_without_a_value() -> None:
    first = tf.Variable(2.0)
    second = tf.Variable(first * 3.0)
    with tf.Session() as session:
        session.run(second.initializer)
        assert session.run(second) == 6.0


def test_load_gives_a_value_from_python(kind: bool) -> None:
    variable, session = initialized([1.0, 2.0], kind)
    variable.load([8.0, 9.0], session)
    assert variable.eval(session).tolist() == [8, 9]
    with pytest.raises(ValueError, match="session argument should be provided"):
        variable.load([1.0, 1.0])


def test_through_a_message_and_back(kind: bool) -> None:
    variable, session = initialized([1.0, 2.0], kind)
    message = variable.to_proto()
    assert (message.variable_name, message.initializer_name) == ("Variable:0", "Variable/Assign")
    assert message.is_resource is kind
    again = tf.Variable.from_proto(message)
    assert session.run(again.value()).tolist() == [1, 2]
    assert variable.to_proto(export_scope="other") is None


def test_gradients_reach_variables(kind: bool) -> None:
    variable, session = initialized([[1.0, 2.0], [3.0, 4.0]], kind)
    (slope,) = tf.gradients(variable * variable, variable)
    assert session.run(slope).tolist() == [[2, 4], [6, 8]]
    (rows,) = tf.gradients(tf.nn.embedding_lookup(variable, [1]), variable)
    assert session.run(rows).indices.tolist() == [1]


def test_shapes_that_do_not_fit_are_refused() -> None:
    variable = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal"):
        variable.assign([1.0, 2.0, 3.0])


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"initial_value must be specified\."):
        tf.Variable()
    with pytest.raises(ValueError, match="initial_value must have a shape specified"):
        tf.Variable(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="must be a list, tuple, or set"):
        tf.Variable(1.0, collections="mine")
    with pytest.raises(ValueError, match="`constraint` argument must be a callable"):
        tf.Variable(1.0, constraint=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'shapes'"):
        tf.Variable(1.0, shapes=3)


def test_a_creator_decides_what_is_made() -> None:
    seen = []

    def creator(next_creator: object, **options: object) -> object:
        seen.append(options["name"])
        options["use_resource"] = True
        return next_creator(**options)  # type: ignore[operator]

    with tf.variable_creator_scope(creator):
        tf.Variable(1.0, name="a")
        made = tf.get_variable("b", [2])
    assert seen == ["a", "b"]
    assert made.op.type == "VarHandleOp"


def test_variables_are_keys_and_no_iterables() -> None:
    variable = tf.Variable([1.0])
    assert {variable: 1}[variable] == 1
    assert isinstance(variable, tf.Variable)
    with pytest.raises(TypeError, match="'Variable' object is not iterable"):
        iter(variable)


def test_arithmetic_reads_the_variable() -> None:
    variable, session = initialized(3.0, False)
    total = 2.0 * variable - np.float32(1)
    assert session.run(total) == 5.0
    assert names()[-4:] == ["mul/x", "mul", "sub/y", "sub"]


def test_an_update_tells_the_shape_and_refuses_another(graph_mode):
    variable = tf.Variable([[1.0, 2.0]], validate_shape=False, use_resource=False)
    assert tf.assign_add(variable, [[1.0, 2.0]]).shape == [1, 2]
    fixed = tf.Variable([1.0, 2.0], use_resource=False)
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and"):
        tf.assign_sub(fixed, [1.0, 2.0, 3.0])
