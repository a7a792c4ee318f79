"""What several operations become as one call: the same numbers, and errors in the same words."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.devices.inventory import simulate

pytestmark = pytest.mark.usefixtures("graph_mode")


def random(*shape):
    return np.random.RandomState(sum(shape)).standard_normal(shape).astype("f")


def test_a_bias_is_added_by_the_product():
    x = tf.placeholder(tf.float32, [None, 3])
    w, b = random(3, 4), random(4)
    y = tf.matmul(x, w) + b
    z = tf.nn.bias_add(tf.matmul(x, w, transpose_b=False), b)
    with tf.Session() as session:
        source = session.source([y, z], [x])
        values = session.run([y, z], {x: random(2, 3)})
    assert "MatMulAdd" in source
    for value in values:
        np.testing.assert_allclose(value, random(2, 3) @ w + b, rtol=1e-5)


def test_a_product_that_is_read_twice_stays():
    x = tf.placeholder(tf.float32, [2, 3])
    product = tf.matmul(x, random(3, 4))
    fetched = [product + random(4), product]
    with tf.Session() as session:
        assert "MatMulAdd" not in session.source(fetched, [x])


def test_a_product_that_cannot_be_is_blamed():
    x, w = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
    y = tf.matmul(x, w, name="product") + random(4)
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\[node product"),
    ):
        session.run(y, {x: random(2, 3), w: random(2, 4)})


def test_a_bias_that_does_not_fit_is_blamed():
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.add(tf.matmul(x, x), random(4), name="sum")
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\[node sum"),
    ):
        session.run(y, {x: random(2, 2)})


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_that_shrinks_by_a_part_of_itself_is_written_into(use_resource):
    w = tf.get_variable("w", initializer=random(3, 4), use_resource=use_resource)
    read = w + 0.0
    shrink = w.assign_sub(w * 0.25)
    with tf.Session() as session:
        session.run(w.initializer)
        session.run(shrink.op)  # away from the constant that it began with
        (handle,) = [handle for handle in session._state.handles.values() if handle.name == "w"]
        address = handle.value.data_ptr()
        session.run(shrink.op)
        assert handle.value.data_ptr() == address
        np.testing.assert_allclose(session.run(w), 0.5625 * random(3, 4), rtol=1e-6)
        kept = handle.value  # whoever has read it sees no change
        before, _ = session.run([read, shrink.op])
        np.testing.assert_array_equal(kept.numpy(), before)
        np.testing.assert_allclose(session.run(w), 0.421875 * random(3, 4), rtol=1e-6)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_step_of_descent_is_added_to_the_variable(use_resource):
    w = tf.get_variable("w", initializer=random(3, 4), use_resource=use_resource)
    x, g = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 4])
    step = w.assign_sub(0.1 * tf.matmul(x, g, transpose_a=True))
    with tf.Session() as session:
        session.run(w.initializer)
        assert "Scaled" in session.source(step.op, [x, g])
        for _ in range(2):
            session.run(step.op, {x: random(5, 3), g: random(5, 4)})
        expected = random(3, 4) - 0.2 * random(5, 3).T @ random(5, 4)
        np.testing.assert_allclose(session.run(w), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("rows", "is_merged"), [(1, True), (64, False)])
def test_on_a_card_an_update_computes_a_product_only_if_its_operands_are_small(rows, is_merged):
    # Updates come last in a step: activations and gradients of all layers would live until then.
    with simulate("V100"), tf.Graph().as_default():
        w = tf.get_variable("w", initializer=random(8, 8))
        x, g = (tf.placeholder(tf.float32, [rows, 8]) for _ in range(2))
        step = w.assign_sub(0.1 * tf.matmul(x, g, transpose_a=True))
        with tf.Session() as session:
            session.run(w.initializer)
            source = session.source(step.op, [x, g])
    assert ("MatMul(" not in source) == is_merged


def test_a_value_read_before_a_step_does_not_change():
    w = tf.get_variable("w", initializer=random(3), use_resource=True)
    before = w.read_value()
    with tf.control_dependencies([before]):
        step = w.assign_sub(0.5 * tf.placeholder_with_default(np.ones(3, "f"), [3]))
    with tf.Session() as session:
        session.run(w.initializer)
        old, _ = session.run([before, step])
        np.testing.assert_array_equal(old, random(3))
        np.testing.assert_allclose(session.run(w), random(3) - 0.5, rtol=1e-6)


def test_the_gradient_of_a_mean_over_unknown_rows_is_one_call():
    logits, labels = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    (found,) = tf.gradients(loss, [logits])
    with tf.Session() as session:
        source = session.source(found, [logits, labels])
        value = session.run(found, {logits: random(4, 3), labels: [0, 1, 2, 0]})
    assert "MeanGradMul" in source
    assert "Size" not in source
    e = np.exp(random(4, 3))
    expected = (e / e.sum(1, keepdims=True) - np.eye(3)[[0, 1, 2, 0]]) / 4
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)


def test_the_gradient_of_a_sum_is_one_call_and_not_as_large_as_what_was_summed():
    rows = tf.placeholder(tf.float32, [None, 3])
    known = tf.placeholder(tf.float32, [2, 3])
    total = tf.reduce_sum(rows) * tf.reduce_mean(rows) + tf.reduce_sum(known) * 2.0
    found = tf.gradients(total, [rows, known])
    with tf.Session() as session:
        source = session.source(found, [rows, known])
        given = {rows: random(4, 3), known: random(2, 3)}
        first, second = session.run(found, given)
    assert "SumGrad" in source and "Tile" not in source
    both = random(4, 3).mean() + random(4, 3).sum() / 12
    np.testing.assert_allclose(first, np.full([4, 3], both), rtol=1e-5)
    np.testing.assert_array_equal(second, np.full([2, 3], 2.0))


def test_weights_of_one_and_shapes_that_stay_cost_a_loss_nothing():
    x, y = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
    losses = [tf.losses.mean_squared_error(y, x), tf.losses.softmax_cross_entropy(y, x)]
    with tf.Session() as session:
        source = session.source(losses, [x, y])
        near, cross = session.run(losses, {x: random(4, 3), y: np.eye(3)[[0, 1, 2, 0]]})
    assert not {"Mul", "Reshape", "Slice", "Fill", "Select"} & set(source.replace("(", " ").split())
    e = np.exp(random(4, 3))
    np.testing.assert_allclose(near, ((random(4, 3) - np.eye(3)[[0, 1, 2, 0]]) ** 2).mean(), 1e-5)
    np.testing.assert_allclose(
        cross, -np.log((e / e.sum(1, keepdims=True))[range(4), [0, 1, 2, 0]]).mean(), 1e-5
    )


def test_what_a_variable_times_one_was_does_not_follow_the_variable():
    w = tf.Variable(np.float32([1, 2]), use_resource=False)
    before = w * 1.0
    with tf.control_dependencies([before]):
        change = tf.assign(w, [5.0, 6.0])
    with tf.Session() as session:
        session.run(w.initializer)
        kept, _ = session.run([before, change])
        np.testing.assert_array_equal(kept, [1, 2])


def test_a_transpose_that_changes_nothing_is_left_out():
    x = tf.placeholder(tf.float32, [None, 3])
    same, turned = tf.transpose(x, [0, 1]), tf.transpose(x, [1, 0])
    with tf.Session() as session:
        assert session.source([same, turned], [x]).count("Transpose") == 1
        found = session.run([same, turned], {x: random(2, 3)})
    np.testing.assert_array_equal(found[0], random(2, 3))
    np.testing.assert_array_equal(found[1], random(2, 3).T)


def test_what_broadcast_is_summed_back_along_axes_known_before():
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3])
    c = tf.placeholder(tf.float32, [2, 1])
    found = tf.gradients(tf.reduce_sum(x * w) + tf.reduce_sum(x[:2] * c), [x, w, c])
    with tf.Session() as session:
        source = session.source(found, [x, w, c])
        given = {x: random(4, 3), w: random(3), c: random(2, 1)}
        dx, dw, dc = session.run(found, given)
    assert "BroadcastGradientArgs" not in source
    expected = np.tile(random(3), (4, 1))
    expected[:2] += random(2, 1)
    np.testing.assert_allclose(dx, expected, rtol=1e-5)
    np.testing.assert_allclose(dw, random(4, 3).sum(0), rtol=1e-5)
    np.testing.assert_allclose(dc, random(4, 3)[:2].sum(1, keepdims=True), rtol=1e-5)


def test_a_variable_is_read_when_its_reader_would_have():
    w = tf.Variable(np.full([2, 2], 2.0, "f"), use_resource=False)
    x = tf.placeholder(tf.float32, [2, 2])
    product = tf.matmul(x, w)
    with tf.control_dependencies([product]):
        change = tf.assign(w, np.zeros([2, 2], "f"))
    with tf.control_dependencies([change]):
        y = product + np.ones(2, "f")
    with tf.Session() as session:
        session.run(w.initializer)
        np.testing.assert_array_equal(session.run(y, {x: np.eye(2)}), np.full([2, 2], 3.0))


def test_towers_count_what_they_make():
    with tf.simulate("2xK40c"):
        x = tf.placeholder(tf.float32, [None, 64])
        parts = []
        for index in range(2):
            with tf.device(f"/gpu:{index}"):
                parts.append(tf.nn.relu(tf.matmul(x, random(64, 8)) + random(8)))
        with tf.Session() as session:
            one, other = session.run(parts, {x: random(4, 64)})
    np.testing.assert_allclose(
        one, np.maximum(random(4, 64) @ random(64, 8) + random(8), 0), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_array_equal(one, other)


def test_an_average_moves_in_one_call():
    old, new = random(3, 4), random(4, 3).T
    towards = tf.Variable(old, use_resource=True)
    away = tf.Variable(old, use_resource=True)
    g = tf.placeholder(tf.float32, [3, 4])
    steps = [towards.assign_add((g - towards) * 0.1), away.assign_sub(0.1 * (away - g))]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        source = session.source([each.op for each in steps], [g])
        assert source.count("VariableOpMoving") == 2 and "Sub(" not in source
        for _ in range(2):
            session.run([each.op for each in steps], {g: new})
        expected = old
        for _ in range(2):
            expected = expected + (new - expected) * np.float32(0.1)
        for each in (towards, away):
            np.testing.assert_allclose(session.run(each), expected, rtol=1e-5)


def test_an_average_that_was_assigned_since_it_was_read_does_not_move_from_there():
    m = tf.Variable([1.0, 2.0], use_resource=True)
    difference = tf.constant([3.0, 3.0]) - m.read_value()
    with tf.control_dependencies([difference]):
        changed = m.assign([10.0, 10.0])
    with tf.control_dependencies([changed]):
        step = m.assign_add(difference * 0.25)
    with tf.Session() as session:
        session.run(m.initializer)
        session.run(step.op)
        assert session.run(m).tolist() == [10.5, 10.25]


@pytest.mark.parametrize("scaled", [False, True])
def test_a_quotient_is_added_as_it_is_computed(scaled):
    w = tf.Variable(np.ones([3], "f"), use_resource=True)
    a, b = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
    rate = tf.placeholder(tf.float32, [])
    step = w.assign_sub((a * rate if scaled else a) / b).op
    given = {a: [1.0, 2.0, 3.0], b: [2.0, 2.0, 2.0], rate: 0.5}
    with tf.Session() as session:
        session.run(w.initializer)
        assert "AssignSubVariableOpQuotient" in session.source(step, [a, b, rate])
        session.run(step, given)
        held = session.run(w)
        session.run(step, given)
        assert held.tolist() == ([0.75, 0.5, 0.25] if scaled else [0.5, 0.0, -0.5])
        assert session.run(w).tolist() == ([0.5, 0.0, -0.5] if scaled else [0.0, -1.0, -2.0])


def test_a_dimension_is_asked_for_directly():
    x = tf.placeholder(tf.float32, [None, None, 3])
    found = [tf.shape(x)[0], tf.shape(x)[1], tf.shape(x)[-1], tf.shape(x, out_type=tf.int64)[0]]
    with tf.Session() as session:
        source = session.source(found, [x])
        values = session.run(found, {x: np.zeros([4, 5, 3], "f")})
    assert source.count("= Dimension") == 4 and "Shape(" not in source
    assert [int(each) for each in values] == [4, 5, 3, 4]
    assert [each.dtype for each in values] == [np.int32] * 3 + [np.int64]
