"""Resource variables of a graph: what assignments return, and what they check."""

import copy

import numpy as np
import pytest

import placewise as tf

v1 = tf.compat.v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_assignments_to_what_an_assignment_returns_come_after_it(session):
    variable = v1.get_variable("v", initializer=1.0, use_resource=True)
    session.run(variable.initializer)
    assert session.run(variable.assign_add(1.0).assign_add(1.0)) == 3.0
    assert session.run(variable.assign(10.0).assign_sub(1.0)) == 9.0
    assert session.run(variable) == 9.0


def test_scattered_updates_come_after_one_another(session):
    variable = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    session.run(variable.initializer)
    delta = tf.IndexedSlices([2.0], [1])
    assert session.run(variable.scatter_add(delta).scatter_add(delta)).tolist() == [1.0, 6.0]


def test_an_initial_value_of_another_shape_is_refused(session):
    with pytest.raises(ValueError, match="not compatible with the explicitly supplied `shape`"):
        v1.Variable(np.zeros([3]), shape=[4], use_resource=True)


def test_only_eager_variables_are_copied(session):
    variable = v1.get_variable("v", initializer=1.0, use_resource=True)
    with pytest.raises(NotImplementedError, match="only available when eager execution"):
        copy.deepcopy(variable)


def test_every_variable_of_a_graph_is_a_tf_variable(session):
    made = [
        v1.Variable(1.0, use_resource=True),
        v1.Variable(1.0, use_resource=False),
        v1.get_variable("v", [2]),
        tf.Variable(1.0),
    ]
    assert [isinstance(each, tf.Variable) for each in made] == [True] * 4
    assert not isinstance(tf.constant(1.0), tf.Variable)


def test_modules_list_their_variables_in_graphs(session):
    module = tf.Module()
    module.a, module.b = tf.Variable(1.0, name="a"), [v1.get_variable("b", [2], trainable=False)]
    assert [each.name for each in module.variables] == ["a:0", "b:0"]
    assert [each.name for each in module.trainable_variables] == ["a:0"]


@pytest.mark.parametrize("op", ["AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"])
def test_a_value_of_another_shape_is_refused_while_the_graph_is_built(session, op):
    handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[2], shared_name="v")
    assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int32).shape == [2]
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and"):
        getattr(tf.raw_ops, op)(resource=handle, value=[1, 2, 3])
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 1 and 0"):
        getattr(tf.raw_ops, op)(resource=handle, value=1)


def test_a_variable_of_any_shape_takes_all_of_them_in_nested_functions():
    variable = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))

    @tf.function
    def inner(x):
        variable.assign(x)
        return tf.convert_to_tensor(variable)

    outer = tf.function(lambda x: inner(x))
    assert outer(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[1.0, 2.0]]
    assert float(outer(tf.constant(3.0))) == 3.0


@pytest.mark.parametrize(
    ("op", "more", "words"),
    [
        ("ReadVariableOp", {"dtype": tf.float32}, "read variable .* Expected float got int32"),
        ("AssignVariableOp", {"value": [1.5]}, "assign variable .* Expected int32 got float"),
        ("AssignAddVariableOp", {"value": [1.5]}, "DType of variable handle and value"),
        ("ResourceScatterUpdate", {"indices": [0], "updates": [1.5]}, "DType of scatter resource"),
        ("ResourceGather", {"indices": [0], "dtype": tf.float32}, "Expected float got int32"),
    ],
)
def test_ops_refuse_another_dtype_than_the_variable_has(op, more, words):
    variable = tf.Variable([1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        getattr(tf.raw_ops, op)(resource=variable.handle, **more)
    assert variable.numpy().tolist() == [1]


def test_a_handle_shows_what_it_leads_to():
    handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[2, None], shared_name="shown")
    text = str(handle)
    assert '<ResourceHandle(name="shown", device="/job:localhost/replica:0/task:0/' in text
    assert 'container="localhost", type="tensorflow::Var"' in text
    assert '"[ DType enum: 3, Shape: [2,?] ]"' in text
    assert 'container="Anonymous"' in str(tf.Variable(1.0).handle)
