"""A worker that runs steps in a plain session on parameter servers, and prints how each ended."""

import argparse
import time

import placewise.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
FLAGS = parser.parse_args()

cluster = {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
    print("serving", flush=True)
    server.join()
with tf.device("/job:ps/task:0"):
    variable = tf.Variable(1.0, name="variable")
with tf.device("/job:ps/task:1"):
    other = tf.Variable(2.0, name="other")
with tf.device(f"/job:worker/task:{FLAGS.task_index}"):
    total = variable + other
with tf.Session(server.target) as session:
    session.run(tf.global_variables_initializer())
    print("started", flush=True)
    while True:
        begin = time.monotonic()
        try:
            session.run(total)
        except tf.errors.OpError as problem:
            took = time.monotonic() - begin
            print(
                f"{type(problem).__name__} after {took:.2f} s at {time.time():.2f}: {problem}",
                flush=True,
            )
            time.sleep(0.2)
