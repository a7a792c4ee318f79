"""Variables by name: scopes that prefix, share and configure them."""

import pytest

from placewise.compat import v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_a_scope_prefixes_variables_and_ops() -> None:
    with tf.variable_scope("a"), tf.variable_scope("b") as scope:
        variable = tf.get_variable("w", [1])
        constant = tf.constant(1)
    assert (variable.name, constant.name, scope.name) == ("a/b/w:0", "a/b/Const:0", "a/b")


def test_name_scopes_prefix_ops_but_not_get_variable() -> None:
    with tf.name_scope("n"):
        assert tf.get_variable("y", [1]).name == "y:0"
        assert tf.Variable(1.0).name == "n/Variable:0"
        with tf.variable_scope("v"):
            assert tf.get_variable("x", [1]).name == "v/x:0"


def test_opening_a_scope_again_gives_ops_a_scope_of_their_own() -> None:
    with tf.variable_scope("s") as first:
        pass
    with tf.variable_scope("s"):
        assert tf.constant(1).name == "s_1/Const:0"
    with tf.variable_scope(first, reuse=True) as again:
        assert (again.name, again.original_name_scope, again.reuse) == ("s", "s/", True)
        assert tf.constant(1).name == "s_2/Const:0"
    with tf.variable_scope(first, auxiliary_name_scope=False):
        assert tf.constant(1).name == "Const:0"


def test_default_names_are_made_unique() -> None:
    with tf.variable_scope("s"):
        for expected in ("s/def", "s/def_1"):
            with tf.variable_scope(None, "def") as scope:
                assert scope.name == expected
    with tf.variable_scope("s"), tf.variable_scope(None, "def") as scope:
        assert scope.name == "s/def"


def test_a_name_cannot_be_taken_twice() -> None:
    tf.get_variable("w", [2])
    with pytest.raises(ValueError, match=r"Variable w already exists, disallowed\. Did you mean"):
        tf.get_variable("w", [2])


def test_reuse_finds_the_same_variable() -> None:
    made = tf.get_variable("w", [2])
    with tf.variable_scope("", reuse=True):
        assert tf.get_variable("w", [2]) is made
        assert tf.get_variable("w") is made
        with pytest.raises(ValueError, match="Variable v does not exist, or was not created"):
            tf.get_variable("v", [2])
        with pytest.raises(ValueError, match=r"specified shape \(3,\) and found shape \(2,\)"):
            tf.get_variable("w", [3])
        with pytest.raises(ValueError, match="specified dtype int32 and found dtype float32_ref"):
            tf.get_variable("w", [2], tf.int32)


def test_auto_reuse_makes_once() -> None:
    found = []
    for _ in range(2):
        with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
            found.append(tf.get_variable("w", [2]))
    assert found[0] is found[1]


def test_reuse_variables_turns_reuse_on() -> None:
    with tf.variable_scope("s") as scope:
        made = tf.get_variable("w", [2])
        scope.reuse_variables()
        assert tf.get_variable("w", [2]) is made
    assert tf.get_variable_scope().reuse is False


def test_a_scope_gives_what_is_left_out() -> None:
    def square(value: object) -> object:
        return tf.reduce_sum(tf.square(value))

    def identity(value: object) -> object:
        return value

    with tf.variable_scope(
        "s",
        initializer=tf.ones_initializer(),
        regularizer=square,
        dtype=tf.float64,
        constraint=identity,
        use_resource=True,
    ):
        variable = tf.get_variable("w", [2])
        plain = tf.get_variable("v", [2], regularizer=tf.no_regularizer)
    assert variable.dtype is tf.float64
    assert variable.constraint is identity
    assert plain.op.type == "VarHandleOp"
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert loss.name == "s/w/Regularizer/Sum:0"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(loss) == 2.0


def test_custom_getters_nest() -> None:
    def suffix(text: str) -> object:
        def getter(getter: object, name: str, *args: object, **kwargs: object) -> object:
            return getter(name + text, *args, **kwargs)  # type: ignore[operator]

        return getter

    with tf.variable_scope("s", custom_getter=suffix("_a")):
        assert tf.get_variable("w", [1]).name == "s/w_a:0"
        with tf.variable_scope("t", custom_getter=suffix("_b")):
            assert tf.get_variable("w", [1]).name == "s/t/w_b_a:0"


def test_a_getter_that_takes_no_constraint_gets_none() -> None:
    def getter(
        getter,
        name,
        shape=None,
        dtype=None,
        initializer=None,
        regularizer=None,  # type: ignore[no-untyped-def]
        reuse=None,
        trainable=None,
        collections=None,
        caching_device=None,
        partitioner=None,
        validate_shape=True,
        use_resource=None,
        synchronization=None,
        aggregation=None,
    ):
        return getter(name, shape=shape, dtype=dtype)

    assert tf.get_variable("w", [1], custom_getter=getter).name == "w:0"


def test_initializers_are_checked() -> None:
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        tf.get_variable("w", [2], initializer=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="Initializer type '<dtype: 'float32'>' and explicit"):
        tf.get_variable("w", dtype=tf.int32, initializer=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="The initializer passed is not valid"):
        tf.get_variable("w")


def test_scopes_are_checked() -> None:
    with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"):
        tf.variable_scope(None)
    with pytest.raises(TypeError, match="name_or_scope must be a string or VariableScope"):
        tf.variable_scope(3).__enter__()


def test_local_variables_are_neither_trained_nor_global() -> None:
    variable = tf.get_local_variable("l", [1], initializer=tf.zeros_initializer)
    assert not variable.trainable
    assert tf.local_variables() == [variable]
    assert tf.global_variables() == tf.trainable_variables() == []


def test_a_template_makes_its_variables_once() -> None:
    def layer(x: object) -> object:
        return tf.matmul(x, tf.get_variable("w", [2, 2], initializer=tf.ones_initializer()))

    template = tf.make_template("dense", layer)
    result = template(template(tf.ones([1, 2])))
    assert [each.name for each in tf.global_variables()] == ["dense/w:0"]
    assert template.variables == tf.global_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(result).tolist() == [[4, 4]]


def test_resource_variables_may_be_the_default() -> None:
    tf.enable_resource_variables()
    try:
        assert tf.resource_variables_enabled()
        assert tf.get_variable("w", [1]).op.type == "VarHandleOp"
    finally:
        tf.disable_resource_variables()
    assert tf.Variable(1.0).op.type == "VariableV2"
