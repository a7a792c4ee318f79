"""Names of what is made, and messages about what does not fit."""

from tests.layers.programs import case


@case
def names_of_variables(tf):
    """Names of layers, scopes, variables and losses."""
    x = tf.placeholder(tf.float32, [None, 4])
    first, second = tf.layers.Dense(3), tf.layers.Dense(3)
    first(x), second(x), first(x)
    with tf.variable_scope("s"):
        tf.layers.dense(x, 2, name="named")
    with tf.variable_scope("s", reuse=True):
        again = tf.layers.dense(x, 2, name="named")
    tf.layers.dense(x, 2, kernel_regularizer=lambda w: tf.reduce_sum(w))
    loss = tf.losses.mean_squared_error(x, x)
    value, update = tf.metrics.accuracy(x, x)
    image = tf.placeholder(tf.float32, [None, 4, 4, 1])
    conv = tf.layers.conv2d(image, 2, 3)
    tf.layers.batch_normalization(conv, training=True)
    pooled = tf.layers.max_pooling2d(conv, 2, 2)
    graph = tf.get_default_graph()
    return [
        [first.name, second.name, first.scope_name, second.scope_name],
        [v.name for v in tf.global_variables()],
        [v.name for v in tf.local_variables()],
        [v.name for v in tf.trainable_variables()],
        [again.name, loss.name, value.name, update.name, conv.name, pooled.name],
        [each.name for each in graph.get_collection("losses")],
        [each.name for each in graph.get_collection("regularization_losses")],
        [each.name for each in graph.get_collection("update_ops")],
        [v.name for v in first.trainable_weights],
        [first.count_params()],
    ]


@case
def messages(tf):
    """What is said when something does not fit."""
    layers, found = tf.layers, []
    place = lambda *shape: tf.placeholder(tf.float32, shape)  # noqa: E731 - a word for short

    def twice():
        layer = layers.Dense(4)
        layer(place(None, 3)), layer(place(None, 5))

    for attempt in (
        lambda: layers.dense(place(3), 4),
        lambda: layers.dense(place(3, None), 4),
        lambda: layers.dense(tf.placeholder(tf.float32), 4),
        lambda: layers.conv2d(place(None, 8, 3), 4, 3),
        lambda: layers.conv2d(place(None, 8, 8, None), 4, 3),
        lambda: layers.conv2d(place(None, 8, 8, 3), 4, 3, padding="foo"),
        lambda: layers.conv2d(place(None, 8, 8, 3), 4, (3, 3, 3)),
        lambda: layers.Dense(4, foo=3),
        lambda: layers.Dense(3).count_params(),
        lambda: layers.Dense(3).scope_name,
        twice,
        lambda: tf.losses.mean_squared_error(None, place(2)),
        lambda: tf.losses.mean_squared_error(place(2, 3), place(4, 3)),
        lambda: tf.losses.mean_squared_error(place(2, 3), place(2, 3), place(3, 1)),
        lambda: tf.losses.mean_squared_error(place(2, 3), place(2, 3), place(2)),
        lambda: tf.losses.mean_squared_error(place(2), place(2), reduction="foo"),
        lambda: tf.losses.cosine_distance(place(2), place(2)),
        lambda: tf.metrics.auc(place(2), place(2), curve="foo"),
        lambda: tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), place(2, 3, 4)),
        lambda: tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), [place(2, 3)]),
        lambda: tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), [], dtype=tf.float32),
        lambda: tf.nn.rnn_cell.MultiRNNCell([]),
        lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), 2.0),
    ):
        tf.reset_default_graph()
        try:
            attempt()
        except (ValueError, TypeError) as error:
            found.append([type(error).__name__, str(error)])
        else:
            found.append(["nothing", ""])
    return found
