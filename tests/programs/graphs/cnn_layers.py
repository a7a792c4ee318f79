"""The same network for training and for testing, through tf.layers and variable scopes."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(9)
tf.set_random_seed(9)
tf.logging.set_verbosity(tf.logging.ERROR)


def stripes(count):
    """Return 10 by 10 pictures of stripes: lying (0) or standing (1)."""
    kinds = rng.randint(0, 2, count)
    wave = np.sin(
        rng.uniform(0.8, 1.6, (count, 1, 1)) * np.arange(10)[None, None]
        + rng.uniform(0, 6, (count, 1, 1))
    )
    images = np.repeat(wave, 10, axis=1)
    images[kinds == 0] = images[kinds == 0].transpose(0, 2, 1)
    return (images + rng.normal(0, 0.3, images.shape)).astype("float32"), kinds.astype("int32")


def conv_net(x, n_classes, dropout, reuse, is_training):
    with tf.variable_scope("ConvNet", reuse=reuse):
        x = tf.reshape(x, shape=[-1, 10, 10, 1])
        conv1 = tf.layers.conv2d(x, 8, 3, activation=tf.nn.relu, kernel_regularizer=tf.nn.l2_loss)
        conv1 = tf.layers.max_pooling2d(conv1, 2, 2)
        conv2 = tf.layers.separable_conv2d(conv1, 12, 3, activation=tf.nn.relu)
        fc1 = tf.layers.flatten(conv2)
        fc1 = tf.layers.dense(fc1, 16, activation=tf.nn.relu, name="wide")
        fc1 = tf.layers.dropout(fc1, rate=dropout, training=is_training)
        return tf.layers.dense(fc1, n_classes)


images, labels = stripes(256)
X = tf.placeholder(tf.float32, [None, 10, 10])
Y = tf.placeholder(tf.int32, [None])
logits_train = conv_net(X, 2, 0.25, reuse=False, is_training=True)
logits_test = conv_net(X, 2, 0.25, reuse=True, is_training=False)

loss = tf.losses.sparse_softmax_cross_entropy(labels=Y, logits=logits_train)
penalty = tf.losses.get_regularization_loss()
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.AdamOptimizer(0.01).minimize(
    tf.losses.get_total_loss() - 0.999 * penalty, global_step=global_step
)
accuracy, update_accuracy = tf.metrics.accuracy(Y, tf.argmax(logits_test, 1))

print("variables made once:", len(tf.trainable_variables()))
print([v.name for v in tf.trainable_variables()][:2])
print("parameters:", sum(int(np.prod(v.shape)) for v in tf.trainable_variables()))

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for epoch in range(4):
        for start in range(0, 256, 32):
            feed = {X: images[start : start + 32], Y: labels[start : start + 32]}
            _, value = sess.run([train_op, loss], feed)
    for _ in range(3):
        test_images, test_labels = stripes(50)
        sess.run(update_accuracy, {X: test_images, Y: test_labels})
    print("after step", sess.run(global_step))
    print("accuracy over three batches above 0.9:", sess.run(accuracy) > 0.9)
    print("there is a penalty:", sess.run(penalty) > 0)
