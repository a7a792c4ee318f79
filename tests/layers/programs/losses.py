"""Losses, with weights and reductions."""

import numpy as np

from tests.layers.programs import case, numbers, run

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
