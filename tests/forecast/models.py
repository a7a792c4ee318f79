"""Thirty small training programs: two steps each, of every kind and in every way of writing one."""

import numpy as np

import placewise as tf

v1 = tf.compat.v1
STEPS = 2


def floats(*shape):
    return np.random.default_rng(0).random(shape, dtype=np.float32)


def labels(count, classes=10):
    return np.arange(count, dtype=np.int64) % classes


# TensorFlow 1.


def in_session(build, feeds):
    """Train the loss that `build` returns, with an optimizer of its choice."""
    with tf.Graph().as_default():
        inputs = [v1.placeholder(value.dtype, [None, *value.shape[1:]]) for value in feeds]
        train = build(*inputs)
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
            session.run(v1.global_variables_initializer())
            for _ in range(STEPS):
                session.run(train, dict(zip(inputs, feeds, strict=True)))


def cross_entropy(logits, y):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    return tf.reduce_mean(losses)


def dense_layers(x, sizes, name="layer"):
    for number, size in enumerate(sizes):
        with v1.variable_scope(f"{name}{number}"):
            w = v1.get_variable("w", [x.shape[-1], size])
            b = v1.get_variable("b", [size], initializer=v1.zeros_initializer())
        x = tf.nn.relu(tf.matmul(x, w) + b)
    return x


def graph_dense_sgd():
    def build(x, y):
        loss = cross_entropy(dense_layers(x, [256, 128, 10]), y)
        return v1.train.GradientDescentOptimizer(0.1).minimize(loss)

    in_session(build, [floats(64, 200), labels(64)])


def graph_dense_adam():
    def build(x, y):
        loss = cross_entropy(dense_layers(x, [256, 256, 10]), y)
        return v1.train.AdamOptimizer().minimize(loss)

    in_session(build, [floats(32, 300), labels(32)])


def graph_dense_deep_momentum():
    def build(x, y):
        loss = cross_entropy(dense_layers(x, [64] * 12 + [10]), y)
        return v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)

    in_session(build, [floats(512, 64), labels(512)])


def conv(x, filters, name, stride=1):
    w = v1.get_variable(name, [3, 3, x.shape[-1], filters])
    return tf.nn.conv2d(x, w, [1, stride, stride, 1], "SAME")


def graph_conv():
    def build(x, y):
        x = tf.nn.max_pool2d(tf.nn.relu(conv(x, 8, "c1")), 2, 2, "SAME")
        x = tf.nn.relu(conv(x, 16, "c2", 2))
        x = tf.reshape(x, [-1, 8 * 8 * 16])
        loss = cross_entropy(dense_layers(x, [10]), y)
        return v1.train.RMSPropOptimizer(0.01).minimize(loss)

    in_session(build, [floats(16, 32, 32, 3), labels(16)])


def graph_conv_batch_norm():
    def build(x, y):
        x = v1.layers.conv2d(x, 16, 3, padding="same")
        x = tf.nn.relu(v1.layers.batch_normalization(x, training=True))
        x = v1.layers.conv2d(x, 16, 3, strides=2, padding="same")
        x = tf.nn.relu(v1.layers.batch_normalization(x, training=True))
        loss = cross_entropy(v1.layers.dense(tf.reduce_mean(x, [1, 2]), 10), y)
        updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
        with tf.control_dependencies(updates):
            return v1.train.AdamOptimizer().minimize(loss)

    in_session(build, [floats(16, 24, 24, 3), labels(16)])


def graph_residual():
    def build(x, y):
        x = conv(x, 16, "first")
        for number in range(4):
            x = x + conv(tf.nn.relu(conv(x, 16, f"a{number}")), 16, f"b{number}")
        loss = cross_entropy(dense_layers(tf.reduce_mean(x, [1, 2]), [10]), y)
        return v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)

    in_session(build, [floats(8, 24, 24, 3), labels(8)])


def graph_dynamic_rnn():
    def build(x, y):
        cell = v1.nn.rnn_cell.LSTMCell(48)
        outputs, _ = v1.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        loss = cross_entropy(dense_layers(outputs[:, -1], [10]), y)
        return v1.train.AdamOptimizer().minimize(loss)

    in_session(build, [floats(16, 12, 24), labels(16)])


def graph_static_rnn():
    def build(x, y):
        cell = v1.nn.rnn_cell.GRUCell(40)
        outputs, _ = v1.nn.static_rnn(cell, tf.unstack(x, 8, 1), dtype=tf.float32)
        loss = cross_entropy(dense_layers(outputs[-1], [10]), y)
        return v1.train.AdagradOptimizer(0.1).minimize(loss)

    in_session(build, [floats(32, 8, 16), labels(32)])


def graph_embedding():
    def build(words, y):
        table = v1.get_variable("table", [2000, 32])
        x = tf.reduce_mean(tf.nn.embedding_lookup(table, words), 1)
        loss = cross_entropy(dense_layers(x, [64, 10]), y)
        return v1.train.AdagradOptimizer(0.1).minimize(loss)

    in_session(build, [labels(32 * 12, 2000).reshape(32, 12), labels(32)])


def graph_attention():
    def build(x, y):
        q, k, v = (tf.matmul(x, v1.get_variable(name, [16, 32, 32])) for name in "qkv")
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 6.0)
        x = tf.reduce_mean(tf.matmul(weights, v) + x, 1)
        loss = cross_entropy(dense_layers(x, [64, 10]), y)
        return v1.train.AdamOptimizer().minimize(loss)

    in_session(build, [floats(16, 20, 32), labels(16)])


def graph_towers():
    """Two towers with shared variables on the CPU, as the guides have it."""

    def build(x, y):
        optimizer, gradients = v1.train.GradientDescentOptimizer(0.1), []
        halves = zip(tf.split(x, 2), tf.split(y, 2), strict=True)
        for number, (part, wanted) in enumerate(halves):
            with tf.device(f"/gpu:{number}"), v1.variable_scope("net", reuse=number > 0):
                loss = cross_entropy(dense_layers(part, [128, 128, 10]), wanted)
                gradients.append(optimizer.compute_gradients(loss))
        averaged = [
            (tf.add_n([gradient for gradient, _ in pairs]) / 2.0, pairs[0][1])
            for pairs in zip(*gradients, strict=True)
        ]
        return optimizer.apply_gradients(averaged)

    in_session(build, [floats(64, 100), labels(64)])


def graph_model_parallel():
    def build(x, y):
        with tf.device("/gpu:0"):
            x = dense_layers(x, [256, 256], "first")
        with tf.device("/gpu:1"):
            loss = cross_entropy(dense_layers(x, [256, 10], "second"), y)
        return v1.train.AdamOptimizer().minimize(loss, colocate_gradients_with_ops=True)

    in_session(build, [floats(64, 100), labels(64)])


def graph_while_loop():
    def build(x, y):
        w = v1.get_variable("w", [64, 64])
        _, x = tf.while_loop(lambda i, _: i < 6, lambda i, h: (i + 1, tf.tanh(h @ w)), [0, x])
        loss = cross_entropy(dense_layers(x, [10]), y)
        return v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)

    in_session(build, [floats(32, 64), labels(32)])


# Eager code and functions.


def weights(*shape):
    return tf.Variable(tf.random.normal(shape) * 0.1)


def trained(model, variables, x, y, wrap=lambda step: step):
    @wrap
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = cross_entropy(model(x), y)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))
        return loss

    for _ in range(STEPS):
        step(tf.constant(x), tf.constant(y))


def perceptron():
    first, second, third = weights(200, 256), weights(256, 256), weights(256, 10)
    model = lambda x: tf.nn.relu(tf.nn.relu(x @ first) @ second) @ third  # noqa: E731
    return model, [first, second, third], floats(64, 200), labels(64)


def convolutional():
    first, second, last = weights(3, 3, 3, 16), weights(3, 3, 16, 16), weights(16, 10)

    def model(x):
        x = tf.nn.relu(tf.nn.conv2d(x, first, 1, "SAME"))
        x = tf.nn.avg_pool2d(tf.nn.relu(tf.nn.conv2d(x, second, 2, "SAME")), 2, 2, "SAME")
        return tf.reduce_mean(x, [1, 2]) @ last

    return model, [first, second, last], floats(16, 24, 24, 3), labels(16)


def recurrent():
    inner, outer, last = weights(64, 64), weights(16, 64), weights(64, 10)

    def model(x):
        h = tf.zeros([tf.shape(x)[0], 64])
        for place in range(10):
            h = tf.tanh(x[:, place] @ outer + h @ inner)
        return h @ last

    return model, [inner, outer, last], floats(32, 10, 16), labels(32)


def attending():
    q, k, v, last = weights(32, 32), weights(32, 32), weights(32, 32), weights(32, 10)

    def model(x):
        scores = tf.matmul(x @ q, x @ k, transpose_b=True)
        return tf.reduce_mean(tf.nn.softmax(scores) @ (x @ v), 1) @ last

    return model, [q, k, v, last], floats(16, 24, 32), labels(16)


def embedding():
    table, last = weights(1000, 64), weights(64, 10)
    model = lambda words: tf.reduce_mean(tf.gather(table, words), 1) @ last  # noqa: E731
    return model, [table, last], labels(32 * 10, 1000).reshape(32, 10), labels(32)


def eager_dense():
    trained(*perceptron())


def eager_conv():
    trained(*convolutional())


def eager_rnn():
    trained(*recurrent())


def eager_attention():
    trained(*attending())


def function_dense():
    trained(*perceptron(), wrap=tf.function)


def function_conv():
    trained(*convolutional(), wrap=tf.function)


def function_rnn():
    trained(*recurrent(), wrap=tf.function)


def function_attention():
    trained(*attending(), wrap=tf.function)


def function_embedding():
    trained(*embedding(), wrap=tf.function)


# Keras.


def fitted(layers, x, y, optimizer="adam", **options):
    model = tf.keras.Sequential(layers)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=optimizer, loss=loss, **options)
    model.fit(x, y, batch_size=len(x) // STEPS, epochs=1, verbose=0)


def keras_dense():
    dense = tf.keras.layers.Dense
    layers = [dense(256, activation="relu"), tf.keras.layers.Dropout(0.2), dense(10)]
    fitted(layers, floats(128, 200), labels(128))


def keras_conv():
    of = tf.keras.layers
    layers = [
        of.Conv2D(16, 3, activation="relu"),
        of.BatchNormalization(),
        of.MaxPooling2D(),
        of.Conv2D(16, 3, activation="relu"),
        of.GlobalAveragePooling2D(),
        of.Dense(10),
    ]
    fitted(layers, floats(32, 24, 24, 3), labels(32), "rmsprop")


def keras_lstm():
    of = tf.keras.layers
    fitted([of.LSTM(48), of.Dense(10)], floats(32, 10, 16), labels(32))


def keras_embedding():
    of = tf.keras.layers
    layers = [of.Embedding(500, 32), of.GlobalAveragePooling1D(), of.Dense(10)]
    fitted(layers, labels(64 * 8, 500).reshape(64, 8), labels(64), "adagrad")


def keras_attention():
    of = tf.keras.layers
    inputs = tf.keras.Input([16, 32])
    x = of.LayerNormalization()(of.MultiHeadAttention(4, 8)(inputs, inputs) + inputs)
    outputs = of.Dense(10)(of.GlobalAveragePooling1D()(of.Dense(64, activation="gelu")(x)))
    model = tf.keras.Model(inputs, outputs)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss)
    model.fit(floats(32, 16, 32), labels(32), batch_size=16, epochs=1, verbose=0)


def keras_eager_steps():
    of = tf.keras.layers
    model = tf.keras.Sequential([of.Dense(128, activation="tanh"), of.Dense(10)])
    optimizer, x, y = tf.keras.optimizers.Adam(), floats(64, 100), labels(64)
    for _ in range(STEPS):
        with tf.GradientTape() as tape:
            loss = cross_entropy(model(x), y)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))


# Several replicas.


def mirrored_function():
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with strategy.scope():
        first, second = weights(100, 128), weights(128, 10)

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            loss = cross_entropy(tf.nn.relu(x @ first) @ second, y) / 2.0
        gradients = tape.gradient(loss, [first, second])
        context = tf.distribute.get_replica_context()
        sums = context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)
        for variable, gradient in zip([first, second], sums, strict=True):
            variable.assign_sub(0.1 * gradient)

    @tf.function
    def step(x, y):
        strategy.run(replica_step, (x, y))

    data = tf.data.Dataset.from_tensor_slices((floats(128, 100), labels(128))).batch(64)
    for x, y in strategy.experimental_distribute_dataset(data):
        step(x, y)


def mirrored_keras():
    with tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"]).scope():
        of = tf.keras.layers
        fitted([of.Dense(128, activation="relu"), of.Dense(10)], floats(128, 100), labels(128))


MODELS = {
    name: function
    for name, function in list(globals().items())
    if name.startswith(("graph_", "eager_", "function_", "keras_", "mirrored_"))
}
