"""Softmax regression on digits with flags, summaries and a graph for TensorBoard."""

import os

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("data_dir", "", "Folder with the digits")
flags.DEFINE_string("summaries_dir", "/tmp/logs", "Folder for events")
flags.DEFINE_integer("steps", 20, "Steps to train")
flags.DEFINE_float("learning_rate", 0.002, "Learning rate")


def main(_):
    digits = input_data.read_data_sets(FLAGS.data_dir, one_hot=True, validation_size=10, seed=7)
    with tf.name_scope("input"):
        x = tf.placeholder(tf.float32, [None, 784], name="x")
        y_ = tf.placeholder(tf.float32, [None, 10], name="y_")
    with tf.name_scope("layer"):
        w = tf.Variable(tf.zeros([784, 10]), name="w")
        b = tf.Variable(tf.zeros([10]), name="b")
        tf.summary.histogram("weights", w)
        y = tf.matmul(x, w) + b
    with tf.name_scope("cross_entropy"):
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
    tf.summary.scalar("loss", loss)
    train = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(loss)
    right = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    merged = tf.summary.merge_all()
    with tf.Session() as sess:
        writer = tf.summary.FileWriter(FLAGS.summaries_dir, sess.graph)
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.steps):
            images, labels = digits.train.next_batch(20)
            feeds = {x: images, y_: labels}
            summary, value, _ = sess.run([merged, loss, train], feed_dict=feeds)
            writer.add_summary(summary, step)
            if step % 5 == 0:
                print(f"step {step}: loss {value:.4f}")
        writer.close()
        test = {x: digits.test.images, y_: digits.test.labels}
        print(f"accuracy {sess.run(accuracy, feed_dict=test):.3f}")
        print("epochs", digits.train.epochs_completed)
    found = [name for name in os.listdir(FLAGS.summaries_dir) if "tfevents" in name]
    kinds = {}
    for event in tf.train.summary_iterator(os.path.join(FLAGS.summaries_dir, found[0])):
        kind = event.WhichOneof("what")
        kinds[kind] = kinds.get(kind, 0) + 1
    print(sorted(kinds.items()))


if __name__ == "__main__":
    tf.app.run()
