"""The classic program of TensorFlow 1: parameter servers keep the model, workers train it."""

import argparse

import numpy as np

import placewise.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--sync", action="store_true")
parser.add_argument("--checkpoint_dir", default=None)
parser.add_argument("--save_steps", type=int, default=20)
parser.add_argument("--pause", type=float, default=0.0)
FLAGS = parser.parse_args()


def data(seed):
    """Yield batches of a linear problem, whose answer is known."""
    random = np.random.RandomState(seed)
    while True:
        x = random.randn(64, 4).astype("f")
        yield x, x @ np.array([1.0, -2.0, 3.0, 0.5], "f") + 0.25


def build(setter, workers, is_chief):
    """Return the placeholders, the loss, the training op and hooks."""
    with tf.device(setter):
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = tf.placeholder(tf.float32, [None], name="y")
        weights = tf.get_variable("weights", [4], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * weights, 1) + bias - y))
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        hooks = []
        if FLAGS.sync and workers > 1:
            optimizer = tf.train.SyncReplicasOptimizer(
                optimizer, replicas_to_aggregate=workers, total_num_replicas=workers
            )
            hooks.append(optimizer.make_session_run_hook(is_chief))
        train = optimizer.minimize(loss, global_step=step)
    return x, y, loss, train, step, hooks


def main():
    """Serve, or train until the global step is reached."""
    workers = FLAGS.worker_hosts.split(",") if FLAGS.worker_hosts else [""]
    target, setter = "", None
    if FLAGS.worker_hosts:
        cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
        server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
        if FLAGS.job_name == "ps":
            server.join()
        target = server.target
        setter = tf.train.replica_device_setter(
            cluster=cluster, worker_device=f"/job:worker/task:{FLAGS.task_index}"
        )
    is_chief = FLAGS.task_index == 0
    x, y, loss, train, step, hooks = build(setter, len(workers), is_chief)
    hooks.append(tf.train.StopAtStepHook(last_step=FLAGS.steps))
    batches = data(FLAGS.task_index)
    with tf.train.MonitoredTrainingSession(
        target,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.checkpoint_dir,
        hooks=hooks,
        save_checkpoint_steps=FLAGS.save_steps,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        log_step_count_steps=None,
        stop_grace_period_secs=5,
        max_wait_secs=120,
        config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{FLAGS.task_index}"]),
    ) as session:
        print("started", flush=True)
        value = number = None
        while not session.should_stop():
            inputs, outputs = next(batches)
            value, number, _ = session.run([loss, step, train], {x: inputs, y: outputs})
            if FLAGS.pause:
                import time

                time.sleep(FLAGS.pause)
    print(f"loss {value:.6f} step {number}", flush=True)


main()
