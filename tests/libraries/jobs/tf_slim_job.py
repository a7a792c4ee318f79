"""TF-Slim: layers with scopes, a loss, its own training loop, checkpoints, metrics."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
import tf_slim as slim

tf.disable_v2_behavior()
tf.set_random_seed(1)
x = np.random.default_rng(0).normal(size=(32, 8, 8, 1)).astype("float32")
y = (x.mean(axis=(1, 2, 3)) > 0).astype("int64")


def net(images, is_training):
    with (
        slim.arg_scope(
            [slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(1e-4)
        ),
        slim.arg_scope([slim.batch_norm], is_training=is_training),
    ):
        found = slim.conv2d(images, 4, [3, 3], normalizer_fn=slim.batch_norm, scope="conv")
        found = slim.max_pool2d(found, [2, 2], scope="pool")
        found = slim.flatten(found)
        return slim.fully_connected(found, 2, activation_fn=None, scope="logits")


logits = net(tf.constant(x), True)
tf.losses.sparse_softmax_cross_entropy(tf.constant(y), logits)
total = tf.losses.get_total_loss()
train_op = slim.learning.create_train_op(total, tf.train.AdamOptimizer(0.05))
with tempfile.TemporaryDirectory() as folder:
    last = slim.learning.train(
        train_op, folder, number_of_steps=15, save_summaries_secs=0, log_every_n_steps=100
    )
    print("learned", float(last) < 0.6)
    print("checkpoint", tf.train.latest_checkpoint(folder).endswith("model.ckpt-15"))
print(sorted(v.op.name for v in slim.get_model_variables())[:3])
with tf.Graph().as_default(), tf.Session() as session:
    value, update = slim.metrics.streaming_accuracy(tf.constant([1, 0, 1]), tf.constant([1, 1, 1]))
    session.run(tf.local_variables_initializer())
    print("accuracy", round(float(session.run(update)), 4))
