"""Trains a while, saves, and goes on later where it stopped."""

import os
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(19)
model_path = os.path.join(tempfile.mkdtemp(), "model.ckpt")
features = rng.normal(size=(64, 5))
labels = features @ np.arange(5.0)[:, None] + 1


def build():
    x = tf.placeholder("float", [None, 5])
    y = tf.placeholder("float", [None, 1])
    w = tf.Variable(tf.zeros([5, 1]), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    step = tf.train.get_or_create_global_step()
    cost = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    train = tf.train.AdamOptimizer(0.2).minimize(cost, global_step=step)
    return x, y, cost, train, step


x, y, cost, train, step = build()
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(1, 31):
        _, c = sess.run([train, cost], feed_dict={x: features, y: labels})
        if i % 10 == 0:
            save_path = saver.save(sess, model_path, global_step=step)
    print("Model saved in file:", os.path.basename(save_path))
    print("kept:", [os.path.basename(path) for path in saver.last_checkpoints])
    print(
        "files:",
        sorted(
            n for n in os.listdir(os.path.dirname(model_path)) if "-30" in n or n == "checkpoint"
        ),
    )

with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint(os.path.dirname(model_path)))
    again = sess.run(cost, feed_dict={x: features, y: labels})
    print("cost as it was after the step:", again < c, "step", sess.run(step))
    for _ in range(60):
        sess.run(train, feed_dict={x: features, y: labels})
    print("better now:", sess.run(cost, {x: features, y: labels}) < 0.5 * again)

# Only some of the variables, under other names, in another graph.
with tf.Graph().as_default(), tf.Session() as sess:
    renamed = tf.get_variable("renamed", [5, 1])
    fresh = tf.get_variable("fresh", [2], initializer=tf.ones_initializer())
    tf.train.Saver({"w": renamed}).restore(sess, save_path)
    sess.run(fresh.initializer)
    missing = sess.run(tf.report_uninitialized_variables())
    print("renamed", sess.run(renamed).shape, "uninitialised:", missing.tolist())
    try:
        tf.train.Saver([fresh]).restore(sess, save_path)
    except tf.errors.NotFoundError as error:
        print("not in it:", "fresh not found in checkpoint" in error.message)

reader = tf.train.NewCheckpointReader(save_path)
for name, shape in sorted(reader.get_variable_to_shape_map().items()):
    print(" ", name, shape)
print("global step", reader.get_tensor("global_step"), reader.has_tensor("nothing"))
