"""Layers: outputs with fixed variables, gradients, training, first values."""

# ruff: noqa: B905 - functions are called at once; Python 3.7 knows no `strict`

from tests.layers.programs import case, filled, numbers, run


def outputs_and_gradients(tf, make, shape):
    """Return a layer's output, and the gradients of its square by input and variables."""
    x = tf.constant(numbers(*shape, seed=5))
    with tf.variable_scope("model", initializer=filled(tf)):
        y = make(x)
    wanted = [x, *tf.trainable_variables()]
    found = run(tf, [y, *tf.gradients(tf.reduce_sum(y * y), wanted)])
    tf.reset_default_graph()
    return found


def each_layer(tf, table):
    """Return the outputs and gradients of a table of layers."""
    found = []
    for make, shape in table:
        found += outputs_and_gradients(tf, make, shape)
    return found


@case
def dense_layers(tf):
    """Fully connected layers of several ranks."""
    layers = tf.layers
    return each_layer(
        tf,
        [
            (lambda x: layers.dense(x, 4), (2, 3)),
            (lambda x: layers.dense(x, 4, activation=tf.nn.relu, use_bias=False), (2, 3)),
            (lambda x: layers.dense(x, 4, activation="tanh"), (2, 5, 3)),
            (lambda x: layers.dense(layers.flatten(x), 4), (2, 5, 3)),
            (lambda x: layers.dense(layers.flatten(x, data_format="channels_first"), 2), (2, 5, 3)),
        ],
    )


@case
def convolution_layers(tf):
    """Convolutions in one, two and three dimensions."""
    layers = tf.layers
    return each_layer(
        tf,
        [
            (lambda x: layers.conv1d(x, 4, 3), (2, 7, 3)),
            (lambda x: layers.conv1d(x, 4, 3, strides=2, padding="same"), (2, 7, 3)),
            (lambda x: layers.Conv1D(4, 3, padding="causal", dilation_rate=2)(x), (2, 7, 3)),
            (lambda x: layers.conv2d(x, 4, 3, activation=tf.nn.relu), (2, 7, 6, 3)),
            (lambda x: layers.conv2d(x, 4, (3, 2), (2, 1), "same"), (2, 7, 6, 3)),
            (lambda x: layers.conv2d(x, 4, 3, dilation_rate=2, padding="SAME"), (2, 7, 6, 3)),
            (lambda x: layers.conv3d(x, 2, 2, strides=2), (2, 4, 4, 4, 3)),
            (lambda x: layers.separable_conv1d(x, 4, 3), (2, 7, 3)),
            (lambda x: layers.separable_conv1d(x, 4, 3, strides=2, padding="same"), (2, 7, 3)),
            (
                lambda x: layers.separable_conv2d(x, 4, 3, strides=2, depth_multiplier=2),
                (2, 7, 7, 3),
            ),
            (
                lambda x: layers.separable_conv2d(x, 4, 3, dilation_rate=2, activation=tf.nn.relu),
                (2, 7, 7, 3),
            ),
            (lambda x: layers.conv2d_transpose(x, 4, 3, strides=2), (2, 4, 4, 3)),
            (lambda x: layers.conv2d_transpose(x, 4, 3, strides=2, padding="same"), (2, 4, 4, 3)),
            (lambda x: layers.conv3d_transpose(x, 2, 3, strides=2), (2, 2, 2, 2, 3)),
        ],
    )


@case
def pooling_layers(tf):
    """The largest and the mean of windows."""
    layers, table = tf.layers, []
    for rank, shape in ((1, (2, 7, 3)), (2, (2, 7, 6, 3)), (3, (2, 4, 5, 4, 3))):
        for kind in ("max", "average"):
            pool = getattr(layers, f"{kind}_pooling{rank}d")
            table.append((lambda x, pool=pool: pool(x, 2, 2), shape))
            table.append((lambda x, pool=pool: pool(x, 3, 2, "same"), shape))
    return each_layer(tf, table)


@case
def batch_normalization_layers(tf):
    """Normalized batches, while training and not, along several axes."""
    normalize, table = tf.layers.batch_normalization, []
    for training in (True, False):
        for axis, shape in ((-1, (6, 3)), (-1, (2, 4, 4, 3)), (1, (2, 5, 3)), ([1, 2], (4, 2, 3))):
            table.append(
                (
                    lambda x, axis=axis, training=training: normalize(x, axis, training=training),
                    shape,
                )
            )
    table.append(
        (
            lambda x: normalize(x, training=True, center=False, scale=False, epsilon=0.1),
            (2, 4, 4, 3),
        )
    )
    return each_layer(tf, table)


@case
def batch_normalization_moves_averages(tf):
    """Moving averages after updates, with `training` a tensor and a bool."""
    found = []
    for shape in ((6, 3), (2, 3, 4, 3)):
        for fed in (True, False):
            tf.reset_default_graph()
            training = tf.placeholder(tf.bool, [])
            x = tf.placeholder(tf.float32, (None, *shape[1:]))
            y = tf.layers.batch_normalization(x, momentum=0.8, training=training if fed else True)
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            state = [v.value() for v in tf.global_variables() if "moving" in v.name]
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for step, told in enumerate((True, False, True)):
                    feed = {x: numbers(*shape, seed=step), training: told}
                    found.append(session.run([y, updates], feed)[0])
                    found += session.run(state)
    return found


@case
def batch_renormalization(tf):
    """Normalized batches corrected towards slow averages."""
    clipping, found = {"rmax": 1.5, "rmin": 0.5, "dmax": 0.5}, []
    for options in (
        {},
        {"renorm_clipping": clipping, "scale": False},
        {"axis": 1, "center": False},
    ):
        tf.reset_default_graph()
        x = tf.placeholder(tf.float32, [None, 5, 3])
        y = tf.layers.batch_normalization(
            x, training=True, renorm=True, momentum=0.8, renorm_momentum=0.6, **options
        )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        state = [v.value() for v in tf.global_variables()]
        found.append([v.name for v in tf.global_variables()])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(3):
                feed = {x: numbers(4, 5, 3, seed=step, high=2.0)}
                found.append(session.run([y], feed)[0])
                session.run(updates, feed)
                found += session.run(state)
    return found


@case
def layers_train(tf):
    """A small network, regularized, trained by gradient descent."""
    x, labels = tf.constant(numbers(4, 6, 6, 2)), [0, 1, 2, 1]
    with tf.variable_scope("model", initializer=filled(tf)):
        hidden = tf.layers.conv2d(
            x,
            4,
            3,
            activation=tf.nn.relu,
            kernel_regularizer=lambda w: 0.1 * tf.reduce_sum(w * w),
            activity_regularizer=lambda y: 0.01 * tf.reduce_sum(y),
        )
        hidden = tf.layers.batch_normalization(hidden, training=True, momentum=0.7)
        hidden = tf.layers.max_pooling2d(hidden, 2, 2)
        logits = tf.layers.dense(tf.layers.flatten(hidden), 3, name="logits")
    tf.losses.sparse_softmax_cross_entropy(labels, logits)
    total = tf.losses.get_total_loss()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        steps = [
            variable.assign_sub(0.1 * gradient)
            for variable, gradient in zip(
                tf.trainable_variables(), tf.gradients(total, tf.trainable_variables())
            )
        ]
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            found.append(session.run(total))
            session.run(steps)
        found += session.run([v.value() for v in tf.global_variables()])
    return found


@case
def first_values_with_a_seed(tf):
    """Random first values under a graph seed: the numbers TensorFlow draws."""
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    y = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu)
    y = tf.layers.conv2d(y, 5, 3, kernel_initializer=tf.truncated_normal_initializer(stddev=0.1))
    y = tf.layers.dense(tf.layers.flatten(y), 3)
    tf.layers.dense(y, 2, kernel_initializer=tf.random_normal_initializer(seed=3))
    return run(tf, [v.value() for v in tf.global_variables()])


@case
def dropout_with_a_seed(tf):
    """Which elements dropout drops under a seed."""
    tf.set_random_seed(5)
    x = tf.ones([4, 6])
    return run(
        tf,
        [
            tf.layers.dropout(x, 0.4, training=True),
            tf.layers.dropout(x, 0.4, training=True, seed=9),
            tf.layers.dropout(x, 0.4, noise_shape=[4, 1], training=True, seed=9),
            tf.layers.dropout(x, 0.4),
        ],
    )
