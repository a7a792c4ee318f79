"""Collections of a graph, and the operations on all variables in one."""

import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_variables_are_collected() -> None:
    trained = tf.Variable(1.0, name="a")
    fixed = tf.Variable(1.0, name="b", trainable=False)
    mine = tf.Variable(1.0, name="c", collections=["mine"], trainable=False)
    assert tf.global_variables() == [trained, fixed]
    assert tf.trainable_variables() == [trained]
    assert tf.get_collection("mine") == [mine]


def test_a_scope_filters_by_name() -> None:
    with tf.variable_scope("a") as scope:
        inside = tf.get_variable("w", [1])
    tf.get_variable("ab", [1])
    assert tf.global_variables("a/") == [inside]
    assert scope.global_variables() == scope.trainable_variables() == [inside]


def test_the_collection_itself_can_be_changed() -> None:
    tf.add_to_collection("things", 1)
    tf.get_collection_ref("things").append(2)
    tf.get_collection("things").append(3)
    assert tf.get_collection("things") == [1, 2]


def test_initializers_are_groups() -> None:
    tf.Variable([1.0])
    tf.get_local_variable("l", initializer=2.0)
    start = [tf.global_variables_initializer(), tf.local_variables_initializer()]
    assert [op.name for op in start] == ["init", "init_1"]
    assert tf.tables_initializer().name == "init_all_tables"
    with tf.Session() as session:
        session.run(start)
        assert session.run(tf.report_uninitialized_variables()).tolist() == []


def test_older_names_do_the_same() -> None:
    variable = tf.Variable([1.0])
    assert tf.all_variables() == [variable]
    for function in (
        tf.initialize_all_variables,
        tf.initialize_local_variables,
        tf.initialize_all_tables,
    ):
        assert function().type == "NoOp"
    assert tf.initialize_variables([variable]).control_inputs == [variable.initializer]


def test_what_has_no_value_is_reported() -> None:
    tf.Variable(1.0, name="a")
    second = tf.Variable(1.0, name="b", use_resource=True)
    report = tf.report_uninitialized_variables()
    with tf.Session() as session:
        assert session.run(report).tolist() == [b"a", b"b"]
        session.run(second.initializer)
        assert session.run(report).tolist() == [b"a"]
        assert session.run(tf.is_variable_initialized(second))


def test_without_variables_nothing_is_reported() -> None:
    assert tf.assert_variables_initialized() is None
    with tf.Session() as session:
        assert session.run(tf.report_uninitialized_variables()).tolist() == []


def test_asserting_values_fails_without() -> None:
    variable = tf.Variable([1.0])
    check = tf.assert_variables_initialized()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
            session.run(check)
        session.run(variable.initializer)
        assert session.run(check) == 1


def test_keys_have_tensorflows_values() -> None:
    keys = tf.GraphKeys
    assert (keys.GLOBAL_VARIABLES, keys.VARIABLES) == ("variables", "variables")
    assert (keys.TABLE_INITIALIZERS, keys.UPDATE_OPS) == ("table_initializer", "update_ops")
