"""A script as they used to be: flags, a main function, a supervisor that saves and resumes."""

import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("train_dir", "", "Where to write checkpoints.")
flags.DEFINE_integer("max_steps", 15, "How many steps to train.")
flags.DEFINE_float("learning_rate", 0.1, "Initial learning rate.")
flags.DEFINE_boolean("verbose", False, "Whether to say more.")
flags.DEFINE_enum("optimizer", "sgd", ["sgd", "adam"], "Which optimizer.")
FLAGS = flags.FLAGS


def build():
    step = tf.Variable(0, name="global_step", trainable=False)
    x = tf.constant(np.linspace(0, 1, 11).reshape(-1, 1), tf.float32)
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 2 * x))
    tf.summary.scalar("loss", loss)
    kinds = {"sgd": tf.train.GradientDescentOptimizer, "adam": tf.train.AdamOptimizer}
    train = kinds[FLAGS.optimizer](FLAGS.learning_rate).minimize(loss, global_step=step)
    return step, loss, train


def train(folder, until):
    with tf.Graph().as_default():
        step, loss, train_op = build()
        supervisor = tf.train.Supervisor(
            logdir=folder, global_step=step, save_model_secs=0, save_summaries_secs=0
        )
        with supervisor.managed_session() as sess:
            start = sess.run(step)
            while not supervisor.should_stop() and sess.run(step) < until:
                _, value = sess.run([train_op, loss])
            supervisor.saver.save(sess, supervisor.save_path, global_step=step)
            print("from step", start, "to", sess.run(step), "loss below 1:", value < 1)
        return value


def main(argv):
    print("arguments left:", argv[1:])
    print("optimizer", FLAGS.optimizer, "rate", FLAGS.learning_rate, "verbose", FLAGS.verbose)
    folder = FLAGS.train_dir or tempfile.mkdtemp()
    first = train(folder, FLAGS.max_steps)
    second = train(folder, 2 * FLAGS.max_steps)
    print("resumed and better:", second < first)
    files = os.listdir(folder)
    print(
        "files:", "checkpoint" in files, "graph.pbtxt" in files, any("events" in f for f in files)
    )


if __name__ == "__main__":
    sys.argv += ["--learning_rate=0.5", "--verbose", "rest"]
    tf.app.run()
