"""What optimizers do beside the numbers: errors, slots, names, gates, constraints, eagerness."""

from typing import Any

import numpy as np
import pytest

from placewise.compat import v1 as tf
from placewise.graph.variables import ResourceVariable


def sgd() -> Any:
    return tf.train.GradientDescentOptimizer(0.1)


@pytest.fixture
def z(graph_mode: None) -> Any:
    return tf.Variable(3.0, name="z")


def trained(operation: Any, *fetches: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(operation)
        return session.run(fetches)


def test_a_loss_that_no_variable_reaches_is_refused(z: Any) -> None:
    loss = tf.constant(1.0)
    with pytest.raises(ValueError, match="No gradients provided for any variable, check your"):
        sgd().minimize(loss)
    with pytest.raises(ValueError, match=r"No gradients provided for any variable: \[\"<tf.Var"):
        sgd().apply_gradients([(None, z)])


def test_nothing_to_train_is_refused(graph_mode: None) -> None:
    with pytest.raises(ValueError, match=r"^No variables to optimize\.$"):
        sgd().minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match=r"^No variables provided\.$"):
        sgd().apply_gradients([])


def test_a_loss_of_integers_is_refused(graph_mode: None) -> None:
    count = tf.Variable(3, name="i")
    with pytest.raises(ValueError, match=r"Invalid type tf.int32 for i:0, expected: \[tf.float32"):
        sgd().compute_gradients(count)


def test_a_gate_that_does_not_exist_is_refused(z: Any) -> None:
    with pytest.raises(ValueError, match=r"Optimizer\.GATE_GRAPH\.  Not 7"):
        sgd().compute_gradients(z, gate_gradients=7)


def test_what_is_no_gradient_is_refused(z: Any) -> None:
    with pytest.raises(TypeError, match="Gradient must be convertible to a Tensor"):
        sgd().apply_gradients([(object(), z)])


def test_a_tensor_cannot_be_updated(z: Any) -> None:
    tensor = tf.constant(1.0)
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        sgd().apply_gradients([(tensor, tensor)])


def test_an_optimizer_needs_a_name() -> None:
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        tf.train.Optimizer(False, "")


def test_a_learning_rate_is_a_scalar(z: Any) -> None:
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1 for 'Adam/update_z"):
        tf.train.AdamOptimizer(tf.constant([1.0, 2.0])).minimize(z * z)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: t.AdagradOptimizer(0.1, 0), "initial_accumulator_value must be positive: 0"),
        (lambda t: t.FtrlOptimizer(0.1, 1.0), "learning_rate_power 1.000000 needs to be negative"),
        (lambda t: t.FtrlOptimizer(0.1, -0.5, -1.0), "value -1.000000 needs to be positive or"),
        (lambda t: t.ProximalAdagradOptimizer(0.1, 0), "initial_accumulator_value must be pos"),
        (lambda t: t.AdagradDAOptimizer(0.1, None, 0), "squared_accumulator_value must be pos"),
    ],
)
def test_settings_out_of_range_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(tf.train)


def test_slots_are_found_by_variable_and_name(z: Any) -> None:
    adam = tf.train.AdamOptimizer()
    assert adam.get_slot(z, "m") is None
    adam.minimize(z * z)
    assert adam.get_slot(z, "m").name == "z/Adam:0"
    assert adam.get_slot(z, "v").name == "z/Adam_1:0"
    assert adam.get_slot(z, "none") is None
    assert adam.get_slot_names() == ["m", "v"]


def test_names_follow_scopes_as_in_tensorflow(z: Any) -> None:
    with tf.name_scope("train"):
        assert tf.train.AdamOptimizer().minimize(z * z, name="foo").name == "train/foo"
    with tf.variable_scope("vs"):
        adam = tf.train.AdamOptimizer()
        adam.minimize(z * z)
    names = [each.name for each in adam.variables()]
    assert names == ["vs/beta1_power:0", "vs/beta2_power:0", "vs/z/Adam:0", "vs/z/Adam_1:0"]


def test_the_operation_is_kept_in_a_collection(z: Any) -> None:
    operation = sgd().minimize(z * z)
    assert tf.get_collection("train_op") == [operation]


def test_updates_on_two_devices_are_joined_by_one_operation_each(graph_mode: None) -> None:
    with tf.device("/gpu:0"):
        a = tf.Variable(1.0)
    with tf.device("/cpu:0"):
        b = tf.Variable(1.0)
    whole = sgd().minimize(a * b)
    assert [op.device for op in whole.control_inputs] == ["/device:CPU:0", "/device:GPU:0"]
    assert whole.device == ""


def test_a_resource_step_is_counted(z: Any) -> None:
    step = ResourceVariable(0, name="step", trainable=False)
    operation = sgd().minimize(z * z, global_step=step)
    assert operation.type == "AssignAddVariableOp"
    assert trained(operation, step) == (1,)


@pytest.mark.parametrize("kind", ["reference", "resource"])
def test_a_constraint_holds_after_the_update(graph_mode: None, kind: str) -> None:
    w = tf.Variable(
        [1.0, -1.0], constraint=lambda v: tf.maximum(v, 0.9), use_resource=kind == "resource"
    )
    (found,) = trained(sgd().minimize(tf.reduce_sum(w)), w)
    np.testing.assert_allclose(found, [0.9, 0.9])


def test_a_constraint_on_rows_is_refused(graph_mode: None) -> None:
    w = tf.Variable([[1.0, -1.0]], constraint=tf.nn.relu)
    with pytest.raises(RuntimeError, match="Cannot use a constraint function on a sparse"):
        sgd().minimize(tf.reduce_sum(tf.gather(w, [0])))


def test_gated_gradients_wait_for_each_other(z: Any) -> None:
    other = tf.Variable(2.0)
    optimizer = sgd()
    pairs = optimizer.compute_gradients(z * other, gate_gradients=optimizer.GATE_GRAPH)
    assert all("tuple/control_dependency" in gradient.name for gradient, _ in pairs)
    assert trained(tf.no_op(), *[gradient for gradient, _ in pairs]) == (2.0, 3.0)


def test_grad_loss_weighs_the_elements(graph_mode: None) -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    ((gradient, _),) = sgd().compute_gradients(x * x, grad_loss=tf.constant([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(trained(tf.no_op(), gradient)[0], [2.0, 0.0, 12.0])


def test_gradients_of_rows_stay_rows_and_can_be_clipped(graph_mode: None) -> None:
    table = tf.Variable(np.ones((3, 2), "f4"))
    optimizer = sgd()
    pairs = optimizer.compute_gradients(tf.reduce_sum(tf.gather(table, [0, 2, 0])))
    assert type(pairs[0][0]).__name__ == "IndexedSlices"
    clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
    (found,) = trained(optimizer.apply_gradients([(clipped[0], table)]), table)
    np.testing.assert_allclose(found[1], [1.0, 1.0])
    assert found[0, 0] < found[2, 0] < 1


def test_an_optimizer_of_ones_own_needs_only_its_update(z: Any) -> None:
    class Own(tf.train.Optimizer):
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return var.assign_sub(grad)

    assert trained(Own(False, "Own").minimize(z * z), z) == (-3.0,)


def test_an_uninitialized_variable_is_told(z: Any) -> None:
    operation = sgd().apply_gradients([(tf.constant(1.0), z)])
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value z"),
    ):
        session.run(operation)


def test_eager_steps_are_taken_at_once() -> None:
    from placewise.ops.state.variable import Variable

    w = Variable([1.0, 2.0], name="w")
    adam = tf.train.AdamOptimizer(0.1)
    assert adam.minimize(lambda: tf.reduce_sum(w * w)) is None
    np.testing.assert_allclose(w.numpy(), [0.9, 1.9], rtol=1e-6)
    adam.minimize(lambda: tf.reduce_sum(tf.gather(w, [0, 0])))
    assert w.numpy()[0] < 0.9
    assert [each.name for each in adam.variables()] == [
        "beta1_power:0",
        "beta2_power:0",
        "w/Adam:0",
        "w/Adam_1:0",
    ]


def test_an_eager_loss_is_a_function() -> None:
    with pytest.raises(RuntimeError, match="should be a function when eager execution"):
        sgd().minimize(3.0)
