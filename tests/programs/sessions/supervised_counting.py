"""A supervisor's managed session: initialized, saved, and restored by a second one."""

import sys

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)


def count(folder, until):
    with tf.Graph().as_default():
        step = tf.Variable(0, name="global_step", trainable=False)
        total = tf.Variable(0.0, name="total")
        add = tf.group(tf.assign_add(step, 1), tf.assign_add(total, 0.5))
        supervisor = tf.train.Supervisor(
            logdir=folder, save_model_secs=0, save_summaries_secs=0, summary_op=None
        )
        with supervisor.managed_session() as session:
            print("begins at", session.run(step))
            while not supervisor.should_stop():
                session.run(add)
                if session.run(step) >= until:
                    supervisor.request_stop()
            supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
            print("total", session.run(total))


count(sys.argv[1], 3)
count(sys.argv[1], 6)
