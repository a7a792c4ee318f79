"""A worker that stands still, is stopped, and whose variable drifts: one after the other."""

import os
import signal
import subprocess
import time

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
with strategy.scope():
    weight = tf.Variable([1.0, 2.0], name="weight")


def load(number):
    if rank == 1 and number == 2:
        time.sleep(3.5)
    if rank == 1 and number == 4:
        subprocess.Popen(["sh", "-c", f"sleep 4; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)
    if rank == 1 and number == 5:
        weight.values[0].assign_add([0.0, 0.5])


@tf.function
def step():
    def replica():
        context = tf.distribute.get_replica_context()
        return context.all_reduce("SUM", weight * 1.0)

    return strategy.run(replica)


for _ in range(400):  # always in a call of all workers, and not standing still
    strategy.reduce("SUM", weight.value(), axis=None)
for number in range(8):
    load(number)
    step()
    time.sleep(0.4)  # for the others to hear of it
