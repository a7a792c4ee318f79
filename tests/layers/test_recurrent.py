"""Cells and the functions that run them, beyond the recorded answers."""

import numpy as np
import pytest

import placewise as tf2
import placewise.compat.v1 as tf
from placewise.compat.v1 import rnn_cell
from placewise.core.errors import InvalidArgumentError
from placewise.layers.dynamic_rnn import bidirectional_dynamic_rnn, dynamic_rnn
from placewise.layers.static_rnn import static_rnn

graph_only = pytest.mark.usefixtures("graph_mode")


class Counter(rnn_cell.RNNCell):
    """A cell of one's own, which asks for its variable when called."""

    state_size = output_size = 1

    def call(self, inputs: object, state: object) -> object:
        step = tf.get_variable("step", [], initializer=tf.ones_initializer())
        return state + step, state + step


@graph_only
def test_a_cell_of_ones_own_is_found_in_every_step() -> None:
    cell = Counter()
    outputs, state = dynamic_rnn(cell, tf.zeros([2, 3, 1]), dtype=tf.float32)
    assert [v.name for v in tf.global_variables()] == ["rnn/counter/step:0"]
    assert cell.trainable_weights == tf.trainable_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(outputs)[0, :, 0], [1, 2, 3])
        np.testing.assert_array_equal(session.run(state), [[3], [3]])


@graph_only
def test_states_have_the_structure_of_the_cells() -> None:
    cells = [rnn_cell.BasicLSTMCell(4), rnn_cell.GRUCell(3)]
    cell = rnn_cell.MultiRNNCell(cells)
    assert cell.state_size == (rnn_cell.LSTMStateTuple(4, 4), 3)
    assert cell.output_size == 3
    state = cell.zero_state(2, tf.float32)
    assert state[0].h.shape == (2, 4)
    assert state[0].dtype is tf.float32
    unknown = cell.zero_state(tf.placeholder(tf.int32, []), tf.float32)
    assert unknown[1].shape.as_list() == [None, 3]


@graph_only
def test_outputs_have_the_shapes_that_are_known() -> None:
    x = tf.placeholder(tf.float32, [None, None, 3])
    outputs, state = dynamic_rnn(rnn_cell.LSTMCell(4, num_proj=2), x, dtype=tf.float32)
    assert outputs.shape.as_list() == [None, None, 2]
    assert state.c.shape.as_list() == [None, 4]
    both, _ = bidirectional_dynamic_rnn(
        rnn_cell.GRUCell(2),
        rnn_cell.GRUCell(3),
        tf.zeros([5, 2, 1]),
        dtype=tf.float32,
        time_major=True,
    )
    assert [each.shape.as_list() for each in both] == [[5, 2, 2], [5, 2, 3]]


@graph_only
def test_a_wrong_number_of_lengths_is_refused() -> None:
    x, lengths = tf.placeholder(tf.float32, [None, 4, 3]), tf.placeholder(tf.int32, [None])
    outputs, _ = dynamic_rnn(rnn_cell.GRUCell(2), x, lengths, dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(InvalidArgumentError, match="Expected shape for Tensor"):
            session.run(outputs, {x: np.ones((2, 4, 3)), lengths: [1, 2, 3]})


@graph_only
def test_what_is_no_cell_is_refused() -> None:
    with pytest.raises(TypeError, match=r"'cell' .* is not an RNNCell: 'output_size' property"):
        dynamic_rnn(lambda x, s: (x, s), tf.zeros([1, 2, 3]), dtype=tf.float32)
    with pytest.raises(ValueError, match="input_size must be provided"):
        rnn_cell.DropoutWrapper(
            rnn_cell.GRUCell(2), 0.5, variational_recurrent=True, dtype=tf.float32
        )
    with pytest.raises(ValueError, match="state_is_tuple is not set"):
        rnn_cell.MultiRNNCell([rnn_cell.LSTMCell(2)], state_is_tuple=False)
    with pytest.raises(NotImplementedError, match="num_unit_shards"):
        rnn_cell.LSTMCell(2, num_unit_shards=2)


@graph_only
def test_a_cell_on_a_device_asks_for_it() -> None:
    cell = rnn_cell.DeviceWrapper(rnn_cell.GRUCell(2), "/gpu:1")
    static_rnn(cell, [tf.zeros([1, 3])], dtype=tf.float32)
    product = tf.get_default_graph().get_operation_by_name("rnn/gru_cell/MatMul")
    assert product.device == "/device:GPU:1"


@graph_only
def test_a_dropout_wrapper_makes_constants_as_tensorflow_does() -> None:
    # Seeds of random ops are numbers of ops where a graph has a seed and they have none.
    rnn_cell.DropoutWrapper(rnn_cell.BasicLSTMCell(2), output_keep_prob=0.5)
    made = [op.name for op in tf.get_default_graph().get_operations()]
    assert made == [f"DropoutWrapperInit/Const{number}" for number in ("", "_1", "_2")]


@graph_only
def test_the_state_of_stacked_cells_is_fed_by_one_key() -> None:
    cell = rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(2), rnn_cell.BasicLSTMCell(2)])
    state = cell.zero_state(1, tf.float32)
    with tf.Session() as session:
        given = session.run(state)
        given[1].h[:] = 5.0
        fed = session.run(state, {state: given})
    np.testing.assert_array_equal(fed[1].h, [[5.0, 5.0]])


@graph_only
def test_dropout_keeps_the_memory_of_an_lstm() -> None:
    cell = rnn_cell.DropoutWrapper(rnn_cell.BasicLSTMCell(50), state_keep_prob=0.5)
    state = rnn_cell.LSTMStateTuple(tf.ones([1, 50]), tf.ones([1, 50]))
    _, after = cell(tf.ones([1, 3]), state)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        c, h = session.run(after)
    assert np.count_nonzero(c) == 50
    assert 0 < np.count_nonzero(h) < 50


def test_recurrent_networks_run_eagerly_and_give_gradients() -> None:
    cell = rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(4), rnn_cell.GRUCell(3)])
    x = tf2.constant(np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32))
    with tf2.GradientTape() as tape:
        outputs, _ = dynamic_rnn(cell, x, [5, 3], dtype=tf2.float32)
        loss = tf2.reduce_sum(outputs)
    unrolled, _ = static_rnn(cell, tf2.unstack(x, axis=1), None, tf2.float32, [5, 3])
    np.testing.assert_allclose(outputs, tf2.stack(unrolled, 1), 1e-5)
    assert not outputs.numpy()[1, 3:].any()
    gradients = tape.gradient(loss, cell.trainable_weights)
    assert all(np.abs(each.numpy()).sum() > 0 for each in gradients)
