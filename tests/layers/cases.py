"""Programs whose answers are recorded from TensorFlow 1.15: each gets `tf` and gives arrays.

Written for any Python from 3.7 on, since TensorFlow 1.15 runs them too (`record.py`).
"""

# ruff: noqa: B023, B905 - functions are called at once; Python 3.7 knows no `strict`

import numpy as np

CASES = {}


def case(function):
    """Add a program to the table, under its own name."""
    CASES[function.__name__] = function
    return function


def numbers(*shape, seed=0, low=-1.0, high=1.0):
    """Return the same float32 numbers in every process."""
    return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


def run(tf, fetches, feed=None, steps=1, local=False):
    """Return what a new session gives for the fetches, `steps` times."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if local:
            session.run(tf.local_variables_initializer())
        found = [session.run(fetches, feed) for _ in range(steps)]
    return found[0] if steps == 1 else found


def filled(tf):
    """Give every variable fixed numbers instead of random ones: an initializer per shape."""
    return FixedInitializer(tf)


class FixedInitializer:
    """An initializer whose numbers depend on the shape only."""

    def __init__(self, tf):
        self.tf = tf

    def __call__(self, shape, dtype=None, partition_info=None):
        """Return numbers between -1/2 and 1/2."""
        sizes = [int(each) for each in shape]
        return self.tf.constant(numbers(*sizes, seed=sum(sizes), low=-0.5, high=0.5))


# Losses.

LOSSES = [
    "absolute_difference",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_squared_error",
    "mean_pairwise_squared_error",
    "sigmoid_cross_entropy",
]


@case
def losses_with_weights(tf):
    """Every loss of labels and predictions, with several kinds of weights."""
    labels = (numbers(4, 3, seed=1) > 0).astype(np.float32)
    values = numbers(4, 3, seed=2, low=0.1, high=0.9)
    weights = [1.0, 0.5, 0.0, [[2.0], [0.0], [1.0], [3.0]], numbers(4, 3, seed=3, low=0, high=1)]
    found = [
        getattr(tf.losses, name)(labels, values, weights=weight)
        for name in LOSSES
        for weight in weights
    ]
    found += [tf.losses.cosine_distance(labels, values, axis=1, weights=w) for w in weights[:4]]
    return run(tf, [*found, tf.losses.get_total_loss()])


@case
def losses_with_reductions(tf):
    """The ways to reduce weighted losses."""
    kind = tf.losses.Reduction
    weights = [[2.0], [0.0], [1.0], [3.0]]
    ways = [kind.NONE, kind.SUM, kind.MEAN, kind.SUM_OVER_BATCH_SIZE, kind.SUM_BY_NONZERO_WEIGHTS]
    labels, values = numbers(4, 3, seed=1), numbers(4, 3, seed=2)
    return run(
        tf, [tf.losses.mean_squared_error(labels, values, weights, reduction=w) for w in ways]
    )


@case
def losses_of_logits(tf):
    """Cross-entropies, with smoothed labels, with weights per case."""
    logits = tf.constant(numbers(4, 3, seed=2))
    onehot, classes = np.eye(3)[[0, 2, 1, 1]], [0, 2, 1, 1]
    some = [1.0, 0.0, 2.0, 1.0]
    return run(
        tf,
        [
            tf.losses.softmax_cross_entropy(onehot, logits),
            tf.losses.softmax_cross_entropy(onehot, logits, some, label_smoothing=0.2),
            tf.losses.sigmoid_cross_entropy(onehot, logits, label_smoothing=0.2),
            tf.losses.sparse_softmax_cross_entropy(classes, logits),
            tf.losses.sparse_softmax_cross_entropy(np.array(classes)[:, None], logits, some),
            tf.losses.sparse_softmax_cross_entropy(classes, logits, np.array(some)[:, None]),
            tf.losses.huber_loss(onehot, logits, delta=0.3),
            tf.losses.log_loss(onehot, tf.nn.softmax(logits), epsilon=0.01),
        ],
    )


@case
def losses_of_unknown_shapes(tf):
    """Weights and values whose shapes only a run tells."""
    labels, values = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    weights, row = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None, 1])
    loss = tf.losses.mean_squared_error(labels, values, weights)
    known = tf.losses.mean_squared_error(labels, tf.reshape(values, [-1, 3]), row)
    feed = {labels: numbers(2, 3), values: numbers(2, 3, seed=1), weights: 2.0, row: [[1], [2]]}
    first = run(tf, [loss, known], feed)
    feed[weights] = [[1.0], [0.0]]
    return first + run(tf, [loss], feed)


# Metrics: two batches of updates, the value after each.


def stream(tf, make, feeds, shapes):
    """Return value, update, value after each batch fed."""
    inputs = [tf.placeholder(dtype, shape) for dtype, shape in shapes]
    value, update = make(*inputs)
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for batch in feeds:
            found.append(session.run(value))
            found.append(session.run(update, dict(zip(inputs, batch))))
        found.append(session.run(value))
    return found


def batches(count=3, width=5):
    """Return labels, predictions and weights of several batches."""
    made = []
    for seed in range(count):
        score = numbers(width, seed=seed, low=0.01, high=0.99)
        label = numbers(width, seed=seed + 10) + score - 0.5 > 0
        made.append((label.astype(np.float32), score, numbers(width, seed=seed + 20, low=0)))
    return made


MEANS = ["mean_absolute_error", "mean_squared_error", "root_mean_squared_error"]
COUNTS = ["true_positives", "true_negatives", "false_positives", "false_negatives"]


@case
def metrics_that_are_means(tf):
    """Means of values and errors, with and without weights."""
    floats = [(tf.float32, [None])] * 3
    m, found = tf.metrics, []
    for name in MEANS:
        function = getattr(m, name)
        found += stream(tf, lambda a, b, w: function(a, b), batches(), floats)
        found += stream(tf, lambda a, b, w: function(a, b, w), batches(), floats)
    found += stream(tf, lambda a, b, w: m.mean(b), batches(), floats)
    found += stream(tf, lambda a, b, w: m.mean(b, w), batches(), floats)
    found += stream(tf, lambda a, b, w: m.percentage_below(b, 0.4, w), batches(), floats)
    found += stream(tf, lambda a, b, w: m.mean_relative_error(a, b, a), batches(), floats)
    found += stream(tf, lambda a, b, w: m.accuracy(a, tf.round(b), w), batches(), floats)
    found += stream(
        tf, lambda a, b, w: m.accuracy(a[:, None], tf.cast(b * 2, tf.int64)), batches(), floats
    )
    rows = [(tf.float32, [5])] * 3
    found += stream(tf, lambda a, b, w: m.mean_tensor(b), batches(), rows)
    found += stream(tf, lambda a, b, w: m.mean_tensor(b, w), batches(), rows)
    found += stream(
        tf, lambda a, b, w: m.mean_cosine_distance(a[None], b[None], 1), batches(), floats
    )
    return found


@case
def metrics_of_classes(tf):
    """Counts, precision, recall, overlap and accuracy per class."""
    floats = [(tf.float32, [None])] * 3
    m, found = tf.metrics, []
    for name in [*COUNTS, "precision", "recall"]:
        function = getattr(m, name)
        found += stream(tf, lambda a, b, w: function(a, tf.round(b)), batches(), floats)
        found += stream(tf, lambda a, b, w: function(a, tf.round(b), w), batches(), floats)
    for name in ["mean_iou", "mean_per_class_accuracy"]:
        function = getattr(m, name)
        for weighted in (False, True):
            found += stream(
                tf,
                lambda a, b, w: function(
                    tf.cast(a, tf.int64), tf.cast(b * 3, tf.int64), 3, w if weighted else None
                ),
                batches(),
                floats,
            )
    return found


@case
def metrics_at_thresholds(tf):
    """Counts and shares at thresholds."""
    floats = [(tf.float32, [None])] * 3
    m, found = tf.metrics, []
    for name in [*COUNTS, "precision", "recall"]:
        function = getattr(m, name + "_at_thresholds")
        found += stream(tf, lambda a, b, w: function(a, b, [0.2, 0.5, 0.8]), batches(), floats)
        found += stream(tf, lambda a, b, w: function(a, b, [0.2, 0.5, 0.8], w), batches(), floats)
    return found


@case
def metrics_of_curves(tf):
    """Areas under curves, and points on them."""
    floats = [(tf.float32, [None])] * 3
    m, found = tf.metrics, []
    for curve in ("ROC", "PR"):
        for method in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
            found += stream(
                tf,
                lambda a, b, w: m.auc(
                    a, b, curve=curve, summation_method=method, num_thresholds=20
                ),
                batches(),
                floats,
            )
    found += stream(tf, lambda a, b, w: m.auc(a, b, w), batches(), floats)
    found += stream(tf, lambda a, b, w: m.auc(a, b, thresholds=[0.7, 0.3]), batches(), floats)
    found += stream(tf, lambda a, b, w: m.sensitivity_at_specificity(a, b, 0.6), batches(), floats)
    found += stream(
        tf, lambda a, b, w: m.specificity_at_sensitivity(a, b, 0.6, w), batches(), floats
    )
    return found


@case
def metrics_of_ranks(tf):
    """Precision and recall among the best k, for dense and sparse labels, for one class."""
    shapes = [(tf.int64, [None, 2]), (tf.float32, [None, 5]), (tf.float32, [None])]
    feeds = [
        (np.array([[0, 1], [2, 3], [4, 0]]), numbers(3, 5, seed=s), numbers(3, seed=s, low=0))
        for s in range(3)
    ]
    m, found = tf.metrics, []
    for function in (m.recall_at_k, m.precision_at_k, m.average_precision_at_k):
        found += stream(tf, lambda a, b, w: function(a, b, 3), feeds, shapes)
        found += stream(tf, lambda a, b, w: function(a, b, 2, weights=w), feeds, shapes)

        def sparse(a, b, w):
            # The last case has one label only.
            indices = tf.constant([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], tf.int64)
            values = tf.gather_nd(a, indices)
            labels = tf.SparseTensor(indices, values, tf.constant([3, 2], tf.int64))
            return function(labels, b, 3, weights=w)

        found += stream(tf, sparse, feeds, shapes)
    for function in (m.recall_at_k, m.precision_at_k):
        found += stream(tf, lambda a, b, w: function(a, b, 3, class_id=2), feeds, shapes)
        found += stream(
            tf, lambda a, b, w: function(a[:, 0], b, 3, class_id=0, weights=w), feeds, shapes
        )
    found += stream(tf, lambda a, b, w: m.recall_at_top_k(a, tf.nn.top_k(b, 2)[1]), feeds, shapes)
    found += stream(
        tf, lambda a, b, w: m.precision_at_top_k(a, tf.nn.top_k(b, 2)[1], 2), feeds, shapes
    )
    return found


# Layers: outputs with fixed variables, and gradients of their squares.


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
            pool = getattr(layers, "%s_pooling%dd" % (kind, rank))
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


# Recurrent networks.


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


# Names and messages.


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
