"""A small convolutional network in slim, trained and then evaluated from its checkpoint."""

import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
tf.logging.set_verbosity(tf.logging.INFO)


def arg_scope(weight_decay=0.0005):
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_regularizer=slim.l2_regularizer(weight_decay),
        normalizer_fn=slim.batch_norm,
        normalizer_params={"decay": 0.9, "updates_collections": tf.GraphKeys.UPDATE_OPS},
    ) as scope:
        return scope


def network(images, is_training):
    with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
        net = slim.repeat(images, 2, slim.conv2d, 8, [3, 3], scope="conv1")
        net = slim.max_pool2d(net, [2, 2], scope="pool1")
        net = slim.flatten(net)
        net = slim.dropout(net, 0.9, scope="drop")
        return slim.fully_connected(net, 2, activation_fn=None, normalizer_fn=None, scope="logits")


def data(count=64):
    drawn = np.random.RandomState(0)
    images = drawn.rand(count, 8, 8, 1).astype(np.float32)
    labels = (np.arange(count) % 2).astype(np.int64)
    images[labels == 1, :4] += 1.0
    return images, labels


folder = tempfile.mkdtemp()
images, labels = data()
with tf.Graph().as_default():
    tf.set_random_seed(1)
    x, y = tf.constant(images), tf.constant(labels)
    with slim.arg_scope(arg_scope()):
        logits = network(x, True)
    slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(y, 2))
    total = slim.losses.get_total_loss()
    tf.summary.scalar("losses/total", total)
    train_op = slim.learning.create_train_op(total, tf.train.AdamOptimizer(0.02))
    final = slim.learning.train(
        train_op, folder, number_of_steps=30, log_every_n_steps=10, save_summaries_secs=60
    )
    print("model variables", len(slim.get_model_variables()))
    print("trained", final < 0.3)

with tf.Graph().as_default():
    x, y = tf.constant(images), tf.constant(labels)
    with slim.arg_scope(arg_scope()):
        logits = network(x, False)
    names, updates = slim.metrics.aggregate_metric_map(
        {"accuracy": slim.metrics.streaming_accuracy(tf.argmax(logits, 1), y)}
    )
    slim.get_or_create_global_step()
    found = slim.evaluation.evaluate_once(
        "",
        tf.train.latest_checkpoint(folder),
        folder,
        num_evals=2,
        eval_op=list(updates.values()),
        final_op=names["accuracy"],
        variables_to_restore=slim.get_variables_to_restore(exclude=["nothing"]),
    )
    print("accuracy over 0.9:", found > 0.9)
