"""Asynchronous training with a parameter server and two workers, all in one process."""

import threading

import numpy as np
import tensorflow as tf

workers, servers = tf.test.create_local_cluster(2, 1)
print(len(workers), len(servers), workers[0].target.startswith("grpc://localhost:"))

with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0")):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=0.0)
    loss = tf.square(w - 2.0)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
init = tf.global_variables_initializer()
print(w.device, loss.device)

with tf.Session(workers[0].target) as session:
    session.run(init)


def work(server):
    session = tf.Session(server.target, graph=w.graph)
    for _ in range(20):
        session.run(train)
    session.close()


threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with tf.Session(workers[1].target) as session:
    value, steps = session.run([w, step])
print("steps", steps, "near", bool(np.abs(value - 2.0) < 0.1))
spec = tf.train.ClusterSpec({"ps": ["localhost:2222"], "worker": ["localhost:2223"]})
print(spec.num_tasks("worker"), spec.task_address("ps", 0))
