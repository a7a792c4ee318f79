"""Training in a monitored session: checkpoints, summaries, logs, resumed where it stopped."""

import sys

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)


def train(folder, last_step):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        step = tf.train.get_or_create_global_step()
        x = tf.constant(np.linspace(-1, 1, 20).reshape(20, 1), tf.float32)
        y = tf.layers.dense(x, 1, kernel_initializer=tf.zeros_initializer(), name="line")
        loss = tf.losses.mean_squared_error(labels=3 * x + 1, predictions=y)
        tf.summary.scalar("loss", loss)
        rate = tf.train.exponential_decay(0.5, step, 10, 0.9)
        train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
        hooks = [
            tf.train.StopAtStepHook(last_step=last_step),
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=10),
        ]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder,
            hooks=hooks,
            save_checkpoint_steps=10,
            save_summaries_steps=10,
            log_step_count_steps=10,
        ) as session:
            while not session.should_stop():
                _, value, _at = session.run([train_op, loss, step])
        print(f"stopped with loss {value:.5f}")


train(sys.argv[1], 20)
train(sys.argv[1], 30)
print(tf.train.latest_checkpoint(sys.argv[1]).split("/")[-1])
