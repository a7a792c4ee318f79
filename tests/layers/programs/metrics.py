"""Metrics: several batches of updates, the value after each."""

# ruff: noqa: B023, B905 - functions are called at once; Python 3.7 knows no `strict`

import numpy as np

from tests.layers.programs import case, numbers


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
