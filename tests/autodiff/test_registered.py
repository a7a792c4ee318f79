"""Gradients by name: registered, used through override maps, written down and read again."""

import pytest

import placewise.compat.v1 as tf
from placewise.autodiff import registered

pytestmark = pytest.mark.usefixtures("graph_mode")


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    monkeypatch.setattr(registered, "_REGISTERED", {})


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def test_an_override_map_replaces_a_gradient():
    @tf.RegisterGradient("Hundredfold")
    def hundredfold(op, dy):
        assert (op.type, op.inputs[0].name)[:1] == ("Square",)
        return 100.0 * dy

    x = tf.constant(3.0, name="x")
    with tf.get_default_graph().gradient_override_map({"Square": "Hundredfold"}):
        y = tf.square(x)
    assert run(tf.gradients(y, x)) == [100.0]
    assert run(tf.gradients(tf.square(x), x)) == [6.0]
    assert y.op.get_attr("_gradient_op_type") == b"Hundredfold"
    message = tf.get_default_graph().as_graph_def()
    (again, of) = tf.import_graph_def(message, return_elements=["Square:0", "x:0"])
    assert run(tf.gradients(again, of)) == [100.0]


def test_a_gradient_has_one_name_and_a_name_one_gradient():
    tf.RegisterGradient("Mine")(lambda op, dy: dy)
    with pytest.raises(KeyError, match="Registering two gradient with name 'Mine'!"):
        tf.RegisterGradient("Mine")(lambda op, dy: dy)
    with pytest.raises(KeyError, match="Registering two gradient with name 'MatMul'!"):
        tf.RegisterGradient("MatMul")(lambda op, dy: dy)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.NotDifferentiable(3)
    with pytest.raises(TypeError, match="op_type_map must be a dictionary mapping"):
        tf.get_default_graph().gradient_override_map({1: 2}).__enter__()


def test_a_gradient_that_is_missing_and_one_that_is_none():
    x = tf.constant(3.0)
    tf.no_gradient("Nothing")
    graph = tf.get_default_graph()
    with graph.gradient_override_map({"Square": "Missing", "Exp": "Nothing"}):
        y, z = tf.square(x), tf.exp(x)
    with pytest.raises(LookupError, match=r"No gradient defined for operation 'Square' \(op type"):
        tf.gradients(y, x)
    assert tf.gradients(z, x) == [None]


def test_as_many_gradients_as_inputs():
    tf.RegisterGradient("Short")(lambda op, dy: [dy])
    x = tf.constant(3.0)
    with tf.get_default_graph().gradient_override_map({"Mul": "Short"}):
        y = x * x
    with pytest.raises(ValueError, match="Num gradients 1 generated for op"):
        tf.gradients(y, x)
