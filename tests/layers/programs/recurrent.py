"""Recurrent networks: cells of every kind, unrolled and as loops."""

# ruff: noqa: B905 - functions are called at once; Python 3.7 knows no `strict`

import numpy as np

from tests.layers.programs import case, filled, numbers, run


def cells(tf):
    """Return functions that make cells of several kinds."""
    kinds = tf.nn.rnn_cell
    return [
        lambda: kinds.BasicRNNCell(4),
        lambda: kinds.GRUCell(4),
        lambda: kinds.BasicLSTMCell(4, forget_bias=0.5),
        lambda: kinds.BasicLSTMCell(4, state_is_tuple=False),
        lambda: kinds.LSTMCell(4),
        lambda: kinds.LSTMCell(
            4, use_peepholes=True, cell_clip=0.1, num_proj=3, proj_clip=0.05, initializer=filled(tf)
        ),
        lambda: kinds.LSTMCell(4, num_proj=3, state_is_tuple=False),
        lambda: kinds.MultiRNNCell([kinds.BasicLSTMCell(4), kinds.GRUCell(3)]),
        lambda: kinds.MultiRNNCell([kinds.GRUCell(4), kinds.GRUCell(3)], state_is_tuple=False),
        lambda: kinds.ResidualWrapper(kinds.GRUCell(3)),
        lambda: kinds.DeviceWrapper(kinds.GRUCell(3), "/cpu:0"),
        lambda: kinds.DropoutWrapper(kinds.BasicLSTMCell(3), 1.0, 1.0, 1.0),
    ]


def flat(tf, structure):
    """Return a structure's tensors as a list."""
    return list(tf.nest.flatten(structure))


def network(tf, make, apply, loss=True):
    """Return what a recurrent network gives, and the gradients of its square."""
    found = []
    for kind in make:
        tf.reset_default_graph()
        with tf.variable_scope("model", initializer=filled(tf)):
            given = flat(tf, apply(kind()))
        total = tf.add_n([tf.reduce_sum(each * each) for each in given])
        variables = tf.trainable_variables()
        names = [v.name for v in variables]
        found.append(names)
        found += run(tf, given + tf.gradients(total, variables))
    return found


@case
def static_rnns(tf):
    """Unrolled networks of every kind of cell."""
    steps = numbers(4, 2, 3)
    return network(
        tf,
        cells(tf),
        lambda cell: tf.nn.static_rnn(cell, tf.unstack(tf.constant(steps)), dtype=tf.float32),
    )


@case
def static_rnns_with_lengths(tf):
    """Unrolled networks whose sequences end at different steps."""
    steps = numbers(4, 2, 3)
    return network(
        tf,
        cells(tf)[:3],
        lambda cell: tf.nn.static_rnn(
            cell, tf.unstack(tf.constant(steps)), dtype=tf.float32, sequence_length=[2, 4]
        ),
    )


@case
def static_bidirectional_rnns(tf):
    """Unrolled networks in both directions."""
    steps, kind = numbers(4, 2, 3), tf.nn.rnn_cell.GRUCell

    def apply(cell, lengths=None):
        return tf.nn.static_bidirectional_rnn(
            cell, kind(2), tf.unstack(tf.constant(steps)), dtype=tf.float32, sequence_length=lengths
        )

    return network(tf, [lambda: kind(4)], apply) + network(
        tf, [lambda: kind(4)], lambda cell: apply(cell, [2, 4])
    )


@case
def dynamic_rnns(tf):
    """Networks as loops, of every kind of cell."""
    return network(
        tf,
        cells(tf),
        lambda cell: tf.nn.dynamic_rnn(cell, tf.constant(numbers(2, 4, 3)), dtype=tf.float32),
    )


@case
def dynamic_rnns_with_lengths(tf):
    """Networks as loops whose sequences end at different steps, batch or time first."""
    x = numbers(2, 5, 3)
    return network(
        tf,
        cells(tf)[:3],
        lambda cell: tf.nn.dynamic_rnn(cell, tf.constant(x), [2, 4], dtype=tf.float32),
    ) + network(
        tf,
        cells(tf)[:3],
        lambda cell: tf.nn.dynamic_rnn(
            cell, tf.constant(x), [2, 4, 1, 0, 5], dtype=tf.float32, time_major=True
        ),
    )


@case
def dynamic_rnns_of_unknown_sizes(tf):
    """Networks as loops over as many steps and cases as are fed."""
    found = []
    for make in cells(tf)[:3]:
        tf.reset_default_graph()
        x, lengths = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.int32, [None])
        with tf.variable_scope("model", initializer=filled(tf)):
            cell = make()
            begin = cell.zero_state(tf.shape(x)[0], tf.float32)
            outputs, state = tf.nn.dynamic_rnn(cell, x, lengths, initial_state=begin)
        fetches = [outputs, *flat(tf, state), *tf.gradients(outputs, tf.trainable_variables())]
        found += run(tf, fetches, {x: numbers(2, 4, 3), lengths: [3, 4]})
        found += run(tf, fetches, {x: numbers(1, 6, 3), lengths: [2]})
    return found


@case
def bidirectional_dynamic_rnns(tf):
    """Networks as loops in both directions."""
    kind, x = tf.nn.rnn_cell.BasicLSTMCell, numbers(2, 4, 3)

    def apply(cell, lengths=None):
        return tf.nn.bidirectional_dynamic_rnn(
            cell, kind(2), tf.constant(x), lengths, dtype=tf.float32
        )

    return network(tf, [lambda: kind(4)], apply) + network(
        tf, [lambda: kind(4)], lambda cell: apply(cell, [2, 4])
    )


@case
def raw_rnns(tf):
    """A loop in which a function chooses the inputs."""
    x, lengths = numbers(4, 2, 3), np.array([2, 4], np.int32)

    def apply(cell):
        steps = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(tf.constant(x))

        def loop(time, output, state, _):
            if output is None:
                state = cell.zero_state(2, tf.float32)
            finished = time >= lengths
            given = tf.cond(
                tf.reduce_all(finished), lambda: tf.zeros([2, 3]), lambda: steps.read(time)
            )
            given.set_shape([2, 3])
            return finished, given, state, output, None

        arrays, state, _ = tf.nn.raw_rnn(cell, loop)
        return arrays.stack(), state

    return network(tf, [lambda: tf.nn.rnn_cell.GRUCell(4)], apply)


@case
def dynamic_rnns_train(tf):
    """A language of two symbols, learned by gradient descent through a loop."""
    x, labels = numbers(3, 5, 2), [0, 1, 1]
    with tf.variable_scope("model", initializer=filled(tf)):
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(4) for _ in range(2)])
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(x), [5, 3, 4], dtype=tf.float32)
        logits = tf.layers.dense(outputs[:, -1], 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    step = [v.assign_sub(0.5 * g) for v, g in zip(variables, gradients)]
    found = [[v.name for v in variables]]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            found.append(session.run(loss))
            session.run(step)
        found += session.run(variables)
    return found


@case
def cells_with_a_seed(tf):
    """First values of a cell's variables under a graph seed."""
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [2, 4, 3])
    tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(2), tf.unstack(x, axis=1), dtype=tf.float32)
    return run(tf, [v.value() for v in tf.trainable_variables()])


@case
def dropout_wrappers_with_a_seed(tf):
    """What wrapped cells drop at each step, and what they drop at every step."""
    kinds, found = tf.nn.rnn_cell, []
    for options in (
        {"input_keep_prob": 0.5},
        {"output_keep_prob": 0.6},
        {"state_keep_prob": 0.5},
        {
            "input_keep_prob": 0.7,
            "output_keep_prob": 0.7,
            "state_keep_prob": 0.7,
            "variational_recurrent": True,
            "input_size": 3,
            "dtype": tf.float32,
        },
    ):
        for kind in (kinds.BasicLSTMCell, kinds.GRUCell):
            tf.reset_default_graph()
            with tf.variable_scope("model", initializer=filled(tf)):
                cell = kinds.DropoutWrapper(kind(4), seed=3, **options)
                steps = tf.unstack(tf.constant(numbers(3, 2, 3)))
                outputs, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32)
            found += run(tf, outputs + flat(tf, state))
    return found


@case
def state_saving_rnns(tf):
    """An unrolled network whose state a saver keeps between runs."""

    class Saver:
        """Keeps states in variables."""

        def __init__(self):
            self.kept = {
                name: tf.get_variable(name, [2, 3], initializer=tf.zeros_initializer())
                for name in ("c", "h")
            }

        def state(self, name):
            """Return a state."""
            return self.kept[name].value()

        def save_state(self, name, value):
            """Keep a state."""
            return tf.assign(self.kept[name], value)

    with tf.variable_scope("model", initializer=filled(tf)):
        cell = tf.nn.rnn_cell.BasicLSTMCell(3)
        outputs, state = tf.nn.static_state_saving_rnn(
            cell, tf.unstack(tf.constant(numbers(2, 2, 3))), Saver(), ("c", "h")
        )
    found = []
    for each in run(tf, outputs[-1:] + flat(tf, state), steps=3):
        found += each
    return found
